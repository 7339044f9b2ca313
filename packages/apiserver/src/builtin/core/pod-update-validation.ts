import { goQuote, type KubeObject } from '@tiphys/kube'
import { child, type FieldError, forbidden, index, invalid, key, required } from '../../field-error.ts'
import {
  copyOf,
  ensureObject,
  type Fields,
  isSemanticallyEqual,
  listAt,
  objectAt,
  optionalNumberAt,
  optionalObjectAt,
  textAt,
  textMapAt,
} from '../fields.ts'
import { outOfRange } from '../names.ts'
import { validateImageSpaces } from './container-validation.ts'
import { diffSpecs } from './internal-form.ts'
import { validatePod, validatePodAnnotations } from './pod-validation.ts'
import { validateTolerations } from './scheduling-validation.ts'

const LARGEST_INT32 = 2147483647
const UPDATABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',')

export function validatePodUpdate(pod: KubeObject, old: KubeObject): FieldError[] {
  const spec = objectAt(pod, 'spec')
  const oldSpec = objectAt(old, 'spec')
  // What is stored was found to be valid.
  if (spec === oldSpec) {
    const { annotations = {} } = pod.metadata
    return [...validatePodAnnotations(annotations, spec, 'metadata.annotations'), ...validateAnnotationUpdate(pod, old)]
  }
  const errors = [...validatePod(pod), ...validateAnnotationUpdate(pod, old)]
  for (const name of ['containers', 'initContainers']) {
    const containers = listAt(spec, name)
    if (containers.length !== listAt(oldSpec, name).length) {
      return [...errors, forbidden(`spec.${name}`, 'pod updates may not add or remove containers')]
    }
    for (const [i, container] of containers.entries()) {
      const at = index(`spec.${name}`, i)
      if (textAt(container, 'image') === '') errors.push(required(child(at, 'image')))
      errors.push(...validateImageSpaces(container, at))
    }
  }
  const deadline = validateDeadline(spec, oldSpec)
  errors.push(...deadline.errors)
  if (deadline.stop) return errors
  errors.push(...validateOnlyAddedTolerations(spec, oldSpec), ...validateOnlyRemovedGates(spec, oldSpec))
  if (isSemanticallyEqual(spec, oldSpec)) return errors
  const { munged, errors: gateErrors } = withUpdatablePartsOf(spec, oldSpec)
  errors.push(...gateErrors)
  if (!isSemanticallyEqual(munged, oldSpec)) {
    const detail = `pod updates may not change fields other than ${UPDATABLE}\n${diffSpecs('PodSpec', oldSpec, munged)}`
    errors.push(forbidden('spec', detail))
  }
  return errors
}

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/'
const MIRROR_POD = 'kubernetes.io/config.mirror'

function validateAnnotationUpdate(pod: KubeObject, old: KubeObject): FieldError[] {
  const annotations = pod.metadata.annotations ?? {}
  const oldAnnotations = old.metadata.annotations ?? {}
  const errors: FieldError[] = []
  for (const [name, value] of Object.entries(oldAnnotations)) {
    if (annotations[name] === value) continue
    const field = key('metadata.annotations', name)
    if (name.startsWith(APP_ARMOR)) errors.push(forbidden(field, 'may not remove or update AppArmor annotations'))
    if (name === MIRROR_POD) errors.push(forbidden(field, 'may not remove or update mirror pod annotation'))
  }
  for (const name of Object.keys(annotations)) {
    if (oldAnnotations[name] !== undefined) continue
    const field = key('metadata.annotations', name)
    if (name.startsWith(APP_ARMOR)) errors.push(forbidden(field, 'may not add AppArmor annotations'))
    if (name === MIRROR_POD) errors.push(forbidden(field, 'may not add mirror pod annotation'))
  }
  return [...errors, ...validatePodAnnotations(annotations, objectAt(pod, 'spec'), 'metadata.annotations')]
}

