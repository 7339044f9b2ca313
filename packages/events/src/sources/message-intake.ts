import { asError } from '@tiphys/env'
import { publishUntilTaken } from './running-source.ts'
import type { SourceEvent, SourceHost } from './source.ts'

/** So many messages are on their way to the bus at once: they share its syncs to stable storage. */
const MOST_UNDER_WAY = 64

/** Brings the messages of a broker to the bus, begun in the order in which they came. One that cannot become an event is said in
 *  the entry's health and left out. */
export class MessageIntake {
  readonly #host: SourceHost
  readonly #stopped: AbortSignal
  readonly #underWay = new Set<Promise<unknown>>()
  #isLastBad = false

  constructor(host: SourceHost, stopped: AbortSignal) {
    this.#host = host
    this.#stopped = stopped
  }

  get size(): number {
    return this.#underWay.size
  }

  /** Resolves when there is room for the next one: whoever waits for it holds the broker back. */
  async add(make: () => SourceEvent): Promise<void> {
    const event = this.#made(make)
    if (!event) return
    const publishing = publishUntilTaken(this.#host, event, this.#stopped)
    this.#underWay.add(publishing)
    void publishing.finally(() => this.#underWay.delete(publishing))
    if (this.#underWay.size >= MOST_UNDER_WAY) await Promise.race(this.#underWay)
  }

  /** Resolves when every message that was added is published, or the source is stopped. */
  async drained(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  #made(make: () => SourceEvent): SourceEvent | undefined {
    try {
      const event = make()
      if (this.#isLastBad) this.#host.report({ state: 'active' })
      this.#isLastBad = false
      return event
    } catch (thrown) {
      this.#isLastBad = true
      const message = `A message was left out: ${asError(thrown).message}`
      this.#host.report({ state: 'failing', reason: 'BadMessage', message })
      return undefined
    }
  }
}

/** The body of a message as a part of the payload, in JSON: what was sent when that is JSON (`isJson`), else its bytes as Go
 *  writes them. Throws when it is not what the manifest says. */
export function messageBody(data: Uint8Array, isJson: boolean): string {
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  return isJson ? jsonBody(buffer.toString('utf8')) : JSON.stringify(buffer.toString('base64'))
}

/** A text that must be JSON, as it was written. */
export function jsonBody(text: string): string {
  try {
    JSON.parse(text)
    return text.trim()
  } catch (thrown) {
    throw new Error(`jsonBody is set and the body is no JSON: ${asError(thrown).message}`, { cause: thrown })
  }
}

/** `metadata` of the entry at the end of a payload, when it has any. */
export function metadataTail(metadata: Readonly<Record<string, string>> | undefined): string {
  return metadata && Object.keys(metadata).length > 0 ? `,"metadata":${JSON.stringify(metadata)}` : ''
}
