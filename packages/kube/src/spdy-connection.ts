import { Duplex } from 'node:stream'
import { asError } from '@tiphys/env'
import { drained } from './drained.ts'
import { encodeFrame, RST_STATUS, type SpdyFrame, SpdyFrameReader } from './spdy-framer.ts'
import { SpdyHeaderReader, type SpdyHeaders, SpdyHeaderWriter } from './spdy-headers.ts'

export interface SpdyConnectionOptions {
  /** Streams that a client opens have odd numbers, those of a server even ones. */
  role: 'client' | 'server'
  /** A stream that the other side opened. Refused when it throws, or when there is nobody to take it. */
  onStream?: (stream: SpdyStream) => void
}

/** Many streams over one connection of bytes. As in the implementation that Kubernetes uses, nothing limits a single
 *  stream: one whose reader is slow for long holds up the others. */
export interface SpdyConnection {
  openStream(headers: SpdyHeaders): SpdyStream
  /** Ends every stream and the connection. */
  close(): void
  /** Resolves when the connection has ended, for whatever reason. */
  readonly closed: Promise<void>
}

/** One stream. Ending it ends its writing half alone; destroying it tells the other side. */
export interface SpdyStream extends Duplex {
  readonly headers: SpdyHeaders
}

const LONGEST_FRAME = 32 * 1024
const UNREAD_BYTES_BEFORE_WAIT = 1024 * 1024

/** Speaks SPDY/3.1 over a duplex of bytes (or of messages whose borders mean nothing). */
export function createSpdyConnection(socket: Duplex, options: SpdyConnectionOptions): SpdyConnection {
  return new Connection(socket, options)
}

class Connection implements SpdyConnection {
  readonly closed: Promise<void>
  readonly #socket: Duplex
  readonly #options: SpdyConnectionOptions
  readonly #streams = new Map<number, Stream>()
  readonly #headerWriter = new SpdyHeaderWriter()
  readonly #headerReader = new SpdyHeaderReader()
  #nextId: number
  #lastRemoteId = 0

  constructor(socket: Duplex, options: SpdyConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.#nextId = options.role === 'client' ? 1 : 2
    this.closed = this.#read()
  }

  openStream(headers: SpdyHeaders): SpdyStream {
    const id = this.#nextId
    this.#nextId += 2
    const stream = this.#addStream(id, headers)
    const headerBlock = this.#headerWriter.write(headers)
    this.#send({ type: 'syn-stream', streamId: id, headerBlock, isLast: false, priority: 0 })
    return stream
  }

  close(): void {
    if (!this.#socket.destroyed) this.#send({ type: 'goaway', lastStreamId: this.#lastRemoteId, status: 0 })
    this.#socket.end()
    for (const stream of Array.from(this.#streams.values())) stream.closedByOwner()
    this.#end(undefined)
  }

  async #read(): Promise<void> {
    const frames = new SpdyFrameReader()
    try {
      for await (const piece of this.#socket as AsyncIterable<Uint8Array>) {
        for (const frame of frames.push(piece)) await this.#take(frame)
      }
      this.#end(undefined)
    } catch (thrown) {
      this.#end(asError(thrown))
      this.#socket.destroy()
    }
  }

  async #take(frame: SpdyFrame): Promise<void> {
    switch (frame.type) {
      case 'syn-stream':
        return this.#accept(frame.streamId, await this.#headerReader.read(frame.headerBlock), frame.isLast)
      case 'syn-reply':
      case 'headers':
        // Nothing in them is used, but the compression of all later ones depends on them.
        await this.#headerReader.read(frame.headerBlock)
        if (frame.isLast) this.#streams.get(frame.streamId)?.receiveEnd()
        return
      case 'data': {
        const stream = this.#streams.get(frame.streamId)
        if (!stream)
          return this.#send({ type: 'rst-stream', streamId: frame.streamId, status: RST_STATUS.invalidStream })
        await stream.receive(frame.data)
        if (frame.isLast) stream.receiveEnd()
        return
      }
      case 'rst-stream':
        return this.#streams.get(frame.streamId)?.receiveReset(frame.status)
      case 'ping': {
        const isTheirs = (frame.id % 2 === 1) === (this.#options.role === 'server')
        return isTheirs ? this.#send(frame) : undefined
      }
      case 'goaway':
      case 'settings':
      case 'window-update':
        return
    }
  }

  #accept(id: number, headers: SpdyHeaders, isLast: boolean): void {
    const { onStream } = this.#options
    if (!onStream || this.#streams.has(id)) {
      return this.#send({ type: 'rst-stream', streamId: id, status: RST_STATUS.refusedStream })
    }
    this.#lastRemoteId = id
    const stream = this.#addStream(id, headers)
    this.#send({ type: 'syn-reply', streamId: id, headerBlock: this.#headerWriter.write({}), isLast: false })
    if (isLast) stream.receiveEnd()
    try {
      onStream(stream)
    } catch (thrown) {
      stream.destroy(asError(thrown))
    }
  }

  #addStream(id: number, headers: SpdyHeaders): Stream {
    const stream = new Stream(headers, {
      sendData: (data, isLast) => this.#sendData(id, data, isLast),
      reset: () => this.#send({ type: 'rst-stream', streamId: id, status: RST_STATUS.cancel }),
      forget: () => this.#streams.delete(id),
    })
    this.#streams.set(id, stream)
    return stream
  }

