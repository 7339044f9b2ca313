import { compareStrings } from '../cel/text-order.ts'
import { byteLength, isStrayByte, sliceBytes, toBytes } from './byte-text.ts'
import { sprint, sprintf, sprintln, valueText } from './format.ts'
import { type CallContext, define, type GoFunction } from './function.ts'
import { GoError } from './go-error.ts'
import { element, type Held, heldType, truth, unbox } from './held.ts'
import { isPrintable } from './quote.ts'
import {
  GoComplex,
  GoInt,
  GoMap,
  GoObject,
  GoSlice,
  type GoValue,
  integerOf,
  isIntKind,
  isNil,
  isUnsignedKind,
  kindOf,
  typeOf,
  zeroOf,
} from './value.ts'

/** A function that every template has. */
export type Builtin = GoFunction | RawBuiltin

/** A builtin that takes values as they are, no value and nil included. */
export interface RawBuiltin {
  readonly isRaw: true
  /** How many arguments it takes at least, or exactly. */
  readonly least: number
  readonly isVariadic: boolean
  /** `and` and `or` go through their arguments until one is false or true. */
  readonly stopsAt?: boolean
  call(context: CallContext, args: readonly Held[], callee: string): Held
}

const raw = (least: number, isVariadic: boolean, call: RawBuiltin['call']): RawBuiltin => ({
  isRaw: true,
  least,
  isVariadic,
  call,
})

const compare = (accepts: (context: CallContext, left: GoValue, right: GoValue) => boolean): RawBuiltin =>
  raw(2, false, (context, [left, right]) => accepts(context, unbox(left), unbox(right)))

export const builtins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['and', { ...raw(1, true, () => undefined), stopsAt: false }],
  ['or', { ...raw(1, true, () => undefined), stopsAt: true }],
  ['not', raw(1, false, (_, [value]) => !truth(value))],
  ['len', raw(1, false, (_, [value]) => lengthOf(value))],
  ['index', raw(1, true, (_, [item, ...indexes]) => indexed(item, indexes))],
  ['slice', raw(1, true, (_, [item, ...indexes]) => sliced(item, indexes))],
  ['call', raw(1, true, (_, [value], callee) => callValue(unbox(value), callee))],
  ['eq', raw(1, true, (context, [first, ...others]) => isAnyEqual(context, unbox(first), others.map(unbox)))],
  ['ne', compare((context, left, right) => !isAnyEqual(context, left, [right]))],
  ['lt', compare((_, left, right) => isLess(left, right))],
  ['le', compare((context, left, right) => isLess(left, right) || isAnyEqual(context, left, [right]))],
  ['gt', compare((context, left, right) => !isLess(left, right) && !isAnyEqual(context, left, [right]))],
  ['ge', compare((_, left, right) => !isLess(left, right))],
  ['print', define(['...any'], ({ budget }, ...args) => sprint(budget, args))],
  ['printf', define(['string', '...any'], ({ budget }, format, ...args) => sprintf(budget, format, args))],
  ['println', define(['...any'], ({ budget }, ...args) => sprintln(budget, args))],
  ['html', define(['...any'], (context, ...args) => escapeHtml(argumentText(context, args)))],
  ['js', define(['...any'], (context, ...args) => escapeJs(argumentText(context, args)))],
  ['urlquery', define(['...any'], (context, ...args) => escapeQuery(argumentText(context, args)))],
])

const argumentText = ({ budget }: CallContext, args: readonly GoValue[]): string => {
  // What has no value is printed as such when it is printed for itself.
  const shown = args.map(arg => (arg === null || arg === undefined ? '<no value>' : arg))
  return shown.length === 1 ? valueText(budget, shown[0]) : sprint(budget, shown)
}

function lengthOf(held: Held): bigint {
  const value = unbox(held)
  if (value === null) throw new GoError('len of nil pointer')
  if (value === undefined) throw new GoError('reflect: call of reflect.Value.Type on zero Value')
  if (typeof value === 'string') return BigInt(byteLength(value))
  if (value instanceof GoSlice) return BigInt(value.items.length)
  if (value instanceof GoMap) return BigInt(value.entries.size)
  throw new GoError(`len of type ${typeOf(value)}`)
}

function indexed(item: Held, indexes: readonly Held[]): Held {
  if (isNothing(item)) throw new GoError('index of untyped nil')
  let found = item
  for (const heldIndex of indexes) {
    const index = unbox(heldIndex) ?? undefined
    const value = unbox(found)
    if (value === null || value === undefined) throw new GoError('index of nil pointer')
    if (value instanceof GoMap) found = mapEntry(value, index)
    else if (value instanceof GoSlice) {
      const at = checkedIndex(index, value.items.length)
      if (at >= value.items.length) throw new GoError('reflect: slice index out of range')
      found = element(value.items[at], value.elementType)
    } else if (typeof value === 'string') {
      const bytes = toBytes(value)
      const at = checkedIndex(index, bytes.length)
      if (at >= bytes.length) throw new GoError('reflect: string index out of range')
      found = new GoInt('uint8', BigInt(bytes[at] as number))
    } else throw new GoError(`can't index item of type ${typeOf(value)}`)
  }
  return found
}

const isNothing = (held: Held): boolean => held === null || held === undefined

function mapEntry(map: GoMap, key: GoValue): Held {
  if (key === null || key === undefined) throw new GoError('value is nil; should be of type string')
  if (typeof key !== 'string') throw new GoError(`value has type ${typeOf(key)}; should be string`)
  const found = map.entries.get(key)
  return found === undefined ? zeroOf(map.elementType) : element(found, map.elementType)
}

