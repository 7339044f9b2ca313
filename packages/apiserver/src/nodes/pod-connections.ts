import type { IncomingMessage } from 'node:http'
import { asError } from '@tiphys/env'
import { attributesOf } from '../authorization/authorize-request.ts'
import { readStored } from '../handlers/get.ts'
import { groupResource } from '../registry/resource.ts'
import type { ApiResponse, ResponseBody } from '../request/api-response.ts'
import type { RequestContext } from '../request/request-context.ts'
import { badRequest, forbidden, internalError, StatusError } from '../status-error.ts'
import { bodyOfLog } from './local-nodes.ts'
import { isSet, logQuery } from './log-options.ts'
import type { NodeConnections } from './node-connections.ts'
import { passOn, upgraded } from './relay.ts'
import { ask, authority, type Upstream, UpstreamFailure, withoutCredentials } from './upstream.ts'

interface PodSpec {
  nodeName?: string
  initContainers?: { name: string }[]
  containers?: { name: string }[]
  ephemeralContainers?: { name: string }[]
}

/** Answers with what the node has of a container's log; with nothing while the pod has no node. */
export async function serveLog(context: RequestContext, nodes: NodeConnections): Promise<ApiResponse> {
  const { info, request } = context
  const query = logQuery(info.name, request.query)
  const spec = await podSpec(context)
  const container = checkContainer(info.name, spec, request.query.get('container'))
  if (!spec.nodeName) return { status: 204, headers: {}, body: { type: 'empty' } }
  const local = await localLog(context, nodes, spec.nodeName, container, query)
  if (local) return { status: 200, headers: LOG_HEADERS, body: local }
  const node = nodes.findKept(spec.nodeName, groupResource(context.resource))
  const upstream = isSet(request.query, 'insecureSkipTLSVerifyBackend')
    ? { ...node, tls: { rejectUnauthorized: false } }
    : node
  const path = withQuery(nodePath('containerLogs', info.namespace, info.name, container), query)
  const { response } = await ask(upstream, { method: 'GET', path, headers: {}, signal: request.signal }).catch(
    thrown => {
      throw noAnswer(thrown, text => `Get "https://${authority(upstream)}${path}": ${text}`)
    },
  )
  const status = response.statusCode as number
  if (status !== 200) throw logRefusal(context, status, await readText(response, LONGEST_REFUSAL))
  return { status: 200, headers: LOG_HEADERS, body: await logBody(response) }
}

const LOG_HEADERS = { 'content-type': 'text/plain' }

/** The log from a node in this process; undefined when the node is elsewhere. */
async function localLog(
  context: RequestContext,
  nodes: NodeConnections,
  node: string,
  container: string,
  query: URLSearchParams,
): Promise<ResponseBody | undefined> {
  const { info, env } = context
  const departure = new AbortController()
  try {
    const of = { namespace: info.namespace, pod: info.name, container }
    const chunks = nodes.local?.logs(node, of, query, departure.signal)
    return chunks && (await bodyOfLog(chunks[Symbol.asyncIterator](), departure, env.clock))
  } catch (thrown) {
    const { status = 500 } = thrown as { status?: number }
    throw logRefusal(context, status, asError(thrown).message)
  }
}

/** A short log arrives with the head of its answer, and is passed on with ours. */
async function logBody(response: IncomingMessage): Promise<ResponseBody> {
  if (!response.complete) return { type: 'stream', chunks: response }
  const pieces: Buffer[] = []
  // Until its end the connection is not free for others: a caller that leaves meanwhile would break it under them.
  await new Promise<void>(resolve => {
    response.on('data', (piece: Buffer) => pieces.push(piece))
    response.once('end', resolve)
    response.once('close', resolve)
  })
  return { type: 'bytes', bytes: Buffer.concat(pieces) }
}

const LONGEST_REFUSAL = 50_000

function logRefusal({ info }: RequestContext, status: number, text: string): StatusError {
  if (status === 500) return internalError(text)
  if (status === 400) return badRequest(text)
  const details = { name: info.name, kind: 'pods/log' }
  const about = `( pods/log ${info.name})`
  if (status === 404) {
    return new StatusError(404, 'NotFound', `the server could not find the requested resource ${about}`, details)
  }
  return new StatusError(status, '', `the server responded with the status code ${status} ${about}: ${text}`, details)
}

