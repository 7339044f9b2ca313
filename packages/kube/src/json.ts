import { decodeJson, type NumberTexts } from './json-decoder.ts'

/** What a text means as JSON, and the paths of fields that it sets more than once (`data.a`, `items[0].name`).
 *  At most 100 different paths are reported. */
export interface StrictJson {
  value: unknown
  duplicateFields: readonly string[]
  /** A reader of whole numbers may refuse `1.0`, which is `1` in `value`. */
  numberTexts?: NumberTexts
}

/** Reads JSON as the API server does: integers that a double cannot hold become BigInt when they fit an int64, the last
 *  of several equal keys wins, nesting ends at 10,000 levels. Throws a `JsonFailure` with the server's words. */
export function parseJson(text: string): unknown {
  const value = parsePlain(text)
  return value === undefined ? decodeJson(text).value : value
}

/** `parseJson` that also says which fields were given twice, and how numbers were written. */
export function parseJsonStrict(text: string): StrictJson {
  const value = parsePlain(text)
  if (value === undefined || countKeysInText(text) !== survey.keys || FRACTION.test(text)) return decodeJson(text)
  return { value, duplicateFields: [] }
}

/** Writes JSON with BigInt as integers; otherwise what `JSON.stringify` writes. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent)
  } catch (thrown) {
    if (!(thrown instanceof TypeError) || !thrown.message.includes('BigInt')) throw thrown
    return writeWithBigInts(value, indent)
  }
}

/** The value when the engine's own parser reads the text exactly as the API server would; undefined when only the
 *  decoder can tell. */
function parsePlain(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined // the decoder finds the same mistake again and says it in the server's words
  }
  if (text.includes('\\u') && SURROGATE_ESCAPE.test(text)) return undefined
  return isPlain(value) ? value : undefined
}

/** A number with a point or an exponent where a value can be. Text that looks like it costs time, nothing else. */
const FRACTION = /[[:,]\s*-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)\s*[\],}]/
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/
const SURVEYED_DEPTH = 500

/** What the last walk of `isPlain` counted. Filled instead of returned: this runs for every request. */
const survey = { keys: 0 }

function isPlain(value: unknown): boolean {
  survey.keys = 0
  return isPlainValue(value, 0)
}

function isPlainValue(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER
  if (typeof value !== 'object' || value === null) return true
  if (depth === SURVEYED_DEPTH) return false
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isPlainValue(value[i], depth + 1)) return false
    return true
  }
  const object = value as Record<string, unknown>
  for (const key in object) {
    survey.keys++
    const field = object[key]
    if (typeof field !== 'string' && !isPlainValue(field, depth + 1)) return false
  }
  return true
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const SPACE = 0x20

/** How many fields valid JSON sets: more than its objects have keys when one is set twice. */
function countKeysInText(text: string): number {
  let keys = 0
  for (let start = text.indexOf('"'); start >= 0; ) {
    let next = endOfString(text, start) + 1
    while (text.charCodeAt(next) <= SPACE) next++
    if (text.charCodeAt(next) === COLON) keys++
    start = text.charCodeAt(next) === QUOTE ? next : text.indexOf('"', next)
  }
  return keys
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (text.charCodeAt(end - 1) === BACKSLASH && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1
  while (text.charCodeAt(before) === BACKSLASH) before--
  return (at - before) % 2 === 0
}

function writeWithBigInts(value: unknown, indent = 0, margin = ''): string {
  if (typeof value === 'bigint') return value.toString()
  const data = hasToJson(value) ? value.toJSON() : value
  if (typeof data !== 'object' || data === null) return JSON.stringify(data)
  const inner = margin + ' '.repeat(indent)
  const isArray = Array.isArray(data)
  const parts = isArray
    ? data.map(item => (isOmitted(item) ? 'null' : writeWithBigInts(item, indent, inner)))
    : Object.entries(data)
        .filter(([, field]) => !isOmitted(field))
        .map(
          ([key, field]) => `${JSON.stringify(key)}:${indent > 0 ? ' ' : ''}${writeWithBigInts(field, indent, inner)}`,
        )
  const [open, close] = isArray ? '[]' : '{}'
  if (parts.length === 0) return `${open}${close}`
  if (indent === 0) return `${open}${parts.join(',')}${close}`
  return `${open}\n${parts.map(part => inner + part).join(',\n')}\n${margin}${close}`
}

const isOmitted = (value: unknown) => value === undefined || typeof value === 'function' || typeof value === 'symbol'

function hasToJson(value: unknown): value is { toJSON(): unknown } {
  return typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function'
}
