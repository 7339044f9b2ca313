import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import { type Fields, intOrStringAt, isPresent, numberAt, optionalNumberAt, textAt } from './fields.ts'
import { checkPortName, checkPortNumber, type NameCheck } from './names.ts'
import { isNegativeQuantity } from './quantity.ts'

/** Turns the reasons of a name check into errors of one field. */
export function checkedBy(check: NameCheck, value: string, field: string): FieldError[] {
  return check(value).map(reason => invalid(field, value, reason))
}

export function validateNonNegative(value: number, field: string): FieldError[] {
  return value < 0 ? [invalid(field, value, 'must be greater than or equal to 0')] : []
}

export function validateNonNegativeField(parent: Fields, name: string, field: string): FieldError[] {
  const value = optionalNumberAt(parent, name)
  return value === undefined ? [] : validateNonNegative(value, `${field}.${name}`)
}

export function validatePositive(value: number, field: string): FieldError[] {
  return value <= 0 ? [invalid(field, value, 'must be greater than zero')] : []
}

export function validateNonNegativeQuantity(quantity: string, field: string): FieldError[] {
  return isNegativeQuantity(quantity) ? [invalid(field, quantity, 'must be greater than or equal to 0')] : []
}

/** A field that must be one of a few words; `required` when it is left out. */
export function validateOneOf(
  parent: Fields,
  name: string,
  supported: readonly string[],
  field: string,
  { isRequired = true }: { isRequired?: boolean } = {},
): FieldError[] {
  const value = textAt(parent, name)
  const at = `${field}.${name}`
  if (value === '')
    return isRequired ? [required(at)] : isPresent(parent, name) ? [notSupported(at, '', supported)] : []
  return supported.includes(value) ? [] : [notSupported(at, value, supported)]
}

export function requireText(parent: Fields, name: string, field: string, detail = ''): FieldError[] {
  return textAt(parent, name) === '' ? [required(`${field}.${name}`, detail)] : []
}

export function validatePortNumberOrName(parent: Fields, name: string, field: string): FieldError[] {
  const port = intOrStringAt(parent, name) ?? 0
  const reasons = typeof port === 'number' ? checkPortNumber(port) : checkPortName(port)
  return reasons.map(reason => invalid(`${field}.${name}`, port, reason))
}

export function validatePortNumber(parent: Fields, name: string, field: string): FieldError[] {
  const port = numberAt(parent, name)
  return checkPortNumber(port).map(reason => invalid(`${field}.${name}`, port, reason))
}

/** Go's path.IsAbs and the checks of paths inside a volume. */
export function validatePathWithoutBacksteps(path: string, field: string): FieldError[] {
  return path.split('/').includes('..') ? [invalid(field, path, "must not contain '..'")] : []
}

export function validateDescendingPath(path: string, field: string): FieldError[] {
  const errors = path.startsWith('/') ? [invalid(field, path, 'must be a relative path')] : []
  return [...errors, ...validatePathWithoutBacksteps(path, field)]
}

export function validateUnreservedPath(path: string, field: string): FieldError[] {
  const errors = validateDescendingPath(path, field)
  if (path.startsWith('..') && !path.startsWith('../')) errors.push(invalid(field, path, "must not start with '..'"))
  return errors
}
