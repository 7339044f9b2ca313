import { plainDecimal } from '../cel/number-text.ts'
import { parseGoFloat } from './go-float.ts'
import { endOfBlock, endOfLiteral, endOfNumber, endOfString } from './scanner.ts'
import { cut, newSpan, positionIn, type Span } from './span.ts'
import { unescape } from './string-literal.ts'

export type GjsonType = 'Null' | 'False' | 'Number' | 'String' | 'True' | 'JSON'

/** A value as it stands in a text. */
export interface Value {
  readonly type: GjsonType
  /** Empty for a value that was not found. */
  readonly raw: Span
  /** The characters of a string. */
  readonly str: string
  readonly num: number
  /** Where it begins in the text that was searched; 0 when that is not known. */
  readonly index: number
  /** Where the elements begin, if it was put together from several places. */
  readonly indexes?: readonly number[] | undefined
}

export const nothing: Value = { type: 'Null', raw: newSpan(''), str: '', num: 0, index: 0 }

export function exists(value: Value): boolean {
  return value.type !== 'Null' || value.raw.text !== ''
}

export function isArray(value: Value): boolean {
  return value.type === 'JSON' && value.raw.text.startsWith('[')
}

export function isObject(value: Value): boolean {
  return value.type === 'JSON' && value.raw.text.startsWith('{')
}

/** A value that was made, not found. */
export function madeValue(text: string, indexes?: readonly number[]): Value {
  return { ...nothing, type: 'JSON', raw: newSpan(text), indexes }
}

/** The index after the value that begins at `start`; -1 for a string that is not closed. */
export function endOfValue(text: string, start: number): number {
  const first = text[start]
  if (first === '"') return endOfString(text, start)
  if (first === '{' || first === '[') return endOfBlock(text, start)
  return isLiteral(text, start) ? endOfLiteral(text, start) : endOfNumber(text, start)
}

/** `nan` is a number and `null` is not. */
function isLiteral(text: string, start: number): boolean {
  const first = text[start]
  return first === 't' || first === 'f' || (first === 'n' && (start + 1 >= text.length || text[start + 1] === 'u'))
}

/** The value between two places of a text, which were found with `endOfValue`. */
export function valueBetween(json: Span, start: number, end: number): Value {
  const raw = cut(json, start, end)
  switch (json.text[start]) {
    case '"': {
      const quoted = raw.text.slice(1, -1)
      return { ...nothing, type: 'String', raw, str: quoted.includes('\\') ? unescape(quoted) : quoted }
    }
    case '{':
    case '[':
      return { ...nothing, type: 'JSON', raw }
    default:
  }
  if (!isLiteral(json.text, start)) return { ...nothing, type: 'Number', raw, num: parseGoFloat(raw.text) ?? 0 }
  return { ...nothing, type: literalType(json.text[start]), raw }
}

function literalType(first: string | undefined): GjsonType {
  if (first === 't') return 'True'
  return first === 'f' ? 'False' : 'Null'
}

/** The whole text as one value: what stands behind the first bracket of a block belongs to it. */
export function parseValue(json: Span): Value {
  const { text } = json
  let at = 0
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++
  const first = text[at]
  if (first === undefined) return nothing
  if (first === '{' || first === '[') return { ...nothing, type: 'JSON', raw: cut(json, at), index: at }
  if (first === '"') return { ...looseString(json, at), index: at }
  if (!'+-0123456789iINntf'.includes(first)) return nothing
  return { ...valueBetween(json, at, endOfValue(text, at)), index: at }
}

/** A string that may lack its closing quote. */
function looseString(json: Span, start: number): Value {
  const end = endOfString(json.text, start)
  if (end !== -1) return valueBetween(json, start, end)
  const raw = cut(json, start)
  const quoted = raw.text.slice(1)
  return { ...nothing, type: 'String', raw, str: quoted.includes('\\') ? unescape(quoted) : quoted }
}

interface Member {
  readonly key: Value
  readonly value: Value
}

