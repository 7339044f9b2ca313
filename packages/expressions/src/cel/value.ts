import { formatDouble } from './number-text.ts'
import { compareBytes, stringLength } from './text-order.ts'

/** A CEL value while an expression is evaluated. `int` is bigint, `double` is number; the rest of CEL's types that
 *  JavaScript lacks are the classes below. Errors are values, because `||`, `&&` and the macros absorb them. */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Duration
  | Timestamp
  | CelList
  | CelMap
  | Optional
  | TypeValue
  | OpaqueValue
  | CelError

export class CelError {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

export const noSuchOverload = new CelError('no such overload')

/** The error that an operation on `value` gives: the error that `value` already is, or "no such overload". */
export function noOverloadFor(value: CelValue): CelError {
  return value instanceof CelError ? value : noSuchOverload
}

export class Uint {
  readonly value: bigint

  constructor(value: bigint) {
    this.value = value
  }
}

export class Duration {
  readonly nanos: bigint

  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

/** A point in time. The offset is only how it prints: it never takes part in comparison. */
export class Timestamp {
  readonly nanos: bigint
  readonly offsetSeconds: number

  constructor(nanos: bigint, offsetSeconds = 0) {
    this.nanos = nanos
    this.offsetSeconds = offsetSeconds
  }
}

export class Optional {
  static readonly none = new Optional(undefined)
  readonly value: CelValue | undefined

  constructor(value: CelValue | undefined) {
    this.value = value
  }
}

export class TypeValue {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** A value that only library functions look into: a quantity, an IP address, a semantic version. */
export abstract class OpaqueValue {
  abstract readonly typeName: string
  /** What Go calls the type; a few error texts show it. */
  abstract readonly goType: string
  abstract equals(other: CelValue): boolean | CelError
  /** What cost tracking takes for the value's size, when it has one. */
  size(): number | undefined {
    return undefined
  }
  /** What is left of the value when a path reads it through an optional: cel-go knows no way back for most of them. */
  throughOptional(): CelValue {
    return this
  }
}

export function unsupportedConversion(goType: string, text: string): CelError {
  return new CelError(`unsupported conversion to ref.Val: (${goType})${text}`)
}

export abstract class CelList {
  abstract readonly size: number
  /** The element at an index within bounds. */
  abstract at(index: number): CelValue
  abstract equals(other: CelValue): boolean | CelError
  abstract contains(value: CelValue): boolean | CelError
  abstract concat(other: CelValue): CelValue

  /** Indexing as `list[index]` does it, with its errors. */
  get(index: CelValue): CelValue {
    const position = listIndex(index)
    if (position instanceof CelError) return position
    if (position < 0 || position >= this.size) {
      return new CelError(`index '${position}' out of range in list size '${this.size}'`)
    }
    return this.at(position)
  }

  *[Symbol.iterator](): Generator<CelValue> {
    for (let index = 0; index < this.size; index++) yield this.at(index)
  }
}

export abstract class CelMap {
  abstract readonly size: number
  abstract keys(): Iterable<CelValue>
  /** The value of a key, or undefined. */
  abstract find(key: CelValue): CelValue | undefined
  abstract equals(other: CelValue): boolean | CelError
}

/** A list whose elements are CEL values already: a literal, the result of a macro or of a function. */
export class ArrayList extends CelList {
  readonly elements: CelValue[]

  constructor(elements: CelValue[]) {
    super()
    this.elements = elements
  }

  get size(): number {
    return this.elements.length
  }

  at(index: number): CelValue {
    return this.elements[index] as CelValue
  }

  equals(other: CelValue): boolean | CelError {
    return listEquals(this, other)
  }

  contains(value: CelValue): boolean {
    return this.elements.some(element => equalTo(value, element) === true)
  }

