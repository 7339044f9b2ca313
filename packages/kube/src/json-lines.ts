const NEWLINE = 0x0a

/** Splits bytes into lines, whatever the pieces they arrive in: a piece may end inside a character. */
export class JsonLines {
  readonly #longest: number
  /** The pieces of the line that has not ended yet. */
  #pending: Uint8Array[] = []
  #pendingLength = 0

  constructor(longest: number) {
    this.#longest = longest
  }

  /** The lines that end in this piece. Empty lines are left out. */
  *push(piece: Uint8Array): Generator<string> {
    let start = 0
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      const line = this.#take(piece.subarray(start, end))
      if (line !== '') yield line
      start = end + 1
    }
    this.#keep(piece.subarray(start))
  }

  /** What came after the last line end. */
  rest(): string {
    return this.#take(new Uint8Array(0))
  }

  #take(last: Uint8Array): string {
    if (this.#pendingLength === 0) return text(last)
    const line = text(Buffer.concat([...this.#pending, last]))
    this.#pending = []
    this.#pendingLength = 0
    return line
  }

  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return
    this.#pending.push(piece)
    this.#pendingLength += piece.length
    if (this.#pendingLength > this.#longest) throw new Error(`a line is longer than ${this.#longest} bytes`)
  }
}

const text = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8').trim()