/** The next value of a text wherever it is, and the index after it. */
export function nextValue(json: Span, from: number): { value: Value; end: number } | undefined {
  const { text } = json
  let at = from
  while (at < text.length && !'"{[ntf+-0123456789iIN'.includes(text.charAt(at))) at++
  if (at >= text.length) return undefined
  const end = endOfValue(text, at)
  if (end === -1) return undefined
  const value = valueBetween(json, at, end)
  return { value: value.type === 'JSON' ? { ...value, index: positionIn(json, value.raw) } : value, end }
}

/** The members of an object, the elements of an array, or the value itself. */
export function* members(of: Value): Generator<Member> {
  if (!exists(of)) return
  if (of.type !== 'JSON') {
    yield { key: nothing, value: of }
    return
  }
  const { text } = of.raw
  let open = 0
  while (open < text.length && text.charCodeAt(open) <= 0x20) open++
  const isObject = text[open] === '{'
  if (!isObject && text[open] !== '[') return
  let at = open + 1
  for (let position = 0; at < text.length; position++) {
    let key: Value = { ...nothing, type: 'Number', num: position }
    if (isObject) {
      const start = text.indexOf('"', at)
      const end = start === -1 ? -1 : endOfString(text, start)
      if (end === -1) return
      key = { ...valueBetween(of.raw, start, end), index: start + of.index }
      at = end
    }
    while (at < text.length && (text.charCodeAt(at) <= 0x20 || text[at] === ',' || text[at] === ':')) at++
    const next = nextValue(of.raw, at)
    if (next === undefined) return
    const index = of.indexes === undefined ? at + of.index : (of.indexes[position] ?? next.value.index)
    yield { key, value: { ...next.value, index } }
    // The separator behind a value is passed over without being looked at.
    at = next.end + 1
  }
}

/** The values between the brackets of a block, keys of an object included, up to its end. */
export function* tokens(block: Span): Generator<Value> {
  const { text } = block
  for (let at = text.search(/[[{]/) + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5d || code === 0x7d) return
    if (!'"{[ntf-0123456789'.includes(text.charAt(at))) continue
    const value = text[at] === '"' ? looseString(block, at) : valueBetween(block, at, endOfToken(text, at))
    yield { ...value, type: text[at] === 'n' ? 'Null' : value.type, index: at }
    at += value.raw.text.length - 1
  }
}

function endOfToken(text: string, start: number): number {
  return text[start] === 'n' ? endOfLiteral(text, start) : endOfValue(text, start)
}

export function valueToString({ type, raw, str, num }: Value): string {
  switch (type) {
    case 'False':
      return 'false'
    case 'True':
      return 'true'
    case 'String':
      return str
    case 'JSON':
      return raw.text
    case 'Number':
      return /^-?[0-9]*$/.test(raw.text) && raw.text !== '' ? raw.text : formatNumber(num)
    default:
      return ''
  }
}

function formatNumber(num: number): string {
  if (Number.isNaN(num)) return 'NaN'
  if (!Number.isFinite(num)) return num > 0 ? '+Inf' : '-Inf'
  return Object.is(num, -0) ? '-0' : plainDecimal(num)
}

/** A text that reads as a boolean in Go. */
export function parseBool(text: string): boolean | undefined {
  const lower = text.toLowerCase()
  if (lower === '1' || lower === 't' || lower === 'true') return true
  return lower === '0' || lower === 'f' || lower === 'false' ? false : undefined
}

export function valueToBool({ type, str, num }: Value): boolean {
  if (type === 'String') return parseBool(str) === true
  return type === 'True' || (type === 'Number' && num !== 0)
}

export function valueToInt({ type, raw, str, num }: Value): number {
  if (type === 'True') return 1
  if (type === 'String') return parseInteger(str) ?? 0
  if (type !== 'Number') return 0
  if (Number.isNaN(num)) return 0
  return Number.isSafeInteger(Math.trunc(num)) ? Math.trunc(num) : (parseInteger(raw.text) ?? num)
}

function parseInteger(text: string): number | undefined {
  return /^-?\d+$/.test(text) ? Number(text) : undefined
}
