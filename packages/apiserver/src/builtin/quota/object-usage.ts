import type { KubeObject } from '@tiphys/kube'
import {
  type Fields,
  listAt,
  numberAt,
  objectAt,
  optionalFlagAt,
  optionalNumberAt,
  textAt,
  textMapAt,
} from '../fields.ts'
import { addQuantities, compareQuantities, quantityOf } from '../quantity.ts'
import {
  isHugePagesName,
  isNativeResource,
  podLimits,
  podRequests,
  type ResourceList,
} from '../resource-requirements.ts'
import { countName, type MeasuredKind, STORAGE_CLASS_INFIX } from './measured-kind.ts'

/** What one object uses up, by the names that quotas limit. */
export function usageOf(kind: MeasuredKind, object: KubeObject, now: number): ResourceList {
  const counted: ResourceList = { [countName(kind)]: '1' }
  if (kind.group !== '') return counted
  switch (kind.resource) {
    case 'pods':
      return holdsResources(object, now) ? { ...counted, ...podUsage(objectAt(object, 'spec')) } : counted
    case 'services':
      return { ...counted, ...serviceUsage(objectAt(object, 'spec')) }
    case 'persistentvolumeclaims':
      return { ...counted, ...claimUsage(object) }
    default:
      return { ...counted, [kind.resource]: '1' }
  }
}

export function addUsage(sum: ResourceList, more: ResourceList): ResourceList {
  const total = { ...sum }
  for (const [name, quantity] of Object.entries(more)) total[name] = addQuantities(total[name] ?? '0', quantity)
  return total
}

/** A pod that has ended, or should have by now, uses nothing. */
function holdsResources({ metadata, status }: KubeObject, now: number): boolean {
  const phase = textAt(status as Fields | undefined, 'phase')
  if (phase === 'Failed' || phase === 'Succeeded') return false
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true
  return now <= Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000
}

const podUsage = (spec: Fields): ResourceList => computeUsage(podRequests(spec), podLimits(spec))

/** What requests and limits are called in quotas. */
export function computeUsage(requests: ResourceList, limits: ResourceList): ResourceList {
  const usage: ResourceList = { pods: '1' }
  for (const [name, quantity] of Object.entries(requests)) {
    const isCompute = COMPUTE_RESOURCES.includes(name)
    if (isCompute || isHugePagesName(name)) usage[name] = quantity
    if (isCompute || isHugePagesName(name) || !isNativeResource(name)) usage[`requests.${name}`] = quantity
  }
  for (const [name, quantity] of Object.entries(limits)) {
    if (COMPUTE_RESOURCES.includes(name)) usage[`limits.${name}`] = quantity
  }
  return usage
}

const COMPUTE_RESOURCES = ['cpu', 'memory', 'ephemeral-storage']

function serviceUsage(spec: Fields): ResourceList {
  const type = textAt(spec, 'type')
  const ports = listAt(spec, 'ports')
  const isBalanced = type === 'LoadBalancer'
  const allocatesPorts =
    type === 'NodePort' || (isBalanced && optionalFlagAt(spec, 'allocateLoadBalancerNodePorts') !== false)
  const chosenPorts = isBalanced ? ports.filter(port => numberAt(port, 'nodePort') !== 0).length : 0
  return {
    services: '1',
    'services.loadbalancers': isBalanced ? '1' : '0',
    'services.nodeports': String(allocatesPorts ? ports.length : chosenPorts),
  }
}

const STORAGE_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'

function claimUsage(claim: KubeObject): ResourceList {
  const spec = objectAt(claim, 'spec')
  const storageClass = claim.metadata.annotations?.[STORAGE_CLASS_ANNOTATION] ?? textAt(spec, 'storageClassName')
  const usage: ResourceList = { persistentvolumeclaims: '1' }
  const requested = textMapAt(objectAt(spec, 'resources'), 'requests')['storage']
  if (requested !== undefined) usage['requests.storage'] = wholeBytes(largerStorage(requested, claim))
  if (storageClass === '') return usage
  const ofClass = Object.entries(usage).map(([name, quantity]) => [
    `${storageClass}${STORAGE_CLASS_INFIX}${name}`,
    quantity,
  ])
  return { ...usage, ...Object.fromEntries(ofClass) }
}

/** While a volume grows, what it has been given already may be more than what is asked for. */
function largerStorage(requested: string, claim: KubeObject): string {
  const allocated = textMapAt(objectAt(claim, 'status'), 'allocatedResources')['storage']
  return allocated !== undefined && compareQuantities(allocated, requested) > 0 ? allocated : requested
}

function wholeBytes(text: string): string {
  const quantity = quantityOf(text)
  const whole = quantity.roundUp(0)
  return whole.equals(quantity) ? text : whole.toString()
}

/** A pod with a deadline counts as one that will end. */
export const isTerminating = (pod: KubeObject): boolean =>
  (optionalNumberAt(objectAt(pod, 'spec'), 'activeDeadlineSeconds') ?? -1) >= 0
