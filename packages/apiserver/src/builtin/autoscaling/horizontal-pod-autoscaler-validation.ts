import type { KubeObject } from '@tiphys/kube'
import { child, type FieldError, forbidden, index, invalid, notSupported, required } from '../../field-error.ts'
import { validateContainerResourceName } from '../core/resource-validation.ts'
import { checkedBy, requireText, validateNonNegativeField, validateNonNegativeQuantity } from '../field-checks.ts'
import {
  type Fields,
  isPresent,
  listAt,
  numberAt,
  objectAt,
  optionalNumberAt,
  optionalObjectAt,
  optionalTextAt,
  textAt,
} from '../fields.ts'
import { checkLabel, checkPathSegment } from '../names.ts'
import { quantityOf } from '../quantity.ts'

const METRIC_TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource']
/** In the order in which sources are looked at: the first one is checked, the others are refused. */
const SOURCES = ['object', 'external', 'pods', 'resource', 'containerResource']
const LONGEST_PERIOD = 1800
const LONGEST_WINDOW = 3600

export function validateAutoscaler(autoscaler: KubeObject, old?: KubeObject): FieldError[] {
  const spec = objectAt(autoscaler, 'spec')
  const errors: FieldError[] = []
  const lowest = optionalNumberAt(spec, 'minReplicas')
  const highest = numberAt(spec, 'maxReplicas')
  if (lowest !== undefined && lowest < 1) {
    errors.push(invalid('spec.minReplicas', lowest, 'must be greater than or equal to 1'))
  }
  if (highest === 0) errors.push(required('spec.maxReplicas', 'must be set and greater than 0'))
  else if (highest < 0) errors.push(invalid('spec.maxReplicas', highest, 'must be greater than or equal to 1'))
  if (lowest !== undefined && highest < lowest) {
    errors.push(invalid('spec.maxReplicas', highest, 'must be greater than or equal to `minReplicas`'))
  }
  const target = objectAt(spec, 'scaleTargetRef')
  errors.push(...validateReference(target, 'spec.scaleTargetRef'))
  const oldTarget = old === undefined ? undefined : objectAt(objectAt(old, 'spec'), 'scaleTargetRef')
  const isSameKind = ['apiVersion', 'kind'].every(name => textAt(target, name) === textAt(oldTarget, name))
  if (oldTarget === undefined || !isSameKind) errors.push(...validateTargetVersion(target))
  for (const [i, metric] of listAt(spec, 'metrics').entries()) {
    errors.push(...validateMetric(metric, index('spec.metrics', i)))
  }
  const types = listAt(spec, 'metrics').map(metric => textAt(metric, 'type'))
  if (lowest === 0 && !types.includes('Object') && !types.includes('External')) {
    const detail = 'must specify at least one Object or External metric to support scaling to zero replicas'
    errors.push(forbidden('spec.metrics', detail))
  }
  for (const name of ['scaleUp', 'scaleDown']) {
    const rules = optionalObjectAt(objectAt(spec, 'behavior'), name)
    if (rules !== undefined) errors.push(...validateRules(rules, `spec.behavior.${name}`))
  }
  return errors
}

export function validateAutoscalerStatus(autoscaler: KubeObject): FieldError[] {
  const status = objectAt(autoscaler, 'status')
  return ['currentReplicas', 'desiredReplicas'].flatMap(name => validateNonNegativeField(status, name, 'status'))
}

function validateReference(reference: Fields, field: string): FieldError[] {
  return ['kind', 'name'].flatMap(name => {
    const value = textAt(reference, name)
    return value === '' ? [required(child(field, name))] : checkedBy(checkPathSegment, value, child(field, name))
  })
}

