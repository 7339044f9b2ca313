import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Duplex } from 'node:stream'
import { createSecureContext } from 'node:tls'
import { gunzip } from 'node:zlib'
import { asError, type Clock, Failure, systemClock } from '@tiphys/env'
import { apiErrorFrom, ConnectionFailure } from './api-error.ts'
import {
  type Credential,
  type CredentialSource,
  fixedCredential,
  isSameCertificate,
  isSameCredential,
} from './credentials.ts'
import { parseJson, stringifyJson } from './json.ts'
import { JsonLines } from './json-lines.ts'
import { keptConnections, keptSecureConnections } from './kept-connections.ts'
import { RecentTexts } from './recent-texts.ts'
import type { Transport, TransportRequest, TransportResponse } from './transport.ts'
import { openWebSocket } from './web-socket.ts'

export interface HttpTransportOptions {
  /** `https://host:port`, and a path when the API is not at the root. */
  server: string
  /** The certificate authority of the server, PEM. Left out: those of the machine. */
  ca?: string
  /** The name the server's certificate must have, when it is not the host's. */
  serverName?: string
  /** Trust any server. For development only. */
  insecureSkipTlsVerify?: boolean
  /** Used over TLS alone: a credential is never sent in the clear. */
  credentials?: CredentialSource
  /** Sent with every request that does not set them itself. */
  headers?: Readonly<Record<string, string | readonly string[]>>
  clock?: Clock
  /** A server that says nothing for this long is given up. Does not apply to streams once they began. */
  silenceMs?: number
  /** The largest answer, or event of a stream, that is read. */
  largestAnswerBytes?: number
}

const DEFAULT_SILENCE_MS = 75_000
const DEFAULT_LARGEST_ANSWER = 256 * 1024 * 1024
const KEEP_ALIVE_PROBE_MS = 30_000
const SHORT_BYTES = 64 * 1024

/** Reaches an API server over HTTP(S)/1.1 with connections that are kept and reused. Follows no redirects, so that
 *  credentials go nowhere else. */
export function createHttpTransport(options: HttpTransportOptions): Transport {
  return new HttpTransport(options)
}

class HttpTransport implements Transport {
  readonly #base: URL
  readonly #isSecure: boolean
  readonly #host: string
  /** The path of the server that all others are below. */
  readonly #root: string
  readonly #options: HttpTransportOptions
  readonly #clock: Clock
  readonly #silenceMs: number
  readonly #largest: number
  readonly #credentials: CredentialSource
  /** The last one is in use. Those before it had an older certificate: what still runs over them runs on. */
  readonly #agents: { agent: http.Agent; certificate: Credential['certificate'] }[] = []
  readonly #open = new Set<{ destroy(): unknown }>()
  readonly #recent = new RecentTexts()
  #isClosed = false

  constructor(options: HttpTransportOptions) {
    this.#base = new URL(options.server)
    this.#isSecure = this.#base.protocol === 'https:'
    this.#host = this.#base.hostname.replace(/^\[(.*)\]$/, '$1')
    this.#root = this.#base.pathname.replace(/\/$/, '')
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#silenceMs = options.silenceMs ?? DEFAULT_SILENCE_MS
    this.#largest = options.largestAnswerBytes ?? DEFAULT_LARGEST_ANSWER
    this.#credentials = (this.#isSecure ? options.credentials : undefined) ?? fixedCredential({})
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const exchange = await this.#exchange(request)
    try {
      return await this.#readAnswer(exchange.response, request.readsOnly)
    } catch (thrown) {
      throw this.#failure(thrown, request)
    } finally {
      exchange.end()
    }
  }

