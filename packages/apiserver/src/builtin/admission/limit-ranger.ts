import type { KubeObject } from '@tiphys/kube'
import type { AdmissionPlugin } from '../../registry/admission-chain.ts'
import { ensureObject, type Fields, listAt, objectAt, setIfAbsent, textAt, textMapAt } from '../fields.ts'
import { compareQuantities, isZeroQuantity, quantityOf } from '../quantity.ts'
import { podLimits, podRequests, type ResourceList } from '../resource-requirements.ts'
import { type ClusterLookup, createdObject, deny, LIMIT_RANGES, writtenObject } from './cluster-lookup.ts'

const ANNOTATION = 'kubernetes.io/limit-ranger'

/** A namespace's LimitRanges: what containers get when they ask for nothing, and what nobody may exceed. */
export function limitRangerAdmission(lookup: ClusterLookup): AdmissionPlugin {
  return {
    name: 'LimitRanger',
    mutate(request) {
      const pod = createdObject(request, '', 'pods')
      if (pod === undefined) return
      for (const range of lookup.list(LIMIT_RANGES, request.namespace)) setDefaults(pod, range)
    },
    validate(request) {
      const pod = createdObject(request, '', 'pods')
      const claim = writtenObject(request, '', 'persistentvolumeclaims')
      if (pod === undefined && claim === undefined) return
      for (const range of lookup.list(LIMIT_RANGES, request.namespace)) {
        const limits = listAt(objectAt(range, 'spec'), 'limits')
        const problems = [...new Set(pod !== undefined ? podProblems(pod, limits) : claimProblems(claim ?? {}, limits))]
        if (problems.length > 0)
          throw deny(request, problems.length === 1 ? `${problems[0]}` : `[${problems.join(', ')}]`)
      }
    },
  }
}

function setDefaults(pod: KubeObject, range: KubeObject): void {
  const limits: ResourceList = {}
  const requests: ResourceList = {}
  for (const limit of listAt(objectAt(range, 'spec'), 'limits')) {
    if (textAt(limit, 'type') !== 'Container') continue
    Object.assign(limits, textMapAt(limit, 'default'))
    Object.assign(requests, textMapAt(limit, 'defaultRequest'))
  }
  const spec = ensureObject(pod, 'spec')
  const notes = [
    ...listAt(spec, 'containers').flatMap(container => setResources(container, limits, requests, 'container')),
    ...listAt(spec, 'initContainers').flatMap(container => setResources(container, limits, requests, 'init container')),
  ]
  if (notes.length === 0) return
  const text = `LimitRanger plugin set: ${notes.join('; ')}`
  pod.metadata.annotations = { ...pod.metadata.annotations, [ANNOTATION]: text }
}

function setResources(container: Fields, limits: ResourceList, requests: ResourceList, what: string): string[] {
  const notes: string[] = []
  const resources = ensureObject(container, 'resources')
  for (const [side, word, presets] of [
    ['requests', 'request', requests],
    ['limits', 'limit', limits],
  ] as const) {
    const present = textMapAt(resources, side)
    const missing = Object.keys(presets)
      .filter(name => present[name] === undefined)
      .sort()
    if (missing.length === 0) continue
    const target = ensureObject(resources, side)
    for (const name of missing) setIfAbsent(target, name, presets[name])
    notes.push(`${missing.join(', ')} ${word} for ${what} ${textAt(container, 'name')}`)
  }
  return notes
}

function podProblems(pod: KubeObject, limits: Fields[]): string[] {
  const spec = objectAt(pod, 'spec')
  const containers = [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')]
  return limits.flatMap(limit => {
    const type = textAt(limit, 'type')
    if (type === 'Pod') return problems(limit, podRequests(spec), podLimits(spec))
    if (type !== 'Container') return []
    return containers.flatMap(container => {
      const resources = objectAt(container, 'resources')
      return problems(limit, textMapAt(resources, 'requests'), textMapAt(resources, 'limits'))
    })
  })
}

function problems(limit: Fields, requests: ResourceList, limits: ResourceList): string[] {
  const type = textAt(limit, 'type')
  const found: string[] = []
  for (const [name, minimum] of Object.entries(textMapAt(limit, 'min'))) {
    const problem = minimumProblem(type, name, minimum, requests[name], limits[name])
    if (problem !== undefined) found.push(problem)
  }
  for (const [name, maximum] of Object.entries(textMapAt(limit, 'max'))) {
    const problem = maximumProblem(type, name, maximum, requests[name], limits[name])
    if (problem !== undefined) found.push(problem)
  }
  for (const [name, ratio] of Object.entries(textMapAt(limit, 'maxLimitRequestRatio'))) {
    const problem = ratioProblem(type, name, ratio, requests[name], limits[name])
    if (problem !== undefined) found.push(problem)
  }
  return found
}

type Quantity = string | undefined

function minimumProblem(
  type: string,
  name: string,
  minimum: string,
  request: Quantity,
  limit: Quantity,
): string | undefined {
  const rule = `minimum ${name} usage per ${type} is ${minimum}`
  if (request === undefined) return `${rule}.  No request is specified`
  if (compareQuantities(request, minimum) < 0) return `${rule}, but request is ${request}`
  if (limit !== undefined && compareQuantities(limit, minimum) < 0) return `${rule}, but limit is ${limit}`
  return undefined
}

function maximumProblem(
  type: string,
  name: string,
  maximum: string,
  request: Quantity,
  limit: Quantity,
): string | undefined {
  const rule = `maximum ${name} usage per ${type} is ${maximum}`
  if (limit === undefined) return `${rule}.  No limit is specified`
  if (compareQuantities(limit, maximum) > 0) return `${rule}, but limit is ${limit}`
  if (request !== undefined && compareQuantities(request, maximum) > 0) return `${rule}, but request is ${request}`
  return undefined
}

function ratioProblem(
  type: string,
  name: string,
  ratio: string,
  request: Quantity,
  limit: Quantity,
): string | undefined {
  const rule = `${name} max limit to request ratio per ${type} is ${ratio}`
  if (request === undefined || isZeroQuantity(request)) return `${rule}, but no request is specified or request is 0`
  if (limit === undefined || isZeroQuantity(limit)) return `${rule}, but no limit is specified or limit is 0`
  const observed = quantityOf(limit).asApproximateFloat() / quantityOf(request).asApproximateFloat()
  const allowed = quantityOf(ratio).asApproximateFloat()
  return observed > allowed ? `${rule}, but provided ratio is ${observed.toFixed(6)}` : undefined
}

function claimProblems(claim: Fields, limits: Fields[]): string[] {
  const requests = textMapAt(objectAt(objectAt(claim, 'spec'), 'resources'), 'requests')
  return limits
    .filter(limit => textAt(limit, 'type') === 'PersistentVolumeClaim')
    .flatMap(limit => {
      const type = textAt(limit, 'type')
      const found: string[] = []
      for (const [name, minimum] of Object.entries(textMapAt(limit, 'min'))) {
        const problem = minimumProblem(type, name, minimum, requests[name], undefined)
        if (problem !== undefined) found.push(problem)
      }
      for (const [name, maximum] of Object.entries(textMapAt(limit, 'max'))) {
        const rule = `maximum ${name} usage per ${type} is ${maximum}`
        const request = requests[name]
        if (request === undefined) found.push(`${rule}.  No request is specified`)
        else if (compareQuantities(request, maximum) > 0) found.push(`${rule}, but request is ${request}`)
      }
      return found
    })
}
