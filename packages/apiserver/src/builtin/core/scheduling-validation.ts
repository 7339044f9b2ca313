import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  index,
  invalid,
  notSupported,
  required,
} from '../../field-error.ts'
import { checkedBy, validatePositive } from '../field-checks.ts'
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
  textMapAt,
  textsAt,
} from '../fields.ts'
import { validateLabelName, validateLabelSelector } from '../label-selector-validation.ts'
import { checkLabel, checkLabelValue, checkSubdomain } from '../names.ts'

export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

export function validateTolerations(tolerations: Fields[], field: string): FieldError[] {
  return tolerations.flatMap((toleration, i) => validateToleration(toleration, index(field, i)))
}

function validateToleration(toleration: Fields, field: string): FieldError[] {
  const key = textAt(toleration, 'key')
  const operator = textAt(toleration, 'operator')
  const value = textAt(toleration, 'value')
  const effect = textAt(toleration, 'effect')
  const errors = key === '' ? [] : validateLabelName(key, child(field, 'key'))
  if (key === '' && operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
    errors.push(invalid(child(field, 'operator'), operator, detail))
  }
  if (optionalNumberAt(toleration, 'tolerationSeconds') !== undefined && effect !== 'NoExecute') {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
    errors.push(invalid(child(field, 'effect'), effect, detail))
  }
  if (operator === 'Equal' || operator === '') {
    const reasons = checkLabelValue(value)
    if (reasons.length > 0) errors.push(invalid(child(field, 'operator'), value, reasons.join(';')))
  } else if (operator === 'Exists') {
    if (value !== '') {
      errors.push(invalid(child(field, 'operator'), value, "value must be empty when `operator` is 'Exists'"))
    }
  } else {
    const supported = ['Lt', 'Gt'].includes(operator) ? ['Equal', 'Exists', 'Lt', 'Gt'] : ['Equal', 'Exists']
    errors.push(notSupported(child(field, 'operator'), operator, supported))
  }
  if (effect !== '' && !TAINT_EFFECTS.includes(effect)) {
    errors.push(notSupported(child(field, 'effect'), effect, TAINT_EFFECTS))
  }
  return errors
}

export function validateAffinity(spec: Fields, field: string): FieldError[] {
  const affinity = optionalObjectAt(spec, 'affinity')
  if (affinity === undefined) return []
  const at = child(field, 'affinity')
  const errors = validateNodeAffinity(objectAt(affinity, 'nodeAffinity'), child(at, 'nodeAffinity'))
  for (const name of ['podAffinity', 'podAntiAffinity']) {
    const terms = objectAt(affinity, name)
    for (const [i, term] of listAt(terms, REQUIRED).entries()) {
      errors.push(...validatePodAffinityTerm(term, index(`${at}.${name}.${REQUIRED}`, i)))
    }
    for (const [i, weighted] of listAt(terms, PREFERRED).entries()) {
      const termField = index(`${at}.${name}.${PREFERRED}`, i)
      errors.push(...validateWeight(weighted, termField))
      errors.push(
        ...validatePodAffinityTerm(objectAt(weighted, 'podAffinityTerm'), child(termField, 'podAffinityTerm')),
      )
    }
  }
  return errors
}

function validateNodeAffinity(affinity: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const selector = optionalObjectAt(affinity, REQUIRED)
  if (selector !== undefined) errors.push(...validateNodeSelector(selector, child(field, REQUIRED)))
  for (const [i, preferred] of listAt(affinity, PREFERRED).entries()) {
    const at = index(child(field, PREFERRED), i)
    errors.push(...validateWeight(preferred, at))
    errors.push(...validateNodeSelectorTerm(objectAt(preferred, 'preference'), child(at, 'preference'), false))
  }
  return errors
}

function validateWeight(term: Fields, field: string): FieldError[] {
  const weight = numberAt(term, 'weight')
  return weight > 0 && weight <= 100 ? [] : [invalid(child(field, 'weight'), weight, 'must be in the range 1-100')]
}

export function validateNodeSelector(selector: Fields, field: string): FieldError[] {
  const terms = listAt(selector, 'nodeSelectorTerms')
  const at = child(field, 'nodeSelectorTerms')
  if (terms.length === 0) return [required(at, 'must have at least one node selector term')]
  return terms.flatMap((term, i) => validateNodeSelectorTerm(term, index(at, i), true))
}

function validateNodeSelectorTerm(term: Fields, field: string, checksValues: boolean): FieldError[] {
  const expressions = listAt(term, 'matchExpressions').flatMap((requirement, i) =>
    validateNodeRequirement(requirement, index(child(field, 'matchExpressions'), i), checksValues),
  )
  const fields = listAt(term, 'matchFields').flatMap((requirement, i) =>
    validateNodeFieldRequirement(requirement, index(child(field, 'matchFields'), i)),
  )
  return [...expressions, ...fields]
}

function validateNodeRequirement(requirement: Fields, field: string, checksValues: boolean): FieldError[] {
  const errors: FieldError[] = []
  const operator = textAt(requirement, 'operator')
  const values = textsAt(requirement, 'values')
  const valuesField = child(field, 'values')
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      errors.push(required(valuesField, "must be specified when `operator` is 'In' or 'NotIn'"))
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      errors.push(forbidden(valuesField, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
    }
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1) {
      errors.push(required(valuesField, "must be specified single value when `operator` is 'Lt' or 'Gt'"))
    }
  } else errors.push(invalid(child(field, 'operator'), operator, 'not a valid selector operator'))
  errors.push(...validateLabelName(textAt(requirement, 'key'), child(field, 'key')))
  if (!checksValues) return errors
  return [...errors, ...values.flatMap((value, i) => checkedBy(checkLabelValue, value, index(valuesField, i)))]
}

