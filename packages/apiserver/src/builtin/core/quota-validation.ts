import type { KubeObject } from '@tiphys/kube'
import { child, duplicate, type FieldError, forbidden, index, invalid, key, required } from '../../field-error.ts'
import { checkedBy } from '../field-checks.ts'
import { type Fields, listAt, objectAt, textAt, textMapAt, textsAt } from '../fields.ts'
import { checkQualifiedName } from '../names.ts'
import { FIELD_IS_IMMUTABLE } from '../object-meta.ts'
import { compareQuantities } from '../quantity.ts'
import { isOvercommitAllowed } from '../resource-requirements.ts'
import {
  validateContainerResourceName,
  validateQuotaResourceName,
  validateResourceName,
  validateResourceQuantity,
} from './resource-validation.ts'

const SCOPES = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
]
const CONFLICTING_SCOPES = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
]

export function validateResourceQuota(quota: KubeObject): FieldError[] {
  const spec = objectAt(quota, 'spec')
  return [...validateAmounts(spec, 'hard', 'spec'), ...validateScopes(spec), ...validateScopeSelector(spec)]
}

export function validateResourceQuotaUpdate(quota: KubeObject, old: KubeObject): FieldError[] {
  const errors = validateResourceQuota(quota)
  const scopes = textsAt(objectAt(quota, 'spec'), 'scopes')
  const oldScopes = textsAt(objectAt(old, 'spec'), 'scopes')
  const isSame = scopes.every(scope => oldScopes.includes(scope)) && oldScopes.every(scope => scopes.includes(scope))
  if (!isSame) errors.push(invalid('spec.scopes', scopes, FIELD_IS_IMMUTABLE))
  return errors
}

export function validateResourceQuotaStatus(quota: KubeObject): FieldError[] {
  const status = objectAt(quota, 'status')
  return [...validateAmounts(status, 'hard', 'status'), ...validateAmounts(status, 'used', 'status')]
}

function validateAmounts(parent: Fields, name: string, field: string): FieldError[] {
  return Object.entries(textMapAt(parent, name)).flatMap(([resource, quantity]) => {
    const at = key(child(field, name), resource)
    return [...validateQuotaResourceName(resource, at), ...validateResourceQuantity(resource, quantity, at)]
  })
}

function validateScopes(spec: Fields): FieldError[] {
  const scopes = textsAt(spec, 'scopes')
  const errors = scopes
    .filter(scope => !SCOPES.includes(scope))
    .map(() => invalid('spec.scopes', scopes, 'unsupported scope'))
  for (const pair of CONFLICTING_SCOPES) {
    if (pair.every(scope => scopes.includes(scope))) {
      errors.push(invalid('spec.scopes', scopes, 'conflicting scopes'))
    }
  }
  return errors
}

function validateScopeSelector(spec: Fields): FieldError[] {
  const field = 'spec.scopeSelector.matchExpressions'
  return listAt(objectAt(spec, 'scopeSelector'), 'matchExpressions').flatMap(requirement => {
    const errors: FieldError[] = []
    const scope = textAt(requirement, 'scopeName')
    const operator = textAt(requirement, 'operator')
    const values = textsAt(requirement, 'values')
    if (!SCOPES.includes(scope)) errors.push(invalid(child(field, 'scopeName'), scope, 'unsupported scope'))
    else if (!['PriorityClass', 'VolumeAttributesClass'].includes(scope) && operator !== 'Exists') {
      const detail =
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
      errors.push(invalid(child(field, 'operator'), operator, detail))
    }
    if (['In', 'NotIn'].includes(operator)) {
      if (values.length === 0) {
        const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
        errors.push(required(child(field, 'values'), detail))
      }
    } else if (['Exists', 'DoesNotExist'].includes(operator)) {
      if (values.length > 0) {
        const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
        errors.push(invalid(child(field, 'values'), values, detail))
      }
    } else errors.push(invalid(child(field, 'operator'), operator, 'not a valid selector operator'))
    return errors
  })
}

const LIMIT_TYPES = ['Pod', 'Container', 'PersistentVolumeClaim']

