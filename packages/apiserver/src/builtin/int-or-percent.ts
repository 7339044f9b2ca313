import { type FieldError, invalid } from '../field-error.ts'
import { validateNonNegative } from './field-checks.ts'
import type { IntOrString } from './fields.ts'
import { checkPercent } from './names.ts'

/** A number of things, or a share of them: `3` or `25%`. */
export function validateIntOrPercent(value: IntOrString, field: string): FieldError[] {
  if (typeof value === 'number') return validateNonNegative(value, field)
  return checkPercent(value).map(reason => invalid(field, value, reason))
}

export function validateAtMostAll(value: IntOrString, field: string): FieldError[] {
  const percent = percentOf(value)
  return percent === undefined || percent <= 100 ? [] : [invalid(field, value, 'must not be greater than 100%')]
}

const percentOf = (value: IntOrString) =>
  typeof value === 'string' && checkPercent(value).length === 0 ? Number(value.slice(0, -1)) : undefined

/** Zero, whether as a number or as a percentage. */
export function isNone(value: IntOrString): boolean {
  if (typeof value === 'number') return value === 0
  return (percentOf(value) ?? 0) === 0
}
