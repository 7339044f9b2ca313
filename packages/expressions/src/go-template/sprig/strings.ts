import { uuid } from '@tiphys/env'
import { splitText, trimSpace } from '../../cel/functions/go-text.ts'
import type { Budget } from '../budget.ts'
import { byteLength, runes, sliceBytes, toBytes } from '../byte-text.ts'
import { valueText } from '../format.ts'
import { type CallContext, define, type GoFunction } from '../function.ts'
import { checkSliceBounds, GoError } from '../go-error.ts'
import { quote } from '../quote.ts'
import { GoMap, GoSlice, type GoValue, stringerText, stringList } from '../value.ts'
import {
  initials,
  lower,
  pascalCase,
  separateWords,
  swapCase,
  title,
  untitle,
  upper,
  withoutSpace,
} from './letter-case.ts'
import { abbreviate, wrapLines } from './wrapping.ts'

/** A value as text. */
export function strval(budget: Budget, value: GoValue): string {
  return stringerText(value) ?? valueText(budget, value)
}

const isGiven = (value: GoValue): boolean => value !== null && value !== undefined

/** A value as a list of texts; nil is left out. */
export function strings(budget: Budget, value: GoValue): string[] {
  if (value instanceof GoSlice) return value.items.filter(isGiven).map(item => strval(budget, item))
  return isGiven(value) ? [strval(budget, value)] : []
}

function repeat(budget: Budget, text: string, count: number): string {
  if (count < 0) throw new GoError('strings: negative Repeat count')
  budget.reserve(text.length * count)
  return text.repeat(count)
}

/** strings.ReplaceAll: an empty `old` is found before every character and at the end. */
function replace({ budget }: CallContext, text: string, old: string, replacement: string): string {
  const parts = old === '' ? ['', ...runes(text), ''] : text.split(old)
  budget.reserve(text.length + (parts.length - 1) * replacement.length)
  return parts.join(replacement)
}

function indent({ budget }: CallContext, spaces: number, text: string): string {
  const padding = repeat(budget, ' ', spaces)
  const lines = text.split('\n')
  budget.reserve(text.length + lines.length * padding.length)
  return padding + lines.join(`\n${padding}`)
}

function substring(start: number, end: number, text: string): string {
  const length = byteLength(text)
  const from = start < 0 ? undefined : start
  const to = start >= 0 && (end < 0 || end > length) ? undefined : end
  checkSliceBounds(from, to, length)
  return sliceBytes(text, from ?? 0, to ?? length)
}

function truncate(count: number, text: string): string {
  const length = byteLength(text)
  if (count < 0) return length + count > 0 ? sliceBytes(text, length + count, length) : text
  return length > count ? sliceBytes(text, 0, count) : text
}

function trimCharacters(text: string, cutset: string): string {
  const cut = new Set(runes(cutset))
  const characters = Array.from(text)
  let start = 0
  let end = characters.length
  while (start < end && cut.has(characters[start] as string)) start += 1
  while (end > start && cut.has(characters[end - 1] as string)) end -= 1
  return characters.slice(start, end).join('')
}

/** strings.SplitN, with a look at how many parts there would be before they are made. */
function split({ budget }: CallContext, separator: string, text: string, limit = -1): string[] {
  let count = separator === '' ? text.length : 0
  if (separator !== '') {
    for (let at = text.indexOf(separator); at >= 0; at = text.indexOf(separator, at + separator.length)) count += 1
  }
  budget.reserveItems(limit < 0 ? count : Math.min(count, limit))
  return splitText(text, separator, limit)
}

const numbered = (parts: readonly string[]): GoMap =>
  new GoMap(
    'map[string]string',
    parts.map((part, index) => [`_${index}`, part]),
  )

const digits = '0123456789'
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('')

const randomText = (alphabet: string): GoFunction =>
  define(['int'], ({ budget, random }, count) => {
    if (count <= 0) return ''
    budget.reserve(count)
    return Array.from({ length: count }, () => alphabet[Math.floor(random.next() * alphabet.length)]).join('')
  })

function shuffle({ random }: CallContext, text: string): string {
  const characters = runes(text)
  for (let last = characters.length - 1; last > 0; last--) {
    const other = Math.floor(random.next() * (last + 1))
    const [a, b] = [characters[last] as string, characters[other] as string]
    characters[last] = b
    characters[other] = a
  }
  return characters.join('')
}

function contains(text: string, part: string): boolean {
  return text.includes(part) || toBytes(text).includes(toBytes(part))
}

