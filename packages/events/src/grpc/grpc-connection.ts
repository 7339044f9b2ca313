import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2'
import type { Clock } from '@tiphys/env'
import { openSocket } from '../open-socket.ts'
import type { TlsSecrets } from '../sources/tls-config.ts'
import { GrpcFailure, grpcStatus, statusOfHttp } from './grpc-failure.ts'

export interface GrpcOptions {
  /** What the caller asked for: HOST:PORT. */
  authority: string
  host: string
  port: number
  /** Where the host is, when that was found before. */
  address?: string
  tls?: TlsSecrets & { servername?: string }
  clock: Clock
}

export interface CallOptions {
  metadata?: Readonly<Record<string, string>>
  /** For the call and its answer together; without it a stream goes on. */
  timeoutMs?: number
  signal: AbortSignal
}

/** A connection to a gRPC server. Calls throw a `GrpcFailure` when the server answers with one, and another Error when there
 *  is no answer. */
export interface GrpcConnection {
  /** One message and its answer. */
  call(method: string, message: Buffer, options: CallOptions): Promise<Buffer>
  /** The messages that come for one. Whoever reads slowly holds the server back. */
  stream(method: string, message: Buffer, options: CallOptions): AsyncIterable<Buffer>
  /** Whether it can still be used. */
  isOpen(): boolean
  close(): Promise<void>
}

/** What other clients of gRPC accept, too. */
const MOST_BYTES = 4 * 2 ** 20
const PREFIX = 5

/** Reads an address as other clients of gRPC do: HOST, HOST:PORT or dns:///HOST:PORT. */
export function grpcAddress(url: string): { authority: string; host: string; port: number } {
  const target = url.replace(/^(?:dns|passthrough):\/\/\/?/, '')
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^\s:/[\]]+))(?::(\d{1,5}))?$/.exec(target)
  const port = Number(match?.[3] ?? 443)
  if (!match || port > 65_535) throw new Error(`${JSON.stringify(url)} is no address of a gRPC server: it is HOST:PORT`)
  return { authority: target, host: (match[1] ?? match[2]) as string, port }
}

export async function openGrpc(options: GrpcOptions, signal: AbortSignal): Promise<GrpcConnection> {
  const { tls, clock } = options
  const socket = await openSocket({ ...options, ...(tls && { tls: { ...tls, ALPNProtocols: ['h2'] } }) }, clock, signal)
  const scheme = tls ? 'https' : 'http'
  const session = connect(`${scheme}://${options.authority}`, { createConnection: () => socket })
  return new SessionConnection(session, scheme, options)
}

class SessionConnection implements GrpcConnection {
  readonly #session: ClientHttp2Session
  readonly #scheme: string
  readonly #options: GrpcOptions
  #failure: Error | undefined

  constructor(session: ClientHttp2Session, scheme: string, options: GrpcOptions) {
    this.#session = session
    this.#scheme = scheme
    this.#options = options
    session.on('error', error => {
      this.#failure ??= error
    })
  }

  isOpen(): boolean {
    return !this.#session.closed && !this.#session.destroyed
  }

