import { compareStrings } from '../cel/text-order.ts'
import { formatDuration } from '../duration.ts'
import type { GoFunction } from './function.ts'

/** A value of Go, as templates see it.
 *
 *  Native values stand for the types that are met most: a string is a `string`, a number a `float64`, a bigint an `int`, and
 *  null a nil `interface {}`. `undefined` is no value at all, which is what a missing key gives. */
export type GoValue =
  | undefined
  | null
  | boolean
  | string
  | number
  | bigint
  | GoInt
  | GoComplex
  | GoSlice
  | GoMap
  | GoObject

/** The name of a type, as `%T` prints it. */
export type GoType = string

export const anyType = 'interface {}'
export const anyList = '[]interface {}'
export const anyMap = 'map[string]interface {}'
const nothing = '<nil>'

/** An integer of another type than `int`. */
export class GoInt {
  readonly type: GoType
  readonly value: bigint

  constructor(type: GoType, value: bigint) {
    this.type = type
    this.value = value
  }
}

export const int64 = (value: bigint): GoInt => new GoInt('int64', BigInt.asIntN(64, value))
export const int = (value: number | bigint): bigint => BigInt.asIntN(64, BigInt(value))

export class GoComplex {
  readonly type = 'complex128'
  readonly real: number
  readonly imaginary: number

  constructor(real: number, imaginary: number) {
    this.real = real
    this.imaginary = imaginary
  }
}

/** A slice. One that was read from JSON turns its items into Go's values when it is first looked at. */
export class GoSlice {
  readonly type: GoType
  readonly isNil: boolean
  #source: readonly unknown[] | undefined
  #items: readonly GoValue[] = []

  constructor(type: GoType, items: readonly GoValue[], isNil = false) {
    this.type = type
    this.#items = items
    this.isNil = isNil
  }

  static fromJson(source: readonly unknown[]): GoSlice {
    const slice = new GoSlice(anyList, [])
    slice.#source = source
    return slice
  }

  get items(): readonly GoValue[] {
    if (this.#source !== undefined) {
      this.#items = this.#source.map(fromJson)
      this.#source = undefined
    }
    return this.#items
  }

  get elementType(): GoType {
    return this.type.slice(2)
  }
}

export const list = (items: readonly GoValue[]): GoSlice => new GoSlice(anyList, items)
export const stringList = (items: readonly string[]): GoSlice => new GoSlice('[]string', items)

/** A map with string keys. One that was read from JSON leaves its source as it is, whatever a template sets. */
export class GoMap {
  readonly type: GoType
  readonly isNil: boolean
  #source: Readonly<Record<string, unknown>> | undefined
  #entries = new Map<string, GoValue>()

  constructor(type: GoType = anyMap, entries: Iterable<readonly [string, GoValue]> = [], isNil = false) {
    this.type = type
    this.#entries = new Map(entries)
    this.isNil = isNil
  }

  static fromJson(source: Readonly<Record<string, unknown>>): GoMap {
    const map = new GoMap()
    map.#source = source
    return map
  }

  get entries(): Map<string, GoValue> {
    if (this.#source !== undefined) {
      for (const [key, value] of Object.entries(this.#source)) {
        if (value !== undefined) this.#entries.set(key, fromJson(value))
      }
      this.#source = undefined
    }
    return this.#entries
  }

  get elementType(): GoType {
    return this.type.slice('map[string]'.length)
  }

  /** In the order in which Go prints and ranges over maps. */
  sortedKeys(): string[] {
    return [...this.entries.keys()].sort(compareStrings)
  }
}

/** A struct or a pointer to one, of which templates reach the methods. */
export abstract class GoObject {
  abstract readonly type: GoType
  abstract readonly kind: 'struct' | 'ptr'
  /** What the String method gives. */
  abstract text(): string
  /** What `%#v` prints. */
  abstract source(): string
  /** What the MarshalJSON method gives. */
  abstract json(): string
  abstract method(name: string): GoFunction | undefined
  abstract equals(other: GoObject): boolean
}

const kinds: ReadonlyMap<GoType, string> = new Map([
  ['time.Duration', 'int64'],
  ['time.Month', 'int'],
  ['time.Weekday', 'int'],
])

/** The kind of the values of a type, as Go's reflect names it. */
export function kindOfType(type: GoType): string {
  if (type.startsWith('[]')) return 'slice'
  if (type.startsWith('map[')) return 'map'
  if (type === anyType) return 'interface'
  return kinds.get(type) ?? type
}

/** The dynamic type; `<nil>` for nil. */
export function typeOf(value: GoValue): GoType {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'number':
      return 'float64'
    case 'bigint':
      return 'int'
    case 'boolean':
      return 'bool'
    default:
      return value === null || value === undefined ? nothing : value.type
  }
}

export function kindOf(value: GoValue): string {
  if (value === null || value === undefined) return 'invalid'
  return value instanceof GoObject ? value.kind : kindOfType(typeOf(value))
}

export const isIntKind = (kind: string): boolean => /^u?int(8|16|32|64|ptr)?$/.test(kind)
export const isUnsignedKind = (kind: string): boolean => kind.startsWith('uint')

/** The number that an integer of any type holds; undefined for everything else. */
export function integerOf(value: GoValue): bigint | undefined {
  if (typeof value === 'bigint') return value
  return value instanceof GoInt ? value.value : undefined
}

/** Whether the value is nil: a nil interface, slice or map. */
export function isNil(value: GoValue): boolean {
  if (value === null || value === undefined) return true
  return (value instanceof GoSlice || value instanceof GoMap) && value.isNil
}

/** What a value of the type is before anything is assigned. */
export function zeroOf(type: GoType): GoValue {
  if (type.startsWith('[]')) return new GoSlice(type, [], true)
  if (type.startsWith('map[')) return new GoMap(type, [], true)
  if (type === 'string') return ''
  return null
}

const months = 'January February March April May June July August September October November December'.split(' ')
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** What the String or Error method gives; undefined for a type that has none. */
export function stringerText(value: GoValue): string | undefined {
  if (value instanceof GoObject) return value.text()
  if (!(value instanceof GoInt)) return undefined
  switch (value.type) {
    case 'time.Duration':
      return formatDuration(value.value)
    case 'time.Month':
      return months[Number(value.value) - 1] ?? `%!Month(${value.value})`
    case 'time.Weekday':
      return weekdays[Number(value.value)] ?? `%!Weekday(${value.value})`
    default:
      return undefined
  }
}

/** Go's value of what JSON or the caller holds: numbers are float64, bigints int. */
export function fromJson(value: unknown): GoValue {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'undefined':
      return value
    default:
      break
  }
  if (value === null) return null
  if (value instanceof GoInt || value instanceof GoSlice || value instanceof GoMap) return value
  if (value instanceof GoObject) return value
  if (Array.isArray(value)) return GoSlice.fromJson(value)
  return GoMap.fromJson(value as Readonly<Record<string, unknown>>)
}
