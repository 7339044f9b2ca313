import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Duplex, Readable } from 'node:stream'
import { asError } from '@tiphys/env'

/** A server that requests are passed on to: a node's, or one inside a pod. */
export interface Upstream {
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly port: number
  readonly tls?: Pick<https.RequestOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized'>
  /** Reaches what has no address that this process could connect to. */
  readonly dial?: () => Promise<Duplex>
  /** Keeps connections for the next request, and knows the credentials. Without it every request has a connection of its
   *  own. */
  readonly agent?: https.Agent
}

export interface UpstreamRequest {
  method: string
  /** With its query, escaped. */
  path: string
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
  body?: Readable | Uint8Array
  signal: AbortSignal
}

/** What an upstream said. `socket` when it agreed to another protocol; `head` came after its answer. */
export interface UpstreamAnswer {
  response: IncomingMessage
  socket?: Duplex
  head?: Buffer
}

/** There was no answer, in the words that Go programs have for it. */
export class UpstreamFailure extends Error {}

/** Sends a request and waits for the head of the answer. */
export async function ask(upstream: Upstream, request: UpstreamRequest): Promise<UpstreamAnswer> {
  const connection = await upstream.dial?.().catch(thrown => {
    throw failureOf(upstream, asError(thrown))
  })
  return new Promise((resolve, reject) => {
    const call = (upstream.scheme === 'https' ? https : http).request({
      host: upstream.host,
      port: upstream.port,
      method: request.method,
      path: request.path,
      headers: headersOf(request),
      signal: request.signal,
      ...upstream.tls,
      ...transportOf(upstream, connection),
    })
    // An abort between the end of an answer and the return of its connection reaches a socket that nobody listens to.
    call.on('socket', socket => {
      if (!call.reusedSocket) socket.on('error', () => {})
    })
    let hasAnswered = false
    call.once('response', response => {
      hasAnswered = true
      resolve({ response })
    })
    call.once('upgrade', (response, socket, head) => {
      // Whoever takes the socket over hears of its end by `close`.
      socket.on('error', () => {})
      resolve({ response, socket, head })
    })
    call.on('error', error => {
      // A kept connection was closed just as it was used again.
      if (call.reusedSocket && !hasAnswered && isRepeatable(request, error)) resolve(ask(upstream, request))
      else reject(failureOf(upstream, error))
    })
    const { body } = request
    if (body === undefined || body instanceof Uint8Array) call.end(body)
    else body.once('error', () => call.destroy()).pipe(call)
  })
}

/** Node uses `createConnection` only where there is no agent. */
function transportOf(
  { scheme, agent }: Upstream,
  connection: Duplex | undefined,
): https.RequestOptions & { socket?: Duplex } {
  if (!connection) return { agent: agent ?? false }
  return scheme === 'https' ? { agent: false, socket: connection } : { createConnection: () => connection }
}

const isRepeatable = ({ method, body }: UpstreamRequest, { code }: NodeJS.ErrnoException): boolean =>
  method === 'GET' && body === undefined && (code === 'ECONNRESET' || code === 'EPIPE')

/** `10.0.0.1:80`, `[::1]:80` */
export const authority = ({ host, port }: Pick<Upstream, 'host' | 'port'>): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`

const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

type Headers = UpstreamRequest['headers']

/** The headers that are meant for the other end, and not for a server in between. */
export function endToEndHeaders(headers: Headers): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !HOP_BY_HOP.has(name)) kept[name] = typeof value === 'string' ? value : [...value]
  }
  return kept
}

/** A caller's headers without what tells this server who it is: nobody behind it may see credentials. */
export function withoutCredentials(headers: Headers): Headers {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name !== 'authorization' && !name.startsWith('impersonate-')),
  )
}

const headersOf = ({ headers }: UpstreamRequest): http.OutgoingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? value : [...value]]],
    ),
  )

const DIAL_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
}

const CERTIFICATE_WORDS: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate signed by unknown authority',
  CERT_SIGNATURE_FAILURE: 'certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate signed by unknown authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate signed by unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate signed by unknown authority',
  CERT_HAS_EXPIRED: 'certificate has expired or is not yet valid',
}

function failureOf(upstream: Upstream, error: NodeJS.ErrnoException): UpstreamFailure {
  const { code = '', cause } = error
  const dial = DIAL_WORDS[code]
  if (dial) return new UpstreamFailure(`dial tcp ${authority(upstream)}: ${dial}`, { cause: error })
  if (code === 'ENOTFOUND') {
    return new UpstreamFailure(`dial tcp: lookup ${upstream.host}: no such host`, { cause: error })
  }
  const certificate = CERTIFICATE_WORDS[code]
  if (certificate) {
    return new UpstreamFailure(`tls: failed to verify certificate: x509: ${certificate}`, { cause: error })
  }
  return new UpstreamFailure(code === 'ECONNRESET' ? 'EOF' : error.message, { cause: cause ?? error })
}
