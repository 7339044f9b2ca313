import { type Connection, type Json, parseLossless } from './http.ts'

/** A watch in progress. */
export class WatchStream {
  readonly #connection: Connection
  readonly #lines: AsyncGenerator<string>
  readonly #recorded: Json[]
  /** A read that outlived its caller's patience: the next caller gets its line. */
  #reading: Promise<string | { note: string }> | undefined

  constructor(connection: Connection, lines: AsyncGenerator<string>, recorded: Json[]) {
    this.#connection = connection
    this.#lines = lines
    this.#recorded = recorded
  }

  /** Waits for the next events and records them. A stream that ends or stays silent early is recorded as such. */
  async next(count = 1, atMostMilliseconds = 10_000): Promise<Json[]> {
    const events: Json[] = []
    while (events.length < count) {
      const line = await this.#line(atMostMilliseconds)
      const event = typeof line === 'string' ? parseLossless(line) : line
      events.push(event)
      this.#recorded.push(event)
      if (typeof line !== 'string') break
    }
    return events
  }

  /** Waits for the next changes. A bookmark in between is left out: when the server sends one is its own business. */
  async nextChanges(count = 1, atMostMilliseconds = 10_000): Promise<void> {
    for (let seen = 0; seen < count; ) {
      const [event] = await this.next(1, atMostMilliseconds)
      const { type, note } = event as { type?: Json; note?: Json }
      if (type === 'BOOKMARK') this.#recorded.pop()
      else seen++
      if (note !== undefined) return
    }
  }

  /** Reads and records until the server ends the stream. */
  async toEnd(atMostMilliseconds = 15_000): Promise<Json[]> {
    return this.next(Number.POSITIVE_INFINITY, atMostMilliseconds)
  }

  close(): void {
    this.#connection.close()
  }

  async #line(atMostMilliseconds: number): Promise<string | { note: string }> {
    let impatience: NodeJS.Timeout | undefined
    const silence = new Promise<{ note: string }>(resolve => {
      impatience = setTimeout(() => resolve({ note: 'no event' }), atMostMilliseconds)
    })
    this.#reading ??= this.#lines.next().then(({ done, value }) => (done ? { note: 'end of stream' } : value))
    const first = await Promise.race([this.#reading, silence])
    clearTimeout(impatience)
    if (typeof first === 'string' || first.note === 'end of stream') this.#reading = undefined
    return first
  }
}