  concat(other: CelValue): CelValue {
    if (!(other instanceof CelList)) return noOverloadFor(other)
    if (this.size === 0) return other
    if (other.size === 0) return this
    return new ArrayList([...this.elements, ...other])
  }
}

/** Element by element; an element that cannot be compared does not make lists unequal. */
export function listEquals(list: CelList, other: CelValue): boolean {
  if (!(other instanceof CelList) || list.size !== other.size) return false
  for (let index = 0; index < list.size; index++) {
    if (celEquals(list.at(index), other.at(index)) === false) return false
  }
  return true
}

type KeyToken = string | bigint | number | boolean | object | null

/** Two keys share an entry when they have the same type and value; `1`, `1u` and `1.0` are three keys. */
function keyToken(key: CelValue): KeyToken {
  if (typeof key === 'string') return key.startsWith('\0') ? `\0s${key}` : key
  if (key instanceof Uint) return `\0u${key.value}`
  return key
}

/** A map whose entries are CEL values already. */
export class EntryMap extends CelMap {
  readonly #entries = new Map<KeyToken, readonly [CelValue, CelValue]>()

  static of(entries: Iterable<readonly [CelValue, CelValue]>): EntryMap {
    const map = new EntryMap()
    for (const [key, value] of entries) map.set(key, value)
    return map
  }

  get size(): number {
    return this.#entries.size
  }

  set(key: CelValue, value: CelValue): void {
    this.#entries.set(keyToken(key), [key, value])
  }

  delete(key: CelValue): void {
    this.#entries.delete(keyToken(key))
  }