  async #sendData(streamId: number, data: Uint8Array, isLast: boolean): Promise<void> {
    for (let at = 0; at === 0 || at < data.length; at += LONGEST_FRAME) {
      const part = data.subarray(at, at + LONGEST_FRAME)
      const isFree = this.#write({
        type: 'data',
        streamId,
        data: part,
        isLast: isLast && at + LONGEST_FRAME >= data.length,
      })
      if (!isFree) await drained(this.#socket)
    }
  }

  #send(frame: SpdyFrame): void {
    this.#write(frame)
  }

  #write(frame: SpdyFrame): boolean {
    return this.#socket.writable ? this.#socket.write(encodeFrame(frame)) : true
  }

  #end(error: Error | undefined): void {
    this.#headerReader.close()
    for (const stream of Array.from(this.#streams.values())) stream.connectionEnded(error)
    this.#streams.clear()
  }
}

interface StreamOutlet {
  sendData(data: Uint8Array, isLast: boolean): Promise<void>
  reset(): void
  forget(): void
}

class Stream extends Duplex implements SpdyStream {
  readonly headers: SpdyHeaders
  readonly #outlet: StreamOutlet
  #hasEnded = false
  #isOver = false
  #wanted: (() => void) | undefined

  constructor(headers: SpdyHeaders, outlet: StreamOutlet) {
    super({ allowHalfOpen: true })
    this.headers = headers
    this.#outlet = outlet
  }

  /** Resolves when more may come. */
  async receive(data: Uint8Array): Promise<void> {
    if (this.destroyed || this.#hasEnded || data.length === 0) return
    this.push(data)
    if (this.readableLength < UNREAD_BYTES_BEFORE_WAIT) return
    await new Promise<void>(resolve => {
      this.#wanted = resolve
    })
  }

  receiveEnd(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.push(null)
  }

  receiveReset(status: number): void {
    this.#isOver = true
    this.destroy(status === RST_STATUS.cancel ? undefined : new Error(`the other side reset the stream (${status})`))
  }

  closedByOwner(): void {
    this.#isOver = true
    this.destroy()
  }

  connectionEnded(error: Error | undefined): void {
    this.#isOver = true
    if (error || !this.#hasEnded) this.destroy(error ?? new Error('the connection ended'))
  }

  override _read(): void {
    this.#wanted?.()
    this.#wanted = undefined
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#outlet.sendData(chunk, false).then(() => done(), done)
  }

  override _final(done: (error?: Error) => void): void {
    this.#outlet.sendData(new Uint8Array(0), true).then(() => done(), done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#wanted?.()
    this.#outlet.forget()
    if (!this.#isOver && !(this.#hasEnded && this.writableFinished)) this.#outlet.reset()
    done(error)
  }
}
