import type { KubeObject } from '@tiphys/kube'
import { type Fields, isPresent, listAt, objectAt, optionalTextAt, textAt, textsAt } from '../fields.ts'
import { podQualityOfService } from '../resource-requirements.ts'
import type { MeasuredKind } from './measured-kind.ts'
import { isTerminating } from './object-usage.ts'

interface ScopeSelector {
  scopeName: string
  operator: string
  values: string[]
}

/** True when the object is one of those that the quota is about: every scope of the quota has to fit. Objects that no scope
 *  can fit, services for one, are not counted by a quota with scopes. */
export function matchesScopes(quota: KubeObject, kind: MeasuredKind, object: KubeObject): boolean {
  return scopesOf(quota).every(scope => matchesScope(scope, kind, object))
}

function scopesOf(quota: KubeObject): ScopeSelector[] {
  const spec = objectAt(quota, 'spec')
  const named = textsAt(spec, 'scopes').map(scopeName => ({ scopeName, operator: 'Exists', values: [] }))
  const selected = listAt(objectAt(spec, 'scopeSelector'), 'matchExpressions').map(selector => ({
    scopeName: textAt(selector, 'scopeName'),
    operator: textAt(selector, 'operator'),
    values: textsAt(selector, 'values'),
  }))
  return [...named, ...selected]
}

function matchesScope(scope: ScopeSelector, { group, resource }: MeasuredKind, object: KubeObject): boolean {
  if (group !== '') return false
  if (resource === 'persistentvolumeclaims')
    return scope.scopeName === 'VolumeAttributesClass' && matchesNames(scope, attributesClassesOf(object))
  return resource === 'pods' && podMatches(scope, object)
}

function podMatches(scope: ScopeSelector, pod: KubeObject): boolean {
  const spec = objectAt(pod, 'spec')
  const isBestEffort = () => podQualityOfService(spec) === 'BestEffort'
  switch (scope.scopeName) {
    case 'Terminating':
      return isTerminating(pod)
    case 'NotTerminating':
      return !isTerminating(pod)
    case 'BestEffort':
      return isBestEffort()
    case 'NotBestEffort':
      return !isBestEffort()
    case 'PriorityClass':
      return matchesNames(scope, namesOf(optionalTextAt(spec, 'priorityClassName')))
    case 'CrossNamespacePodAffinity':
      return ['podAffinity', 'podAntiAffinity'].some(side => reachesOut(objectAt(objectAt(spec, 'affinity'), side)))
    default:
      return false
  }
}

function matchesNames({ operator, values }: ScopeSelector, names: readonly string[]): boolean {
  switch (operator) {
    case 'Exists':
      return names.length > 0
    case 'DoesNotExist':
      return names.length === 0
    case 'In':
      return names.some(name => values.includes(name))
    case 'NotIn':
      return names.length === 0 || names.some(name => !values.includes(name))
    default:
      return false
  }
}

const namesOf = (...names: (string | undefined)[]) =>
  [...new Set(names)].filter(name => name !== undefined && name !== '') as string[]

function attributesClassesOf(claim: KubeObject): string[] {
  const status = objectAt(claim, 'status')
  return namesOf(
    optionalTextAt(objectAt(claim, 'spec'), 'volumeAttributesClassName'),
    optionalTextAt(status, 'currentVolumeAttributesClassName'),
    optionalTextAt(objectAt(status, 'modifyVolumeStatus'), 'targetVolumeAttributesClassName'),
  )
}

/** The affinity is to pods of other namespaces. */
function reachesOut(affinity: Fields): boolean {
  const required = listAt(affinity, 'requiredDuringSchedulingIgnoredDuringExecution')
  const preferred = listAt(affinity, 'preferredDuringSchedulingIgnoredDuringExecution').map(term =>
    objectAt(term, 'podAffinityTerm'),
  )
  return [...required, ...preferred].some(
    term => textsAt(term, 'namespaces').length > 0 || isPresent(term, 'namespaceSelector'),
  )
}
