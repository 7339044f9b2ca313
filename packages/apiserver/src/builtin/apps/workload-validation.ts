import type { KubeObject } from '@tiphys/kube'
import { child, type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts'
import { validatePersistentVolumeClaimSpec } from '../core/persistent-volume-claim-validation.ts'
import { checkedBy, validateNonNegative, validateNonNegativeField } from '../field-checks.ts'
import {
  copyOf,
  type Fields,
  intOrStringAt,
  isPresent,
  isSemanticallyEqual,
  listAt,
  numberAt,
  objectAt,
  optionalNumberAt,
  optionalObjectAt,
  textAt,
  textMapAt,
} from '../fields.ts'
import { isNone, validateAtMostAll, validateIntOrPercent } from '../int-or-percent.ts'
import {
  isEmptySelector,
  isUsableSelector,
  selectorMatches,
  sortedLabels,
  sortedSelector,
  validateLabelSelector,
} from '../label-selector-validation.ts'
import { checkLabel } from '../names.ts'
import { FIELD_IS_IMMUTABLE, validateImmutableField } from '../object-meta.ts'
import { validatePodTemplate, validateRunningTemplate } from '../pod-template-validation.ts'

/** A selector that must be there and must choose: everything else would take pods that belong to others. */
function validateSelector(spec: Fields, kind: string): FieldError[] {
  const selector = optionalObjectAt(spec, 'selector')
  if (selector === undefined) return [required('spec.selector')]
  const errors = validateLabelSelector(selector, 'spec.selector')
  if (isEmptySelector(selector)) {
    errors.push(invalid('spec.selector', selector, `empty selector is invalid for ${kind}`))
  }
  return errors
}

function validateSelectedTemplate(
  template: Fields,
  selector: Fields | undefined,
  kind: string,
  unusable: string,
): FieldError[] {
  if (selector !== undefined && !isUsableSelector(selector)) {
    return [invalid('spec.selector', sortedSelector(selector), unusable)]
  }
  return validateRunningTemplate(template, selector, 'spec.template', kind)
}

function validateSelectorUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const selector = optionalObjectAt(objectAt(object, 'spec'), 'selector')
  const shown = selector === undefined ? null : sortedSelector(selector)
  return validateImmutableField(shown, objectAt(old, 'spec').selector, 'spec.selector')
}