function validateNodeFieldRequirement(requirement: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const operator = textAt(requirement, 'operator')
  const values = textsAt(requirement, 'values')
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length !== 1) {
      const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
      errors.push(required(child(field, 'values'), detail))
    }
  } else errors.push(invalid(child(field, 'operator'), operator, 'not a valid selector operator'))
  const key = textAt(requirement, 'key')
  if (key !== 'metadata.name') errors.push(invalid(child(field, 'key'), key, 'not a valid field selector key'))
  else errors.push(...values.flatMap((value, i) => checkedBy(checkSubdomain, value, index(child(field, 'values'), i))))
  return errors
}

function validatePodAffinityTerm(term: Fields, field: string): FieldError[] {
  const errors = [
    ...validateLabelSelector(optionalObjectAt(term, 'labelSelector'), child(field, 'labelSelector')),
    ...validateLabelSelector(optionalObjectAt(term, 'namespaceSelector'), child(field, 'namespaceSelector')),
  ]
  for (const name of textsAt(term, 'namespaces')) errors.push(...checkedBy(checkLabel, name, child(field, 'namespace')))
  errors.push(
    ...validateLabelKeys(term, 'matchLabelKeys', field),
    ...validateLabelKeys(term, 'mismatchLabelKeys', field),
  )
  const topologyKey = textAt(term, 'topologyKey')
  if (topologyKey === '') errors.push(required(child(field, 'topologyKey'), 'can not be empty'))
  return [...errors, ...validateLabelName(topologyKey, child(field, 'topologyKey'))]
}

function validateLabelKeys(term: Fields, name: string, field: string): FieldError[] {
  const keys = textsAt(term, name)
  if (keys.length === 0) return []
  if (!isPresent(term, 'labelSelector')) {
    return [forbidden(child(field, name), 'must not be specified when labelSelector is not set')]
  }
  return keys.flatMap((key, i) => validateLabelName(key, index(child(field, name), i)))
}

export function validateTopologySpread(constraints: Fields[], field: string): FieldError[] {
  return constraints.flatMap((constraint, i) => {
    const at = index(field, i)
    const topologyKey = textAt(constraint, 'topologyKey')
    const action = textAt(constraint, 'whenUnsatisfiable')
    const errors = validatePositive(numberAt(constraint, 'maxSkew'), child(at, 'maxSkew'))
    if (topologyKey === '') errors.push(required(child(at, 'topologyKey'), 'can not be empty'))
    if (!['DoNotSchedule', 'ScheduleAnyway'].includes(action)) {
      errors.push(notSupported(child(at, 'whenUnsatisfiable'), action, ['DoNotSchedule', 'ScheduleAnyway']))
    }
    const isRepeated = constraints
      .slice(i + 1)
      .some(later => textAt(later, 'topologyKey') === topologyKey && textAt(later, 'whenUnsatisfiable') === action)
    if (isRepeated) errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${action}}`))
    errors.push(...validateMinDomains(constraint, action, child(at, 'minDomains')))
    for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
      const policy = optionalTextAt(constraint, name)
      if (policy !== undefined && !['Honor', 'Ignore'].includes(policy)) {
        errors.push(notSupported(child(at, name), policy, ['Honor', 'Ignore']))
      }
    }
    errors.push(...validateSpreadLabelKeys(constraint, at))
    const selector = optionalObjectAt(constraint, 'labelSelector')
    return [...errors, ...validateLabelSelector(selector, child(at, 'labelSelector'))]
  })
}

function validateMinDomains(constraint: Fields, action: string, field: string): FieldError[] {
  const domains = optionalNumberAt(constraint, 'minDomains')
  if (domains === undefined) return []
  const errors = validatePositive(domains, field)
  if (action !== 'DoNotSchedule') {
    const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`
    errors.push(invalid(field, domains, detail))
  }
  return errors
}

function validateSpreadLabelKeys(constraint: Fields, field: string): FieldError[] {
  const errors = validateLabelKeys(constraint, 'matchLabelKeys', field)
  const selector = objectAt(constraint, 'labelSelector')
  const selected = new Set([
    ...Object.keys(textMapAt(selector, 'matchLabels')),
    ...listAt(selector, 'matchExpressions').map(expression => textAt(expression, 'key')),
  ])
  for (const [i, key] of textsAt(constraint, 'matchLabelKeys').entries()) {
    if (!selected.has(key)) continue
    const detail = 'exists in both matchLabelKeys and labelSelector'
    errors.push(invalid(index(child(field, 'matchLabelKeys'), i), key, detail))
  }
  return errors
}

export function validateSchedulingGates(
  gates: Fields[],
  field: string,
  check: (name: string) => string[],
): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, gate] of gates.entries()) {
    const name = textAt(gate, 'name')
    errors.push(...checkedBy(check, name, index(field, i)))
    if (seen.has(name)) errors.push(duplicate(index(field, i), name))
    seen.add(name)
  }
  return errors
}
