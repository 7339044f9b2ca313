import type { KubeObject } from '@tiphys/kube'
import { peek, type Registry } from '../registry/registry.ts'
import { keyOf } from '../registry/resource.ts'
import { notFound, serviceUnavailable } from '../status-error.ts'

/** A pod's address, and the pod that has it. */
export interface PodAddress {
  namespace: string
  pod: string
  ip: string
  port: number
}

interface Service extends KubeObject {
  spec?: { ports?: { name?: string; port: number }[] }
}

interface Endpoints extends KubeObject {
  subsets?: { addresses?: { ip: string; targetRef?: TargetRef }[]; ports?: { name?: string; port: number }[] }[]
}

interface EndpointSlice extends KubeObject {
  endpoints?: { addresses: string[]; conditions?: { ready?: boolean }; targetRef?: TargetRef }[] | null
  ports?: { name?: string; port?: number }[] | null
}

interface TargetRef {
  namespace?: string
  name?: string
}

interface Endpoint {
  ip: string
  target: TargetRef | undefined
  ports: readonly { name?: string; port?: number }[]
}

/** The pods behind a service's port, given by name or number. Addresses that are not a pod's are left out: a service is no
 *  way to other machines. Throws when there are none. */
export function serviceEndpoints(
  registry: Registry,
  namespace: string,
  { id, name, port }: { id: string; name: string; port: string },
): PodAddress[] {
  const portName = /^[+-]?\d+$/.test(port) ? nameOfPort(registry, namespace, name, Number(port)) : port
  const endpoints = fromEndpoints(registry, namespace, name) ?? fromSlices(registry, namespace, name)
  if (!endpoints) throw notFound({ group: '', resource: 'services' }, name)
  if (endpoints.length === 0) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`)
  const found = endpoints.flatMap(({ ip, target, ports }) =>
    ports
      .filter(
        each => (each.name ?? '') === portName && each.port !== undefined && isPod(registry, namespace, ip, target),
      )
      .map(each => ({ namespace, pod: target?.name as string, ip, port: each.port as number })),
  )
  if (found.length === 0) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(id)}`)
  return found
}

function nameOfPort(registry: Registry, namespace: string, name: string, port: number): string {
  const service: Service | undefined = peek(registry, '', 'services', keyOf(namespace, name))
  if (!service) throw notFound({ group: '', resource: 'services' }, name)
  const found = service.spec?.ports?.find(each => each.port === port)
  if (!found) throw serviceUnavailable(`no service port ${port} found for service ${JSON.stringify(name)}`)
  return found.name ?? ''
}

function fromEndpoints(registry: Registry, namespace: string, name: string): Endpoint[] | undefined {
  const found: Endpoints | undefined = peek(registry, '', 'endpoints', keyOf(namespace, name))
  return found?.subsets?.flatMap(({ addresses = [], ports = [] }) =>
    addresses.map(({ ip, targetRef }) => ({ ip, target: targetRef, ports })),
  )
}

/** What a cluster without the older Endpoints objects has. */
function fromSlices(registry: Registry, namespace: string, name: string): Endpoint[] | undefined {
  const slices = registry.resources.findAnyVersion('discovery.k8s.io', 'endpointslices')
  const own = [...(slices?.collection.values(namespace) ?? [])]
    .map(({ object }) => object as EndpointSlice)
    .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name)
  if (own.length === 0) return undefined
  return own.flatMap(({ endpoints, ports }) =>
    (endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready !== false)
      .flatMap(({ addresses, targetRef }) => addresses.map(ip => ({ ip, target: targetRef, ports: ports ?? [] }))),
  )
}

function isPod(registry: Registry, namespace: string, ip: string, target: TargetRef | undefined): boolean {
  if (target?.name === undefined || target.namespace !== namespace) return false
  const pod = peek(registry, '', 'pods', keyOf(namespace, target.name))
  const { podIPs = [] } = (pod?.status ?? {}) as { podIPs?: { ip: string }[] }
  return podIPs.some(each => each.ip === ip)
}