export function validateDeployment(deployment: KubeObject): FieldError[] {
  const spec = objectAt(deployment, 'spec')
  const selector = optionalObjectAt(spec, 'selector')
  const errors = [
    ...validateNonNegative(numberAt(spec, 'replicas'), 'spec.replicas'),
    ...validateSelector(spec, 'deployment'),
    ...validateSelectedTemplate(objectAt(spec, 'template'), selector, 'ReplicaSet', 'invalid label selector'),
    ...validateDeploymentStrategy(objectAt(spec, 'strategy')),
    ...validateNonNegativeField(spec, 'minReadySeconds', 'spec'),
    ...validateNonNegativeField(spec, 'revisionHistoryLimit', 'spec'),
    ...validateNonNegativeField(spec, 'progressDeadlineSeconds', 'spec'),
  ]
  const deadline = optionalNumberAt(spec, 'progressDeadlineSeconds')
  if (deadline !== undefined && deadline <= numberAt(spec, 'minReadySeconds')) {
    errors.push(invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'))
  }
  return errors
}

function validateDeploymentStrategy(strategy: Fields): FieldError[] {
  const field = 'spec.strategy'
  const rollingUpdate = optionalObjectAt(strategy, 'rollingUpdate')
  const type = textAt(strategy, 'type')
  if (type === 'Recreate') {
    if (rollingUpdate === undefined) return []
    const detail = "may not be specified when strategy `type` is 'Recreate'"
    return [forbidden(child(field, 'rollingUpdate'), detail)]
  }
  if (type !== 'RollingUpdate') {
    const shown = {
      Type: type,
      RollingUpdate: rollingUpdate === undefined ? null : internalRollingUpdate(rollingUpdate),
    }
    return [notSupported(field, shown, ['Recreate', 'RollingUpdate'])]
  }
  if (rollingUpdate === undefined) {
    return [required(child(field, 'rollingUpdate'), 'this should be defaulted and never be nil')]
  }
  const at = child(field, 'rollingUpdate')
  const unavailable = intOrStringAt(rollingUpdate, 'maxUnavailable') ?? 0
  const surge = intOrStringAt(rollingUpdate, 'maxSurge') ?? 0
  const errors = [
    ...validateIntOrPercent(unavailable, child(at, 'maxUnavailable')),
    ...validateIntOrPercent(surge, child(at, 'maxSurge')),
  ]
  if (isNone(unavailable) && isNone(surge)) {
    errors.push(invalid(child(at, 'maxUnavailable'), unavailable, 'may not be 0 when `maxSurge` is 0'))
  }
  return [...errors, ...validateAtMostAll(unavailable, child(at, 'maxUnavailable'))]
}

const internalRollingUpdate = (rollingUpdate: Fields) => ({
  MaxUnavailable: intOrStringAt(rollingUpdate, 'maxUnavailable') ?? 0,
  MaxSurge: intOrStringAt(rollingUpdate, 'maxSurge') ?? 0,
})

export function validateDeploymentUpdate(deployment: KubeObject, old: KubeObject): FieldError[] {
  return [...validateDeployment(deployment), ...validateSelectorUpdate(deployment, old)]
}

export function validateDeploymentStatus(deployment: KubeObject, old: KubeObject): FieldError[] {
  const status = objectAt(deployment, 'status')
  return [
    ...validateCounts(status, [
      'observedGeneration',
      'replicas',
      'updatedReplicas',
      'readyReplicas',
      'availableReplicas',
      'unavailableReplicas',
      'terminatingReplicas',
      'collisionCount',
    ]),
    ...validateAgainstReplicas(status, ['updatedReplicas', 'readyReplicas', 'availableReplicas'], 'readyReplicas'),
    ...validateCollisionCount(deployment, old),
  ]
}

function validateCounts(status: Fields, names: readonly string[]): FieldError[] {
  return names.flatMap(name => validateNonNegativeField(status, name, 'status'))
}

function validateAgainstReplicas(status: Fields, names: readonly string[], readyName: string): FieldError[] {
  const errors = names
    .filter(name => numberAt(status, name) > numberAt(status, 'replicas'))
    .map(name => invalid(child('status', name), numberAt(status, name), 'cannot be greater than status.replicas'))
  const available = numberAt(status, 'availableReplicas')
  if (available > numberAt(status, 'readyReplicas')) {
    errors.push(invalid('status.availableReplicas', available, `cannot be greater than ${readyName}`))
  }
  return errors
}

function validateCollisionCount(object: KubeObject, old: KubeObject): FieldError[] {
  const count = optionalNumberAt(objectAt(object, 'status'), 'collisionCount')
  const oldCount = optionalNumberAt(objectAt(old, 'status'), 'collisionCount')
  if (oldCount === undefined || (count !== undefined && count >= oldCount)) return []
  return [invalid('status.collisionCount', count ?? 0, 'cannot be decremented')]
}

export function validateReplicaSet(replicaSet: KubeObject): FieldError[] {
  const spec = objectAt(replicaSet, 'spec')
  return [
    ...validateNonNegative(numberAt(spec, 'replicas'), 'spec.replicas'),
    ...validateNonNegativeField(spec, 'minReadySeconds', 'spec'),
    // The real server says deployment here too.
    ...validateSelector(spec, 'deployment'),
    ...validateSelectedTemplate(
      objectAt(spec, 'template'),
      optionalObjectAt(spec, 'selector'),
      'ReplicaSet',
      'invalid label selector',
    ),
  ]
}

export function validateReplicaSetUpdate(replicaSet: KubeObject, old: KubeObject): FieldError[] {
  return [...validateReplicaSet(replicaSet), ...validateSelectorUpdate(replicaSet, old)]
}

export function validateReplicaSetStatus(replicaSet: KubeObject): FieldError[] {
  const status = objectAt(replicaSet, 'status')
  const names = [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'availableReplicas',
    'observedGeneration',
    'terminatingReplicas',
  ]
  return [
    ...validateCounts(status, names),
    ...validateAgainstReplicas(status, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], 'readyReplicas'),
  ]
}

export function validateReplicationController(controller: KubeObject): FieldError[] {
  const spec = objectAt(controller, 'spec')
  const labels = textMapAt(spec, 'selector')
  const errors = validateNonNegativeField(spec, 'minReadySeconds', 'spec')
  if (Object.keys(labels).length === 0) errors.push(required('spec.selector'))
  errors.push(...validateNonNegativeField(spec, 'replicas', 'spec'))
  if (!isPresent(spec, 'template')) return [...errors, required('spec.template')]
  const template = objectAt(spec, 'template')
  const kind = 'ReplicationController'
  return [...errors, ...validateRunningTemplate(template, { matchLabels: labels }, 'spec.template', kind)]
}

export function validateStatefulSet(statefulSet: KubeObject): FieldError[] {
  const spec = objectAt(statefulSet, 'spec')
  return validateStatefulSetSpec(spec, true)
}

