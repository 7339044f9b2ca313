import { goQuote } from '@tiphys/kube'
import type { AdmissionRequest } from '../../registry/admission.ts'
import type { AdmissionPlugin } from '../../registry/admission-chain.ts'
import {
  copyOf,
  ensureObject,
  type Fields,
  isSemanticallyEqual,
  listAt,
  objectAt,
  optionalObjectAt,
  optionalTextAt,
  textMapAt,
} from '../fields.ts'
import { type ClusterLookup, createdObject, deny, RUNTIME_CLASSES } from './cluster-lookup.ts'

const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"

/** A pod takes the overhead of its runtime class and where such pods may run. */
export function runtimeClassAdmission(lookup: ClusterLookup): AdmissionPlugin {
  return {
    name: 'RuntimeClass',
    mutate(request) {
      const pod = createdObject(request, '', 'pods')
      if (pod === undefined) return
      const spec = ensureObject(pod, 'spec')
      const name = optionalTextAt(spec, 'runtimeClassName')
      const found = name === undefined ? undefined : lookup.get(RUNTIME_CLASSES, '', name)
      if (name !== undefined && found === undefined) {
        throw deny(request, `pod rejected: RuntimeClass ${goQuote(name)} not found`)
      }
      setOverhead(spec, optionalObjectAt(found, 'overhead'), request)
      if (found !== undefined) setScheduling(spec, objectAt(found, 'scheduling'), request)
    },
  }
}

function setOverhead(spec: Fields, overhead: Fields | undefined, request: AdmissionRequest): void {
  const given = optionalObjectAt(spec, 'overhead')
  if (overhead === undefined) {
    if (given === undefined || Object.keys(given).length === 0) return
    throw deny(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead')
  }
  const fixed = textMapAt(overhead, 'podFixed')
  if (given !== undefined && !isSemanticallyEqual(given, fixed)) throw deny(request, MISMATCH)
  spec.overhead = copyOf(fixed)
}

function setScheduling(spec: Fields, scheduling: Fields, request: AdmissionRequest): void {
  const required = Object.entries(textMapAt(scheduling, 'nodeSelector'))
  const selector = textMapAt(spec, 'nodeSelector')
  for (const [name, value] of required) {
    const given = selector[name]
    if (given === undefined || given === value) continue
    const own = `runtimeClass.scheduling.nodeSelector[${name}] = ${value}`
    throw deny(request, `conflict: ${own}; pod.spec.nodeSelector[${name}] = ${given}`)
  }
  if (required.length > 0) spec.nodeSelector = { ...selector, ...Object.fromEntries(required) }
  const tolerations = listAt(spec, 'tolerations')
  const added = listAt(scheduling, 'tolerations').filter(
    toleration => !tolerations.some(other => isSemanticallyEqual(other, toleration)),
  )
  if (added.length > 0) spec.tolerations = [...tolerations, ...copyOf(added)]
}
