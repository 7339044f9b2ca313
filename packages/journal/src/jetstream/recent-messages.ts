import type { StreamMessage } from './stream-message.ts'

const MOST_BYTES = 8 * 2 ** 20
const OVERHEAD = 256

/** The newest messages, without gaps, so that those who follow the head need not ask the server for what was just sent. */
export class RecentMessages {
  #messages: StreamMessage[] = []
  #start = 0
  #bytes = 0

  add(message: StreamMessage): void {
    if (message.data.length > MOST_BYTES / 8) return this.#clear()
    this.#messages.push(message)
    this.#bytes += message.data.length + OVERHEAD
    while (this.#bytes > MOST_BYTES)
      this.#bytes -= (this.#messages[this.#start++] as StreamMessage).data.length + OVERHEAD
    if (this.#start > 1024 && this.#start * 2 > this.#messages.length) {
      this.#messages = this.#messages.slice(this.#start)
      this.#start = 0
    }
  }

  /** The messages from a position on, if all of them are here. */
  from(position: number): StreamMessage[] {
    const first = this.#messages[this.#start]?.position
    return first === undefined || position < first ? [] : this.#messages.slice(this.#start + position - first)
  }

  /** Compaction has dropped some of what lies before a position. */
  forgetBefore(position: number): void {
    const kept = this.#messages.slice(this.#start).filter(message => message.position >= position)
    this.#clear()
    for (const message of kept) this.add(message)
  }

  #clear(): void {
    this.#messages = []
    this.#start = 0
    this.#bytes = 0
  }
}