// What never changes later, the service's name and the claims, is checked when the set is made.
function validateStatefulSetSpec(spec: Fields, isNew: boolean): FieldError[] {
  const errors: FieldError[] = []
  const policy = textAt(spec, 'podManagementPolicy')
  if (!['OrderedReady', 'Parallel'].includes(policy)) {
    errors.push(invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'"))
  }
  errors.push(...validateStatefulSetStrategy(objectAt(spec, 'updateStrategy')))
  const retention = objectAt(spec, 'persistentVolumeClaimRetentionPolicy')
  for (const name of ['whenDeleted', 'whenScaled']) {
    const choice = textAt(retention, name)
    if (['Retain', 'Delete'].includes(choice)) continue
    errors.push(notSupported(`spec.persistentVolumeClaimRetentionPolicy.${name}`, choice, ['Retain', 'Delete']))
  }
  for (const [i, claim] of (isNew ? listAt(spec, 'volumeClaimTemplates') : []).entries()) {
    errors.push(...validatePersistentVolumeClaimSpec(objectAt(claim, 'spec'), `spec.volumeClaimTemplates[${i}].spec`))
  }
  errors.push(...validateNonNegative(numberAt(spec, 'replicas'), 'spec.replicas'))
  errors.push(...validateNonNegativeField(spec, 'minReadySeconds', 'spec'))
  const start = numberAt(objectAt(spec, 'ordinals'), 'start')
  errors.push(...validateNonNegative(start, 'spec.ordinals.start'))
  const serviceName = textAt(spec, 'serviceName')
  if (isNew && serviceName !== '') errors.push(...checkedBy(checkLabel, serviceName, 'spec.serviceName'))
  errors.push(...validateSelector(spec, 'statefulset'))
  const selector = optionalObjectAt(spec, 'selector')
  return [...errors, ...validateSelectedTemplate(withClaimVolumes(spec), selector, 'StatefulSet', '')]
}

/** The template as its pods will have it: a volume for every claim template, and names that the set will set. */
function withClaimVolumes(spec: Fields): Fields {
  const template = copyOf(objectAt(spec, 'template'))
  const podSpec = objectAt(template, 'spec')
  delete podSpec.subdomain
  delete podSpec.hostname
  const names = listAt(spec, 'volumeClaimTemplates').map(claim => textAt(objectAt(claim, 'metadata'), 'name'))
  if (names.length === 0) return template
  const claims = [...new Set(names)].map(name => ({ name, persistentVolumeClaim: { claimName: name } }))
  const others = listAt(podSpec, 'volumes').filter(volume => !names.includes(textAt(volume, 'name')))
  template.spec = { ...podSpec, volumes: [...claims, ...others] }
  return template
}

function validateStatefulSetStrategy(strategy: Fields): FieldError[] {
  const field = 'spec.updateStrategy'
  const type = textAt(strategy, 'type')
  const rollingUpdate = optionalObjectAt(strategy, 'rollingUpdate')
  if (type === 'OnDelete') {
    if (rollingUpdate === undefined) return []
    const shown = {
      Partition: numberAt(rollingUpdate, 'partition'),
      MaxUnavailable: rollingUpdate.maxUnavailable ?? null,
    }
    return [invalid(child(field, 'rollingUpdate'), shown, "only allowed for updateStrategy 'RollingUpdate'")]
  }
  if (type !== 'RollingUpdate') {
    const shown = { Type: type, RollingUpdate: null }
    return [invalid(field, shown, "must be 'RollingUpdate' or 'OnDelete'")]
  }
  if (rollingUpdate === undefined) return []
  const at = child(field, 'rollingUpdate')
  const errors = validateNonNegative(numberAt(rollingUpdate, 'partition'), child(at, 'partition'))
  const unavailable = intOrStringAt(rollingUpdate, 'maxUnavailable')
  if (unavailable === undefined) return errors
  errors.push(...validateIntOrPercent(unavailable, child(at, 'maxUnavailable')))
  if (isNone(unavailable)) errors.push(invalid(child(at, 'maxUnavailable'), unavailable, 'cannot be 0'))
  return [...errors, ...validateAtMostAll(unavailable, child(at, 'maxUnavailable'))]
}

const STATEFUL_SET_UPDATABLE = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
]

export function validateStatefulSetUpdate(statefulSet: KubeObject, old: KubeObject): FieldError[] {
  const spec = objectAt(statefulSet, 'spec')
  const errors = validateStatefulSetSpec(spec, false)
  const frozen = (of: Fields) =>
    Object.fromEntries(Object.entries(of).filter(([name]) => !STATEFUL_SET_UPDATABLE.includes(name)))
  if (!isSemanticallyEqual(frozen(spec), frozen(objectAt(old, 'spec')))) {
    const detail =
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
    errors.push(forbidden('spec', detail))
  }
  return errors
}

export function validateStatefulSetStatus(statefulSet: KubeObject, old: KubeObject): FieldError[] {
  const status = objectAt(statefulSet, 'status')
  const parts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas']
  return [
    ...validateCounts(status, ['replicas', ...parts, 'observedGeneration', 'collisionCount']),
    ...validateAgainstReplicas(status, parts, 'status.readyReplicas'),
    ...validateCollisionCount(statefulSet, old),
  ]
}