function validateDeadline(spec: Fields, oldSpec: Fields): { errors: FieldError[]; stop: boolean } {
  const field = 'spec.activeDeadlineSeconds'
  const deadline = optionalNumberAt(spec, 'activeDeadlineSeconds')
  const old = optionalNumberAt(oldSpec, 'activeDeadlineSeconds')
  if (deadline === undefined) {
    if (old === undefined) return { errors: [], stop: false }
    const detail = 'must not update from a positive integer to nil value'
    return { errors: [invalid(field, null, detail)], stop: false }
  }
  if (deadline < 0 || deadline > LARGEST_INT32) {
    return { errors: [invalid(field, deadline, outOfRange(0, LARGEST_INT32))], stop: true }
  }
  if (old !== undefined && old < deadline) {
    return { errors: [invalid(field, deadline, 'must be less than or equal to previous value')], stop: true }
  }
  return { errors: [], stop: false }
}

function validateOnlyAddedTolerations(spec: Fields, oldSpec: Fields): FieldError[] {
  const withoutSeconds = (toleration: Fields) => ({ ...toleration, tolerationSeconds: undefined })
  const tolerations = listAt(spec, 'tolerations')
  const kept = listAt(oldSpec, 'tolerations').every(old =>
    tolerations.some(toleration => isSemanticallyEqual(withoutSeconds(old), withoutSeconds(toleration))),
  )
  if (!kept) {
    return [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')]
  }
  return validateTolerations(tolerations, 'spec.tolerations')
}

function validateOnlyRemovedGates(spec: Fields, oldSpec: Fields): FieldError[] {
  const known = new Set(listAt(oldSpec, 'schedulingGates').map(gate => textAt(gate, 'name')))
  return listAt(spec, 'schedulingGates').flatMap((gate, i) => {
    const name = textAt(gate, 'name')
    if (known.has(name)) return []
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`
    return [forbidden(`spec.schedulingGates[${i}].name`, detail)]
  })
}

/** The new spec with everything that may change taken back to what it was: what differs then must not differ. */
function withUpdatablePartsOf(spec: Fields, oldSpec: Fields): { munged: Fields; errors: FieldError[] } {
  const munged = copyOf(spec)
  const errors: FieldError[] = []
  for (const name of ['containers', 'initContainers']) {
    const oldContainers = listAt(oldSpec, name)
    for (const [i, container] of listAt(munged, name).entries()) {
      container.image = textAt(oldContainers[i], 'image')
    }
  }
  takeOver(munged, oldSpec, 'activeDeadlineSeconds')
  takeOver(munged, oldSpec, 'schedulingGates')
  takeOver(munged, oldSpec, 'tolerations')
  const grace = 'terminationGracePeriodSeconds'
  if ((optionalNumberAt(oldSpec, grace) ?? 0) < 0 && optionalNumberAt(munged, grace) === 1)
    takeOver(munged, oldSpec, grace)
  if (listAt(oldSpec, 'schedulingGates').length === 0) return { munged, errors }
  errors.push(...validateNodeSelectorOfGated(munged, oldSpec), ...validateNodeAffinityOfGated(munged, oldSpec))
  takeOver(munged, oldSpec, 'nodeSelector')
  const oldAffinity = optionalObjectAt(oldSpec, 'affinity')
  const oldNodeAffinity = optionalObjectAt(oldAffinity, 'nodeAffinity')
  if (oldNodeAffinity !== undefined) ensureObject(munged, 'affinity').nodeAffinity = copyOf(oldNodeAffinity)
  else if (
    oldAffinity === undefined &&
    Object.keys(objectAt(munged, 'affinity')).every(name => name === 'nodeAffinity')
  ) {
    delete munged.affinity
  } else delete objectAt(munged, 'affinity').nodeAffinity
  return { munged, errors }
}

function takeOver(munged: Fields, old: Fields, name: string): void {
  if (old[name] === undefined) delete munged[name]
  else munged[name] = copyOf(old[name])
}

function validateNodeSelectorOfGated(spec: Fields, oldSpec: Fields): FieldError[] {
  const selector = textMapAt(spec, 'nodeSelector')
  const isKept = Object.entries(textMapAt(oldSpec, 'nodeSelector')).every(([name, value]) => selector[name] === value)
  if (isKept) return []
  const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)'
  return [invalid('spec.nodeSelector', selector, detail)]
}

function validateNodeAffinityOfGated(spec: Fields, oldSpec: Fields): FieldError[] {
  const required = 'requiredDuringSchedulingIgnoredDuringExecution'
  const termsOf = (of: Fields) =>
    listAt(objectAt(objectAt(objectAt(of, 'affinity'), 'nodeAffinity'), required), 'nodeSelectorTerms')
  const field = `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms`
  const oldTerms = termsOf(oldSpec)
  const terms = termsOf(spec)
  if (oldTerms.length === 0) return []
  if (oldTerms.length !== terms.length) {
    return [invalid(field, terms, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')]
  }
  return terms.flatMap((term, i) =>
    hasOnlyAdditions(term, oldTerms[i] ?? {})
      ? []
      : [invalid(index(field, i), term, 'only additions are allowed (no mutations or deletions)')],
  )
}

function hasOnlyAdditions(term: Fields, old: Fields): boolean {
  const parts = ['matchExpressions', 'matchFields']
  if (parts.every(name => listAt(old, name).length === 0)) return parts.every(name => listAt(term, name).length === 0)
  return parts.every(name => {
    const oldPart = listAt(old, name)
    return isSemanticallyEqual(listAt(term, name).slice(0, oldPart.length), oldPart)
  })
}

/** For the status subresource: a container that must not restart stays terminated. */
export function validatePodStatusUpdate(pod: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const oldStatus = objectAt(old, 'status')
  const status = objectAt(pod, 'status')
  const nominated = textAt(status, 'nominatedNodeName')
  if (nominated !== '' && !/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(nominated)) {
    errors.push(invalid('status.nominatedNodeName', nominated, 'not a valid node name'))
  }
  const oldNode = textAt(objectAt(old, 'spec'), 'nodeName')
  const restartPolicy = textAt(objectAt(pod, 'spec'), 'restartPolicy')
  if (oldNode === '' || restartPolicy === 'Always') return errors
  for (const [i, was] of listAt(oldStatus, 'containerStatuses').entries()) {
    const terminated = optionalObjectAt(objectAt(was, 'state'), 'terminated')
    if (terminated === undefined) continue
    if (restartPolicy === 'OnFailure' && (optionalNumberAt(terminated, 'exitCode') ?? 0) !== 0) continue
    const now = listAt(status, 'containerStatuses').find(each => textAt(each, 'name') === textAt(was, 'name'))
    if (now === undefined || optionalObjectAt(objectAt(now, 'state'), 'terminated') !== undefined) continue
    errors.push(forbidden(`status.containerStatuses[${i}].state`, 'may not be transitioned to non-terminated state'))
  }
  return errors
}

/** For the ephemeralcontainers subresource: containers may be added, never changed or removed. */
export function validateEphemeralContainersUpdate(pod: KubeObject, old: KubeObject): FieldError[] {
  const errors = validatePod(pod)
  const containers = new Map(
    listAt(objectAt(pod, 'spec'), 'ephemeralContainers').map(container => [textAt(container, 'name'), container]),
  )
  for (const was of listAt(objectAt(old, 'spec'), 'ephemeralContainers')) {
    const name = textAt(was, 'name')
    const now = containers.get(name)
    const field = 'spec.ephemeralContainers'
    const quoted = goQuote(name)
    if (now === undefined) {
      errors.push(forbidden(field, `existing ephemeral containers ${quoted} may not be removed\n`))
    } else if (!isSemanticallyEqual(was, now)) {
      const detail = `existing ephemeral containers ${quoted} may not be changed\n${diffSpecs('EphemeralContainer', was, now)}`
      errors.push(forbidden(field, detail))
    }
  }
  return errors
}
