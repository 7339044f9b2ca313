import { isDeepStrictEqual } from 'node:util'
import { dnsSubdomainErrors } from '@tiphys/kube'
import type { DiscoveryV1EndpointPort, Endpoint, EndpointSlice, Node, Pod, Service } from '@tiphys/kube/kinds'
import { addressOf, hostnameFor, isHeadless, isPodReady, isReachable, targetPortOf } from './selected-pods.ts'

export const SERVICE_NAME = 'kubernetes.io/service-name'
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
export const CONTROLLER_NAME = 'endpointslice-controller.k8s.io'
export const HEADLESS = 'service.kubernetes.io/headless'
const ZONE = 'topology.kubernetes.io/zone'
const RESERVED = new Set([SERVICE_NAME, MANAGED_BY, HEADLESS])
export const MOST_ENDPOINTS = 100

/** What has to be written so that a service's slices are right. */
export interface SlicePlan {
  create: EndpointSlice[]
  update: EndpointSlice[]
  delete: EndpointSlice[]
}

export interface SliceWorld {
  service: Service
  pods: readonly Pod[]
  nodeOf: (pod: Pod) => Node | undefined
  /** The slices that this controller made for the service. */
  existing: readonly EndpointSlice[]
}

/** Endpoints stay in the slice they are in; new ones go where they cause the fewest writes. */
export function planSlices(world: SliceWorld): SlicePlan {
  const plan: SlicePlan = { create: [], update: [], delete: [] }
  const families = world.service.spec?.ipFamilies ?? ['IPv4']
  for (const addressType of families) planFamily(world, addressType, plan)
  for (const slice of world.existing) if (!families.includes(slice.addressType)) plan.delete.push(slice)
  return plan
}

interface Group {
  ports: DiscoveryV1EndpointPort[]
  /** By what makes an endpoint the same one. */
  endpoints: Map<string, Endpoint>
}

function planFamily({ service, pods, nodeOf, existing }: SliceWorld, addressType: string, plan: SlicePlan): void {
  const slices = existing.filter(slice => slice.addressType === addressType)
  const groups = groupByPorts(service, pods, nodeOf, addressType)
  const byPorts = new Map<string, EndpointSlice[]>()
  let kept = 0
  for (const slice of slices) {
    const key = portsKey(slice.ports ?? [])
    const isOwned = slice.metadata.ownerReferences?.some(({ uid }) => uid === service.metadata.uid)
    if (isOwned && groups.has(key)) byPorts.set(key, [...(byPorts.get(key) ?? []), slice])
    else plan.delete.push(slice)
  }
  const createdBefore = plan.create.length
  for (const [key, group] of groups) kept += planGroup(service, addressType, group, byPorts.get(key) ?? [], plan)
  if (kept > 0 || plan.create.length > createdBefore) return
  // A service always has a slice, so that it can be told from one that nobody has looked at.
  const placeholder = newSlice(service, addressType, [])
  const same = plan.delete.findIndex(slice => isSamePlaceholder(slice, placeholder))
  if (same >= 0) plan.delete.splice(same, 1)
  else plan.create.push(placeholder)
}

function groupByPorts(
  service: Service,
  pods: readonly Pod[],
  nodeOf: (pod: Pod) => Node | undefined,
  addressType: string,
): Map<string, Group> {
  const groups = new Map<string, Group>()
  for (const pod of pods) {
    if (!isReachable(pod)) continue
    const ports = portsFor(service, pod)
    const key = portsKey(ports)
    const group = groups.get(key) ?? { ports, endpoints: new Map() }
    groups.set(key, group)
    const node = nodeOf(pod)
    // A pod whose node has gone is about to go too.
    if (!node && service.spec?.publishNotReadyAddresses !== true) continue
    const endpoint = endpointFor(service, pod, node, addressType)
    if (endpoint) group.endpoints.set(endpointKey(endpoint), endpoint)
  }
  return groups
}