async function readText(response: IncomingMessage, longest: number): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece)
    length += piece.length
    if (length >= longest) break
  }
  return Buffer.concat(pieces).subarray(0, longest).toString('utf8')
}

/** Connects the caller with the node that runs the pod, in whatever protocol the two agree on. */
export async function serveStreams(context: RequestContext, nodes: NodeConnections): Promise<ApiResponse> {
  requireCreate(context)
  const { info, request, resource } = context
  const spec = await podSpec(context)
  const isCommand = info.subresource !== 'portforward'
  const container = isCommand ? checkContainer(info.name, spec, request.query.get('container')) : undefined
  if (!spec.nodeName) throw badRequest(`pod ${info.name} does not have a host assigned`)
  const upstream = nodes.find(spec.nodeName, groupResource(resource))
  if (!request.canUpgrade) throw badRequest('Upgrade request required')
  const path =
    container === undefined
      ? withQuery(nodePath('portForward', info.namespace, info.name), portQuery(request.query))
      : withQuery(
          nodePath(info.subresource, info.namespace, info.name, container),
          commandQuery(info.subresource, request.query),
        )
  return connect(context, upstream, path)
}

async function connect({ request }: RequestContext, upstream: Upstream, path: string): Promise<ApiResponse> {
  const { 'content-length': _none, host: _server, ...headers } = withoutCredentials(request.headers)
  const answer = await ask(upstream, { method: request.method, path, headers, signal: request.signal }).catch(
    thrown => {
      throw noAnswer(thrown, text => `error dialing backend: ${text}`)
    },
  )
  if (answer.socket) return upgraded(answer)
  const status = answer.response.statusCode as number
  if (status >= 400) return passOn(answer.response)
  answer.response.destroy()
  throw new StatusError(500, '', `invalid upgrade response: status code ${status}`)
}

/** Reading a pod is not enough to act in it, whatever method the connection begins with. */
function requireCreate({ info, user, registry, request }: RequestContext): void {
  if (info.verb === 'create') return
  const attributes = { ...attributesOf(user, info, request.query), verb: 'create' }
  const { allowed, reason } = registry.authorizer.authorize(attributes)
  if (!allowed) throw forbidden({ group: info.group, resource: info.resource }, info.name, reason)
}

async function podSpec(context: RequestContext): Promise<PodSpec> {
  const { object } = await readStored(context)
  return object.spec ?? {}
}

/** The container that is asked for, or the only one. */
function checkContainer(pod: string, spec: PodSpec, asked: string | null): string {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name)
  if (asked) {
    if (!names.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${pod}`)
    return asked
  }
  const [only, another] = containers
  if (!only) throw badRequest(`a container name must be specified for pod ${pod}`)
  if (another)
    throw badRequest(`a container name must be specified for pod ${pod}, choose one of: [${names.join(' ')}]`)
  return only.name
}

/** What a node calls the streams that a caller asks for. */
const COMMAND_STREAMS = [
  ['stdin', 'input'],
  ['stdout', 'output'],
  ['stderr', 'error'],
  ['tty', 'tty'],
] as const

function commandQuery(subresource: string, query: URLSearchParams): URLSearchParams {
  const asked = new URLSearchParams()
  for (const [ours, theirs] of COMMAND_STREAMS) if (isSet(query, ours)) asked.set(theirs, '1')
  if (subresource === 'exec') for (const word of query.getAll('command')) asked.append('command', word)
  return asked
}

function portQuery(query: URLSearchParams): URLSearchParams {
  const ports = query.getAll('ports')
  return new URLSearchParams(ports.length > 0 ? { port: ports.join(',') } : {})
}

const nodePath = (...parts: string[]): string => `/${parts.map(encodeURIComponent).join('/')}`

const withQuery = (path: string, query: URLSearchParams): string => {
  query.sort()
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

function noAnswer(thrown: unknown, words: (text: string) => string): unknown {
  return thrown instanceof UpstreamFailure ? new StatusError(500, '', words(thrown.message)) : thrown
}
