import { connect, isIP } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import { type KubeObject, stringifyJson } from '@tiphys/kube'
import { peek } from '../registry/registry.ts'
import { keyOf } from '../registry/resource.ts'
import type { ApiRequest } from '../request/api-request.ts'
import type { ApiResponse } from '../request/api-response.ts'
import type { RequestContext } from '../request/request-context.ts'
import { badRequest, notFound, serviceUnavailable } from '../status-error.ts'
import type { NodeConnections } from './node-connections.ts'
import { passOn, upgraded } from './relay.ts'
import { type PodAddress, serviceEndpoints } from './service-endpoints.ts'
import { ask, endToEndHeaders, type Upstream, UpstreamFailure, withoutCredentials } from './upstream.ts'

/** Reaches a port of a pod. */
export type DialPod = (address: PodAddress) => Promise<Duplex>

interface Pod extends KubeObject {
  spec?: { containers?: { ports?: { containerPort: number }[] }[] }
  status?: { podIPs?: { ip: string }[] }
}

/** Passes requests on to servers in the cluster, by the object that stands for them. */
export class Proxy {
  readonly #nodes: NodeConnections
  readonly #dialPod: DialPod

  constructor(nodes: NodeConnections, dialPod: DialPod = dialAddress) {
    this.#nodes = nodes
    this.#dialPod = dialPod
  }

  async serve(context: RequestContext): Promise<ApiResponse> {
    const upstream = this.#find(context)
    const { request, info } = context
    const isRoot = info.rest.length === 0 && !info.path.endsWith('/')
    if (isRoot && !request.canUpgrade && (request.method === 'GET' || request.method === 'HEAD')) {
      return { status: 301, headers: { location: withQuery(`${request.path}/`, request) }, body: { type: 'empty' } }
    }
    const path = withQuery(proxiedPath(info), request)
    const headers = withoutCredentials(request.headers)
    const kept = request.canUpgrade ? headers : endToEndHeaders(headers)
    try {
      const answer = await ask(upstream, {
        method: request.method,
        path,
        headers: { ...kept, ...forwarded(request) },
        ...(await bodyOf(request)),
        signal: request.signal,
      })
      return answer.socket ? upgraded(answer) : withOwnLocation(passOn(answer.response), upstream, context)
    } catch (thrown) {
      if (!(thrown instanceof UpstreamFailure)) throw thrown
      throw serviceUnavailable(`error trying to reach service: ${thrown.message}`)
    }
  }

  #find(context: RequestContext): Upstream {
    switch (context.resource.name) {
      case 'nodes':
        return this.#node(context)
      case 'services':
        return this.#service(context)
      default:
        return this.#pod(context)
    }
  }

  #node({ info }: RequestContext): Upstream {
    const { scheme, name, port } = splitName('node', info.name)
    const kubelet = this.#nodes.find(name, { group: '', resource: 'nodes' })
    if (port === '' || port === String(kubelet.port)) return kubelet
    // Other servers on the machines of nodes are their users'; those of this machine are nobody's business.
    if (!isGlobalUnicast(kubelet.host)) throw badRequest('address not allowed')
    return { scheme, host: kubelet.host, port: portNumber(port), tls: { rejectUnauthorized: false } }
  }

  #pod({ info, registry }: RequestContext): Upstream {
    const { scheme, name, port } = splitName('pod', info.name)
    const pod: Pod | undefined = peek(registry, '', 'pods', keyOf(info.namespace, name))
    if (!pod) throw notFound({ group: '', resource: 'pods' }, name)
    const first = pod.spec?.containers?.find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort
    const ip = pod.status?.podIPs?.[0]?.ip ?? ''
    if (!isGlobalUnicast(ip)) throw badRequest('address not allowed')
    const fallback = first ?? (scheme === 'https' ? 443 : 80)
    return this.#toPod(scheme, {
      namespace: info.namespace,
      pod: name,
      ip,
      port: port === '' ? fallback : portNumber(port),
    })
  }

  #service({ info, registry, env }: RequestContext): Upstream {
    const { scheme, name, port } = splitName('service', info.name)
    const chosen = serviceEndpoints(registry, info.namespace, { id: info.name, name, port })
    return this.#toPod(scheme, chosen[Math.floor(env.random.next() * chosen.length)] as PodAddress)
  }

  #toPod(scheme: 'http' | 'https', address: PodAddress): Upstream {
    const dial = () => this.#dialPod(address)
    return { scheme, host: address.ip, port: address.port, tls: { rejectUnauthorized: false }, dial }
  }
}

const dialAddress: DialPod = ({ ip, port }) =>
  new Promise((resolve, reject) => {
    const socket = connect(port, ip)
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })

/** `name`, `name:port` or `scheme:name:port`. */
function splitName(kind: string, id: string): { scheme: 'http' | 'https'; name: string; port: string } {
  const parts = id.split(':')
  const [scheme = '', name = '', port = ''] =
    parts.length === 1 ? ['', id] : parts.length === 2 ? ['', ...parts] : parts
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme)) {
    throw badRequest(`invalid ${kind} request ${JSON.stringify(id)}`)
  }
  return { scheme: scheme === 'https' ? 'https' : 'http', name, port }
}

function portNumber(port: string): number {
  const number = Number(port)
  if (!Number.isInteger(number) || number < 1 || number > 0xffff) {
    throw serviceUnavailable(`error trying to reach service: dial tcp: address ${port}: invalid port`)
  }
  return number
}

/** Neither this machine nor its link, nobody and everybody. */
function isGlobalUnicast(address: string): boolean {
  if (isIP(address) === 4) return !/^(0\.0\.0\.0$|127\.|169\.254\.|22[4-9]\.|23\d\.|255\.255\.255\.255$)/.test(address)
  return isIP(address) === 6 && !/^(::1?$|fe[89ab]|ff|::ffff:127\.)/i.test(address)
}

function proxiedPath({ rest, path }: RequestContext['info']): string {
  const text = `/${rest.map(encodeURIComponent).join('/')}`
  return rest.length > 0 && path.endsWith('/') ? `${text}/` : text
}

function withQuery(path: string, { query }: ApiRequest): string {
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

const forwarded = (request: ApiRequest): Record<string, string> => ({
  'x-forwarded-uri': request.path,
  'x-forwarded-host': String(request.headers.host ?? ''),
  'x-forwarded-proto': 'https',
})

async function bodyOf(request: ApiRequest): Promise<{ body?: Readable | Uint8Array }> {
  if (request.method === 'GET' || request.method === 'HEAD' || request.canUpgrade) return {}
  if (request.bodyStream) return { body: request.bodyStream() }
  const body = await request.body()
  return { body: 'bytes' in body ? body.bytes : Buffer.from(stringifyJson(body.value)) }
}

/** A redirect inside the proxied server leads through the proxy again. */
function withOwnLocation(response: ApiResponse, upstream: Upstream, { request, info }: RequestContext): ApiResponse {
  const { location } = response.headers
  if (typeof location !== 'string') return response
  const own = `${upstream.scheme}://${upstream.host}:${upstream.port}`
  const target = location.startsWith(`${own}/`) ? location.slice(own.length) : location
  if (!target.startsWith('/')) return response
  const suffix = info.rest.length > 0 ? proxiedPath(info).length : Number(request.path.endsWith('/'))
  const base = request.path.slice(0, request.path.length - suffix)
  return { ...response, headers: { ...response.headers, location: `${base}${target}` } }
}
