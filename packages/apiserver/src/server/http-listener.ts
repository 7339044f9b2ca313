import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Clock, delay, type Env } from '@tiphys/env'
import { ClientCertificates } from '../authentication/client-certificates.ts'
import type { ApiRequest } from '../request/api-request.ts'
import type { ApiResponse } from '../request/api-response.ts'
import { EventBatches } from './event-batches.ts'
import { type HttpService, serve, type Upgradable } from './http-answer.ts'

export interface ListenOptions {
  host: string
  port: number
  env: Env
  handle: (request: ApiRequest) => Promise<ApiResponse>
  /** `ca` signs the certificates of clients. */
  tls?: { key: string; cert: string; ca: string }
  limits?: Partial<ConnectionLimits>
}

/** How long a client may take, in milliseconds. */
export interface ConnectionLimits {
  /** To send the head of a request. */
  headersMs: number
  /** To send a whole request. */
  requestMs: number
  /** To send another request over the same connection. */
  idleMs: number
  /** How often the first two are looked at. */
  checkMs: number
}

export const DEFAULT_LIMITS: ConnectionLimits = {
  headersMs: 30_000,
  requestMs: 60_000,
  idleMs: 120_000,
  checkMs: 30_000,
}

export interface Listening {
  host: string
  port: number
  url: string
  /** Resolves when nobody has connected or asked for a moment. It comes soon, also when there is no such moment: for work that
   *  should not take the processor from the first answers. */
  untilQuiet(): Promise<void>
  /** Stops accepting, ends watches, lets running requests finish and closes every connection. */
  stop(): Promise<void>
}

/** As much as the real server allows: selectors travel in the first line. */
const HEADER_LIMIT = 1024 * 1024

export function listen(options: ListenOptions): Promise<Listening> {
  const { host, port, tls } = options
  const limits = serverOptions({ ...DEFAULT_LIMITS, ...options.limits })
  const server: Server = tls
    ? createHttpsServer({
        ...limits,
        key: tls.key,
        cert: tls.cert,
        // Not even the authority of the clients: `ClientCertificates` says why.
        ca: [],
        requestCert: true,
        rejectUnauthorized: false,
      })
    : createHttpServer(limits)
  const service = serveOn(server, options)
  if (tls) service.certificates = new ClientCertificates(tls.ca, options.env.clock)
  const untilQuiet = watchQuiet(server, options.env.clock)
  const connections = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const { port: bound } = server.address() as AddressInfo
      const url = `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${bound}`
      resolve({ host, port: bound, url, untilQuiet, stop: () => stop(server, service, connections) })
    })
  })
}

const QUIET_MS = 50
const LONGEST_WAIT_MS = 300

function watchQuiet(server: Server, clock: Clock): () => Promise<void> {
  let lastAsked = clock.monotonic()
  const onAsked = () => {
    lastAsked = clock.monotonic()
  }
  server.on('connection', onAsked)
  server.on('request', onAsked)
  return async () => {
    const end = clock.monotonic() + LONGEST_WAIT_MS
    onAsked()
    for (let now = lastAsked; now < Math.min(end, lastAsked + QUIET_MS); now = clock.monotonic()) {
      await delay(clock, Math.min(end, lastAsked + QUIET_MS) - now)
    }
  }
}

const serverOptions = ({ headersMs, requestMs, idleMs, checkMs }: ConnectionLimits): ServerOptions => ({
  maxHeaderSize: HEADER_LIMIT,
  headersTimeout: headersMs,
  requestTimeout: requestMs,
  keepAliveTimeout: idleMs,
  connectionsCheckingInterval: checkMs,
})

/** Answers the requests of every connection that the server gets. */
export function serveOn(server: Server, { env, handle }: Pick<ListenOptions, 'env' | 'handle'>): HttpService {
  const service: HttpService = { env, handle, batches: new EventBatches(), ends: new Set() }
  const fail = (incoming: IncomingMessage, outgoing: ServerResponse) => (error: Error) => {
    env.log.error('an answer could not be written', { method: incoming.method, path: incoming.url, error })
    outgoing.destroy()
  }
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    serve(service, incoming, outgoing).catch(fail(incoming, outgoing))
  })
  server.on('upgrade', (incoming: IncomingMessage, socket, head) => {
    // An answer that refuses, or knows nothing of other protocols, is an answer like any other; the connection ends with it.
    const outgoing = new ServerResponse(incoming)
    outgoing.assignSocket(socket as Socket)
    outgoing.once('finish', () => socket.end())
    serve(service, incoming, outgoing, upgradable(service, socket, head)).catch(fail(incoming, outgoing))
  })
  return service
}

/** So much is kept of what a client sends before it knows whether it may. */
const EARLY_LIMIT = 64 * 1024

/** Reads on while the answer is not known: nobody would notice otherwise that the client has gone. */
function upgradable({ ends }: HttpService, socket: Duplex, head: Buffer): Upgradable {
  const early = [head]
  let size = head.length
  const keep = (chunk: Buffer) => {
    early.push(chunk)
    size += chunk.length
    if (size > EARLY_LIMIT) socket.pause()
  }
  const leave = () => socket.destroy()
  socket.on('data', keep)
  socket.on('end', leave)
  socket.on('error', leave)
  ends.add(leave)
  socket.once('close', () => ends.delete(leave))
  return {
    socket,
    take() {
      socket.off('data', keep)
      socket.off('end', leave)
      socket.pause()
      return Buffer.concat(early)
    },
  }
}

function stop(server: Server, { ends }: HttpService, connections: ReadonlySet<Socket>): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
    for (const end of ends) end()
    server.closeIdleConnections()
    // What is neither idle nor finished by now waits for somebody who is not reading, or has not said yet who it is: those
    // the server itself knows nothing of before their handshake is complete.
    setImmediate(() => {
      for (const socket of connections) socket.destroy()
    })
  })
}