/** Returns how many of the slices stay. */
function planGroup(
  service: Service,
  addressType: string,
  { ports, endpoints }: Group,
  slices: readonly EndpointSlice[],
  plan: SlicePlan,
): number {
  const wanted = new Map(endpoints)
  const kept: { slice: EndpointSlice; endpoints: Endpoint[]; isChanged: boolean }[] = []
  for (const slice of slices) {
    const labels = labelsFor(service)
    const before = slice.endpoints ?? []
    const after = before.flatMap(endpoint => {
      const key = endpointKey(endpoint)
      const found = wanted.get(key)
      wanted.delete(key)
      return found ? [found] : []
    })
    const isChanged = !isDeepStrictEqual(before, after)
    if (after.length === 0 && before.length > 0) plan.delete.push(slice)
    else {
      const isRelabelled = !isDeepStrictEqual(slice.metadata.labels, labels)
      const relabelled = { ...slice, metadata: { ...slice.metadata, labels } }
      kept.push({ slice: relabelled, endpoints: after, isChanged: isChanged || isRelabelled })
    }
  }
  const left = [...wanted.values()]
  const changed = kept.filter(({ isChanged }) => isChanged).sort((a, b) => b.endpoints.length - a.endpoints.length)
  for (const each of changed) each.endpoints.push(...left.splice(0, MOST_ENDPOINTS - each.endpoints.length))
  while (left.length > 0) {
    const target = left.length < MOST_ENDPOINTS ? fullestWithRoom(kept, left.length) : undefined
    const filling = left.splice(0, MOST_ENDPOINTS)
    if (target) {
      target.endpoints.push(...filling)
      target.isChanged = true
    } else plan.create.push({ ...newSlice(service, addressType, ports), endpoints: filling })
  }
  for (const { slice, endpoints: after, isChanged } of kept)
    if (isChanged) plan.update.push({ ...slice, endpoints: after })
  return kept.length
}

function fullestWithRoom<T extends { endpoints: Endpoint[]; isChanged: boolean }>(kept: readonly T[], count: number) {
  const fitting = kept.filter(({ endpoints, isChanged }) => !isChanged && endpoints.length + count <= MOST_ENDPOINTS)
  return fitting.sort((a, b) => b.endpoints.length - a.endpoints.length)[0]
}

function portsFor(service: Service, pod: Pod): DiscoveryV1EndpointPort[] {
  return (service.spec?.ports ?? []).flatMap(servicePort => {
    const port = targetPortOf(pod, servicePort)
    if (port === undefined) return []
    const { name = '', protocol = 'TCP', appProtocol } = servicePort
    return [{ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }]
  })
}

function endpointFor(service: Service, pod: Pod, node: Node | undefined, addressType: string): Endpoint | undefined {
  const address = addressOf(pod, addressType === 'IPv6')
  if (address === undefined) return undefined
  const serving = isPodReady(pod)
  const terminating = pod.metadata.deletionTimestamp !== undefined
  const { namespace, name, uid } = pod.metadata
  const hostname = hostnameFor(pod, service)
  const zone = node?.metadata.labels?.[ZONE]
  return {
    addresses: [address],
    conditions: {
      ready: service.spec?.publishNotReadyAddresses === true || (serving && !terminating),
      serving,
      terminating,
    },
    ...(hostname === undefined ? {} : { hostname }),
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: 'Pod', ...definedOnly({ namespace, name, uid }) },
    ...(zone ? { zone } : {}),
  }
}

function newSlice(service: Service, addressType: string, ports: DiscoveryV1EndpointPort[]): EndpointSlice {
  const { namespace, name = '', uid = '' } = service.metadata
  const owner = { apiVersion: 'v1', kind: 'Service', name, uid, controller: true, blockOwnerDeletion: true }
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      ...definedOnly({ namespace }),
      generateName: slicePrefix(name),
      labels: labelsFor(service),
      ownerReferences: [owner],
    },
    addressType,
    endpoints: [],
    ports,
  }
}

/** The name with a dash, where that still can begin a name. */
export const slicePrefix = (name: string) => (dnsSubdomainErrors(`${name}-a`).length === 0 ? `${name}-` : name)

function labelsFor(service: Service): Record<string, string> {
  const own = Object.entries(service.metadata.labels ?? {}).filter(([key]) => !RESERVED.has(key))
  return {
    ...Object.fromEntries(own),
    ...(isHeadless(service) ? { [HEADLESS]: '' } : {}),
    [SERVICE_NAME]: service.metadata.name ?? '',
    [MANAGED_BY]: CONTROLLER_NAME,
  }
}

const isSamePlaceholder = (slice: EndpointSlice, placeholder: EndpointSlice) =>
  slice.addressType === placeholder.addressType &&
  (slice.endpoints ?? []).length === 0 &&
  (slice.ports ?? []).length === 0 &&
  isDeepStrictEqual(slice.metadata.labels, placeholder.metadata.labels) &&
  isDeepStrictEqual(slice.metadata.ownerReferences, placeholder.metadata.ownerReferences)

const portsKey = (ports: readonly DiscoveryV1EndpointPort[]) =>
  ports
    .map(({ name, port, protocol, appProtocol }) => [name ?? '', port, protocol, appProtocol ?? ''].join('/'))
    .sort()
    .join(' ')

const endpointKey = ({ addresses, hostname, nodeName, targetRef }: Endpoint) =>
  JSON.stringify([addresses, hostname, nodeName, targetRef?.uid ?? targetRef?.name])

const definedOnly = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
