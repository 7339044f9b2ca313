export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

export interface WebSocketFrame {
  opcode: number
  isLast: boolean
  payload: Buffer
}

/** What the other side sent is against the protocol. */
export class WebSocketProtocolError extends Error {}

const FIN = 0x80
const RESERVED = 0x70
const MASKED = 0x80
const LENGTH_16 = 126
const LENGTH_64 = 127
const LONGEST_CONTROL_PAYLOAD = 125

/** One whole message, or control frame, as bytes. A client masks what it sends, a server does not. */
export function encodeFrame(opcode: number, payload: Uint8Array, mask: Uint8Array | undefined): Buffer {
  const { length } = payload
  const extended = length < LENGTH_16 ? 0 : length < 0x10000 ? 2 : 8
  const frame = Buffer.alloc(2 + extended + (mask ? 4 : 0) + length)
  frame[0] = FIN | opcode
  frame[1] = (mask ? MASKED : 0) | (extended === 0 ? length : extended === 2 ? LENGTH_16 : LENGTH_64)
  if (extended === 2) frame.writeUInt16BE(length, 2)
  if (extended === 8) frame.writeBigUInt64BE(BigInt(length), 2)
  const start = frame.length - length
  if (mask) frame.set(mask, start - 4)
  frame.set(payload, start)
  if (mask) applyMask(frame.subarray(start), mask)
  return frame
}

function applyMask(bytes: Uint8Array, mask: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) bytes[i] = (bytes[i] as number) ^ (mask[i & 3] as number)
}

/** Cuts bytes into frames, whatever the pieces they arrive in. */
export class WebSocketFrameReader {
  readonly #expectsMask: boolean
  readonly #largest: number
  #pieces: Buffer[] = []
  #length = 0
  /** How many bytes the next frame needs, as far as is known. */
  #needed = 2

  constructor(options: { expectsMask: boolean; largest: number }) {
    this.#expectsMask = options.expectsMask
    this.#largest = options.largest
  }

  /** The frames that are complete now. */
  push(piece: Buffer): WebSocketFrame[] {
    this.#pieces.push(piece)
    this.#length += piece.length
    const frames: WebSocketFrame[] = []
    while (this.#length >= this.#needed) {
      const bytes = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces, this.#length)
      const frame = this.#take(bytes)
      this.#pieces = [frame ? bytes.subarray(this.#needed) : bytes]
      this.#length = (this.#pieces[0] as Buffer).length
      if (!frame) continue
      frames.push(frame)
      this.#needed = 2
    }
    return frames
  }

  /** The frame at the start of the bytes; undefined, with a new `#needed`, when it is not all there. */
  #take(bytes: Buffer): WebSocketFrame | undefined {
    const first = bytes[0] as number
    const second = bytes[1] as number
    const short = second & 0x7f
    const extended = short === LENGTH_16 ? 2 : short === LENGTH_64 ? 8 : 0
    const maskLength = (second & MASKED) === 0 ? 0 : 4
    const head = 2 + extended + maskLength
    if (bytes.length < head) {
      this.#needed = head
      return undefined
    }
    const length = extended === 0 ? short : extended === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
    this.#check(first, maskLength > 0, length)
    this.#needed = head + length
    if (bytes.length < this.#needed) return undefined
    const payload = Buffer.from(bytes.subarray(head, this.#needed))
    if (maskLength > 0) applyMask(payload, bytes.subarray(head - 4, head))
    return { opcode: first & 0x0f, isLast: (first & FIN) !== 0, payload }
  }

  #check(first: number, isMasked: boolean, length: number): void {
    if ((first & RESERVED) !== 0) throw new WebSocketProtocolError('a frame uses an extension that was not agreed')
    if (isMasked !== this.#expectsMask) {
      throw new WebSocketProtocolError(isMasked ? 'a server masked its frame' : 'a client did not mask its frame')
    }
    const isControl = (first & 0x08) !== 0
    if (isControl && (length > LONGEST_CONTROL_PAYLOAD || (first & FIN) === 0)) {
      throw new WebSocketProtocolError('a control frame is too long or in parts')
    }
    if (length > this.#largest) throw new WebSocketProtocolError(`a frame is larger than ${this.#largest} bytes`)
  }
}
