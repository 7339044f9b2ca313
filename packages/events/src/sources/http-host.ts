import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { asError, type Env, RetryableFailure } from '@tiphys/env'
import { pathPattern } from './path-pattern.ts'
import type { HeaderValues, HttpAnswer, HttpRoute } from './source.ts'

export interface HttpHostOptions {
  env: Env
  /** Loopback unless given. */
  address?: string
  limits?: Partial<HttpLimits>
}

export interface HttpLimits {
  /** A request whose headers are not complete after this time gets 408. */
  headersTimeoutMs: number
  /** A request whose body is not complete after this time gets 408. */
  bodyTimeoutMs: number
  /** Requests that are being answered, on all ports; more get 429. */
  requests: number
  /** Bytes of bodies that are held, on all ports; more get 429. */
  bytes: number
}

const DEFAULT_LIMITS: HttpLimits = {
  headersTimeoutMs: 60_000,
  bodyTimeoutMs: 30_000,
  requests: 2000,
  bytes: 64 * 2 ** 20,
}
const LONGEST_HEADERS = 64 * 1024
const RETRY = { 'retry-after': '1' }
/** Longer than senders and proxies keep a connection, so that none of them sends into one that is being closed. */
const KEEP_ALIVE_MS = 75_000
/** A flood of new connections waits here to be answered or refused; what does not fit would try again for half a minute. */
const BACKLOG = 4096
/** So long a sender has to read why it is refused. */
const LEAVING_MS = 1000

/** HTTP servers that the entries of EventSources share, one a port. Every port answers `/health`. */
export interface HttpHost {
  /** Rejects when the port cannot be had, or the path and method are taken. */
  listen(route: HttpRoute): Promise<{ url: string; stop(): Promise<void> }>
  close(): Promise<void>
}

export function createHttpHost({ env, address = '127.0.0.1', limits }: HttpHostOptions): HttpHost {
  const load = { requests: 0, bytes: 0 }
  const context: Context = { env, address, limits: { ...DEFAULT_LIMITS, ...limits }, load }
  const ports = new Map<number, Promise<Port>>()

  const open = async (route: HttpRoute): Promise<Port> => {
    const known = ports.get(route.port)
    if (known) return known
    const opening = Port.open(route, context)
    ports.set(route.port, opening)
    opening.catch(() => ports.delete(route.port))
    return opening
  }

  return {
    async listen(route) {
      const port = await open(route)
      const remove = port.add(route)
      return {
        url: `${port.url}${route.path}`,
        async stop() {
          remove()
          if (!port.isUnused || ports.get(route.port) === undefined) return
          ports.delete(route.port)
          await port.close()
        },
      }
    },
    async close() {
      const open = [...ports.values()]
      ports.clear()
      await Promise.all(open.map(port => port.then(port => port.close())))
    },
  }
}

interface Context {
  env: Env
  address: string
  limits: HttpLimits
  load: { requests: number; bytes: number }
}

class Port {
  readonly url: string
  readonly #server: ReturnType<typeof createServer>
  readonly #context: Context
  readonly #routes: { route: HttpRoute; isFor: (path: string) => boolean }[] = []
  /** Connections that are being left. */
  readonly #leaving = new Set<Socket>()

