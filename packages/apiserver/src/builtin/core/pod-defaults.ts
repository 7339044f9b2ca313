import type { KubeObject } from '@tiphys/kube'
import {
  ensureObject,
  type Fields,
  flagAt,
  listAt,
  numberAt,
  objectAt,
  optionalObjectAt,
  setIfAbsent,
  setIfZero,
  textAt,
  textMapAt,
} from '../fields.ts'
import { setPodSpecDefaults } from '../pod-template.ts'
import { roundUpResourceList } from '../quantity.ts'
import { sumContainerLimits, sumContainerRequests } from '../resource-requirements.ts'

export function setPodDefaults(pod: KubeObject): void {
  const spec = ensureObject(pod, 'spec')
  setPodSpecDefaults(spec)
  setIfAbsent(spec, 'enableServiceLinks', true)
  if (numberAt(spec, 'terminationGracePeriodSeconds') < 0) spec.terminationGracePeriodSeconds = 1
  const containers = [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')]
  for (const container of containers) requestWhatIsLimited(optionalObjectAt(container, 'resources'))
  if (flagAt(spec, 'hostNetwork')) {
    for (const container of containers) {
      for (const port of listAt(container, 'ports')) setIfZero(port, 'hostPort', numberAt(port, 'containerPort'))
    }
  }
  setPodLevelResourceDefaults(spec)
  setStatusDefaults(optionalObjectAt(pod, 'status'))
}

function requestWhatIsLimited(resources: Fields | undefined): void {
  const limits = optionalObjectAt(resources, 'limits')
  if (resources === undefined || limits === undefined || Object.keys(limits).length === 0) return
  const requests = ensureObject(resources, 'requests')
  for (const [name, quantity] of Object.entries(limits)) setIfAbsent(requests, name, quantity)
}

const isHugePages = (name: string) => name.startsWith('hugepages-')
const isPodLevelResource = (name: string) => name === 'cpu' || name === 'memory' || isHugePages(name)

function setPodLevelResourceDefaults(spec: Fields): void {
  const resources = optionalObjectAt(spec, 'resources')
  if (resources === undefined) return
  const given = { ...textMapAt(resources, 'limits') }
  const requested = textMapAt(resources, 'requests')
  if (Object.keys(given).length + Object.keys(requested).length > 0) {
    for (const [name, quantity] of Object.entries(sumContainerLimits(spec))) {
      if (isHugePages(name) && requested[name] === undefined) given[name] ??= quantity
    }
    if (Object.keys(given).length > 0) resources.limits = given
  }
  if (Object.keys(given).length === 0) return
  const requests = { ...requested }
  for (const [name, quantity] of Object.entries(sumContainerRequests(spec))) {
    if (isPodLevelResource(name) && !isHugePages(name)) requests[name] ??= quantity
  }
  for (const [name, quantity] of Object.entries(given)) if (isPodLevelResource(name)) requests[name] ??= quantity
  if (Object.keys(requests).length > 0) resources.requests = requests
}

function setStatusDefaults(status: Fields | undefined): void {
  if (status === undefined) return
  mirrorPodAddress(status)
  for (const name of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses']) {
    for (const container of listAt(status, name)) {
      roundUpResourceList(textMapAt(container, 'allocatedResources'))
      roundUpResourceList(textMapAt(objectAt(container, 'resources'), 'limits'))
      roundUpResourceList(textMapAt(objectAt(container, 'resources'), 'requests'))
    }
  }
}

// The single address is the older field: where the two differ it wins.
function mirrorPodAddress(status: Fields): void {
  const address = textAt(status, 'podIP')
  const [first] = listAt(status, 'podIPs')
  if (address !== '' && textAt(first, 'ip') !== address) status.podIPs = [{ ip: address }]
  else if (address === '' && first !== undefined) status.podIP = textAt(first, 'ip')
}
