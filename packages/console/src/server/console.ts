import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Archive } from '@tiphys/archive'
import { asError, type Env, Failure, TerminalFailure } from '@tiphys/env'
import type { Recorder } from '@tiphys/journal/records'
import { ApiError, acceptWebSocket, type Client } from '@tiphys/kube'
import type { AnswerOf } from '../api/answers.ts'
import { LIVE_PROTOCOL } from '../api/live.ts'
import { readData } from '../data.ts'
import { createAccess } from './access.ts'
import { openAssets } from './assets.ts'
import { type Authentication, type Caller, createAuthenticator } from './caller.ts'
import { guard } from './guard.ts'
import { badRequest, HttpFailure } from './http-failure.ts'
import { serveLive } from './live.ts'
import { type OpenApiOptions, openApiOf, SIGN_IN } from './openapi.ts'
import { createPlaces } from './places.ts'
import { LONGEST_BODY, readBody } from './request-body.ts'
import { type Call, checked, createRouter, type Route, readQuery } from './route.ts'
import type { Fire, RunControl } from './routes/actions.ts'
import type { OpenArtifact } from './routes/artifacts.ts'
import type { Dispatch } from './routes/event-bindings.ts'
import { apiRoutes } from './routes/index.ts'
import type { Workshop } from './routes/workshop.ts'
import { createScopes } from './scope.ts'
import { SECURITY_HEADERS } from './security-headers.ts'
import { cookieOf, Sessions } from './session.ts'
import { createTrustedProxy, type ProxyTrust } from './trusted-proxy.ts'
import { archiveInTurns, createTurns } from './turns.ts'

export interface ConsoleOptions {
  env: Env
  archive: Archive
  /** Where it is written down who did what. */
  recorder: Recorder
  /** The folder that `buildConsole` wrote. */
  assets: string
  authentication: Authentication
  /** A proxy that has authenticated people; beside tokens of the cluster, never beside the local token. */
  trustedProxy?: ProxyTrust
  /** The cluster, as somebody: what they may see and do is what this client may. */
  clientFor(caller: Caller): Client
  /** Loopback unless told otherwise; any other address needs the cluster's authentication. */
  host?: string
  /** 2746 unless told otherwise; the next free one if it is taken; 0 for any. */
  port?: number
  /** Names under which it may be reached beside those of loopback. */
  allowedHosts?: readonly string[]
  /** Cookies are sealed with it; with the same one they outlive a restart. The local token, unless told otherwise. */
  secret?: string
  version?: string
  runControl?: RunControl
  fire?: Fire
  dispatch?: Dispatch
  openArtifact?: OpenArtifact
  workshop?: Workshop
}

