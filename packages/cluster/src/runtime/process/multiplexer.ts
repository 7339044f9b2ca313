import { Duplex } from 'node:stream'

/** Many independent streams over one connection, each with its own flow control: a reader that pauses holds back its
 *  own writer and nobody else. Both ends may open streams. */
export interface Multiplexer {
  /** Opens a stream that the other end's `accept` gets, with what it is for. */
  open(purpose: unknown): Duplex
  /** Sends one value and waits for the one that comes back. An error at the other end rejects with its message. */
  call(purpose: unknown): Promise<unknown>
  close(): void
}

/** Gets every stream that the other end opens. What it throws reaches the other end as the stream's error. */
export type Accept = (purpose: unknown, stream: Duplex) => void | Promise<void>

/** A writer may be this far ahead of its reader. */
const WINDOW = 256 * 1024
const HEADER = 9

const OPEN = 0
const DATA = 1
const END = 2
const CREDIT = 3
const RESET = 4

/** The two ends must differ in `side`, so that the numbers of the streams they open do. */
export function multiplex(connection: Duplex, side: 'client' | 'server', accept: Accept): Multiplexer {
  const channels = new Map<number, Channel>()
  let nextId = side === 'client' ? 1 : 2

  const send = (type: number, id: number, payload: Uint8Array = new Uint8Array(0)): void => {
    if (connection.destroyed) return
    const header = Buffer.allocUnsafe(HEADER)
    header.writeUInt32BE(payload.length, 0)
    header.writeUInt8(type, 4)
    header.writeUInt32BE(id, 5)
    connection.cork()
    connection.write(header)
    if (payload.length > 0) connection.write(payload)
    connection.uncork()
  }

  const add = (id: number): Channel => {
    const channel = new Channel(id, send, () => channels.delete(id))
    channels.set(id, channel)
    return channel
  }

  const accepted = async (purpose: unknown, channel: Channel): Promise<void> => {
    try {
      await accept(purpose, channel)
    } catch (error) {
      channel.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  }

  const receive = (type: number, id: number, payload: Buffer): void => {
    if (type === OPEN) {
      const channel = add(id)
      // Whoever reads the stream sees its errors; where nobody does, the stream's end says enough.
      channel.on('error', () => {})
      void accepted(JSON.parse(payload.toString()), channel)
      return
    }
    const channel = channels.get(id)
    if (channel === undefined) return
    if (type === DATA) channel.receive(payload)
    else if (type === END) channel.receiveEnd()
    else if (type === CREDIT) channel.receiveCredit(payload.readUInt32BE(0))
    else channel.receiveReset(payload.toString())
  }

  readFrames(connection, receive)
  connection.on('error', () => {})
  connection.on('close', () => {
    for (const channel of channels.values()) channel.receiveReset('the connection has ended')
  })

  const open = (purpose: unknown): Channel => {
    const channel = add(nextId)
    nextId += 2
    if (connection.destroyed) channel.receiveReset('the connection has ended')
    send(OPEN, channel.id, Buffer.from(JSON.stringify(purpose)))
    return channel
  }

  return {
    open,
    call: async purpose => {
      const channel = open(purpose)
      channel.end()
      const text = (await readToEnd(channel)).toString()
      channel.destroy()
      return text === '' ? undefined : JSON.parse(text)
    },
    close: () => connection.destroy(),
  }
}

/** What `call` waits for. */
export function answer(stream: Duplex, value: unknown): void {
  stream.end(value === undefined ? '' : JSON.stringify(value))
}

/** All that comes. The stream can still be written to afterwards. */
export async function readToEnd(stream: Duplex): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Data is passed on as it comes, in pieces: to join them first would copy everything once more. */
function readFrames(connection: Duplex, receive: (type: number, id: number, payload: Buffer) => void): void {
  let pending: Buffer = Buffer.alloc(0)
  let dataOf = 0
  let dataLeft = 0
  connection.on('data', (chunk: Buffer) => {
    let rest = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    while (rest.length > 0) {
      if (dataLeft > 0) {
        const piece = rest.subarray(0, dataLeft)
        dataLeft -= piece.length
        rest = rest.subarray(piece.length)
        receive(DATA, dataOf, piece)
        continue
      }
      if (rest.length < HEADER) break
      const length = rest.readUInt32BE(0)
      const type = rest.readUInt8(4)
      const id = rest.readUInt32BE(5)
      if (type === DATA) {
        dataOf = id
        dataLeft = length
        rest = rest.subarray(HEADER)
        continue
      }
      if (rest.length < HEADER + length) break
      receive(type, id, rest.subarray(HEADER, HEADER + length))
      rest = rest.subarray(HEADER + length)
    }
    pending = rest
  })
}

type Send = (type: number, id: number, payload?: Uint8Array) => void

class Channel extends Duplex {
  readonly id: number
  readonly #send: Send
  readonly #forget: () => void
  #credit = WINDOW
  #unacknowledged = 0
  #waiting: { chunk: Buffer; done: (error?: Error | null) => void } | undefined
  #isResetByPeer = false
  #hasEnd = false

  constructor(id: number, send: Send, forget: () => void) {
    super({ allowHalfOpen: true, readableHighWaterMark: WINDOW / 4, writableHighWaterMark: WINDOW / 4 })
    this.id = id
    this.#send = send
    this.#forget = forget
  }

  receive(payload: Buffer): void {
    this.#unacknowledged += payload.length
    this.push(payload)
  }

  receiveEnd(): void {
    this.#hasEnd = true
    this.push(null)
  }

  receiveCredit(amount: number): void {
    this.#credit += amount
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting !== undefined) this.#transmit(waiting.chunk, waiting.done)
  }

  receiveReset(message: string): void {
    this.#isResetByPeer = true
    if (message === '' && this.#hasEnd && !this.readableEnded) {
      // All that the other end had to say is here and can still be read; what is written goes nowhere.
      this.receiveCredit(Number.POSITIVE_INFINITY)
      return
    }
    this.destroy(message === '' ? undefined : new Error(message))
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#transmit(chunk, done)
  }

  #transmit(chunk: Buffer, done: (error?: Error | null) => void): void {
    const part = chunk.subarray(0, this.#credit)
    if (part.length > 0) {
      this.#credit -= part.length
      this.#send(DATA, this.id, part)
    }
    if (part.length === chunk.length) done()
    else this.#waiting = { chunk: chunk.subarray(part.length), done }
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#send(END, this.id)
    done()
  }

  override _read(): void {
    if (this.#unacknowledged === 0) return
    const credit = Buffer.allocUnsafe(4)
    credit.writeUInt32BE(this.#unacknowledged, 0)
    this.#unacknowledged = 0
    this.#send(CREDIT, this.id, credit)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const isOver = this.readableEnded && this.writableFinished
    if (!isOver && !this.#isResetByPeer) this.#send(RESET, this.id, Buffer.from(error?.message ?? ''))
    this.#forget()
    done(error)
  }
}
