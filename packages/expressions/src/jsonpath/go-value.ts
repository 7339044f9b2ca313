import { formatDouble } from '../cel/number-text.ts'

/** What stands where a path was followed from nothing at all: not even null. */
export const noValue: unique symbol = Symbol('no value')

/** A number written with a decimal point, which stays a float even when it is whole. */
export class FloatConstant {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof FloatConstant)
}

/** The name Go has for the type of a decoded JSON value. */
export function goTypeOf(value: unknown): string {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'int64'
  if (value instanceof FloatConstant) return 'float64'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
}

/** A value as Go's %v prints it. */
export function goPrint(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (value === noValue) return '<invalid reflect.Value>'
  if (value instanceof FloatConstant) return formatDouble(value.value)
  if (typeof value === 'number') return Number.isInteger(value) ? plainInteger(value) : formatDouble(value)
  if (Array.isArray(value)) return `[${value.map(goPrint).join(' ')}]`
  if (isObject(value)) {
    const entries = Object.keys(value)
      .sort(byCodePoint)
      .map(key => `${key}:${goPrint(value[key])}`)
    return `map[${entries.join(' ')}]`
  }
  return typeof value === 'string' ? value : `${value as boolean | bigint}`
}

function plainInteger(value: number): string {
  return Number.isSafeInteger(value) ? value.toString() : formatDouble(value)
}

function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.keys(value)
    .sort(byCodePoint)
    .map(key => [key, sorted(value[key])] as const)
  return new SortedObject(entries)
}

/** Keeps the order of its keys, which a plain object does not do for keys that look like numbers. */
class SortedObject {
  readonly entries: readonly (readonly [string, unknown])[]

  constructor(entries: readonly (readonly [string, unknown])[]) {
    this.entries = entries
  }
}

/** JSON as Go's encoder writes it: keys sorted, and `<`, `>`, `&` escaped. */
export function goJson(value: unknown, indent = ''): string {
  return write(sorted(value), indent, '')
}

function write(value: unknown, indent: string, margin: string): string {
  const inner = margin + indent
  const [open, separator, close] = indent === '' ? ['', ',', ''] : [`\n${inner}`, `,\n${inner}`, `\n${margin}`]
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return `[${open}${value.map(element => write(element, indent, inner)).join(separator)}${close}]`
  }
  if (value instanceof SortedObject) {
    if (value.entries.length === 0) return '{}'
    const colon = indent === '' ? ':' : ': '
    const entries = value.entries.map(([key, entry]) => `${text(key)}${colon}${write(entry, indent, inner)}`)
    return `{${open}${entries.join(separator)}${close}}`
  }
  if (typeof value === 'string') return text(value)
  if (typeof value === 'bigint') return value.toString()
  return JSON.stringify(value ?? null)
}

function text(value: string): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