function checkedIndex(index: Held, limit: number): number {
  if (index === undefined) throw new GoError('cannot index slice/array with nil')
  const integer = integerOf(index as GoValue)
  if (integer === undefined) throw new GoError(`cannot index slice/array with type ${heldType(index)}`)
  if (integer < 0n || integer > BigInt(limit)) throw new GoError(`index out of range: ${integer}`)
  return Number(integer)
}

function sliced(held: Held, indexes: readonly Held[]): GoValue {
  const item = unbox(held)
  if (isNothing(item)) throw new GoError('slice of untyped nil')
  if (indexes.length > 3) throw new GoError(`too many slice indexes: ${indexes.length}`)
  if (typeof item !== 'string' && !(item instanceof GoSlice)) {
    throw new GoError(`can't slice item of type ${typeOf(item)}`)
  }
  if (typeof item === 'string' && indexes.length === 3) throw new GoError('cannot 3-index slice a string')
  const length = typeof item === 'string' ? byteLength(item) : item.items.length
  const [start = 0, end = length, cap = length] = indexes.map(index => checkedIndex(index, length))
  if (start > end) throw new GoError(`invalid slice index: ${start} > ${end}`)
  if (end > cap) throw new GoError(`invalid slice index: ${end} > ${cap}`)
  return typeof item === 'string' ? sliceBytes(item, start, end) : new GoSlice(item.type, item.items.slice(start, end))
}

function callValue(value: GoValue, callee: string): never {
  if (value === null || value === undefined) throw new GoError('call of nil')
  throw new GoError(`non-function ${callee} of type ${typeOf(value)}`)
}

type BasicKind = 'bool' | 'complex' | 'int' | 'float' | 'string' | 'uint' | undefined

function basicKind(value: GoValue): BasicKind {
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'number') return 'float'
  if (value instanceof GoComplex) return 'complex'
  const kind = kindOf(value)
  if (!isIntKind(kind)) return undefined
  return isUnsignedKind(kind) ? 'uint' : 'int'
}

const incompatible = (left: GoValue, right: GoValue): GoError =>
  new GoError(`incompatible types for comparison: ${typeOf(left)} and ${typeOf(right)}`)

function isAnyEqual(context: CallContext, first: GoValue, others: readonly GoValue[]): boolean {
  if (others.length === 0) throw new GoError('missing argument for comparison')
  return others.some(other => isEqual(context, first, other))
}

function isEqual(context: CallContext, left: GoValue, right: GoValue): boolean {
  const [leftKind, rightKind] = [basicKind(left), basicKind(right)]
  const [leftInteger, rightInteger] = [integerOf(left), integerOf(right)]
  if (leftInteger !== undefined && rightInteger !== undefined) return leftInteger === rightInteger
  if (leftKind !== rightKind) {
    if (isNothing(left) || isNothing(right)) return false
    throw incompatible(left, right)
  }
  if (leftKind === 'complex') {
    const [a, b] = [left as GoComplex, right as GoComplex]
    return a.real === b.real && a.imaginary === b.imaginary
  }
  return leftKind === undefined ? isSame(context, left, right) : left === right
}

function isSame({ budget }: CallContext, left: GoValue, right: GoValue): boolean {
  const [leftKind, rightKind] = [kindOf(left), kindOf(right)]
  if (leftKind !== rightKind && leftKind !== 'invalid' && rightKind !== 'invalid') {
    const text = (value: GoValue) => sprintf(budget, '%s', [value])
    throw new GoError(
      `non-comparable types ${text(left)}: ${typeOf(left)}, ${typeOf(right)}: ${valueText(budget, right)}`,
    )
  }
  if (isNil(left) || isNil(right)) return isNil(left) === isNil(right)
  if (left instanceof GoObject && right instanceof GoObject) return left.equals(right)
  throw new GoError(`non-comparable type ${sprintf(budget, '%s', [right])}: ${typeOf(right)}`)
}

function isLess(left: GoValue, right: GoValue): boolean {
  const [leftKind, rightKind] = [basicKind(left), basicKind(right)]
  if (leftKind === undefined || rightKind === undefined) throw new GoError('invalid type for comparison')
  const [leftInteger, rightInteger] = [integerOf(left), integerOf(right)]
  if (leftInteger !== undefined && rightInteger !== undefined) return leftInteger < rightInteger
  if (leftKind !== rightKind) throw incompatible(left, right)
  if (leftKind === 'string') return compareStrings(left as string, right as string) < 0
  if (leftKind === 'float') return (left as number) < (right as number)
  throw new GoError('invalid type for comparison')
}

const htmlEscapes: Readonly<Record<string, string>> = {
  '\0': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
}

export function escapeHtml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is one of the characters that are escaped
  return text.replace(/[\0"'&<>]/g, character => htmlEscapes[character] as string)
}

const jsEscapes: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '"': '\\"' }

function escapeJs(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are escaped
  return text.replace(/[\\'"<>&=\0-\x1f]|[^\0-\x7f]/gu, character => {
    const named = jsEscapes[character]
    if (named !== undefined) return named
    const code = isStrayByte(character) ? 0xfffd : (character.codePointAt(0) as number)
    if (code >= 0x80 && isPrintable(String.fromCodePoint(code))) return String.fromCodePoint(code)
    return `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`
  })
}

/** url.QueryEscape. */
export function escapeQuery(text: string): string {
  let escaped = ''
  for (const byte of toBytes(text)) {
    const character = String.fromCharCode(byte)
    if (/[A-Za-z0-9\-_.~]/.test(character)) escaped += character
    else escaped += character === ' ' ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return escaped
}
