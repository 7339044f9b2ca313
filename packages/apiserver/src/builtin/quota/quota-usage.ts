import type { KubeObject } from '@tiphys/kube'
import { objectAt, textMapAt } from '../fields.ts'
import type { ResourceList } from '../resource-requirements.ts'
import { type MeasuredKind, measuredKind } from './measured-kind.ts'
import { addUsage, usageOf } from './object-usage.ts'
import { matchesScopes } from './quota-scope.ts'

/** The objects of a kind in the quota's namespace; undefined when there is no such kind. */
export type ObjectsOf = (kind: MeasuredKind) => Iterable<KubeObject> | undefined

export const limitsOf = (quota: KubeObject): ResourceList => textMapAt(objectAt(quota, 'spec'), 'hard')

/** The kinds that have to be counted to know how much of a quota is used. */
export function kindsOf(quota: KubeObject): MeasuredKind[] {
  const kinds = new Map<string, MeasuredKind>()
  for (const name of Object.keys(limitsOf(quota))) {
    const kind = measuredKind(name)
    if (kind) kinds.set(`${kind.resource}.${kind.group}`, kind)
  }
  return [...kinds.values()]
}

/** How much is used of everything that the quota limits. What nothing can count has no entry. */
export function quotaUsage(quota: KubeObject, objectsOf: ObjectsOf, now: number): ResourceList {
  const limits = limitsOf(quota)
  let used: ResourceList = {}
  for (const kind of kindsOf(quota)) {
    const objects = objectsOf(kind)
    if (!objects) continue
    let ofKind: ResourceList = {}
    for (const object of objects) {
      if (matchesScopes(quota, kind, object)) ofKind = addUsage(ofKind, usageOf(kind, object, now))
    }
    for (const name of namesFor(limits, kind)) used = { ...used, [name]: ofKind[name] ?? '0' }
  }
  return used
}

/** The limits that are about this kind. */
export const namesFor = (limits: ResourceList, { group, resource }: MeasuredKind): string[] =>
  Object.keys(limits).filter(name => {
    const measured = measuredKind(name)
    return measured?.group === group && measured.resource === resource
  })
