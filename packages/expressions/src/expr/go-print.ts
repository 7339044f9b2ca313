import { formatDouble } from '../cel/number-text.ts'
import { compareStrings } from '../cel/text-order.ts'
import { formatDuration } from '../duration.ts'
import { formatTime, GoTime, layouts, timeText } from '../go-time/go-time.ts'
import { longMonths, longWeekdays } from '../go-time/layout.ts'
import {
  Byte,
  Duration,
  type ExprValue,
  isList,
  isMap,
  isObject,
  isTypedNil,
  Location,
  NamedInt,
  Opaque,
  own,
  typeName,
} from './value.ts'

export function namedIntText({ type, value }: NamedInt): string {
  if (!type.name.startsWith('time.')) return `${value}`
  const names = type.name === 'time.Month' ? ['', ...longMonths] : longWeekdays
  const name = names[Number(value)]
  return name === undefined || name === '' ? `%!${type.name.slice(5)}(${value})` : name
}

/** A value as Go's %v prints it. */
export function goText(value: ExprValue): string {
  switch (typeof value) {
    case 'undefined':
      return '<nil>'
    case 'string':
      return value
    case 'number':
      return formatDouble(value)
    case 'bigint':
    case 'boolean':
      return `${value}`
    case 'function':
      // Go prints an address.
      return '0x0'
    default:
      return value === null ? '<nil>' : objectText(value)
  }
}

function objectText(value: object & ExprValue): string {
  if (value instanceof Duration) return formatDuration(value.nanos)
  if (value instanceof GoTime) return timeText(value)
  if (value instanceof NamedInt) return namedIntText(value)
  if (value instanceof Byte) return `${value.value}`
  if (value instanceof Location) return value.zone.name
  if (value instanceof Opaque) return value.text()
  if (isList(value)) return `[${value.map(goText).join(' ')}]`
  if (value instanceof Uint8Array) return `[${[...value].join(' ')}]`
  const entries = entriesOf(value as ExprValue).map(([key, item]) => `${goText(key)}:${goText(item)}`)
  return `map[${entries.join(' ')}]`
}

/** The entries of a map in the order in which Go prints them. */
export function entriesOf(value: ExprValue): [ExprValue, ExprValue][] {
  if (isObject(value))
    return Object.keys(value)
      .sort(compareStrings)
      .map(key => [key, own(value, key)])
  if (!isMap(value)) return []
  return [...value].sort(([left], [right]) => compareKeys(left, right))
}

const keyRank = (value: ExprValue) =>
  ['undefined', 'object', 'boolean', 'bigint', 'number', 'string'].indexOf(typeof value)

function compareKeys(left: ExprValue, right: ExprValue): number {
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right)
  if (keyRank(left) !== keyRank(right)) return keyRank(left) - keyRank(right)
  const [one, other] = [left as number, right as number]
  return one < other ? -1 : one > other ? 1 : 0
}

/** JSON as Go's encoder writes it: keys sorted, `<`, `>` and `&` escaped. Throws an Error with Go's text. */
export function goJson(value: ExprValue, indent = ''): string {
  return json(value, indent, '')
}

function json(value: ExprValue, indent: string, margin: string): string {
  if (value === null || value === undefined || isTypedNil(value)) return 'null'
  switch (typeof value) {
    case 'string':
      return jsonString(value)
    case 'number':
      if (!Number.isFinite(value)) throw new Error(`json: unsupported value: ${formatDouble(value)}`)
      return Object.is(value, -0) ? '-0' : value.toString()
    case 'boolean':
    case 'bigint':
      return `${value}`
    case 'function':
      throw new Error(`json: unsupported type: ${typeName(value)}`)
    default:
      return jsonObject(value, indent, margin)
  }
}

function jsonObject(value: object & ExprValue, indent: string, margin: string): string {
  if (value instanceof Duration) return `${value.nanos}`
  if (value instanceof NamedInt || value instanceof Byte) return `${value.value}`
  if (value instanceof GoTime) return jsonString(formatTime(value, layouts.rfc3339Nano))
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`
  if (value instanceof Location || value instanceof Opaque) return '{}'
  const inner = margin + indent
  const [open, separator, close] = indent === '' ? ['', ',', ''] : [`\n${inner}`, `,\n${inner}`, `\n${margin}`]
  if (isList(value)) {
    if (value.length === 0) return '[]'
    return `[${open}${value.map(item => json(item, indent, inner)).join(separator)}${close}]`
  }
  if (isMap(value)) throw new Error(`json: unsupported type: ${typeName(value)}`)
  const entries = entriesOf(value)
  if (entries.length === 0) return '{}'
  const colon = indent === '' ? ':' : ': '
  const written = entries.map(([key, item]) => `${jsonString(key as string)}${colon}${json(item, indent, inner)}`)
  return `{${open}${written.join(separator)}${close}}`
}

const unicodeEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

function jsonString(text: string): string {
  // What is no text at all, half a surrogate pair, is written as the replacement character.
  return JSON.stringify(text)
    .replace(/\\ud[89a-f][0-9a-f]{2}/g, '\\ufffd')
    .replace(/[<>&\u2028\u2029]/g, unicodeEscape)
}