export function validateLimitRange(range: KubeObject): FieldError[] {
  const limits = listAt(objectAt(range, 'spec'), 'limits')
  const seen = new Set<string>()
  return limits.flatMap((limit, i) => {
    const at = index('spec.limits', i)
    const type = textAt(limit, 'type')
    const errors = validateLimitType(type, child(at, 'type'))
    if (seen.has(type)) errors.push(duplicate(child(at, 'type'), type))
    seen.add(type)
    return [...errors, ...validateLimit(limit, type, at)]
  })
}

function validateLimitType(type: string, field: string): FieldError[] {
  const errors = checkedBy(checkQualifiedName, type, field)
  if (errors.length > 0) return errors
  if (type.includes('/') || LIMIT_TYPES.includes(type)) return []
  return [invalid(field, type, 'must be a standard limit type or fully qualified')]
}

function validateLimit(limit: Fields, type: string, field: string): FieldError[] {
  const errors: FieldError[] = []
  const validateName = type === 'Pod' || type === 'Container' ? validateContainerResourceName : validateResourceName
  const names = new Set<string>()
  const isPod = type === 'Pod'
  for (const part of ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio']) {
    const resources = Object.keys(textMapAt(limit, part))
    if (isPod && part.startsWith('default')) {
      if (resources.length > 0) errors.push(forbidden(child(field, part), "may not be specified when `type` is 'Pod'"))
      continue
    }
    for (const name of resources) {
      errors.push(...validateName(name, key(child(field, part), name)))
      names.add(name)
    }
  }
  if (type === 'PersistentVolumeClaim' && !textMapAt(limit, 'min').storage && !textMapAt(limit, 'max').storage) {
    const detail = 'either minimum or maximum storage value is required, but neither was provided'
    errors.push(required(child(field, 'limits'), detail))
  }
  return [...errors, ...[...names].flatMap(name => validateBounds(limit, name, isPod, field))]
}

/** Every bound must leave room for the others: min <= defaultRequest <= default <= max. */
function validateBounds(limit: Fields, name: string, isPod: boolean, field: string): FieldError[] {
  const errors: FieldError[] = []
  const { [name]: min } = textMapAt(limit, 'min')
  const { [name]: max } = textMapAt(limit, 'max')
  const { [name]: preset } = isPod ? {} : textMapAt(limit, 'default')
  const { [name]: presetRequest } = isPod ? {} : textMapAt(limit, 'defaultRequest')
  const { [name]: ratio } = textMapAt(limit, 'maxLimitRequestRatio')
  const exceeds = (left: string | undefined, right: string | undefined) =>
    left !== undefined && right !== undefined && compareQuantities(left, right) > 0
  const at = (part: string) => key(child(field, part), name)
  if (exceeds(min, max)) errors.push(invalid(at('min'), min, `min value ${min} is greater than max value ${max}`))
  if (exceeds(min, presetRequest)) {
    const detail = `min value ${min} is greater than default request value ${presetRequest}`
    errors.push(invalid(at('defaultRequest'), presetRequest, detail))
  }
  if (exceeds(presetRequest, max)) {
    const detail = `default request value ${presetRequest} is greater than max value ${max}`
    errors.push(invalid(at('defaultRequest'), presetRequest, detail))
  }
  if (exceeds(presetRequest, preset)) {
    const detail = `default request value ${presetRequest} is greater than default limit value ${preset}`
    errors.push(invalid(at('defaultRequest'), presetRequest, detail))
  }
  if (exceeds(min, preset)) {
    errors.push(invalid(at('default'), min, `min value ${min} is greater than default value ${preset}`))
  }
  if (exceeds(preset, max)) {
    errors.push(invalid(at('default'), max, `default value ${preset} is greater than max value ${max}`))
  }
  if (ratio !== undefined && compareQuantities(ratio, '1') < 0) {
    errors.push(invalid(at('maxLimitRequestRatio'), ratio, `ratio ${ratio} is less than 1`))
  }
  if (!isOvercommitAllowed(name) && preset !== undefined && presetRequest !== undefined && preset !== presetRequest) {
    const detail = `default value ${preset} must equal to defaultRequest value ${presetRequest} in ${name}`
    errors.push(invalid(at('defaultRequest'), presetRequest, detail))
  }
  return errors
}