const trimAll = define(['string', 'string'], (_, cutset, text) => trimCharacters(text, cutset))

export const stringFunctions: Readonly<Record<string, GoFunction>> = {
  hello: define([], () => 'Hello!'),
  abbrev: define(['int', 'string'], (_, width, text) => (width < 4 ? text : abbreviate(text, 0, width))),
  abbrevboth: define(['int', 'int', 'string'], (_, left, right, text) =>
    right < 4 || (left > 0 && right < 7) ? text : abbreviate(text, left, right),
  ),
  trunc: define(['int', 'string'], (_, count, text) => truncate(count, text)),
  trim: define(['string'], (_, text) => trimSpace(text)),
  upper: define(['string'], (_, text) => upper(text)),
  lower: define(['string'], (_, text) => lower(text)),
  title: define(['string'], (_, text) => title(text)),
  untitle: define(['string'], (_, text) => untitle(text)),
  substr: define(['int', 'int', 'string'], (_, start, end, text) => substring(start, end, text)),
  repeat: define(['int', 'string'], ({ budget }, count, text) => repeat(budget, text, count)),
  trimall: trimAll,
  trimAll,
  trimSuffix: define(['string', 'string'], (_, suffix, text) =>
    suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text,
  ),
  trimPrefix: define(['string', 'string'], (_, prefix, text) =>
    text.startsWith(prefix) ? text.slice(prefix.length) : text,
  ),
  nospace: define(['string'], (_, text) => withoutSpace(text)),
  initials: define(['string'], (_, text) => initials(text)),
  randAlphaNum: randomText(letters + digits),
  randAlpha: randomText(letters),
  randAscii: randomText(ascii),
  randNumeric: randomText(digits),
  swapcase: define(['string'], (_, text) => swapCase(text)),
  shuffle: define(['string'], shuffle),
  snakecase: define(['string'], (_, text) => separateWords(text, '_')),
  kebabcase: define(['string'], (_, text) => separateWords(text, '-')),
  camelcase: define(['string'], (_, text) => pascalCase(text)),
  wrap: define(['int', 'string'], (_, width, text) => wrapLines(text, width, '', false)),
  wrapWith: define(['int', 'string', 'string'], ({ budget }, width, newLine, text) => {
    budget.reserve(text.length + newLine.length * Math.ceil(text.length / Math.max(width, 1)))
    return wrapLines(text, width, newLine, true)
  }),
  contains: define(['string', 'string'], (_, part, text) => contains(text, part)),
  hasPrefix: define(['string', 'string'], (_, prefix, text) => text.startsWith(prefix)),
  hasSuffix: define(['string', 'string'], (_, suffix, text) => text.endsWith(suffix)),
  quote: define(['...any'], ({ budget }, ...values) =>
    values
      .filter(isGiven)
      .map(value => quote(strval(budget, value)))
      .join(' '),
  ),
  squote: define(['...any'], ({ budget }, ...values) =>
    values
      .filter(isGiven)
      .map(value => `'${valueText(budget, value)}'`)
      .join(' '),
  ),
  cat: define(['...any'], ({ budget }, ...values) =>
    values
      .filter(isGiven)
      .map(value => valueText(budget, value))
      .join(' '),
  ),
  indent: define(['int', 'string'], indent),
  nindent: define(['int', 'string'], (context, spaces, text) => `\n${indent(context, spaces, text)}`),
  replace: define(['string', 'string', 'string'], (context, old, replacement, text) =>
    replace(context, text, old, replacement),
  ),
  plural: define(['string', 'string', 'int'], (_, one, many, count) => (count === 1 ? one : many)),
  toString: define(['any'], ({ budget }, value) => strval(budget, value)),
  split: define(['string', 'string'], (context, separator, text) => numbered(split(context, separator, text))),
  splitList: define(['string', 'string'], (context, separator, text) => stringList(split(context, separator, text))),
  splitn: define(['string', 'int', 'string'], (context, separator, limit, text) =>
    numbered(split(context, separator, text, limit)),
  ),
  toStrings: define(['any'], ({ budget }, value) => stringList(strings(budget, value))),
  join: define(['string', 'any'], ({ budget }, separator, value) => {
    const parts = strings(budget, value)
    budget.reserve(separator.length * parts.length + parts.reduce((total, part) => total + part.length, 0))
    return parts.join(separator)
  }),
  uuidv4: define([], ({ random }) => uuid(random)),
}
