/** Reads a stream of bytes in pieces of the sizes that are asked for. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>
  #buffer: Buffer = Buffer.alloc(0)
  #isOver = false

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Exactly so many bytes; fewer only at the end. */
  async read(length: number): Promise<Buffer> {
    while (this.#buffer.length < length && (await this.#more()));
    const bytes = this.#buffer.subarray(0, length)
    this.#buffer = this.#buffer.subarray(bytes.length)
    return bytes
  }

  /** The next bytes, which stay to be read. */
  async peek(length: number): Promise<Buffer> {
    while (this.#buffer.length < length && (await this.#more()));
    return this.#buffer.subarray(0, length)
  }

  /** So many bytes, in pieces as they come. Throws when there are fewer. */
  async *pieces(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (this.#buffer.length === 0 && !(await this.#more())) throw new Error('the stream ended too early')
      const piece = this.#buffer.subarray(0, left)
      this.#buffer = this.#buffer.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  /** Everything that is left. */
  async *rest(): AsyncGenerator<Buffer> {
    try {
      do {
        const piece = this.#buffer
        this.#buffer = Buffer.alloc(0)
        if (piece.length > 0) yield piece
      } while (await this.#more())
    } finally {
      await this.end()
    }
  }

  /** Lets go of the stream, of which something has been read. */
  async end(): Promise<void> {
    this.#isOver = true
    await this.#source.return?.()
  }

  async #more(): Promise<boolean> {
    if (this.#isOver) return false
    const { done, value } = await this.#source.next()
    if (done) {
      this.#isOver = true
      return false
    }
    this.#buffer = this.#buffer.length === 0 ? Buffer.from(value) : Buffer.concat([this.#buffer, value])
    return true
  }
}
