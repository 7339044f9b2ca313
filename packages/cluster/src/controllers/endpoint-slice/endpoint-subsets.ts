import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service } from '@tiphys/kube/kinds'
import { addressOf, hostnameFor, isPodReady, isReachable, targetPortOf } from './selected-pods.ts'

interface Place {
  address: EndpointAddress
  isReady: boolean
  ports: EndpointPort[]
}

/** A service's endpoints in the form of an Endpoints object: addresses with the same ports are one subset. */
export function endpointSubsets(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const isAnyReady = service.spec?.publishNotReadyAddresses === true
  const places: Place[] = []
  for (const pod of pods) {
    if (!isReachable(pod) || (pod.metadata.deletionTimestamp !== undefined && !isAnyReady)) continue
    const place = placeOf(service, pod, isAnyReady)
    if (place) places.push(place)
  }
  return packSubsets(places)
}

const MOST_ADDRESSES = 1000

/** An Endpoints object has no room for more than a thousand addresses; ready ones go first. */
export function truncateSubsets(subsets: readonly EndpointSubset[]): {
  subsets: EndpointSubset[]
  isTruncated: boolean
} {
  const countOf = (key: 'addresses' | 'notReadyAddresses') =>
    subsets.reduce((sum, subset) => sum + (subset[key]?.length ?? 0), 0)
  if (countOf('addresses') + countOf('notReadyAddresses') <= MOST_ADDRESSES)
    return { subsets: [...subsets], isTruncated: false }
  let left = MOST_ADDRESSES
  const taken = (addresses: EndpointAddress[] | undefined) => {
    const part = addresses?.slice(0, left) ?? []
    left -= part.length
    return part
  }
  const ready = subsets.map(({ addresses }) => taken(addresses))
  const notReady = subsets.map(({ notReadyAddresses }) => taken(notReadyAddresses))
  const truncated = subsets.flatMap(({ ports }, i) => {
    const [addresses = [], notReadyAddresses = []] = [ready[i], notReady[i]]
    if (addresses.length + notReadyAddresses.length === 0) return []
    return [
      {
        ...(addresses.length === 0 ? {} : { addresses }),
        ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
        ...(ports && { ports }),
      },
    ]
  })
  return { subsets: truncated, isTruncated: true }
}

function placeOf(service: Service, pod: Pod, isAnyReady: boolean): Place | undefined {
  const ip = addressOf(pod, service.spec?.ipFamilies?.[0] === 'IPv6')
  if (ip === undefined) return undefined
  const servicePorts = service.spec?.ports ?? []
  const ports = servicePorts.flatMap((servicePort): EndpointPort[] => {
    const port = targetPortOf(pod, servicePort)
    if (port === undefined) return []
    const { name, protocol = 'TCP', appProtocol } = servicePort
    return [{ ...(name ? { name } : {}), port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }]
  })
  if (ports.length === 0 && (servicePorts.length > 0 || service.spec?.clusterIP !== 'None')) return undefined
  const { namespace = '', name = '', uid = '' } = pod.metadata
  const hostname = hostnameFor(pod, service)
  const address: EndpointAddress = {
    ...(hostname === undefined ? {} : { hostname }),
    ip,
    nodeName: pod.spec?.nodeName ?? '',
    targetRef: { kind: 'Pod', namespace, name, uid },
  }
  return { address, isReady: isAnyReady || isPodReady(pod), ports }
}

function packSubsets(places: readonly Place[]): EndpointSubset[] {
  const byPorts = new Map<string, { ports: EndpointPort[]; ready: EndpointAddress[]; notReady: EndpointAddress[] }>()
  for (const { address, isReady, ports } of places) {
    const sorted = ports.toSorted((a, b) => compare(portKey(a), portKey(b)))
    const key = sorted.map(portKey).join()
    const subset = byPorts.get(key) ?? { ports: sorted, ready: [], notReady: [] }
    byPorts.set(key, subset)
    ;(isReady ? subset.ready : subset.notReady).push(address)
  }
  return [...byPorts.entries()]
    .sort(([a], [b]) => compare(a, b))
    .map(([, { ports, ready, notReady }]) => ({
      ...(ready.length === 0 ? {} : { addresses: ready.sort(byAddress) }),
      ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady.sort(byAddress) }),
      ...(ports.length === 0 ? {} : { ports }),
    }))
}

const portKey = ({ name = '', port, protocol }: EndpointPort) => `${name}/${String(port).padStart(5, '0')}/${protocol}`
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const byAddress = (a: EndpointAddress, b: EndpointAddress) =>
  compare(a.ip, b.ip) || compare(a.targetRef?.uid ?? '', b.targetRef?.uid ?? '')
