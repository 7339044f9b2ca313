import { plainDecimal } from '../cel/number-text.ts'
import { compareStrings } from '../cel/text-order.ts'
import { quoteJson } from '../gjson/string-literal.ts'
import { SjsonError } from './sjson-error.ts'

const maxDepth = 400

/** A value as sjson writes it. Strings keep `<`, `>` and `&` unless something else in them needs an escape. */
export function jsonText(value: unknown): string {
  if (typeof value === 'string') return stringText(value)
  if (typeof value === 'number') return numberText(value)
  return marshal(value, 0)
}

export function stringText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return /[\u0000-\u001f"\\\u0080-\uffff]/.test(text) ? quoteJson(text) : `"${text}"`
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : plainDecimal(value)
  throw new SjsonError(`json: unsupported value: ${goNumber(value)}`)
}

function goNumber(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}

/** As Go marshals it: keys in order, `<`, `>` and `&` escaped. */
function marshal(value: unknown, depth: number): string {
  if (depth > maxDepth) throw new SjsonError(`nested more than ${maxDepth} levels deep`)
  if (typeof value === 'string') return quoteJson(value)
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return `[${value.map(element => marshal(element, depth + 1)).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([left], [right]) => compareStrings(left, right))
      .map(([key, member]) => `${quoteJson(key)}:${marshal(member, depth + 1)}`)
    return `{${members.join(',')}}`
  }
  if (typeof value === 'number' && !Number.isFinite(value)) numberText(value)
  return JSON.stringify(value ?? null)
}
