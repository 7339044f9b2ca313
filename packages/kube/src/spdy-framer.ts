/** The frames of SPDY/3.1, as much of it as Kubernetes speaks. Blocks of headers are still compressed here, because their
 *  compression spans the whole connection. */
export type SpdyFrame =
  | { type: 'syn-stream'; streamId: number; headerBlock: Uint8Array; isLast: boolean; priority: number }
  | { type: 'syn-reply'; streamId: number; headerBlock: Uint8Array; isLast: boolean }
  | { type: 'headers'; streamId: number; headerBlock: Uint8Array; isLast: boolean }
  | { type: 'rst-stream'; streamId: number; status: number }
  | { type: 'settings'; payload: Uint8Array }
  | { type: 'ping'; id: number }
  | { type: 'goaway'; lastStreamId: number; status: number }
  | { type: 'window-update'; streamId: number; delta: number }
  | { type: 'data'; streamId: number; data: Uint8Array; isLast: boolean }

export const RST_STATUS = { protocolError: 1, invalidStream: 2, refusedStream: 3, cancel: 5, internalError: 6 } as const

const TYPES = {
  'syn-stream': 1,
  'syn-reply': 2,
  'rst-stream': 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  headers: 8,
  'window-update': 9,
} as const

const VERSION = 3
const HEAD = 8
const FLAG_LAST = 1
const CONTROL_BIT = 0x8000
const STREAM_ID_MASK = 0x7fffffff
/** The length field has 24 bits. */
const LARGEST_PAYLOAD = 2 ** 24 - 1

export function encodeFrame(frame: SpdyFrame): Buffer {
  switch (frame.type) {
    case 'data': {
      const head = Buffer.alloc(HEAD)
      head.writeUInt32BE(frame.streamId & STREAM_ID_MASK)
      return finish(head, frame.isLast, frame.data)
    }
    case 'syn-stream':
      return control(
        frame,
        frame.isLast,
        numbers(frame.streamId, 0),
        Uint8Array.of(frame.priority << 5, 0),
        frame.headerBlock,
      )
    case 'syn-reply':
    case 'headers':
      return control(frame, frame.isLast, numbers(frame.streamId), frame.headerBlock)
    case 'rst-stream':
      return control(frame, false, numbers(frame.streamId, frame.status))
    case 'settings':
      return control(frame, false, frame.payload)
    case 'ping':
      return control(frame, false, numbers(frame.id))
    case 'goaway':
      return control(frame, false, numbers(frame.lastStreamId, frame.status))
    case 'window-update':
      return control(frame, false, numbers(frame.streamId, frame.delta))
  }
}

function control({ type }: { type: keyof typeof TYPES }, isLast: boolean, ...parts: Uint8Array[]): Buffer {
  const head = Buffer.alloc(HEAD)
  head.writeUInt16BE(CONTROL_BIT | VERSION)
  head.writeUInt16BE(TYPES[type], 2)
  return finish(head, isLast, ...parts)
}

function finish(head: Buffer, isLast: boolean, ...parts: Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  if (length > LARGEST_PAYLOAD) throw new Error('a frame is too large')
  head.writeUInt32BE(length, 4)
  head[4] = isLast ? FLAG_LAST : 0
  return Buffer.concat([head, ...parts])
}

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, i) => bytes.writeUInt32BE(value, 4 * i))
  return bytes
}

/** Cuts bytes into frames, whatever the pieces they arrive in. */
export class SpdyFrameReader {
  #pending: Buffer = Buffer.alloc(0)

  /** The frames that are complete now. Throws when the bytes are no SPDY. */
  push(piece: Uint8Array): SpdyFrame[] {
    const frames: SpdyFrame[] = []
    this.#pending = this.#pending.length === 0 ? Buffer.from(piece) : Buffer.concat([this.#pending, piece])
    while (this.#pending.length >= HEAD) {
      const length = this.#pending.readUInt32BE(4) & LARGEST_PAYLOAD
      if (this.#pending.length < HEAD + length) break
      const frame = decodeFrame(this.#pending.subarray(0, HEAD), this.#pending.subarray(HEAD, HEAD + length))
      this.#pending = this.#pending.subarray(HEAD + length)
      if (frame) frames.push(frame)
    }
    return frames
  }
}

function decodeFrame(head: Buffer, payload: Buffer): SpdyFrame | undefined {
  const isLast = ((head[4] as number) & FLAG_LAST) !== 0
  if ((head.readUInt16BE() & CONTROL_BIT) === 0) {
    return { type: 'data', streamId: head.readUInt32BE(), data: payload, isLast }
  }
  const version = head.readUInt16BE() & ~CONTROL_BIT
  if (version !== VERSION) throw new Error(`the other side speaks SPDY/${version}`)
  const number = (at: number) => {
    if (payload.length < at + 4) throw new Error('a frame is too short')
    return payload.readUInt32BE(at)
  }
  const streamId = () => number(0) & STREAM_ID_MASK
  switch (head.readUInt16BE(2)) {
    case TYPES['syn-stream']: {
      const priority = (number(6) >>> 13) & 7
      return { type: 'syn-stream', streamId: streamId(), headerBlock: payload.subarray(10), isLast, priority }
    }
    case TYPES['syn-reply']:
      return { type: 'syn-reply', streamId: streamId(), headerBlock: payload.subarray(4), isLast }
    case TYPES.headers:
      return { type: 'headers', streamId: streamId(), headerBlock: payload.subarray(4), isLast }
    case TYPES['rst-stream']:
      return { type: 'rst-stream', streamId: streamId(), status: number(4) }
    case TYPES.settings:
      return { type: 'settings', payload }
    case TYPES.ping:
      return { type: 'ping', id: number(0) }
    case TYPES.goaway:
      return { type: 'goaway', lastStreamId: streamId(), status: number(4) }
    case TYPES['window-update']:
      return { type: 'window-update', streamId: streamId(), delta: number(4) & STREAM_ID_MASK }
    default:
      return undefined // frames of a kind that is not known are to be left out
  }
}