export function validateDaemonSet(daemonSet: KubeObject): FieldError[] {
  const spec = objectAt(daemonSet, 'spec')
  const selector = optionalObjectAt(spec, 'selector')
  const template = objectAt(spec, 'template')
  const labels = textMapAt(objectAt(template, 'metadata'), 'labels')
  const errors = validateLabelSelector(selector, 'spec.selector')
  if (isUsableSelector(selector) && !selectorMatches(selector, labels)) {
    const shown = sortedLabels(optionalObjectAt(objectAt(template, 'metadata'), 'labels'))
    errors.push(invalid('spec.template.metadata.labels', shown, '`selector` does not match template `labels`'))
  }
  if (selector !== undefined && isEmptySelector(selector)) {
    errors.push(invalid('spec.selector', selector, 'empty selector is invalid for daemonset'))
  }
  errors.push(...validatePodTemplate(template, 'spec.template'))
  const restartPolicy = textAt(objectAt(template, 'spec'), 'restartPolicy')
  if (restartPolicy !== 'Always') {
    errors.push(notSupported('spec.template.spec.restartPolicy', restartPolicy, ['Always']))
  }
  if (isPresent(objectAt(template, 'spec'), 'activeDeadlineSeconds')) {
    const detail = 'activeDeadlineSeconds in DaemonSet is not Supported'
    errors.push(forbidden('spec.template.spec.activeDeadlineSeconds', detail))
  }
  return [
    ...errors,
    ...validateNonNegativeField(spec, 'minReadySeconds', 'spec'),
    ...validateDaemonSetStrategy(objectAt(spec, 'updateStrategy')),
    ...validateNonNegativeField(spec, 'revisionHistoryLimit', 'spec'),
  ]
}

function validateDaemonSetStrategy(strategy: Fields): FieldError[] {
  const field = 'spec.updateStrategy'
  const type = textAt(strategy, 'type')
  if (type === 'OnDelete') return []
  if (type !== 'RollingUpdate') {
    return [notSupported(field, { Type: type, RollingUpdate: null }, ['RollingUpdate', 'OnDelete'])]
  }
  const rollingUpdate = optionalObjectAt(strategy, 'rollingUpdate')
  if (rollingUpdate === undefined) return [required(child(field, 'rollingUpdate'))]
  const at = child(field, 'rollingUpdate')
  const unavailable = intOrStringAt(rollingUpdate, 'maxUnavailable') ?? 0
  const surge = intOrStringAt(rollingUpdate, 'maxSurge') ?? 0
  const errors = [
    ...validateIntOrPercent(unavailable, child(at, 'maxUnavailable')),
    ...validateIntOrPercent(surge, child(at, 'maxSurge')),
    ...validateAtMostAll(unavailable, child(at, 'maxUnavailable')),
    ...validateAtMostAll(surge, child(at, 'maxSurge')),
  ]
  if (!isNone(unavailable) && !isNone(surge)) {
    errors.push(invalid(child(at, 'maxSurge'), surge, 'may not be set when maxUnavailable is non-zero'))
  } else if (isNone(unavailable) && isNone(surge)) {
    errors.push(required(child(at, 'maxUnavailable'), 'cannot be 0 when maxSurge is 0'))
  }
  return errors
}

export function validateDaemonSetUpdate(daemonSet: KubeObject, old: KubeObject): FieldError[] {
  return [...validateSelectorUpdate(daemonSet, old), ...validateDaemonSet(daemonSet)]
}

export function validateDaemonSetStatus(daemonSet: KubeObject, old: KubeObject): FieldError[] {
  const names = [
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
    'observedGeneration',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberUnavailable',
    'collisionCount',
  ]
  return [...validateCounts(objectAt(daemonSet, 'status'), names), ...validateCollisionCount(daemonSet, old)]
}

export function validateControllerRevision(revision: KubeObject): FieldError[] {
  const errors = validateNonNegativeField(revision, 'revision', '').map(error => ({ ...error, field: 'revision' }))
  const { data } = revision
  if (data === undefined || data === null) errors.push(required('data', 'data is mandatory'))
  else if (typeof data !== 'object' || Array.isArray(data)) {
    errors.push(required('data', 'data must be a valid JSON object'))
  }
  return errors
}

export function validateControllerRevisionUpdate(revision: KubeObject, old: KubeObject): FieldError[] {
  const errors = validateNonNegativeField(revision, 'revision', '').map(error => ({ ...error, field: 'revision' }))
  if (!isSemanticallyEqual(revision.data, old.data)) errors.push(invalid('data', revision.data, FIELD_IS_IMMUTABLE))
  return errors
}
