import { readJson } from './json-text.ts'
import { checkText } from './sizes.ts'
import { type JqNumber, type JqValue, NumberText, newObject, parseNumber, sortedKeys } from './value.ts'

/** The value as jq prints it: keys sorted, no space, not-a-number as null, infinity as the largest number. */
export function encode(value: JqValue): string {
  const out: string[] = []
  let length = 0
  encodeInto(value, text => {
    length += text.length
    checkText(length)
    out.push(text)
  })
  return out.join('')
}

function encodeInto(value: JqValue, write: (text: string) => void): void {
  if (value === null) write('null')
  else if (typeof value === 'string') write(encodeString(value))
  else if (typeof value === 'boolean') write(value ? 'true' : 'false')
  else if (typeof value === 'number' || typeof value === 'bigint' || value instanceof NumberText)
    write(encodeNumber(value))
  else if (Array.isArray(value)) {
    write('[')
    value.forEach((item, index) => {
      if (index > 0) write(',')
      encodeInto(item, write)
    })
    write(']')
  } else {
    write('{')
    sortedKeys(value).forEach((key, index) => {
      if (index > 0) write(',')
      write(encodeString(key))
      write(':')
      encodeInto(value[key] as JqValue, write)
    })
    write('}')
  }
}

export function encodeNumber(value: JqNumber): string {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof NumberText) return value.text
  if (Number.isNaN(value)) return 'null'
  if (Object.is(value, -0)) return '-0'
  return String(Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE))
}

export function encodeString(text: string): string {
  // JSON.stringify leaves DEL as it is; jq does not.
  return JSON.stringify(text).replaceAll('\x7f', '\\u007f')
}

class PreviewFull extends Error {}

const previewBytes = 30

/** The beginning of the value as error messages show it: at most 30 bytes. */
export function preview(value: JqValue): string {
  let text = ''
  try {
    encodeInto(value, part => {
      text += part.length > 40 ? part.slice(0, 40) : part
      if (text.length > 40) throw new PreviewFull()
    })
  } catch (error) {
    if (!(error instanceof PreviewFull)) throw error
  }
  if (Buffer.byteLength(text) <= previewBytes) return text
  const trailing =
    typeof value === 'string' ? ' ..."' : Array.isArray(value) ? ' ...]' : isPlain(value) ? ' ...' : ' ...}'
  // The text is cut at 32 bytes first, and a character that this leaves incomplete counts as one byte each.
  const bytes = Buffer.from(text).subarray(0, 32)
  let end = bytes.length
  while (end > previewBytes - trailing.length) end = startOfLastCharacter(bytes, end)
  return bytes.subarray(0, end).toString() + trailing
}

function isPlain(value: JqValue): boolean {
  return typeof value !== 'object' || value instanceof NumberText
}

function startOfLastCharacter(bytes: Buffer, end: number): number {
  for (let start = end - 1; start >= Math.max(0, end - 4); start--) {
    const byte = bytes[start] as number
    if (byte < 0x80) return end - 1
    if (byte < 0xc0) continue
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return start + size === end ? start : end - 1
  }
  return end - 1
}

/** JSON text with its integers exact and its other numbers as they are written. Throws JsonTextError, TrailingTextError. */
export function decode(text: string): JqValue {
  return readJson(text, number => {
    const value = parseNumber(number)
    return encodeNumber(value) === number ? value : new NumberText(number)
  })
}

/** JSON text with all numbers as floating-point numbers, which is what a decoded event holds. Throws SyntaxError. */
export function decodeFloats(text: string): JqValue {
  return wellFormed(JSON.parse(text) as JqValue)
}

const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

export function fixSurrogates(text: string): string {
  return loneSurrogate.test(text) ? text.replace(loneSurrogate, '\uFFFD') : text
}

function wellFormed(value: JqValue): JqValue {
  if (typeof value === 'string') return fixSurrogates(value)
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== 'object' || value === null || value instanceof NumberText) return value
  const fields = newObject()
  for (const key of Object.keys(value)) fields[fixSurrogates(key)] = wellFormed(value[key] as JqValue)
  return fields
}