  private constructor(server: ReturnType<typeof createServer>, scheme: string, context: Context) {
    const { address, port } = server.address() as AddressInfo
    this.url = `${scheme}://${address.includes(':') ? `[${address}]` : address}:${port}`
    this.#server = server
    this.#context = context
    server.on('request', (request, response) => void this.#serve(request, response))
    // A request that asks first whether it may send its body is told by the answer.
    server.on('checkContinue', (request, response) => void this.#serve(request, response))
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.#refuse(error.code ?? '', socket as Socket))
  }

  static async open({ port, tls }: HttpRoute, context: Context): Promise<Port> {
    const { headersTimeoutMs } = context.limits
    const options = {
      maxHeaderSize: LONGEST_HEADERS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: headersTimeoutMs / 2,
    }
    const server = tls ? createSecureServer({ ...options, cert: tls.certificate, key: tls.key }) : createServer(options)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ port, host: context.address, backlog: BACKLOG }, () => {
        server.removeListener('error', reject)
        resolve()
      })
    })
    server.on('error', error => context.env.log.warn('a webhook server failed', { port, error }))
    return new Port(server, tls ? 'https' : 'http', context)
  }

  get isUnused(): boolean {
    return this.#routes.length === 0
  }

  add(route: HttpRoute): () => void {
    const { path, method } = route
    if (this.#routes.some(({ route: known }) => known.path === path && known.method === method))
      throw new Error(`another entry serves ${method} ${path} on port ${route.port} already`)
    const added = { route, isFor: pathPattern(path) }
    this.#routes.push(added)
    return () => {
      const at = this.#routes.indexOf(added)
      if (at >= 0) this.#routes.splice(at, 1)
    }
  }

  /** Those that serve a path: the ones that name it before those that stand for many. */
  #routesOf(path: string): HttpRoute[] {
    const routes = this.#routes.filter(({ isFor }) => isFor(path)).map(({ route }) => route)
    return routes.length < 2 ? routes : routes.sort((a, b) => Number(b.path === path) - Number(a.path === path))
  }

  /** Lets requests that have begun end. */
  close(): Promise<void> {
    return new Promise(resolve => {
      this.#server.close(() => resolve())
      this.#server.closeIdleConnections()
      for (const socket of this.#leaving) socket.destroy()
    })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { load, env } = this.#context
    load.requests++
    const held = { bytes: 0 }
    try {
      this.#send(request, response, await this.#answer(request, response, held))
    } catch (thrown) {
      env.log.error('a webhook request failed', { path: request.url, error: asError(thrown) })
      this.#send(request, response, { status: 500, body: 'internal error' })
    } finally {
      load.requests--
      load.bytes -= held.bytes
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, held: { bytes: number }): Promise<HttpAnswer> {
    const url = urlOf(request)
    if (!url) return { status: 400, body: 'the address of the request is not valid' }
    const routes = this.#routesOf(url.pathname)
    const [first] = routes
    if (!first)
      return url.pathname === '/health' ? { status: 200, body: 'OK' } : { status: 404, body: '404 page not found\n' }
    const headers = headersOf(request)
    const route = routes.find(({ method }) => method === request.method)
    const refusal = await (route ?? first).authorize?.(headers)
    if (refusal) return refusal
    if (!route) return { status: 400, body: 'http method does not match' }
    const { load, limits } = this.#context
    if (load.requests > limits.requests || load.bytes >= limits.bytes) return busy()
    if (Number(request.headers['content-length'] ?? 0) > route.bodyLimit) return tooLarge()
    if (request.headers.expect !== undefined) response.writeContinue()
    const body = await this.#read(request, route.bodyLimit, held)
    return Buffer.isBuffer(body) ? route.handle({ method: route.method, url, headers, body }) : body
  }

  /** What is no request. */
  #refuse(code: string, socket: Socket): void {
    if (!socket.writable || code === 'ECONNRESET') return void socket.destroy()
    const isTooSlow = code === 'ERR_HTTP_REQUEST_TIMEOUT'
    // It has asked for nothing yet. A request that is on its way would take the answer for its own.
    if (isTooSlow && socket.bytesRead === 0) return void socket.destroy()
    const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : isTooSlow ? 408 : 400
    this.#leave(socket, status, { 'content-length': 0 }, '')
  }

  #send(request: IncomingMessage, response: ServerResponse, { status, body, headers = {} }: HttpAnswer): void {
    if (response.headersSent || response.destroyed) return
    const all = { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(body), ...headers }
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
    const isUnread = !request.complete && (length !== '0' || encoding !== undefined)
    if (isUnread) this.#leave(request.socket, status, all, body)
    else response.writeHead(status, all).end(body)
  }

  /** Answers a request whose body is not read: it would be taken for the next request, so that the connection ends. Not at
   *  once: what the sender still sends would reset it, and the answer would be lost. */
  #leave(socket: Socket, status: number, headers: Readonly<Record<string, string | number>>, body: string): void {
    const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`)
    this.#leaving.add(socket)
    const timer = this.#context.env.clock.schedule(LEAVING_MS, () => socket.destroy())
    socket.once('close', () => {
      timer.cancel()
      this.#leaving.delete(socket)
    })
    socket.pause()
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  }

  #read(request: IncomingMessage, limit: number, held: { bytes: number }): Promise<Buffer | HttpAnswer> {
    const { env, limits, load } = this.#context
    return new Promise(resolve => {
      const chunks: Buffer[] = []
      const end = (result: Buffer | HttpAnswer) => {
        timer.cancel()
        request.removeAllListeners('data')
        resolve(result)
      }
      const timer = env.clock.schedule(limits.bodyTimeoutMs, () => end({ status: 408, body: 'the body took too long' }))
      request.on('data', (chunk: Buffer) => {
        held.bytes += chunk.length
        load.bytes += chunk.length
        if (held.bytes > limit) end(tooLarge())
        else if (load.bytes > limits.bytes) end(busy())
        else chunks.push(chunk)
      })
      request.once('end', () => end(Buffer.concat(chunks)))
      // Nobody is left to be answered; whoever sent half a request has not been promised anything.
      request.once('error', () => end({ status: 400, body: 'the request was cut off' }))
    })
  }
}

/** What the sender is told when the bus does not take an event. */
export function refusalOf(thrown: unknown): HttpAnswer {
  if (thrown instanceof RetryableFailure) return { status: 503, body: 'failed to record event', headers: RETRY }
  return { status: 500, body: 'failed to record event' }
}

const busy = (): HttpAnswer => ({ status: 429, body: 'too many requests', headers: RETRY })
const tooLarge = (): HttpAnswer => ({ status: 413, body: 'http: request body too large' })

function urlOf({ url = '/' }: IncomingMessage): URL | undefined {
  try {
    return new URL(url, 'http://localhost')
  } catch {
    // The caller answers 400.
    return undefined
  }
}

/** Not part of the headers that a Go server shows. */
const HIDDEN = new Set(['Host', 'Transfer-Encoding', 'Trailer'])

function headersOf({ rawHeaders }: IncomingMessage): HeaderValues {
  const headers = new Map<string, string[]>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = canonical(rawHeaders[i] as string)
    if (HIDDEN.has(name)) continue
    const values = headers.get(name)
    if (values) values.push(rawHeaders[i + 1] as string)
    else headers.set(name, [rawHeaders[i + 1] as string])
  }
  const sorted = [...headers.keys()].sort()
  return Object.fromEntries(sorted.map(name => [name, headers.get(name) as string[]]))
}

/** Names come again and again; what a sender makes up is not remembered without end. */
const canonicalNames = new Map<string, string>()
const MOST_NAMES = 1000

function canonical(name: string): string {
  const known = canonicalNames.get(name)
  if (known !== undefined) return known
  const made = name
    .toLowerCase()
    .replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())
  if (canonicalNames.size < MOST_NAMES) canonicalNames.set(name, made)
  return made
}
