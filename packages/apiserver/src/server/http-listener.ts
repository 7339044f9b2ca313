import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { gzip } from 'node:zlib'
import { type Env, uuid } from '@tiphys/env'
import type { ApiRequest, RequestBody } from '../request/api-request.ts'
import type { ApiResponse, WatchSink, WatchStream } from '../request/api-response.ts'
import { StatusError, tooLarge } from '../status-error.ts'

export interface ListenOptions {
  host: string
  port: number
  env: Env
  handle: (request: ApiRequest) => Promise<ApiResponse>
  /** Answers a request to upgrade the connection (exec, attach, port-forward). */
  upgrade?: (request: ApiRequest, socket: import('node:stream').Duplex, head: Buffer) => void
  tls?: { key: string; cert: string; ca: string }
}

export interface Listening {
  host: string
  port: number
  url: string
  /** Stops accepting, ends watches, lets running requests finish and closes every connection. */
  stop(): Promise<void>
}

const BODY_LIMIT = 3 * 1024 * 1024
const GZIP_FROM = 128 * 1024
/** A watcher that has not taken this much yet is disconnected; it resumes from its last resourceVersion. */
const WATCH_BACKLOG_LIMIT = 16 * 1024 * 1024
/** So much of a body that nobody wants is read, to let its sender reach the answer; a sender of more is cut off. */
const UNWANTED_LIMIT = 16 * 1024 * 1024
/** As much as the real server allows: selectors travel in the first line. */
const HEADER_LIMIT = 1024 * 1024

export function listen(options: ListenOptions): Promise<Listening> {
  const { host, port, tls } = options
  const limits = {
    maxHeaderSize: HEADER_LIMIT,
    headersTimeout: 30_000,
    requestTimeout: 60_000,
    keepAliveTimeout: 120_000,
  }
  const server: Server = tls
    ? createHttpsServer({
        ...limits,
        key: tls.key,
        cert: tls.cert,
        ca: tls.ca,
        requestCert: true,
        rejectUnauthorized: false,
      })
    : createHttpServer(limits)
  const watches = new Set<() => void>()
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    serve(options, incoming, outgoing, watches).catch((error: Error) => {
      options.env.log.error('an answer could not be written', { method: incoming.method, path: incoming.url, error })
      outgoing.destroy()
    })
  })
  const { upgrade } = options
  if (upgrade) {
    server.on('upgrade', (incoming: IncomingMessage, socket, head) => {
      upgrade(
        requestOf(incoming, () => new AbortController().signal),
        socket,
        head,
      )
    })
  }
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const { port: bound } = server.address() as AddressInfo
      const url = `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${bound}`
      resolve({ host, port: bound, url, stop: () => stop(server, watches) })
    })
  })
}

function stop(server: Server, watches: Set<() => void>): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
    for (const end of watches) end()
    server.closeIdleConnections()
    // What is neither idle nor finished by now waits for somebody who is not reading.
    setImmediate(() => server.closeAllConnections())
  })
}

function requestOf(incoming: IncomingMessage, signal: () => AbortSignal): ApiRequest {
  // A proxy's client names the whole address.
  const url = (incoming.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '')
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1))
  const certificate = clientCertificate(incoming)
  return {
    method: incoming.method ?? 'GET',
    path,
    query,
    headers: headersOf(incoming),
    body: () => readBody(incoming),
    get signal() {
      return signal()
    },
    ...(certificate ? { certificate } : {}),
  }
}

/** Node joins repeated headers with commas, which groups and extras may contain themselves. */
function headersOf(incoming: IncomingMessage): ApiRequest['headers'] {
  const { headers } = incoming
  if (headers['impersonate-user'] === undefined && headers['impersonate-group'] === undefined) return headers
  const all: Record<string, string | readonly string[] | undefined> = { ...headers }
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    if (name.startsWith('impersonate-')) all[name] = values
  }
  return all
}

/** Memory of one connection's certificate: reading it from the socket costs more than a request. */
const certificates = new WeakMap<object, { commonName: string; organizations: readonly string[] } | null>()

function clientCertificate(incoming: IncomingMessage): ApiRequest['certificate'] {
  const socket = incoming.socket as TLSSocket
  const known = certificates.get(socket)
  if (known !== undefined) return known ?? undefined
  const found = socket.encrypted === true && socket.authorized ? subjectOf(socket) : undefined
  certificates.set(socket, found ?? null)
  return found
}

function subjectOf(socket: TLSSocket): ApiRequest['certificate'] {
  const subject = socket.getPeerCertificate().subject as { CN?: string | string[]; O?: string | string[] } | undefined
  const commonName = Array.isArray(subject?.CN) ? subject.CN[0] : subject?.CN
  if (commonName === undefined) return undefined
  const organizations = subject?.O === undefined ? [] : Array.isArray(subject.O) ? subject.O : [subject.O]
  return { commonName, organizations }
}

function readBody(incoming: IncomingMessage): Promise<RequestBody> {
  const declared = Number(incoming.headers['content-length'] ?? 0)
  const refusal = () => tooLarge('Request entity too large: limit is 3145728')
  if (declared > BODY_LIMIT) return Promise.reject(refusal())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > BODY_LIMIT) {
        incoming.removeAllListeners('data')
        incoming.resume()
        reject(refusal())
      } else chunks.push(chunk)
    })
    incoming.on('end', () => resolve({ bytes: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks) }))
    incoming.on('error', reject)
    incoming.on('close', () => {
      if (!incoming.complete) reject(new StatusError(400, 'BadRequest', 'the request ended before its body did'))
    })
  })
}

