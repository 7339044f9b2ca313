import type { Docs } from '../database/database.ts'

/** So many bytes are as good as more, and take memory. */
const MANY_BYTES = 1_000_000

/** Collects the texts whose words are to be stored, as bytes: most of them are carried from a payload as they are. */
export class DocTexts {
  #bytes: Buffer = Buffer.alloc(0)
  #length = 0
  #ids: number[] = []
  #ends: number[] = []

  /** All parts are one text; none for no text at all. */
  add(id: number, parts: readonly (string | Uint8Array)[]): void {
    if (parts.length === 0) return
    for (const part of parts) this.#append(part)
    this.#ids.push(id)
    this.#ends.push(this.#length)
  }

  /** Those that are to be stored now: when they are many, or all. Words are stored many together: SQLite adds a piece to its index each
   *  time, and then has to merge them. */
  take({ all }: { all: boolean }): Docs {
    if (!all && this.#length < MANY_BYTES) return { ids: [], ends: [], bytes: new Uint8Array() }
    // As long as they are: it is sent to another thread as a whole.
    const docs = { ids: this.#ids, ends: this.#ends, bytes: new Uint8Array(this.#bytes.subarray(0, this.#length)) }
    this.#ids = []
    this.#ends = []
    this.#length = 0
    return docs
  }

  #append(part: string | Uint8Array): void {
    // A letter takes up to three bytes.
    this.#makeRoom(typeof part === 'string' ? 3 * part.length : part.length)
    if (typeof part === 'string') this.#length += this.#bytes.write(part, this.#length)
    else {
      this.#bytes.set(part, this.#length)
      this.#length += part.length
    }
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.#length + bytes, MANY_BYTES / 4))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}
