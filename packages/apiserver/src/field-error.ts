import { goQuote, type StatusCause, stringifyJson } from '@tiphys/kube'
import { Float64, goFloat } from './schema/go-float.ts'

/** One thing that is wrong with one field, as the real server's field.Error has it. */
export interface FieldError {
  type: FieldErrorType
  /** `spec.template.spec.containers[0].name`; empty for the object itself. */
  field: string
  /** The offending value, where the text prints it (Invalid, NotSupported, Duplicate, NotFound, TypeInvalid, TooLong). */
  value?: unknown
  detail: string
}

/** As the value of an error: the text does not print it. */
export const OMITTED_VALUE = Symbol('omitted value')

export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'InternalError'
  | 'FieldValueTypeInvalid'

export const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  value,
  detail,
})
export const required = (field: string, detail = ''): FieldError => ({ type: 'FieldValueRequired', field, detail })
export const duplicate = (field: string, value: unknown): FieldError => ({
  type: 'FieldValueDuplicate',
  field,
  value,
  detail: '',
})
export const forbidden = (field: string, detail: string): FieldError => ({ type: 'FieldValueForbidden', field, detail })
export const notFound = (field: string, value: unknown): FieldError => ({
  type: 'FieldValueNotFound',
  field,
  value,
  detail: '',
})
export const tooLong = (field: string, maximum: number): FieldError => ({
  type: 'FieldValueTooLong',
  field,
  value: '',
  detail: `may not be more than ${maximum} ${maximum === 1 ? 'byte' : 'bytes'}`,
})
export const tooMany = (field: string, actual: number, maximum: number): FieldError => ({
  type: 'FieldValueTooMany',
  field,
  value: actual,
  detail: `must have at most ${maximum} ${maximum === 1 ? 'item' : 'items'}`,
})
export const typeInvalid = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueTypeInvalid',
  field,
  value,
  detail,
})
export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  type: 'FieldValueNotSupported',
  field,
  value,
  detail: supported.length > 0 ? `supported values: ${supported.map(v => JSON.stringify(v)).join(', ')}` : '',
})

const WORDS: Record<FieldErrorType, string> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  InternalError: 'Internal error',
  FieldValueTypeInvalid: 'Invalid value',
}

const PRINTS_NO_VALUE = new Set<FieldErrorType>([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'InternalError',
])

/** `Invalid value: "x": must be …`, without the field. */
function errorBody({ type, value, detail }: FieldError): string {
  let text = WORDS[type]
  if (!PRINTS_NO_VALUE.has(type) && value !== OMITTED_VALUE) text += `: ${formatValue(value)}`
  return detail === '' ? text : `${text}: ${detail}`
}

export function formatFieldError(error: FieldError): string {
  return `${error.field === '' ? '<nil>' : error.field}: ${errorBody(error)}`
}

export function toCause(error: FieldError): StatusCause {
  return {
    reason: error.type === 'InternalError' ? 'InternalError' : error.type,
    message: errorBody(error),
    field: error.field === '' ? '<nil>' : error.field,
  }
}

/** How Go prints the value: strings quoted, structured values as JSON, absent as null. */
function formatValue(value: unknown): string {
  if (value === undefined || value === null) return 'null'
  if (typeof value === 'string') return goQuote(value)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : goFloat(value)
  if (value instanceof Float64) return goFloat(value.value)
  return escapeHtml(stringifyJson(value))
}

/** Go's JSON is safe to put into HTML. */
const escapeHtml = (json: string): string =>
  json.replace(/[<>&]/g, character => `\\u00${character.charCodeAt(0).toString(16)}`)

/** `a.b`, or `b` at the root. */
export const child = (field: string, name: string): string => (field === '' ? name : `${field}.${name}`)
export const index = (field: string, i: number): string => `${field}[${i}]`
export const key = (field: string, name: string): string => `${field}[${name}]`
