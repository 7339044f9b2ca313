import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  key,
  notSupported,
  required,
} from '../../field-error.ts'
import { checkedBy, validateNonNegativeQuantity } from '../field-checks.ts'
import { type Fields, listAt, textAt, textMapAt } from '../fields.ts'
import { checkLabel, checkQualifiedName } from '../names.ts'
import { compareQuantities, isWholeQuantity, quantityOf } from '../quantity.ts'
import { isHugePagesName, isNativeResource, isOvercommitAllowed } from '../resource-requirements.ts'

const STANDARD_RESOURCES = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'storage',
  'requests.storage',
  'services.nodeports',
  'services.loadbalancers',
])
const INTEGER_RESOURCES = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
])
const CONTAINER_RESOURCES = new Set(['cpu', 'memory', 'ephemeral-storage'])
const QUOTA_RESOURCES = new Set([...STANDARD_RESOURCES].filter(name => name !== 'storage'))
const isQuotaHugePages = (name: string) => isHugePagesName(name) || name.startsWith('requests.hugepages-')

export function validateResourceName(name: string, field: string): FieldError[] {
  const errors = checkedBy(checkQualifiedName, name, field)
  if (errors.length > 0) return errors
  if (!name.includes('/') && !STANDARD_RESOURCES.has(name) && !isQuotaHugePages(name)) {
    return [invalid(field, name, 'must be a standard resource type or fully qualified')]
  }
  return []
}

export function validateContainerResourceName(name: string, field: string): FieldError[] {
  const errors = validateResourceName(name, field)
  if (!name.includes('/')) {
    if (!CONTAINER_RESOURCES.has(name) && !isHugePagesName(name)) {
      errors.push(invalid(field, name, 'must be a standard resource for containers'))
    }
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.push(invalid(field, name, "doesn't follow extended resource name standard"))
  }
  return errors
}

export function validatePodResourceName(name: string, field: string): FieldError[] {
  const errors = validateResourceName(name, field)
  if (errors.length > 0) return errors
  if (name === 'cpu' || name === 'memory' || isHugePagesName(name)) return []
  return [notSupported(field, name, ['cpu', 'hugepages-', 'memory'])]
}

export function validateQuotaResourceName(name: string, field: string): FieldError[] {
  const errors = validateResourceName(name, field)
  if (!name.includes('/') && !QUOTA_RESOURCES.has(name) && !isQuotaHugePages(name)) {
    errors.push(invalid(field, name, 'must be a standard resource for quota'))
  }
  return errors
}

export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false
  return checkQualifiedName(`requests.${name}`).length === 0
}

export function validateResourceQuantity(name: string, quantity: string, field: string): FieldError[] {
  const errors = validateNonNegativeQuantity(quantity, field)
  if ((INTEGER_RESOURCES.has(name) || isExtendedResource(name)) && !isWholeQuantity(quantity)) {
    errors.push(invalid(field, quantity, 'must be an integer'))
  }
  return errors
}

export interface ResourceRules {
  validateName(name: string, field: string): FieldError[]
  /** The names of the pod's resource claims, which `claims` may refer to. */
  claimNames: readonly string[]
}

export function validateResourceRequirements(
  resources: Fields,
  { validateName, claimNames }: ResourceRules,
  field: string,
): FieldError[] {
  const errors: FieldError[] = []
  const limits = textMapAt(resources, 'limits')
  const requests = textMapAt(resources, 'requests')
  const limitsField = child(field, 'limits')
  const requestsField = child(field, 'requests')
  for (const [name, quantity] of Object.entries(limits)) {
    const at = key(limitsField, name)
    errors.push(...validateName(name, at), ...validateResourceQuantity(name, quantity, at))
    errors.push(...validateHugePages(name, quantity, at))
  }
  for (const [name, quantity] of Object.entries(requests)) {
    const at = key(requestsField, name)
    errors.push(...validateName(name, at), ...validateResourceQuantity(name, quantity, at))
    errors.push(...validateRequestAgainstLimit(name, quantity, limits[name], requestsField, limitsField))
    errors.push(...validateHugePages(name, quantity, at))
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)]
  if (names.some(isHugePagesName) && !names.includes('cpu') && !names.includes('memory')) {
    errors.push(forbidden(field, 'HugePages require cpu or memory'))
  }
  return [...errors, ...validateClaims(listAt(resources, 'claims'), claimNames, child(field, 'claims'))]
}

function validateRequestAgainstLimit(
  name: string,
  quantity: string,
  limit: string | undefined,
  requestsField: string,
  limitsField: string,
): FieldError[] {
  if (limit === undefined) {
    if (isOvercommitAllowed(name)) return []
    return [required(limitsField, 'Limit must be set for non overcommitable resources')]
  }
  const order = compareQuantities(quantity, limit)
  if (order !== 0 && !isOvercommitAllowed(name)) {
    return [invalid(requestsField, quantity, `must be equal to ${name} limit of ${limit}`)]
  }
  if (order > 0) return [invalid(requestsField, quantity, `must be less than or equal to ${name} limit of ${limit}`)]
  return []
}

function validateHugePages(name: string, quantity: string, field: string): FieldError[] {
  if (!isHugePagesName(name)) return []
  const pageSize = name.slice('hugepages-'.length)
  const page = isWholeQuantity(pageSize) ? quantityOf(pageSize).scaledValue(0) : 0n
  if (page > 0n && quantityOf(quantity).scaledValue(0) % page === 0n) return []
  return [invalid(field, quantity, `${quantity} is not positive integer multiple of ${name}`)]
}

function validateClaims(claims: Fields[], claimNames: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, claim] of claims.entries()) {
    const at = `${field}[${i}]`
    const name = textAt(claim, 'name')
    const request = textAt(claim, 'request')
    if (name === '') {
      errors.push(required(at))
      continue
    }
    const id = request === '' ? name : `${name}/${request}`
    if (request !== '') errors.push(...checkedBy(checkLabel, request, child(at, 'request')))
    if (seen.has(name) || seen.has(id)) errors.push(duplicate(at, seen.has(name) ? name : id))
    seen.add(id)
    if (claimNames.includes(name)) continue
    const known = claimNames.length === 0 ? ' which is empty' : `: ${[...claimNames].sort().join(', ')}`
    errors.push({
      type: 'FieldValueNotFound',
      field: at,
      value: name,
      detail: `must be one of the names in pod.spec.resourceClaims${known}`,
    })
  }
  return errors
}