export interface Console {
  /** Where to open it; locally with the token in the fragment, which is never sent. */
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

const BASE = '/api/v1'
/** What is answered beside the routes. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  '/session': ['POST', 'DELETE'],
  '/openapi.json': ['GET'],
  '/live': ['GET'],
}
const DEFAULT_PORT = 2746
const PORTS_TRIED = 20
/** A file of SQLite is read by two threads; PostgreSQL by as many as it has connections. */
const READS_AT_ONCE = { sqlite: 2, postgres: 8 }
const MOST_WAITING = 256
const MOST_LARGE_WAITING = 4
/** Connections, what is followed over them, and long requests; each of a caller's may cost a query whenever something happens. A tab has
 *  about four. */
const MOST_FOLLOWED = 256
/** Whoever signs in is not known yet, and has nothing to send but a token. */
const LONGEST_SIGN_IN = 16 * 2 ** 10
/** Over a WebSocket; a request may be half as long, so that what is a little too long is told what is wrong with it. */
const LONGEST_MESSAGE = 128 * 2 ** 10
/** Name and value, in browsers. */
const LONGEST_COOKIE = 4096
const SESSION_MS = { local: 30 * 86_400_000, cluster: 12 * 3_600_000 }

/** Serves the console. Resolves when it answers. */
export async function startConsole(options: ConsoleOptions): Promise<Console> {
  const { host = '127.0.0.1', port = DEFAULT_PORT, authentication } = options
  if (!isLoopback(host) && authentication.mode === 'local') {
    throw new TerminalFailure('console-needs-authentication', {
      what: `the console does not listen on ${host}`,
      why: 'everybody who reaches that address would need nothing but one token',
      todo: 'Listen on 127.0.0.1, or let the cluster authenticate people (--console-auth cluster)',
    })
  }
  if (options.trustedProxy && authentication.mode === 'local') {
    throw new TerminalFailure('console-proxy-invalid', {
      what: 'the console does not take a proxy’s word for who somebody is',
      why: 'with the local token everybody acts with the rights of whoever started it',
      todo: 'Give --trusted-proxy together with --console-auth cluster',
    })
  }
  const serving = await createServing(options)
  const server = createServer((request, response) => void serving.answer(request, response))
  server.on('upgrade', (request, socket, head) => void serving.upgrade(request, socket, head))
  server.headersTimeout = 10_000
  server.requestTimeout = 60_000
  const taken = await listen(server, host, port)
  serving.listensOn(taken)
  const name = host.includes(':') ? `[${host}]` : host
  const fragment = authentication.mode === 'local' ? `/#token=${authentication.token}` : '/'
  return {
    url: `http://${name}:${taken}${fragment}`,
    port: taken,
    async close() {
      serving.close()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

async function listen(server: ReturnType<typeof createServer>, host: string, first: number): Promise<number> {
  for (let port = first; ; port++) {
    try {
      server.listen(port, host)
      await once(server, 'listening')
      return (server.address() as AddressInfo).port
    } catch (cause) {
      const isTaken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (isTaken && port < first + PORTS_TRIED && port < 65_535) continue
      throw new TerminalFailure('console-port-unavailable', {
        what: `the console cannot listen on ${host}, port ${port}`,
        why: asError(cause).message,
        todo: 'Choose another with --console-port, or 0 for any free one',
        cause,
      })
    }
  }
}

interface Serving {
  /** The port gives the cookie its name. */
  listensOn(port: number): void
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>
  close(): void
}

async function createServing(options: ConsoleOptions): Promise<Serving> {
  const { env, archive, authentication, clientFor, allowedHosts = [], version = '' } = options
  const assets = await openAssets(options.assets)
  const access = createAccess({ env, clientFor })
  const scopes = createScopes({ env, archive, access, clientFor })
  const authenticator = createAuthenticator(env, authentication)
  const secret =
    options.secret ??
    (authentication.mode === 'local' ? authentication.token : Buffer.from(env.random.bytes(32)).toString('base64'))
  const sessions = new Sessions({ env, secret, maxAgeMs: SESSION_MS[authentication.mode] })
  const routes: readonly Route[] = apiRoutes({
    ...options,
    namespacesOf: caller => scopes.namespacesOf(caller),
    follow: caller => places.take(caller.user),
    version,
    mode: authentication.mode,
  })
  const find = createRouter(routes)
  const turns = createTurns({ atOnce: READS_AT_ONCE[archive.database], mostWaiting: MOST_WAITING })
  const places = createPlaces(MOST_FOLLOWED)
  /** What is large is taken one after the other. */
  const largeBodies = createTurns({ atOnce: 1, mostWaiting: MOST_LARGE_WAITING })
  const sockets = new Set<Duplex>()
  let port = 0
  const cookieName = () => `tiphys-${port}`
  /** Read when somebody asks. */
  const document = async () => {
    const described = JSON.parse(await readData('answers.json')) as OpenApiOptions['described']
    return openApiOf(routes, { version, cookie: cookieName(), described })
  }

  /** Who sent it: a bearer token, or the cookie that was given for one. */
  const tokenOf = ({ headers }: IncomingMessage): string | undefined => {
    const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]
    return bearer ?? sessions.open(cookieOf(headers.cookie, cookieName()) ?? '')?.token
  }
  const proxy = options.trustedProxy && createTrustedProxy(options.trustedProxy)
  const callerOf = async (request: IncomingMessage): Promise<Caller> => {
    const named = proxy?.callerOf(request)
    if (named) return named
    const token = tokenOf(request)
    const caller = token === undefined ? undefined : await authenticator.whose(token)
    if (caller) return caller
    throw new HttpFailure('console-signed-out', {
      status: 401,
      what: token === undefined ? 'nobody is signed in' : 'the token is not valid, or no longer',
      todo: 'Open the address that tiphys printed, or sign in with a token',
    })
  }

  const callOf = (request: IncomingMessage, response: ServerResponse, caller: Caller) => ({
    caller,
    archive: archiveInTurns(archive, turns, caller.user),
    client: clientFor(caller),
    scope: (namespace?: string) => scopes.of(caller, namespace),
    may: (permission: Parameters<typeof access.may>[1]) => access.may(caller, permission),
    demand: (permission: Parameters<typeof access.demand>[1]) => access.demand(caller, permission),
    request,
    response,
  })

  /** The one thing that can be done without being known. */
  const signIn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { token } = checked((await readBody(request, LONGEST_SIGN_IN)).value, SIGN_IN, 'the body')
    const caller = token === '' ? undefined : await authenticator.whose(token)
    if (!caller) {
      throw new HttpFailure('console-signed-out', {
        status: 401,
        what: 'the token is not valid',
        todo: 'Open the address that tiphys printed when it started, or sign in with a token of the cluster',
      })
    }
    const sealed = sessions.seal(token)
    if (cookieName().length + 1 + sealed.length > LONGEST_COOKIE) {
      const todo = 'Put a proxy that signs people in in front of the console (--trusted-proxy), or take a shorter token'
      throw badRequest('the token is too long for the cookie of a session: browsers would drop it', todo)
    }
    const isSecure = request.headers['x-forwarded-proto'] === 'https'
    response.setHeader('set-cookie', sessions.cookie(cookieName(), sealed, isSecure))
    sendJson(response, 200, { user: caller.user } satisfies AnswerOf<'POST /session'>)
  }

  const answerApi = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const path = url.pathname.startsWith(`${BASE}/`) ? url.pathname.slice(BASE.length) : ''
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET')
    if (path === '/session' && method === 'POST') return signIn(request, response)
    if (path === '/session' && method === 'DELETE') {
      sessions.end(cookieOf(request.headers.cookie, cookieName()) ?? '')
      response.setHeader('set-cookie', `${cookieName()}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`)
      return sendJson(response, 200, {} satisfies AnswerOf<'DELETE /session'>)
    }
    const caller = await callerOf(request)
    if (path === '/live' && method === 'GET') {
      response.setHeader('connection', 'upgrade').setHeader('upgrade', 'websocket')
      throw new HttpFailure('console-bad-request', { status: 426, what: `${url.pathname} is only a WebSocket` })
    }
    if (path === '/openapi.json' && method === 'GET') return sendJson(response, 200, await document())
    const found = find(method, path)
    if (found === undefined || Array.isArray(found)) {
      const allowed = [...(found ?? []), ...(BESIDE[path] ?? [])]
      if (allowed.length > 0) throw notFor(response, method, url.pathname, allowed)
      throw new HttpFailure('console-not-found', { status: 404, what: `the API has no ${url.pathname}` })
    }
    const { route, params } = found
    const query = readQuery(url.searchParams, route.query)
    const known = { ...callOf(request, response, caller), params, query }
    await route.admits?.(known)
    const run = async () => {
      const sent = method === 'GET' ? undefined : await readBody(request, route.maxBytes)
      const body = sent && checked(sent.value, route.body, 'the body')
      const written = sent?.text ?? ''
      return route.run({ ...known, body, written } as unknown as Call<never, never>)
    }
    const isLarge = (route.maxBytes ?? 0) > LONGEST_BODY
    const answer = await (isLarge ? largeBodies.run(caller.user, run) : run())
    if (!response.headersSent) sendJson(response, 200, answer ?? {})
  }

  return {
    listensOn(taken) {
      port = taken
    },

    async answer(request, response) {
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value)
      try {
        const url = urlOf(request)
        const { method = 'GET', headers } = request
        const refusal = guard({ method, path: url.pathname, headers }, { allowedHosts })
        if (refusal) throw refusal
        if (url.pathname.startsWith('/api/')) return await answerApi(request, response, url)
        if (method !== 'GET' && method !== 'HEAD') throw notFor(response, method, 'pages', ['GET'])
        if (!assets.serve(request, response, url.pathname))
          throw new HttpFailure('console-not-found', { status: 404, what: `there is no ${url.pathname}` })
      } catch (thrown) {
        sendError(response, thrown, env)
      }
    },

    async upgrade(request, socket, head) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      socket.on('error', () => socket.destroy())
      try {
        const url = urlOf(request)
        const { method = 'GET', headers } = request
        const refusal = guard({ method, path: url.pathname, headers }, { allowedHosts })
        if (refusal) throw refusal
        const caller = await callerOf(request)
        const leave = places.take(caller.user)
        socket.once('close', leave)
        if (socket.destroyed) leave()
        const opened =
          url.pathname === `${BASE}/live`
            ? acceptWebSocket(request, socket, head, [LIVE_PROTOCOL], LONGEST_MESSAGE)
            : undefined
        if (!opened)
          throw new HttpFailure('console-bad-request', { status: 400, what: `no WebSocket of ${LIVE_PROTOCOL}` })
        const scope = async (namespace?: string) => {
          // A token may have ended since.
          await callerOf(request).catch(thrown => {
            if (!(thrown instanceof HttpFailure) || thrown.status !== 401) throw thrown
            opened.socket.destroy()
          })
          return scopes.of(caller, namespace)
        }
        serveLive(opened.socket, { env, archive, scope, follow: () => places.take(caller.user) })
      } catch (thrown) {
        const { status, answer } = errorAnswer(thrown, env)
        const text = JSON.stringify(answer)
        // Left half open it would be there for as long as the other end likes, and whoever stops the server waits for it.
        socket.end(
          `HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
          () => socket.destroy(),
        )
      }
    },

    close() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** The refusal of a method; the answer says which there are. */
function notFor(response: ServerResponse, method: string, what: string, allowed: readonly string[]): HttpFailure {
  response.setHeader('allow', allowed.flatMap(each => (each === 'GET' ? [each, 'HEAD'] : [each])).join(', '))
  return new HttpFailure('console-bad-request', { status: 405, what: `${method} is not for ${what}` })
}

function urlOf(request: IncomingMessage): URL {
  try {
    return new URL(request.url ?? '/', 'http://console')
  } catch {
    throw new HttpFailure('console-bad-request', { status: 400, what: 'the address cannot be read' })
  }
}

function sendJson(response: ServerResponse, status: number, answer: unknown): void {
  const text = JSON.stringify(answer)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  })
  response.end(text)
}

function sendError(response: ServerResponse, thrown: unknown, env: Env): void {
  // Too late for another answer, or nobody is there to read one.
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  const { status, answer } = errorAnswer(thrown, env)
  if (status === 413) response.setHeader('connection', 'close')
  if (status === 401) response.setHeader('www-authenticate', 'Bearer')
  sendJson(response, status, answer)
}

/** What is wrong with a request, as others say it. */
const STATUSES: Readonly<Record<string, number>> = {
  'query-invalid': 400,
  'archive-cursor-invalid': 400,
  'archive-import-invalid': 400,
  'kube-name-invalid': 400,
  'kube-namespace-missing': 400,
  'kube-selector-invalid': 400,
  'kube-unknown-kind': 404,
}

/** What can be tried again is for later, and so is what is wrong with the archive; everything else cannot be done. */
function statusOf(failure: Failure): number {
  if (failure instanceof HttpFailure) return failure.status
  const isFinal = failure instanceof TerminalFailure && !failure.code.startsWith('archive-')
  return STATUSES[failure.code] ?? (isFinal ? 422 : 503)
}

function errorAnswer(thrown: unknown, env: Env): { status: number; answer: object } {
  if (thrown instanceof ApiError)
    return {
      status: thrown.statusCode,
      answer: { code: thrown.code, what: thrown.message, details: { reason: thrown.reason } },
    }
  if (thrown instanceof Failure) {
    const { code, what, why, todo } = thrown
    const details = thrown instanceof HttpFailure ? thrown.details : undefined
    return { status: statusOf(thrown), answer: { code, what, why, todo, details } }
  }
  const error = asError(thrown)
  env.log.error('a request to the console failed', { why: error })
  return {
    status: 500,
    answer: { code: 'console-internal', what: 'something went wrong in the console', why: error.message },
  }
}