  *keys(): Generator<CelValue> {
    for (const [key] of this.#entries.values()) yield key
  }

  /** Numbers find an equal number of another type: `{1: 'a'}[1u]` is 'a'. */
  find(key: CelValue): CelValue | undefined {
    if (this.#entries.size === 0) return undefined
    const exact = this.#entries.get(keyToken(key))
    if (exact !== undefined) return exact[1]
    if (typeof key === 'number') {
      if (!Number.isInteger(key)) return undefined
      const integer = BigInt(key)
      return this.#number(integer) ?? this.#number(new Uint(integer))
    }
    if (typeof key === 'bigint') return key >= 0n ? this.#number(new Uint(key)) : undefined
    if (key instanceof Uint) return this.#number(key.value)
    return undefined
  }

  #number(key: bigint | Uint): CelValue | undefined {
    return this.#entries.get(keyToken(key))?.[1]
  }

  equals(other: CelValue): boolean {
    return mapEquals(this, other)
  }
}

export function mapEquals(map: CelMap, other: CelValue): boolean {
  if (!(other instanceof CelMap) || map.size !== other.size) return false
  for (const key of map.keys()) {
    const value = map.find(key)
    const otherValue = other.find(key)
    if (otherValue === undefined) return false
    if (value === undefined || celEquals(value, otherValue) === false) return false
  }
  return true
}

/** The list position that an index value means, or why it means none. */
export function listIndex(index: CelValue): number | CelError {
  if (typeof index === 'bigint') return Number(index)
  if (typeof index === 'number') {
    return Number.isInteger(index) ? index : new CelError(`unsupported index value ${printValue(index)} in list`)
  }
  if (index instanceof Uint) return Number(index.value)
  if (index instanceof CelError) return index
  return new CelError(`unsupported index type '${typeName(index)}' in list`)
}

/** Equality as `==` evaluates it: null equals only null, numbers compare by value across types. */
export function celEquals(left: CelValue, right: CelValue): boolean | CelError {
  if (left === null || right === null) return left === right
  return equalTo(left, right)
}

/** Equality as the left value's own type sees it. */
export function equalTo(left: CelValue, right: CelValue): boolean | CelError {
  switch (typeof left) {
    case 'string':
    case 'boolean':
      return left === right
    case 'bigint':
      if (typeof right === 'bigint') return left === right
      if (typeof right === 'number' || right instanceof Uint) return compareNumbers(left, right) === 0
      return false
    case 'number':
      if (typeof right === 'number') return left === right
      if (typeof right === 'bigint' || right instanceof Uint) return compareNumbers(left, right) === 0
      return false
    default:
      return objectEquals(left, right)
  }
}

function objectEquals(left: CelValue, right: CelValue): boolean | CelError {
  if (left === null) return right === null
  if (left instanceof CelList || left instanceof CelMap || left instanceof OpaqueValue) return left.equals(right)
  if (left instanceof Uint) {
    if (right instanceof Uint) return left.value === right.value
    if (typeof right === 'bigint' || typeof right === 'number') return compareNumbers(left, right) === 0
    return false
  }
  if (left instanceof CelError) return left
  if (left instanceof Timestamp) return right instanceof Timestamp && left.nanos === right.nanos
  if (left instanceof Duration) return right instanceof Duration && left.nanos === right.nanos
  if (left instanceof TypeValue) return right instanceof TypeValue && left.name === right.name
  if (left instanceof Uint8Array) return right instanceof Uint8Array && compareBytes(left, right) === 0
  if (left instanceof Optional) return right instanceof Optional && optionalEquals(left, right)
  return false
}

function optionalEquals(left: Optional, right: Optional): boolean | CelError {
  if (left.value === undefined || right.value === undefined) return left.value === right.value
  return equalTo(left.value, right.value)
}

const minInt = -(2n ** 63n)
const maxInt = 2n ** 63n - 1n
const maxUint = 2n ** 64n - 1n

/** -1, 0 or 1 for numbers of any mix of types; NaN gives NaN. A double is compared as a double, as precise as it is. */
export function compareNumbers(left: bigint | number | Uint, right: bigint | number | Uint): number {
  if (typeof left === 'number') return compareDouble(left, right)
  if (typeof right === 'number') return -compareDouble(right, left)
  const a = left instanceof Uint ? left.value : left
  const b = right instanceof Uint ? right.value : right
  return a < b ? -1 : a > b ? 1 : 0
}

function compareDouble(left: number, right: bigint | number | Uint): number {
  if (Number.isNaN(left)) return Number.NaN
  if (typeof right === 'number') return Number.isNaN(right) ? Number.NaN : Math.sign(left - right) || order(left, right)
  const [low, high, value] = right instanceof Uint ? [0n, maxUint, right.value] : [minInt, maxInt, right]
  if (left < Number(low)) return -1
  if (left > Number(high)) return 1
  return order(left, Number(value))
}

function order(left: number, right: number): number {
  return left < right ? -1 : left > right ? 1 : 0
}

/** The size that `size()` and cost tracking see, or undefined for values without one. */
export function sizeOf(value: CelValue): number | undefined {
  if (typeof value === 'string') return stringLength(value)
  if (value instanceof CelList || value instanceof CelMap) return value.size
  if (value instanceof Uint8Array) return value.length
  if (value instanceof OpaqueValue) return value.size()
  return undefined
}

export function typeName(value: CelValue): string {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'bigint':
      return 'int'
    case 'number':
      return 'double'
    case 'boolean':
      return 'bool'
    default:
  }
  if (value === null) return 'null_type'
  if (value instanceof Uint) return 'uint'
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof CelList) return 'list'
  if (value instanceof CelMap) return 'map'
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp'
  if (value instanceof Duration) return 'google.protobuf.Duration'
  if (value instanceof TypeValue) return 'type'
  if (value instanceof Optional) return 'optional_type'
  if (value instanceof OpaqueValue) return value.typeName
  return 'error'
}

/** The value as it appears inside error messages. */
export function printValue(value: CelValue): string {
  if (typeof value === 'number') return formatDouble(value)
  if (value instanceof Uint) return value.value.toString()
  if (value instanceof CelList) return `[${[...value].map(printValue).join(', ')}]`
  if (value instanceof CelMap) {
    const entries = [...value.keys()].map(key => `${printValue(key)}: ${printValue(value.find(key) ?? null)}`)
    return `{${entries.join(', ')}}`
  }
  if (value instanceof Uint8Array) return `[${[...value].join(' ')}]`
  if (value instanceof TypeValue) return value.name
  if (value instanceof Optional) {
    return value.value === undefined ? 'optional.none()' : `optional(${printValue(value.value)})`
  }
  if (value instanceof CelError) return value.message
  if (value instanceof OpaqueValue || value instanceof Timestamp || value instanceof Duration) return typeName(value)
  return String(value)
}
