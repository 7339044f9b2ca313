/** Reads the wire format of protocol buffers: varints, fixed-size numbers and length-prefixed bytes. */
export class WireReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** Field number and wire type of the next field. */
  tag(): { number: number; type: number } {
    const tag = Number(this.varint())
    return { number: tag >>> 3, type: tag & 7 }
  }

  /** An unsigned 64-bit number. */
  varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw new ProtobufFailure('unexpected EOF')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new ProtobufFailure('proto: integer overflow')
  }

  double(): number {
    return this.#slice(8).readDoubleLE(0)
  }

  bytes(): Buffer {
    return this.#slice(Number(this.varint()))
  }

  skip(type: number): void {
    switch (type) {
      case 0:
        this.varint()
        return
      case 1:
        this.#slice(8)
        return
      case 2:
        this.bytes()
        return
      case 5:
        this.#slice(4)
        return
      default:
        throw new ProtobufFailure(`proto: illegal wireType ${type}`)
    }
  }

  #slice(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new ProtobufFailure('unexpected EOF')
    const slice = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return slice
  }
}

/** Bytes that are not the message they should be. The message is the real server's. */
export class ProtobufFailure extends Error {}

/** A signed 64-bit number: a JavaScript number where it is exact. */
export function signed(value: bigint): number | bigint {
  const exact = BigInt.asIntN(64, value)
  return exact >= BigInt(Number.MIN_SAFE_INTEGER) && exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) : exact
}
