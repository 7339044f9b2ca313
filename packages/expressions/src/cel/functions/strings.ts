import { ArrayList, CelError, type CelList, type CelValue, noOverloadFor, printValue } from '../value.ts'
import { formatString } from './format-string.ts'
import { replaceText, splitText, trimSpace } from './go-text.ts'
import { type Implementation, overload } from './implementation.ts'

function outOfRange(index: bigint): CelError {
  return new CelError(`index out of range: ${index}`)
}

function charAt(text: string, index: bigint): CelValue {
  const characters = Array.from(text)
  if (index < 0n || index > characters.length) return outOfRange(index)
  return characters[Number(index)] ?? ''
}

function indexOf(text: string, part: string, offset = 0n): CelValue {
  if (part === '') return offset
  const characters = Array.from(text)
  const wanted = Array.from(part)
  if (offset < 0n) return outOfRange(offset)
  for (let start = Number(offset); start + wanted.length <= characters.length; start++) {
    if (wanted.every((character, index) => characters[start + index] === character)) return BigInt(start)
  }
  return -1n
}

function lastIndexOf(text: string, part: string, offset?: bigint): CelValue {
  const characters = Array.from(text)
  const wanted = Array.from(part)
  if (part === '') return offset ?? BigInt(characters.length)
  if (offset !== undefined && offset < 0n) return outOfRange(offset)
  if (offset !== undefined && offset >= characters.length) return -1n
  const last = characters.length - wanted.length
  for (let start = Math.min(last, offset === undefined ? last : Number(offset)); start >= 0; start--) {
    if (wanted.every((character, index) => characters[start + index] === character)) return BigInt(start)
  }
  return -1n
}

function substring(text: string, start: bigint, end?: bigint): CelValue {
  const characters = Array.from(text)
  const stop = end ?? BigInt(characters.length)
  if (end !== undefined && start > end) {
    return new CelError(`invalid substring range. start: ${start}, end: ${end}`)
  }
  if (start < 0n || start > characters.length) return outOfRange(start)
  if (stop < 0n || stop > characters.length) return outOfRange(stop)
  return characters.slice(Number(start), Number(stop)).join('')
}

function join(list: CelList, separator = ''): CelValue {
  const parts: string[] = []
  for (const element of list) {
    if (typeof element !== 'string') return new CelError(`join: invalid input: ${printValue(element)}`)
    parts.push(element)
  }
  return parts.join(separator)
}

const quoteEscapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

function quote(text: string): string {
  return `"${text.replace(/[\x07\b\f\n\r\t\v\\"]/g, character => quoteEscapes[character] as string)}"`
}

function split(text: string, separator: string, limit = -1n): CelValue {
  return new ArrayList(splitText(text, separator, Number(limit)))
}

/** These three are called without a check of their operands. */
function onStrings(test: (text: string, part: string) => boolean): (text: CelValue, part: CelValue) => CelValue {
  return (text, part) => {
    if (typeof text !== 'string') return noOverloadFor(text)
    return typeof part === 'string' ? test(text, part) : noOverloadFor(part)
  }
}

export const stringOverloads: readonly (readonly [string, Implementation])[] = [
  overload(
    'contains_string',
    onStrings((text, part) => text.includes(part)),
  ),
  overload(
    'starts_with_string',
    onStrings((text, prefix) => text.startsWith(prefix)),
  ),
  overload(
    'ends_with_string',
    onStrings((text, suffix) => text.endsWith(suffix)),
  ),
  overload('string_char_at_int', charAt),
  overload('string_index_of_string', indexOf),
  overload('string_index_of_string_int', indexOf),
  overload('string_last_index_of_string', lastIndexOf),
  overload('string_last_index_of_string_int', lastIndexOf),
  overload('string_lower_ascii', (text: string) => text.replace(/[A-Z]+/g, letters => letters.toLowerCase())),
  overload('string_upper_ascii', (text: string) => text.replace(/[a-z]+/g, letters => letters.toUpperCase())),
  overload('string_replace_string_string', (text: string, old: string, replacement: string) =>
    replaceText(text, old, replacement),
  ),
  overload('string_replace_string_string_int', (text: string, old: string, replacement: string, limit: bigint) =>
    replaceText(text, old, replacement, Number(limit)),
  ),
  overload('string_split_string', split),
  overload('string_split_string_int', split),
  overload('string_substring_int', substring),
  overload('string_substring_int_int', substring),
  overload('string_trim', trimSpace),
  overload('string_format', formatString),
  overload('strings_quote', quote),
  overload('list_join', join),
  overload('list_join_string', join),
]
