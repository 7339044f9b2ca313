import { fromBytes, isStrayByte } from './byte-text.ts'

const named: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
])
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

export const isPrintable = (character: string): boolean => printable.test(character)

/** A string in double quotes, as Go's strconv.Quote writes it. */
export function quote(text: string, isAsciiOnly = false): string {
  return `"${Array.from(text, character => escapeCharacter(character, '"', isAsciiOnly)).join('')}"`
}

/** A character in single quotes. */
export function quoteRune(character: string, isAsciiOnly = false): string {
  return `'${escapeCharacter(isStrayByte(character) ? '\ufffd' : character, "'", isAsciiOnly)}'`
}

function escapeCharacter(character: string, mark: string, isAsciiOnly: boolean): string {
  const code = character.codePointAt(0) as number
  if (isStrayByte(character)) return `\\x${(code - 0xdc00).toString(16)}`
  if (character === mark) return `\\${mark}`
  const name = named.get(character)
  if (name !== undefined) return name
  if (code < 0x80 || !isAsciiOnly) {
    if (isPrintable(character)) return character
  }
  const hex = code.toString(16)
  if (code < 0x20 || code === 0x7f) return `\\x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

/** Whether Go writes the string between back quotes when it may. */
export function canBackquote(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return !/[\0-\x08\x0a-\x1f`\x7f\ufeff]|[\u{DC80}-\u{DCFF}]/u.test(text)
}

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
}
const escape = /^\\(?:([abfnrtv\\])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(['"]))/

/** The text of a literal in double or back quotes; undefined when it is none. */
export function unquote(literal: string): string | undefined {
  const mark = literal[0]
  const inner = literal.slice(1, -1)
  if (mark === '`') return inner.replaceAll('\r', '')
  if (!inner.includes('\\') && !inner.includes('\n')) return inner
  let text = ''
  let hasBytes = false
  let rest = inner
  while (rest !== '') {
    const read = unquoteCharacter(rest, mark as string)
    if (read === undefined) return undefined
    text += read.text
    hasBytes ||= read.isByte
    rest = rest.slice(read.length)
  }
  return hasBytes ? joinBytes(text) : text
}

/** Bytes that escapes wrote one by one may form a character together. */
function joinBytes(text: string): string {
  return text.replace(/[\u{DC80}-\u{DCFF}]+/gu, run =>
    fromBytes(Uint8Array.from(run, character => character.charCodeAt(0) - 0xdc00)),
  )
}

/** The character or escape at the start of the text; undefined when an escape is wrong or the literal ends there. */
export function unquoteCharacter(
  text: string,
  mark: string,
): { text: string; length: number; isByte: boolean } | undefined {
  const match = escape.exec(text)
  if (match === null) {
    const character = String.fromCodePoint(text.codePointAt(0) as number)
    if (character === '\\' || character === mark || character === '\n') return undefined
    return { text: character, length: character.length, isByte: false }
  }
  const [whole, simple, hex, short, long, octal, quoteMark] = match
  const result = (value: string, isByte = false) => ({ text: value, length: whole.length, isByte })
  if (simple !== undefined) return result(escapes[simple] as string)
  if (quoteMark !== undefined) return quoteMark === mark ? result(quoteMark) : undefined
  if (hex !== undefined || octal !== undefined) {
    const code = hex === undefined ? Number.parseInt(octal as string, 8) : Number.parseInt(hex, 16)
    if (code > 255) return undefined
    return result(code < 0x80 ? String.fromCharCode(code) : String.fromCharCode(0xdc00 + code), code >= 0x80)
  }
  const code = Number.parseInt((short ?? long) as string, 16)
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined
  return result(String.fromCodePoint(code))
}