  async *stream(request: TransportRequest): AsyncGenerator<unknown> {
    const lines = new JsonLines(this.#largest)
    for await (const piece of this.bytes(request)) {
      for (const line of lines.push(piece)) yield request.readsOnly ? this.#recent.event(line) : parseJson(line)
    }
    const rest = lines.rest()
    if (rest !== '') throw this.#failure(new Error('the stream ended inside an event'), request)
  }

  async *bytes(request: TransportRequest): AsyncGenerator<Uint8Array> {
    const exchange = await this.#exchange(request, 'identity')
    const { response } = exchange
    try {
      if (!isSuccess(response)) throw apiErrorFrom(await this.#readAnswer(response))
      if (isShort(response)) yield await this.#bytesOf(response)
      else for await (const piece of response) yield piece as Uint8Array
    } catch (thrown) {
      throw this.#failure(thrown, request)
    } finally {
      exchange.end()
      response.destroy()
    }
  }

  async upgrade(
    request: TransportRequest,
    subprotocols: readonly string[],
  ): Promise<{ protocol: string; socket: Duplex }> {
    this.#refuseWhenClosed()
    const credential = await this.#credentials.current()
    const silence = new AbortController()
    const timer = this.#clock.schedule(this.#silenceMs, () =>
      silence.abort(new Error(`no answer within ${this.#silenceMs} ms`)),
    )
    try {
      const opened = await openWebSocket({
        url: `${this.#base.origin}${this.#pathOf(request)}`,
        subprotocols,
        headers: this.#headersOf(request, credential),
        tls: this.#tlsOptions(credential.certificate),
        signal: request.signal ? AbortSignal.any([request.signal, silence.signal]) : silence.signal,
      })
      timer.cancel()
      if ('refusal' in opened) {
        this.#track(opened.refusal)
        throw apiErrorFrom(await this.#readAnswer(opened.refusal))
      }
      this.#track(opened.socket)
      return opened
    } catch (thrown) {
      timer.cancel()
      throw this.#failure(thrown, request)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const open of this.#open) open.destroy()
    for (const { agent } of this.#agents) agent.destroy()
  }

  /** Sends a request and waits for the head of its answer. A refused credential that has a successor meanwhile is
   *  replaced and the request sent once more: a request without a valid credential had no effect. */
  async #exchange(request: TransportRequest, encoding: Encoding = 'gzip'): Promise<Exchange> {
    const body = request.body === undefined ? undefined : stringifyJson(request.body)
    const credential = await this.#credentials.current()
    const exchange = await this.#send({ request, body, encoding, credential })
    if (exchange.response.statusCode !== 401) return exchange
    this.#credentials.refused(credential)
    const newer = await this.#credentials.current()
    if (isSameCredential(newer, credential)) return exchange
    exchange.end()
    exchange.response.resume()
    return this.#send({ request, body, encoding, credential: newer })
  }

  async #send(message: Message): Promise<Exchange> {
    try {
      return await this.#sendOnce(message)
    } catch (thrown) {
      // The server closed the idle connection just as it was used again: what only reads may be sent once more.
      if (message.request.method === 'GET' && thrown instanceof StaleConnection) return this.#sendOnce(message)
      throw thrown
    }
  }

  #sendOnce({ request, body, encoding, credential }: Message): Promise<Exchange> {
    this.#refuseWhenClosed()
    const { signal } = request
    signal?.throwIfAborted()
    const { promise, resolve, reject } = withResolvers<Exchange>()
    const call = (this.#isSecure ? https : http).request({
      host: this.#host,
      port: this.#base.port,
      path: this.#pathOf(request),
      method: request.method,
      agent: this.#agentFor(credential.certificate),
      headers: {
        'accept-encoding': encoding,
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
        ...this.#headersOf(request, credential),
      },
    })
    const silence = this.#clock.schedule(this.#silenceMs, () =>
      call.destroy(new Error(`no answer within ${this.#silenceMs} ms`)),
    )
    // A listener of our own: the one that comes with the option `signal` costs more than all else that is done here.
    const abort = () => call.destroy(new Error('aborted'))
    const end = () => signal?.removeEventListener('abort', abort)
    signal?.addEventListener('abort', abort, { once: true })
    this.#track(call)
    call.on('socket', socket => {
      if (call.reusedSocket) return
      socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS)
      // An abort between the end of an answer and the return of its connection reaches a socket that nobody listens to.
      socket.on('error', () => {})
    })
    call.on('response', response => {
      silence.cancel()
      resolve({ response, end })
    })
    call.on('error', error => {
      silence.cancel()
      end()
      reject(isStale(call, error) ? new StaleConnection(this.#base.origin, error) : this.#failure(error, request))
    })
    // As text it leaves together with the head, in one piece.
    call.end(body)
    return promise
  }

  async #readAnswer(response: IncomingMessage, readsOnly = false): Promise<TransportResponse> {
    const bytes = await this.#bytesOf(response)
    const text = await this.#textOf(response, bytes)
    const isJson = response.headers['content-type']?.includes('json') && text !== ''
    const body = isJson ? (readsOnly ? this.#recent.object(text) : parseJson(text)) : text
    return { status: response.statusCode as number, headers: response.headers, body }
  }

  /** With listeners: iterating over a stream takes several times as long, and this is done for every request. */
  #bytesOf(response: IncomingMessage): Promise<Buffer> {
    const { promise, resolve, reject } = withResolvers<Buffer>()
    const pieces: Buffer[] = []
    let length = 0
    let isWhole = false
    const giveUp = () => response.destroy(new Error(`the answer stopped for ${this.#silenceMs} ms`))
    let silence = this.#clock.schedule(this.#silenceMs, giveUp)
    const fail = (why: Error) => {
      silence.cancel()
      reject(why)
    }
    response.on('data', (piece: Buffer) => {
      silence.cancel()
      pieces.push(piece)
      length += piece.length
      if (length > this.#largest) response.destroy(new Error(`the answer is larger than ${this.#largest} bytes`))
      else silence = this.#clock.schedule(this.#silenceMs, giveUp)
    })
    response.on('end', () => {
      isWhole = true
      silence.cancel()
      resolve(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces))
    })
    response.on('error', fail)
    // An error is dear to make, and every answer closes.
    response.on('close', () => isWhole || fail(new Error('the connection ended inside the answer')))
    return promise
  }

  async #textOf(response: IncomingMessage, bytes: Buffer): Promise<string> {
    if (response.headers['content-encoding'] !== 'gzip') return bytes.toString('utf8')
    const { promise, resolve, reject } = withResolvers<string>()
    gunzip(bytes, { maxOutputLength: this.#largest }, (error, plain) =>
      error ? reject(error) : resolve(plain.toString('utf8')),
    )
    return promise
  }

  #pathOf({ path, query }: TransportRequest): string {
    const search = query ? queryText(query) : ''
    return `${this.#root}${path}${search === '' ? '' : `?${search}`}`
  }

  #headersOf({ headers, body }: TransportRequest, { authorization }: Credential): Record<string, string | string[]> {
    const all: Record<string, string | string[]> = { accept: 'application/json', 'user-agent': 'tiphys' }
    if (body !== undefined) all['content-type'] = 'application/json'
    for (const [name, value] of Object.entries({ ...this.#options.headers, ...headers })) {
      all[name] = typeof value === 'string' ? value : [...value]
    }
    if (authorization !== undefined) all.authorization = authorization
    return all
  }

  #agentFor(certificate: Credential['certificate']): http.Agent {
    const latest = this.#agents.at(-1)
    if (latest && isSameCertificate(latest.certificate, certificate)) return latest.agent
    const agent = this.#isSecure ? keptSecureConnections(this.#secureOptions(certificate)) : keptConnections()
    this.#agents.push({ agent, certificate })
    return agent
  }

  /** Certificates are read once, not for every connection, and are no part of the name that the agent keeps connections by. */
  #secureOptions(certificate: Credential['certificate']): https.AgentOptions {
    const { ca, cert, key, ...options } = this.#tlsOptions(certificate)
    return { ...options, secureContext: createSecureContext({ ca, cert, key }) }
  }

  #tlsOptions(certificate: Credential['certificate']): https.AgentOptions {
    const { ca, serverName, insecureSkipTlsVerify } = this.#options
    return {
      ...(ca !== undefined && { ca }),
      ...(serverName !== undefined && { servername: serverName }),
      ...(insecureSkipTlsVerify && { rejectUnauthorized: false }),
      ...certificate,
    }
  }

  /** So that `close` ends what still runs. */
  #track(open: IncomingMessage | ClientRequest | Duplex): void {
    this.#open.add(open)
    open.once('close', () => this.#open.delete(open))
  }

  #refuseWhenClosed(): void {
    if (this.#isClosed) throw new ConnectionFailure(this.#base.origin, new Error('this connection was closed'))
  }

  #failure(thrown: unknown, { signal }: TransportRequest): unknown {
    if (signal?.aborted) return signal.reason
    if (thrown instanceof Failure) return thrown
    return new ConnectionFailure(this.#base.origin, asError(thrown))
  }
}

class StaleConnection extends ConnectionFailure {}

type Encoding = 'gzip' | 'identity'

/** A request with all that is sent of it. */
interface Message {
  request: TransportRequest
  body: string | undefined
  encoding: Encoding
  credential: Credential
}

interface Exchange {
  response: IncomingMessage
  /** Nobody wants it to end with the signal of its request any more. */
  end(): void
}

function isStale(call: ClientRequest, error: NodeJS.ErrnoException): boolean {
  return call.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300
}

/** Iterating over a stream takes several times as long as listening to it, which is for what fits into memory. */
function isShort({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return length !== undefined && Number(length) <= SHORT_BYTES
}

function queryText(query: NonNullable<TransportRequest['query']>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const each of typeof value === 'string' ? [value] : value) parameters.append(name, each)
  }
  return parameters.toString()
}

function withResolvers<T>() {
  let resolve!: (value: T) => void
  let reject!: (reason: unknown) => void
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}
