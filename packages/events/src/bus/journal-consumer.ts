import type { Clock, Timer } from '@tiphys/env'
import type { Event } from '../event.ts'
import type { Consumer } from './bus.ts'
import type { ConsumerPosition } from './consumer-position.ts'
import type { EventLog } from './event-log.ts'

/** What is done is stored after this time, together with what else is done until then. */
const STORED_AFTER_MS = 50

export interface ConsumerHost {
  readonly clock: Clock
  readonly log: EventLog
  reader(): { at(position: number): Promise<Event | undefined>; close(): Promise<void> }
  /** The consumer has been given everything there is. */
  onAllRead(): void
  /** Resolves when there may be more events, or when the signal is aborted. */
  progress(signal: AbortSignal): Promise<void>
  store(name: string, position: ConsumerPosition): Promise<void>
  onClosed(name: string): void
  /** A storage that fails says so through the bus' health; the consumer has nobody to tell. */
  onStoreFailed(error: unknown): void
}

export class JournalConsumer implements Consumer {
  readonly name: string
  readonly position: ConsumerPosition
  readonly #host: ConsumerHost
  readonly #ended = new AbortController()
  #timer: Timer | undefined

  constructor(name: string, position: ConsumerPosition, host: ConsumerHost) {
    this.name = name
    this.position = position
    this.#host = host
  }

  get backlog(): number {
    return this.position.openCount + this.unread
  }

  get unread(): number {
    return this.#host.log.countAfter(this.position.after)
  }

  get handledUpTo(): number {
    return this.position.handledUpTo
  }

  async *deliveries(signal: AbortSignal): AsyncIterable<{ position: number; event: Event }> {
    const { log } = this.#host
    const until = AbortSignal.any([signal, this.#ended.signal])
    const reader = this.#host.reader()
    const read = async (position: number) => {
      const event = await reader.at(position)
      if (!event) throw new Error(`the journal has lost the event at ${position}`)
      return event
    }
    try {
      for (const position of this.position.open) {
        const event = log.recent(position) ?? (await read(position))
        if (until.aborted) return
        if (this.position.holds(position)) yield { position, event }
      }
      while (!until.aborted) {
        const next = log.after(this.position.after)
        if (!next) {
          this.#host.onAllRead()
          await this.#host.progress(until)
          continue
        }
        const event = log.recent(next.position) ?? (await read(next.position))
        if (until.aborted) return
        this.position.handOut(next.position)
        yield { position: next.position, event }
      }
    } finally {
      await reader.close()
    }
  }

  done(position: number): void {
    if (!this.position.done(position) || this.#ended.signal.aborted) return
    this.#timer ??= this.#host.clock.schedule(STORED_AFTER_MS, () => {
      this.#timer = undefined
      this.#host.store(this.name, this.position).catch(error => this.#host.onStoreFailed(error))
    })
  }

  async close(): Promise<void> {
    if (this.#ended.signal.aborted) return
    this.end()
    try {
      await this.#host.store(this.name, this.position)
    } finally {
      this.#host.onClosed(this.name)
    }
  }

  /** Ends without storing. */
  end(): void {
    this.#timer?.cancel()
    this.#ended.abort()
  }
}
