import type { KubeObject } from '@tiphys/kube'
import type { AdmissionRequest } from '../../registry/admission.ts'
import type { AdmissionPlugin } from '../../registry/admission-chain.ts'
import {
  ensureObject,
  type Fields,
  flagAt,
  isPresent,
  numberAt,
  objectAt,
  optionalNumberAt,
  optionalTextAt,
  textAt,
} from '../fields.ts'
import { SYSTEM_CLASSES } from '../scheduling/priority-class-validation.ts'
import { type ClusterLookup, deny, PRIORITY_CLASSES, writtenObject } from './cluster-lookup.ts'

/** A pod's priority is what its class says; clients name the class and never the number. */
export function priorityAdmission(lookup: ClusterLookup): AdmissionPlugin {
  return {
    name: 'Priority',
    mutate(request) {
      const pod = writtenObject(request, '', 'pods')
      if (pod === undefined) return
      const spec = ensureObject(pod, 'spec')
      if (request.operation === 'CREATE') setPriority(spec, request, lookup)
      else keepPriority(spec, objectAt(request.old, 'spec'))
    },
    validate(request) {
      const priorityClass = writtenObject(request, PRIORITY_CLASSES.group, PRIORITY_CLASSES.resource)
      if (priorityClass === undefined || !flagAt(priorityClass, 'globalDefault')) return
      const other = defaultClass(lookup)
      if (other === undefined || other.metadata.name === priorityClass.metadata.name) return
      throw deny(
        request,
        `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
      )
    },
  }
}

function keepPriority(spec: Fields, old: Fields): void {
  for (const name of ['priority', 'preemptionPolicy']) {
    if (!isPresent(spec, name) && isPresent(old, name)) spec[name] = old[name]
  }
}

function setPriority(spec: Fields, request: AdmissionRequest, lookup: ClusterLookup): void {
  const name = textAt(spec, 'priorityClassName')
  const found = name === '' ? defaultClass(lookup) : lookup.get(PRIORITY_CLASSES, '', name)
  const systemPriority = SYSTEM_CLASSES[name]
  if (name !== '' && found === undefined && systemPriority === undefined) {
    throw deny(request, `no PriorityClass with name ${name} was found`)
  }
  if (name === '' && found !== undefined) spec.priorityClassName = found.metadata.name
  const priority = found === undefined ? (systemPriority ?? 0) : numberAt(found, 'value')
  const given = optionalNumberAt(spec, 'priority')
  if (given !== undefined && given !== priority) {
    const what = `the integer value of priority (${given}) must not be provided in pod spec`
    throw deny(request, `${what}; priority admission controller computed ${priority} from the given PriorityClass name`)
  }
  spec.priority = priority
  const policy = optionalTextAt(found, 'preemptionPolicy') ?? 'PreemptLowerPriority'
  const givenPolicy = optionalTextAt(spec, 'preemptionPolicy')
  if (givenPolicy !== undefined && givenPolicy !== policy) {
    const what = `the string value of PreemptionPolicy (${givenPolicy}) must not be provided in pod spec`
    throw deny(request, `${what}; priority admission controller computed ${policy} from the given PriorityClass name`)
  }
  spec.preemptionPolicy = policy
}

function defaultClass(lookup: ClusterLookup): KubeObject | undefined {
  let chosen: KubeObject | undefined
  for (const each of lookup.list(PRIORITY_CLASSES, '')) {
    if (!flagAt(each, 'globalDefault')) continue
    if (chosen === undefined || numberAt(each, 'value') < numberAt(chosen, 'value')) chosen = each
  }
  return chosen
}