async function serve(
  { env, handle }: ListenOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  watches: Set<() => void>,
): Promise<void> {
  const departure = departureOf(outgoing)
  const response = await handle(requestOf(incoming, departure))
  const headers = commonHeaders(env, response)
  if (!incoming.complete) headers.connection = 'close'
  const { body } = response
  if (body.type === 'watch') return stream(body.start, outgoing, headers, departure(), watches)
  const isHead = incoming.method === 'HEAD'
  const bytes = bytesOf(response, headers)
  if (bytes.length > GZIP_FROM && acceptsGzip(incoming) && !isHead) {
    headers['content-encoding'] = 'gzip'
    headers.vary = 'Accept-Encoding'
    return gzip(bytes, { level: 1 }, (error, compressed) => {
      if (error) return outgoing.destroy(error)
      headers['content-length'] = compressed.length
      finish(incoming, outgoing.writeHead(response.status, headers), compressed)
    })
  }
  if (response.status !== 304 && response.status !== 204) headers['content-length'] = bytes.length
  finish(incoming, outgoing.writeHead(response.status, headers), isHead ? undefined : bytes)
}

/** Ends an answer. Before that the rest of an unread body is read: a connection that closes while its client is still
 *  sending is reset, and the client never sees the answer. */
function finish(incoming: IncomingMessage, outgoing: ServerResponse, bytes: Uint8Array | undefined): void {
  if (incoming.complete || incoming.destroyed) {
    outgoing.end(bytes)
    return
  }
  if (bytes) outgoing.write(bytes)
  let unwanted = 0
  incoming.on('data', (chunk: Buffer) => {
    unwanted += chunk.length
    if (unwanted > UNWANTED_LIMIT) outgoing.destroy()
  })
  incoming.on('end', () => outgoing.end())
  incoming.resume()
}

/** Tells when the caller has gone. Made for those who ask: an AbortController costs as much as reading a small request. */
function departureOf(outgoing: ServerResponse): () => AbortSignal {
  let controller: AbortController | undefined
  outgoing.on('close', () => controller?.abort())
  return () => {
    controller ??= new AbortController()
    if (outgoing.closed) controller.abort()
    return controller.signal
  }
}

type Headers = Record<string, string | string[] | number>

// Clients show these two ids when a request was queued or refused for its priority; nothing here is.
const FLOW_SCHEMA = '00000000-0000-4000-8000-000000000001'
const PRIORITY_LEVEL = '00000000-0000-4000-8000-000000000002'

function commonHeaders(env: Env, response: ApiResponse): Headers {
  return {
    'audit-id': uuid(env.random),
    'cache-control': 'no-cache, private',
    'x-kubernetes-pf-flowschema-uid': FLOW_SCHEMA,
    'x-kubernetes-pf-prioritylevel-uid': PRIORITY_LEVEL,
    ...response.headers,
  }
}

function bytesOf({ body }: ApiResponse, headers: Headers): Buffer | Uint8Array {
  switch (body.type) {
    case 'json':
      headers['content-type'] ??= 'application/json'
      return Buffer.from(body.text())
    case 'text':
      headers['content-type'] ??= 'text/plain; charset=utf-8'
      return Buffer.from(body.text)
    case 'bytes':
      return body.bytes
    default:
      return Buffer.alloc(0)
  }
}

const acceptsGzip = (incoming: IncomingMessage): boolean =>
  /\bgzip\b/.test(String(incoming.headers['accept-encoding'] ?? ''))

function stream(
  start: (sink: WatchSink) => WatchStream,
  outgoing: ServerResponse,
  headers: Headers,
  signal: AbortSignal,
  watches: Set<() => void>,
): void {
  headers['content-type'] ??= 'application/json'
  outgoing.writeHead(200, headers)
  outgoing.flushHeaders()
  let waiting = ''
  let flushing = false
  let ended = false
  let watch: WatchStream | undefined
  // Events of one turn of the loop leave in one write: a burst costs one TLS record, not one per event.
  const flush = () => {
    flushing = false
    if (waiting !== '' && !outgoing.destroyed) outgoing.write(waiting)
    waiting = ''
  }
  const sink: WatchSink = {
    send(line) {
      waiting += line()
      if (flushing) return
      flushing = true
      setImmediate(flush)
    },
    isBehind: () => outgoing.writableLength + waiting.length > WATCH_BACKLOG_LIMIT,
    end() {
      if (ended) return
      ended = true
      watches.delete(stopWatch)
      // Who does not read would keep the backlog in memory for as long as it likes.
      if (sink.isBehind()) return outgoing.destroy()
      flush()
      outgoing.end()
    },
  }
  const stopWatch = () => {
    if (ended) return
    watch?.stop()
    sink.end()
  }
  watches.add(stopWatch)
  signal.addEventListener('abort', stopWatch, { once: true })
  watch = start(sink)
  if (signal.aborted) stopWatch()
}
