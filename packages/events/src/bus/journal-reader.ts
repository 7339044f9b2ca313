import type { Entry, Journal } from '@tiphys/journal'

/** So many records are rather skipped than looked up. */
const SKIPPED = 64

/** Reads single records. Positions that rise in small steps are read in one pass. */
export class JournalReader {
  readonly #journal: Journal
  #pass: AsyncIterator<Entry> | undefined
  #last = 0

  constructor(journal: Journal) {
    this.#journal = journal
  }

  /** The record, unless compaction has dropped it. */
  async at(position: number): Promise<Entry | undefined> {
    const step = position - this.#last
    if (this.#pass && step > 0 && step <= SKIPPED) {
      const entry = await this.#advance(this.#pass, position)
      if (entry) return entry.position === position ? entry : this.#anew(position)
    }
    return this.#anew(position)
  }

  async close(): Promise<void> {
    const pass = this.#pass
    this.#pass = undefined
    await pass?.return?.()
  }

  async #anew(position: number): Promise<Entry | undefined> {
    await this.close()
    this.#pass = this.#journal.read(position)[Symbol.asyncIterator]()
    const entry = await this.#advance(this.#pass, position)
    return entry?.position === position ? entry : undefined
  }

  async #advance(pass: AsyncIterator<Entry>, position: number): Promise<Entry | undefined> {
    for (;;) {
      const { done, value } = await pass.next()
      if (done) {
        this.#pass = undefined
        return undefined
      }
      this.#last = value.position
      if (value.position >= position) return value
    }
  }
}