function validateTargetVersion(target: Fields): FieldError[] {
  const apiVersion = textAt(target, 'apiVersion')
  const field = 'spec.scaleTargetRef.apiVersion'
  const parts = apiVersion.split('/').length
  if (parts > 2) return [invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
  // The core group has one kind that scales.
  if (parts === 2 || textAt(target, 'kind') === 'ReplicationController') return []
  return [invalid(field, apiVersion, 'apiVersion must specify API group')]
}

function validateRules(rules: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const window = optionalNumberAt(rules, 'stabilizationWindowSeconds')
  const windowField = child(field, 'stabilizationWindowSeconds')
  if (window !== undefined && window < 0) {
    errors.push(invalid(windowField, window, 'must be greater than or equal to zero'))
  }
  if (window !== undefined && window > LONGEST_WINDOW) {
    errors.push(invalid(windowField, window, `must be less than or equal to ${LONGEST_WINDOW}`))
  }
  const select = optionalTextAt(rules, 'selectPolicy')
  if (select !== undefined && !['Disabled', 'Max', 'Min'].includes(select)) {
    errors.push(notSupported(child(field, 'selectPolicy'), select, ['Disabled', 'Max', 'Min']))
  }
  const policies = listAt(rules, 'policies')
  if (policies.length === 0) errors.push(required(child(field, 'policies'), 'must specify at least one Policy'))
  for (const [i, policy] of policies.entries()) {
    errors.push(...validatePolicy(policy, index(child(field, 'policies'), i)))
  }
  const tolerance = optionalTextAt(rules, 'tolerance')
  if (tolerance !== undefined) errors.push(...validateNonNegativeQuantity(tolerance, child(field, 'tolerance')))
  return errors
}

function validatePolicy(policy: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const type = textAt(policy, 'type')
  const period = numberAt(policy, 'periodSeconds')
  if (!['Percent', 'Pods'].includes(type)) errors.push(notSupported(child(field, 'type'), type, ['Percent', 'Pods']))
  if (numberAt(policy, 'value') <= 0) {
    errors.push(invalid(child(field, 'value'), numberAt(policy, 'value'), 'must be greater than zero'))
  }
  if (period <= 0) errors.push(invalid(child(field, 'periodSeconds'), period, 'must be greater than zero'))
  if (period > LONGEST_PERIOD) {
    errors.push(invalid(child(field, 'periodSeconds'), period, `must be less than or equal to ${LONGEST_PERIOD}`))
  }
  return errors
}

function validateMetric(metric: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const type = textAt(metric, 'type')
  const unsupported = notSupported(child(field, 'type'), type, METRIC_TYPES)
  if (type === '') errors.push(required(child(field, 'type'), 'must specify a metric source type'))
  if (!METRIC_TYPES.includes(type)) errors.push(unsupported)
  const present = SOURCES.filter(name => isPresent(metric, name))
  const [first] = present
  if (first !== undefined) errors.push(...validateSource(first, objectAt(metric, first), child(field, first)))
  const expected = type.charAt(0).toLowerCase() + type.slice(1)
  if (!METRIC_TYPES.includes(type)) errors.push(unsupported)
  else if (!isPresent(metric, expected)) {
    errors.push(required(child(field, expected), 'must populate information for the given metric source'))
  }
  if (present.length !== 1) {
    for (const name of present) {
      if (name === expected) continue
      errors.push(forbidden(child(field, name), 'must populate the given metric source only'))
    }
  }
  return errors
}

function validateSource(name: string, source: Fields, field: string): FieldError[] {
  const target = objectAt(source, 'target')
  const targetField = child(field, 'target')
  const hasValue = isPresent(target, 'value')
  const hasAverage = isPresent(target, 'averageValue')
  const errors: FieldError[] = []
  if (name === 'object') {
    errors.push(...validateReference(objectAt(source, 'describedObject'), child(field, 'describedObject')))
  }
  if (name === 'resource' || name === 'containerResource') {
    return [...errors, ...validateResourceSource(name, source, field)]
  }
  errors.push(...validateIdentifier(objectAt(source, 'metric'), child(field, 'metric')))
  errors.push(...validateTarget(target, targetField))
  const missing: Record<string, string> = {
    object: 'must set either a target value or averageValue',
    external: 'must set either a target value for metric or a per-pod target',
    pods: 'must specify a positive target averageValue',
  }
  if (!hasAverage && (name === 'pods' || !hasValue)) {
    errors.push(required(child(targetField, 'averageValue'), missing[name] ?? ''))
  }
  if (name === 'external' && hasValue && hasAverage) {
    const detail = 'may not set both a target value for metric and a per-pod target'
    errors.push(forbidden(child(targetField, 'value'), detail))
  }
  return errors
}

function validateResourceSource(kind: string, source: Fields, field: string): FieldError[] {
  const errors = requireText(source, 'name', field, 'must specify a resource name')
  const target = objectAt(source, 'target')
  const targetField = child(field, 'target')
  if (kind === 'containerResource') {
    const name = textAt(source, 'name')
    if (name !== '') errors.push(...validateContainerResourceName(name, child(field, 'name')))
    const container = textAt(source, 'container')
    if (container === '') errors.push(required(child(field, 'container'), 'must specify a container'))
    else errors.push(...checkedBy(checkLabel, container, child(field, 'container')))
  }
  errors.push(...validateTarget(target, targetField))
  const hasUtilization = isPresent(target, 'averageUtilization')
  const hasValue = isPresent(target, 'averageValue')
  if (!hasUtilization && !hasValue) {
    const detail = 'must set either a target raw value or a target utilization'
    errors.push(required(child(targetField, 'averageUtilization'), detail))
  }
  if (hasUtilization && hasValue) {
    const detail = 'may not set both a target raw value and a target utilization'
    errors.push(forbidden(child(targetField, 'averageValue'), detail))
  }
  return errors
}

function validateTarget(target: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const type = textAt(target, 'type')
  if (type === '') errors.push(required(child(field, 'type'), 'must specify a metric target type'))
  if (!['Utilization', 'Value', 'AverageValue'].includes(type)) {
    errors.push(invalid(child(field, 'type'), type, 'must be either Utilization, Value, or AverageValue'))
  }
  for (const name of ['value', 'averageValue']) {
    const quantity = optionalTextAt(target, name)
    if (quantity === undefined || quantityOf(quantity).sign() > 0) continue
    errors.push(invalid(child(field, name), quantity, 'must be positive'))
  }
  const utilization = optionalNumberAt(target, 'averageUtilization')
  if (utilization !== undefined && utilization < 1) {
    errors.push(invalid(child(field, 'averageUtilization'), utilization, 'must be greater than 0'))
  }
  return errors
}

function validateIdentifier(metric: Fields, field: string): FieldError[] {
  const name = textAt(metric, 'name')
  if (name === '') return [required(child(field, 'name'), 'must specify a metric name')]
  return checkedBy(checkPathSegment, name, child(field, 'name'))
}
