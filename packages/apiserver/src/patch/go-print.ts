import { isObject } from '../json-value.ts'
import type { Json } from '../schema/schema.ts'

/** A JSON value as Go prints it with `%v`, which is how it appears in the server's error texts. */
export function printGo(value: Json): string {
  if (value === null) return '<nil>'
  if (typeof value === 'number') return printGoNumber(value)
  if (Array.isArray(value)) return `[${value.map(printGo).join(' ')}]`
  if (isObject(value)) {
    const entries = Object.keys(value)
      .sort()
      .map(key => `${key}:${printGo(value[key] as Json)}`)
    return `map[${entries.join(' ')}]`
  }
  return String(value)
}

function printGoNumber(value: number): string {
  if (Number.isInteger(value)) return Math.abs(value) < 1e21 ? BigInt(value).toString() : exponent(value)
  const magnitude = Math.floor(Math.log10(Math.abs(value)))
  return magnitude < -4 || magnitude >= 6 ? exponent(value) : String(value)
}

const exponent = (value: number): string => value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')

/** The Go type that the value has after decoding. */
export function goTypeOf(value: Json): string {
  if (value === null) return '%!s(<nil>)'
  if (Array.isArray(value)) return '[]interface {}'
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int64'
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64'
    default:
      return 'map[string]interface {}'
  }
}
