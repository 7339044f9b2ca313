/** So much waits at most: enough that the one who stores has something to do while the next takes longer, and the one who makes it goes on while
 *  many words are stored. */
const MOST_WAITING = 6

/** What was made of records and waits to be stored. */
export class WaitingLine {
  readonly #keepsOrder: boolean
  readonly #waiting: Promise<void>[] = []

  /** `keepsOrder`: what is begun while another is under way waits for its turn by itself. */
  constructor({ keepsOrder }: { keepsOrder: boolean }) {
    this.#keepsOrder = keepsOrder
  }

  /** Resolves when more may be added. */
  async add(write: () => Promise<void>): Promise<void> {
    const last = this.#waiting.at(-1)
    const writing = !last || this.#keepsOrder ? write() : last.then(write)
    // Told when it is waited for.
    writing.catch(() => {})
    this.#waiting.push(writing)
    if (this.#waiting.length > MOST_WAITING) await this.#waiting.shift()
  }

  async settled(): Promise<void> {
    for (const one of this.#waiting) await one
  }
}
