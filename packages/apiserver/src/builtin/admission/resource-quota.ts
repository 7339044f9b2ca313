import type { Clock } from '@tiphys/env'
import type { KubeObject } from '@tiphys/kube'
import type { AdmissionRequest } from '../../registry/admission.ts'
import type { AdmissionPlugin } from '../../registry/admission-chain.ts'
import { listAt, objectAt, textAt, textMapAt } from '../fields.ts'
import { addQuantities, compareQuantities, isZeroQuantity, quantityOf } from '../quantity.ts'
import { computeUsage, isTerminating, usageOf } from '../quota/object-usage.ts'
import { matchesScopes } from '../quota/quota-scope.ts'
import { limitsOf, namesFor, quotaUsage } from '../quota/quota-usage.ts'
import type { ResourceList } from '../resource-requirements.ts'
import { type ClusterLookup, deny, RESOURCE_QUOTAS } from './cluster-lookup.ts'

/** Refuses what would use more of something than the quotas of the namespace allow. Usage is counted from the objects that
 *  are there, so that no controller has to run and no count can be late. */
export function resourceQuotaAdmission(lookup: ClusterLookup, clock: Clock): AdmissionPlugin {
  return {
    name: 'ResourceQuota',
    validate(request) {
      const { namespace, object, old, resource } = request
      if (object === undefined || !isMeasured(request)) return
      const kind = { group: resource.group, resource: resource.name }
      for (const quota of lookup.list(RESOURCE_QUOTAS, namespace)) {
        const limits = limitsOf(quota)
        const names = namesFor(limits, kind)
        if (names.length === 0 || !matchesScopes(quota, kind, object)) continue
        if (resource.name === 'pods') requireComputeResources(request, quota, object, names)
        const now = clock.now()
        const before = old && matchesScopes(quota, kind, old) ? usageOf(kind, old, now) : {}
        const requested = increase(usageOf(kind, object, now), before, names)
        if (Object.keys(requested).length === 0) continue
        const used = quotaUsage(quota, one => lookup.list(one, namespace), now)
        const exceeded = Object.keys(requested).filter(name => {
          const total = addQuantities(used[name] ?? '0', requested[name] ?? '0')
          return compareQuantities(total, limits[name] ?? '0') > 0
        })
        if (exceeded.length === 0) continue
        const [asked, taken, limited] = [requested, used, limits].map(list => format(list, exceeded))
        const { name } = quota.metadata
        throw deny(request, `exceeded quota: ${name}, requested: ${asked}, used: ${taken}, limited: ${limited}`)
      }
    },
  }
}

/** Most kinds are measured when they are made; of some, changes can use up more. */
function isMeasured({ operation, resource, subresource, namespace, object, old }: AdmissionRequest): boolean {
  if (namespace === '' || !resource.namespaced || resource.name === 'events') return false
  if (operation === 'CREATE') return subresource === ''
  if (operation !== 'UPDATE' || resource.group !== '') return false
  if (resource.name === 'pods') {
    if (subresource === 'resize') return true
    return (
      subresource === '' && object !== undefined && old !== undefined && isTerminating(object) !== isTerminating(old)
    )
  }
  return subresource === '' && (resource.name === 'services' || resource.name === 'persistentvolumeclaims')
}

/** Where a quota limits cpu or memory, every container has to say how much of it. */
const REQUIRED = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']

function requireComputeResources(request: AdmissionRequest, quota: KubeObject, pod: KubeObject, names: string[]): void {
  const spec = objectAt(pod, 'spec')
  const podLevel = objectAt(spec, 'resources')
  if (Object.keys({ ...textMapAt(podLevel, 'requests'), ...textMapAt(podLevel, 'limits') }).length > 0) return
  const required = REQUIRED.filter(name => names.includes(name)).sort()
  const missing = required.flatMap(name => {
    const containers = [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')]
      .filter(container => {
        const resources = objectAt(container, 'resources')
        return computeUsage(textMapAt(resources, 'requests'), textMapAt(resources, 'limits'))[name] === undefined
      })
      .map(container => textAt(container, 'name'))
    return containers.length > 0 ? [`${name} for: ${[...new Set(containers)].sort().join(',')}`] : []
  })
  if (missing.length > 0)
    throw deny(request, `failed quota: ${quota.metadata.name}: must specify ${missing.join('; ')}`)
}

/** What an object uses more than before; what it uses less does not count. */
function increase(after: ResourceList, before: ResourceList, names: readonly string[]): ResourceList {
  const more: ResourceList = {}
  for (const name of names) {
    const quantity = subtract(after[name] ?? '0', before[name] ?? '0')
    if (!isZeroQuantity(quantity)) more[name] = quantity
  }
  return more
}

function subtract(left: string, right: string): string {
  const difference = quantityOf(left).sub(quantityOf(right))
  return difference.sign() <= 0 ? '0' : difference.toString()
}

const format = (resources: ResourceList, names: readonly string[]) =>
  names
    .toSorted()
    .map(name => `${name}=${resources[name]}`)
    .join(',')
