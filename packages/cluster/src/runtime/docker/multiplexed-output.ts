export interface OutputPart {
  stream: 'stdout' | 'stderr'
  chunk: Uint8Array
}

const HEADER = 8
const STDERR = 2

/** Takes apart what an engine sends for a program without a terminal: frames of one stream or the other, each with its
 *  length before it, cut anywhere by the network. */
export class MultiplexedOutput {
  #pending: Buffer = Buffer.alloc(0)
  /** Of the frame being read: where it goes and how much of it is still to come. */
  #stream: OutputPart['stream'] = 'stdout'
  #left = 0

  push(bytes: Uint8Array): OutputPart[] {
    const parts: OutputPart[] = []
    let rest =
      this.#pending.length === 0
        ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        : Buffer.concat([this.#pending, bytes])
    while (rest.length > 0) {
      if (this.#left > 0) {
        const chunk = rest.subarray(0, this.#left)
        this.#left -= chunk.length
        rest = rest.subarray(chunk.length)
        parts.push({ stream: this.#stream, chunk })
        continue
      }
      if (rest.length < HEADER) break
      this.#stream = rest[0] === STDERR ? 'stderr' : 'stdout'
      this.#left = rest.readUInt32BE(4)
      rest = rest.subarray(HEADER)
    }
    this.#pending = Buffer.from(rest)
    return parts
  }
}
