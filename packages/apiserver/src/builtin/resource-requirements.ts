import { type Fields, listAt, objectAt, optionalObjectAt, textAt, textMapAt } from './fields.ts'
import { addQuantities, compareQuantities, isZeroQuantity, maxQuantity } from './quantity.ts'

export type ResourceList = Record<string, string>

export const isHugePagesName = (name: string): boolean => name.startsWith('hugepages-')
/** Resources of Kubernetes itself, as against those that devices and extensions add. */
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/')
export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePagesName(name)

/** What a pod's containers request together: init containers run one after the other, sidecars beside everything. */
export function sumContainerRequests(spec: Fields): ResourceList {
  return sumContainerResources(spec, 'requests')
}

export function sumContainerLimits(spec: Fields): ResourceList {
  return sumContainerResources(spec, 'limits')
}

function sumContainerResources(spec: Fields, side: 'requests' | 'limits'): ResourceList {
  const sum: ResourceList = {}
  for (const container of listAt(spec, 'containers')) addResources(sum, containerResources(container, side))
  const sidecars: ResourceList = {}
  const initial: ResourceList = {}
  for (const container of listAt(spec, 'initContainers')) {
    const needed: ResourceList = { ...containerResources(container, side) }
    if (textAt(container, 'restartPolicy') === 'Always') {
      addResources(sum, needed)
      addResources(sidecars, needed)
      takeLarger(initial, sidecars)
    } else {
      addResources(needed, sidecars)
      takeLarger(initial, needed)
    }
  }
  takeLarger(sum, initial)
  return sum
}

/** What the scheduler reserves for the pod: its own resources where set, its containers' otherwise, and the overhead. */
export function podRequests(spec: Fields): ResourceList {
  return withPodLevel(spec, 'requests', sumContainerRequests(spec))
}

export function podLimits(spec: Fields): ResourceList {
  return withPodLevel(spec, 'limits', sumContainerLimits(spec))
}

function withPodLevel(spec: Fields, side: 'requests' | 'limits', sum: ResourceList): ResourceList {
  const total = { ...sum, ...textMapAt(objectAt(spec, 'resources'), side) }
  for (const [name, quantity] of Object.entries(textMapAt(spec, 'overhead'))) {
    if (side === 'requests' || total[name] !== undefined) total[name] = addQuantities(total[name] ?? '0', quantity)
  }
  return total
}

function containerResources(container: Fields, side: 'requests' | 'limits'): ResourceList {
  return textMapAt(objectAt(container, 'resources'), side)
}

function addResources(sum: ResourceList, more: ResourceList): void {
  for (const [name, quantity] of Object.entries(more)) sum[name] = addQuantities(sum[name] ?? '0', quantity)
}

function takeLarger(into: ResourceList, other: ResourceList): void {
  for (const [name, quantity] of Object.entries(other)) into[name] = maxQuantity(into[name] ?? '0', quantity)
}

const QOS_RESOURCES = ['cpu', 'memory']

/** Guaranteed, Burstable or BestEffort: how much of what the pod may use is promised to it. */
export function podQualityOfService(spec: Fields): string {
  const podLevel = optionalObjectAt(spec, 'resources')
  const holders =
    podLevel !== undefined
      ? [{ resources: podLevel }]
      : [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')]
  const requests: ResourceList = {}
  const limits: ResourceList = {}
  let isGuaranteed = true
  for (const holder of holders) {
    addResources(requests, positiveQosResources(containerResources(holder, 'requests')))
    const limited = positiveQosResources(containerResources(holder, 'limits'))
    addResources(limits, limited)
    const isSpared = podLevel !== undefined && Object.keys(textMapAt(podLevel, 'limits')).length === 0
    if (!isSpared && QOS_RESOURCES.some(name => limited[name] === undefined)) isGuaranteed = false
  }
  const requested = Object.keys(requests)
  if (requested.length === 0 && Object.keys(limits).length === 0) return 'BestEffort'
  const isMatched = requested.every(name => {
    const limit = limits[name]
    return limit !== undefined && compareQuantities(limit, requests[name] ?? '0') === 0
  })
  return isGuaranteed && isMatched && requested.length === Object.keys(limits).length ? 'Guaranteed' : 'Burstable'
}

function positiveQosResources(resources: ResourceList): ResourceList {
  const kept = Object.entries(resources).filter(
    ([name, quantity]) => QOS_RESOURCES.includes(name) && !isZeroQuantity(quantity) && !quantity.startsWith('-'),
  )
  return Object.fromEntries(kept)
}