  close(): Promise<void> {
    return new Promise(resolve => {
      if (this.#session.destroyed) return resolve()
      this.#session.once('close', () => resolve())
      this.#session.destroy()
    })
  }

  async call(method: string, message: Buffer, options: CallOptions): Promise<Buffer> {
    let answer: Buffer | undefined
    for await (const part of this.stream(method, message, options)) answer ??= part
    if (!answer) throw new GrpcFailure('INTERNAL', 'the server answered without a message')
    return answer
  }

  async *stream(method: string, message: Buffer, options: CallOptions): AsyncIterable<Buffer> {
    const { metadata = {}, timeoutMs, signal } = options
    signal.throwIfAborted()
    const request = this.#session.request({
      ':method': 'POST',
      ':scheme': this.#scheme,
      ':authority': this.#options.authority,
      ':path': method,
      te: 'trailers',
      'content-type': 'application/grpc',
      'grpc-accept-encoding': 'identity',
      ...(timeoutMs !== undefined && { 'grpc-timeout': `${Math.ceil(timeoutMs)}m` }),
      ...metadata,
    })
    const late =
      timeoutMs === undefined
        ? undefined
        : new GrpcFailure('DEADLINE_EXCEEDED', `no answer within ${timeoutMs / 1000} s`)
    const timer = late && this.#options.clock.schedule(timeoutMs as number, () => request.destroy(late))
    const abort = () => request.destroy(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    try {
      yield* this.#messages(request, message)
    } catch (thrown) {
      // The connection says more than that it ended.
      throw this.#failure ?? thrown
    } finally {
      timer?.cancel()
      signal.removeEventListener('abort', abort)
      if (!request.closed) request.close(constants.NGHTTP2_CANCEL)
    }
  }

  async *#messages(request: ClientHttp2Stream, message: Buffer): AsyncIterable<Buffer> {
    const seen: { headers?: IncomingHttpHeaders; trailers?: IncomingHttpHeaders } = {}
    request.once('response', headers => {
      seen.headers = headers
    })
    request.once('trailers', trailers => {
      seen.trailers = trailers
    })
    request.end(framed(message))
    const frames = new MessageReader()
    for await (const chunk of request as AsyncIterable<Buffer>) {
      checkAnswer(seen.headers)
      frames.push(chunk)
      for (let next = frames.next(); next; next = frames.next()) yield next
    }
    checkAnswer(seen.headers)
    // A server that has nothing to say sends its status with the headers.
    const end = seen.trailers ?? seen.headers ?? {}
    const status = grpcStatus(single(end['grpc-status']))
    if (status !== 'OK') throw new GrpcFailure(status, decodeText(single(end['grpc-message']) ?? ''))
    if (frames.isInside) throw new GrpcFailure('INTERNAL', 'the answer ends in the middle of a message')
  }
}

function checkAnswer(headers: IncomingHttpHeaders | undefined): void {
  const code = Number(headers?.[':status'] ?? 0)
  if (code === 0) throw new Error('the server ended the connection without an answer')
  const type = headers?.['content-type'] ?? ''
  if (code !== 200) throw new GrpcFailure(statusOfHttp(code), `the server answered with the HTTP status ${code}`)
  if (!type.startsWith('application/grpc'))
    throw new GrpcFailure('UNKNOWN', `the server answered with ${type || 'no type'}`)
}

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

/** Bytes beyond ASCII come as %C3%BC. */
function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Somebody did not encode a percent sign: the text is readable as it is.
    return text
  }
}

function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

class MessageReader {
  #bytes: Buffer = Buffer.alloc(0)
  #parts: Buffer[] = []
  #size = 0

  get isInside(): boolean {
    return this.#size > 0
  }

  push(chunk: Buffer): void {
    this.#parts.push(chunk)
    this.#size += chunk.length
  }

  next(): Buffer | undefined {
    if (this.#size < PREFIX) return undefined
    const head = this.#bytes.length >= PREFIX ? this.#bytes : this.#joined()
    if (head[0] !== 0) throw new GrpcFailure('UNIMPLEMENTED', 'the server compresses, and was not asked to')
    const length = head.readUInt32BE(1)
    if (length > MOST_BYTES)
      throw new GrpcFailure('RESOURCE_EXHAUSTED', `a message of ${length} bytes is larger than ${MOST_BYTES} bytes`)
    if (this.#size < PREFIX + length) return undefined
    const bytes = this.#joined()
    this.#bytes = bytes.subarray(PREFIX + length)
    this.#size = this.#bytes.length
    return bytes.subarray(PREFIX, PREFIX + length)
  }

  #joined(): Buffer {
    if (this.#parts.length > 0) {
      this.#bytes = Buffer.concat([this.#bytes, ...this.#parts])
      this.#parts = []
    }
    return this.#bytes
  }
}
