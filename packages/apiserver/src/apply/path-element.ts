import { goQuote } from '@tiphys/kube'
import { isObject } from '../json-value.ts'
import type { Json } from '../schema/schema.ts'

/** A step from a value to a part of it, in the form FieldsV1 writes it:
 *  `f:name` a field, `k:{"name":"x"}` a list element by its keys, `v:"x"` a set element by its value, `i:0` by its place. */
export type PathElement = string

export const fieldElement = (name: string): PathElement => `f:${name}`

export const valueElement = (value: Json): PathElement => `v:${writeScalar(value)}`

/** The pairs must be sorted by name. */
export function keyElement(pairs: readonly (readonly [name: string, value: Json])[]): PathElement {
  let text = 'k:{'
  for (const [index, [name, value]] of pairs.entries()) {
    text += `${index === 0 ? '' : ','}${quote(name)}:${writeScalar(value)}`
  }
  return `${text}}`
}

const PLAIN_TEXT = /^[\x20-\x21\x23-\x25\x27-\x3b\x3d\x3f-\x5b\x5d-\x7e]*$/

function writeScalar(value: Json): string {
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return `[${value.map(writeScalar).join(',')}]`
  if (isObject(value)) {
    const members = Object.keys(value)
      .sort(compareText)
      .map(key => `${quote(key)}:${writeScalar(value[key] as Json)}`)
    return `{${members.join(',')}}`
  }
  return String(value)
}

/** A JSON string as Go writes it. */
export function quote(text: string): string {
  if (PLAIN_TEXT.test(text)) return `"${text}"`
  return JSON.stringify(text).replace(/[<>&\u2028\u2029]|\\[bf]/g, escapeForGo)
}

function escapeForGo(char: string): string {
  if (char === '\\b') return '\\u0008'
  if (char === '\\f') return '\\u000c'
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Order of the UTF-8 bytes. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left === right) continue
    if (left < 0xd800 || right < 0xd800) return left - right
    // Halves of a pair stand for code points above everything that is written without a pair.
    const leftIsHalf = left <= 0xdfff
    return leftIsHalf === right <= 0xdfff ? left - right : leftIsHalf ? 1 : -1
  }
  return a.length - b.length
}

const RANK: Record<string, number> = { f: 0, k: 1, v: 2, i: 3 }

/** The order in which FieldsV1 lists the elements of one level. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0
  const kind = a[0] as string
  if (kind !== b[0]) return (RANK[kind] ?? 4) - (RANK[b[0] as string] ?? 4)
  switch (kind) {
    case 'f':
      return compareText(a, b)
    case 'k':
      return compareKeys(parseKeys(a), parseKeys(b))
    case 'v':
      return compareValues(parseValue(a), parseValue(b))
    default:
      return Number(a.slice(2)) - Number(b.slice(2))
  }
}

type Pairs = [name: string, value: Json][]

const parseValue = (element: PathElement): Json => JSON.parse(element.slice(2)) as Json

const parseKeys = (element: PathElement): Pairs =>
  Object.entries(JSON.parse(element.slice(2)) as Record<string, Json>).sort(([a], [b]) => compareText(a, b))

function compareKeys(a: Pairs, b: Pairs): number {
  for (const [index, [name, value]] of a.entries()) {
    const other = b[index]
    if (other === undefined) return 1
    const order = compareText(name, other[0]) || compareValues(value, other[1])
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Values of different types come in this order: numbers, strings, booleans, lists, objects, null. */
function compareValues(a: Json, b: Json): number {
  const rank = valueRank(a)
  if (rank !== valueRank(b)) return rank - valueRank(b)
  if (typeof a === 'string') return compareText(a, b as string)
  if (Array.isArray(a)) return compareLists(a, b as Json[])
  if (isObject(a)) return compareKeys(sortedPairs(a), sortedPairs(b as Record<string, Json>))
  return Number(a) - Number(b)
}

function compareLists(a: Json[], b: Json[]): number {
  for (const [index, item] of a.entries()) {
    if (index >= b.length) return 1
    const order = compareValues(item, b[index] as Json)
    if (order !== 0) return order
  }
  return a.length - b.length
}

const sortedPairs = (object: Record<string, Json>): Pairs =>
  Object.entries(object).sort(([a], [b]) => compareText(a, b))

function valueRank(value: Json): number {
  if (value === null) return 5
  if (Array.isArray(value)) return 3
  switch (typeof value) {
    case 'string':
      return 1
    case 'boolean':
      return 2
    case 'object':
      return 4
    default:
      return 0
  }
}

/** The element in its one written form; undefined for a kind of element that this version does not know. Throws a
 *  SyntaxError for text that is no element. */
export function canonicalElement(element: string): PathElement | undefined {
  if (element.length < 2) throw new SyntaxError('key must be 2 characters long:')
  if (element[1] !== ':') throw new SyntaxError(`missing colon: ${element}`)
  switch (element[0]) {
    case 'f':
      return element
    case 'k':
      return keyElement(parseKeys(element))
    case 'v':
      return valueElement(parseValue(element))
    case 'i':
      if (!/^[+-]?\d+$/.test(element.slice(2))) throw new SyntaxError(`invalid index: ${element}`)
      return `i:${Number(element.slice(2))}`
    default:
      return undefined
  }
}

/** `.spec.containers[name="app"].image`: a path as conflicts and errors print it. */
export const pathText = (path: readonly PathElement[]): string => path.map(elementText).join('')

export function elementText(element: PathElement): string {
  switch (element[0]) {
    case 'f':
      return `.${element.slice(2)}`
    case 'k':
      return `[${parseKeys(element)
        .map(([name, value]) => `${name}=${valueText(value)}`)
        .join(',')}]`
    case 'v':
      return `[=${valueText(parseValue(element))}]`
    default:
      return `[${element.slice(2)}]`
  }
}

function valueText(value: Json): string {
  if (typeof value === 'string') return goQuote(value)
  if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`
  if (!isObject(value)) return String(value)
  return Object.keys(value)
    .map(key => `${key}=${valueText(value[key] as Json)}`)
    .join('')
}
