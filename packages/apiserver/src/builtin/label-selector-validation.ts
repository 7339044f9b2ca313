import { child, type FieldError, forbidden, index, invalid, required } from '../field-error.ts'
import { type Fields, listAt, optionalObjectAt, textAt, textMapAt, textsAt } from './fields.ts'
import { checkLabelValue, checkQualifiedName } from './names.ts'

export function validateLabels(labels: Record<string, string> | undefined, field: string): FieldError[] {
  const errors: FieldError[] = []
  for (const [name, value] of Object.entries(labels ?? {})) {
    errors.push(...validateLabelName(name, field))
    for (const reason of checkLabelValue(value)) errors.push(invalid(field, value, reason))
  }
  return errors
}

export function validateLabelName(name: string, field: string): FieldError[] {
  return checkQualifiedName(name).map(reason => invalid(field, name, reason))
}

export function validateLabelSelector(selector: Fields | undefined, field: string): FieldError[] {
  if (selector === undefined) return []
  const errors = validateLabels(textMapAt(selector, 'matchLabels'), child(field, 'matchLabels'))
  for (const [i, requirement] of listAt(selector, 'matchExpressions').entries()) {
    errors.push(...validateRequirement(requirement, index(child(field, 'matchExpressions'), i)))
  }
  return errors
}

function validateRequirement(requirement: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const operator = textAt(requirement, 'operator')
  const values = textsAt(requirement, 'values')
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      errors.push(required(child(field, 'values'), "must be specified when `operator` is 'In' or 'NotIn'"))
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
      errors.push(forbidden(child(field, 'values'), detail))
    }
  } else errors.push(invalid(child(field, 'operator'), operator, 'not a valid selector operator'))
  errors.push(...validateLabelName(textAt(requirement, 'key'), child(field, 'key')))
  for (const [i, value] of values.entries()) {
    for (const reason of checkLabelValue(value)) {
      errors.push(invalid(index(child(field, 'values'), i), value, reason))
    }
  }
  return errors
}

/** Whether a selector can be evaluated at all: one that cannot is an error of its own beside those of its parts. */
export function isUsableSelector(selector: Fields | undefined): boolean {
  return validateLabelSelector(selector, '').length === 0
}

/** A map as Go prints it: in order of its keys. */
export function sortedLabels(labels: Fields | undefined): Fields | null {
  if (labels === undefined) return null
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))
}

export function sortedSelector(selector: Fields): Fields {
  const labels = optionalObjectAt(selector, 'matchLabels')
  return labels === undefined ? selector : { ...selector, matchLabels: sortedLabels(labels) }
}

export function isEmptySelector(selector: Fields | undefined): boolean {
  if (selector === undefined) return true
  return Object.keys(textMapAt(selector, 'matchLabels')).length + listAt(selector, 'matchExpressions').length === 0
}

/** Whether a LabelSelector selects these labels. An absent selector selects nothing, an empty one everything. */
export function selectorMatches(selector: Fields | undefined, labels: Record<string, string>): boolean {
  if (selector === undefined) return false
  const isExact = Object.entries(textMapAt(selector, 'matchLabels')).every(([name, value]) => labels[name] === value)
  return isExact && listAt(selector, 'matchExpressions').every(requirement => requirementMatches(requirement, labels))
}

function requirementMatches(requirement: Fields, labels: Record<string, string>): boolean {
  const value = labels[textAt(requirement, 'key')]
  const values = textsAt(requirement, 'values')
  switch (textAt(requirement, 'operator')) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      return false
  }
}

/** `a=b,c in (d,e),!f`, as kubectl prints a LabelSelector. */
export function formatLabelSelector(selector: Fields | undefined): string {
  if (isEmptySelector(selector)) return '<none>'
  const labels = Object.entries(textMapAt(selector, 'matchLabels')).map(([name, value]) => ({
    name,
    text: `${name}=${value}`,
  }))
  const expressions = listAt(selector, 'matchExpressions').map(requirement => {
    const name = textAt(requirement, 'key')
    const values = [...textsAt(requirement, 'values')].sort().join(',')
    switch (textAt(requirement, 'operator')) {
      case 'In':
        return { name, text: `${name} in (${values})` }
      case 'NotIn':
        return { name, text: `${name} notin (${values})` }
      case 'Exists':
        return { name, text: name }
      default:
        return { name, text: `!${name}` }
    }
  })
  return [...labels, ...expressions]
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ text }) => text)
    .join(',')
}
