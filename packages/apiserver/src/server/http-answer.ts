import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gzip } from 'node:zlib'
import { type Env, uuid } from '@tiphys/env'
import type { ClientCertificates } from '../authentication/client-certificates.ts'
import type { ApiRequest } from '../request/api-request.ts'
import type { ApiResponse } from '../request/api-response.ts'
import type { EventBatches } from './event-batches.ts'
import { requestOf } from './http-request.ts'
import { answerWatch } from './watch-answer.ts'

const GZIP_FROM = 128 * 1024
/** So much of a body that nobody wants is read, to let its sender reach the answer; a sender of more is cut off. */
const UNWANTED_LIMIT = 16 * 1024 * 1024

export interface HttpService {
  env: Env
  handle: (request: ApiRequest) => Promise<ApiResponse>
  /** Knows the certificates of clients, where connections are encrypted. */
  certificates?: ClientCertificates
  readonly batches: EventBatches
  /** Ends what would go on for as long as its receiver likes: watches and connections that were handed over. */
  readonly ends: Set<() => void>
}

/** A connection whose client asks for another protocol. */
export interface Upgradable {
  socket: Duplex
  /** Stops reading, and gives what was read. */
  take(): Buffer
}

export async function serve(
  { env, handle, certificates, batches, ends }: HttpService,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  upgradable?: Upgradable,
): Promise<void> {
  const departure = departureOf(outgoing)
  const request = requestOf(incoming, departure, certificates)
  if (upgradable) request.canUpgrade = true
  const response = await handle(request)
  const headers = commonHeaders(env, response)
  if (!incoming.complete || upgradable) headers.connection = 'close'
  const { body } = response
  if (body.type === 'connection') return handOver(response, body, outgoing, upgradable)
  if (body.type === 'watch') return answerWatch(body.start, { outgoing, headers, batches, signal: departure(), ends })
  if (body.type === 'stream') {
    outgoing.writeHead(response.status, headers)
    outgoing.flushHeaders()
    // It fails when one of the two ends has gone, and both are closed then.
    return pipeline(body.chunks, outgoing).catch(() => {})
  }
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

/** Says that another protocol begins, and leaves the connection to whoever speaks it. */
function handOver(
  { headers }: ApiResponse,
  { accept, abandon }: Extract<ApiResponse['body'], { type: 'connection' }>,
  outgoing: ServerResponse,
  upgradable: Upgradable | undefined,
): void {
  if (!upgradable || upgradable.socket.destroyed) return abandon()
  const { socket } = upgradable
  const head = upgradable.take()
  outgoing.detachSocket(socket as Socket)
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map(one => `${name}: ${one}`))
  socket.write(`${['HTTP/1.1 101 Switching Protocols', ...lines].join('\r\n')}\r\n\r\n`)
  accept(socket, head)
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
