import { compareStrings } from '../cel/text-order.ts'
import { fromBytes, toBytes } from '../go-template/byte-text.ts'
import { GoTime } from '../go-time/go-time.ts'
import type { ExprDialect } from './dialect.ts'
import { goText } from './go-print.ts'
import { methodOf } from './methods.ts'
import { Fault } from './source.ts'
import {
  Byte,
  Duration,
  type ExprValue,
  isList,
  isMap,
  isNil,
  isObject,
  isTypedNil,
  Location,
  NamedInt,
  nilList,
  own,
  tagged,
  typeName,
  typeOf,
} from './value.ts'

/** An int, or undefined when it is no integer that upstream calculates with. */
export function integerOf(value: ExprValue): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (value instanceof Byte) return BigInt(value.value)
  return value instanceof NamedInt && !value.type.name.startsWith('time.') ? value.value : undefined
}

const numberOf = (value: ExprValue) => (typeof value === 'number' ? value : Number(integerOf(value)))

const isNumber = (value: ExprValue) => typeof value === 'number' || integerOf(value) !== undefined

const wrap = (value: bigint) => BigInt.asIntN(64, value)

/** int(x) of a float: out of range it is the smallest int, as on amd64. */
export function truncate(value: number): bigint {
  if (Number.isNaN(value) || value >= 2 ** 63 || value < -(2 ** 63)) return -(2n ** 63n)
  return BigInt(Math.trunc(value))
}

export function toInt(value: ExprValue): bigint {
  if (typeof value === 'number') return truncate(value)
  const integer = integerOf(value)
  if (integer === undefined) throw new Fault(`invalid operation: int(${typeName(value)})`)
  return integer
}

export function toFloat(value: ExprValue): number {
  if (!isNumber(value)) throw new Fault(`invalid operation: float(${typeName(value)})`)
  return numberOf(value)
}

/** The newer version compares the items of two lists as it compares values; the older one wants the same types. */
export function isEqual(left: ExprValue, right: ExprValue, dialect: ExprDialect): boolean {
  if (isNumber(left) && isNumber(right)) {
    const [a, b] = [integerOf(left), integerOf(right)]
    return a !== undefined && b !== undefined ? a === b : numberOf(left) === numberOf(right)
  }
  if (left instanceof GoTime && right instanceof GoTime) return left.isSameInstant(right)
  if (isNil(left) && isNil(right)) return true
  if (isNil(left) || isNil(right)) return false
  return isDeepEqual(left, right, dialect === '1.17' && isList(left) && isList(right))
}

/** `isLoose`: the items of lists are compared like numbers; otherwise all must have one type. */
function isDeepEqual(left: ExprValue, right: ExprValue, isLoose: boolean): boolean {
  if (left === right) return typeof left !== 'function'
  if (isNil(left) || isNil(right)) return isNil(left) && isNil(right)
  if (left instanceof Duration) return right instanceof Duration && left.nanos === right.nanos
  if (left instanceof NamedInt)
    return right instanceof NamedInt && left.type.name === right.type.name && left.value === right.value
  if (left instanceof Byte) return right instanceof Byte && left.value === right.value
  if (left instanceof Uint8Array) return right instanceof Uint8Array && Buffer.compare(left, right) === 0
  if (left instanceof GoTime) return right instanceof GoTime && left.isSameInstant(right) && left.zone === right.zone
  if (isList(left)) return isList(right) && areItemsEqual(left, right, isLoose)
  if (typeName(left) !== typeName(right)) return false
  if (isMap(left) && isMap(right))
    return (
      left.size === right.size &&
      [...left].every(([key, item]) => right.has(key) && isDeepEqual(item, right.get(key), false))
    )
  if (!isObject(left) || !isObject(right)) return false
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every(key => Object.hasOwn(right, key) && isDeepEqual(own(left, key), own(right, key), false))
}

function areItemsEqual(left: readonly ExprValue[], right: readonly ExprValue[], isLoose: boolean): boolean {
  if (left.length !== right.length) return false
  const [one, other] = [typeName(left), typeName(right)]
  const isSame = one === other && one !== '[]interface {}'
  if (!isLoose && one !== other) return false
  if (isLoose && !isSame && one !== '[]interface {}' && other !== '[]interface {}') return false
  return left.every((item, index) =>
    isLoose ? isEqual(item, right[index], '1.17') : isDeepEqual(item, right[index], false),
  )
}

/** Less than zero when `left` comes first. Throws Fault for values without an order. */
function compare(operator: string, left: ExprValue, right: ExprValue): number {
  if (isNumber(left) && isNumber(right)) {
    const [a, b] = [integerOf(left), integerOf(right)]
    if (a !== undefined && b !== undefined) return a < b ? -1 : a > b ? 1 : 0
    const [x, y] = [numberOf(left), numberOf(right)]
    return x < y ? -1 : x > y ? 1 : x === y ? 0 : Number.NaN
  }
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right)
  if (left instanceof GoTime && right instanceof GoTime)
    return left.unix - right.unix || left.nanosecond - right.nanosecond
  if (left instanceof Duration && right instanceof Duration)
    return left.nanos < right.nanos ? -1 : left.nanos > right.nanos ? 1 : 0
  throw mismatch(operator, left, right)
}

const mismatch = (operator: string, left: ExprValue, right: ExprValue) =>
  new Fault(`invalid operation: ${typeName(left)} ${operator} ${typeName(right)}`)

export const isLess = (left: ExprValue, right: ExprValue) => compare('<', left, right) < 0
export const isMore = (left: ExprValue, right: ExprValue) => compare('>', left, right) > 0
export const isLessOrEqual = (left: ExprValue, right: ExprValue) => compare('<=', left, right) <= 0
export const isMoreOrEqual = (left: ExprValue, right: ExprValue) => compare('>=', left, right) >= 0

function calculate(
  operator: string,
  left: ExprValue,
  right: ExprValue,
  integers: (a: bigint, b: bigint) => bigint,
  floats: (a: number, b: number) => number,
): ExprValue {
  if (!isNumber(left) || !isNumber(right)) throw mismatch(operator, left, right)
  const [a, b] = [integerOf(left), integerOf(right)]
  if (a !== undefined && b !== undefined) return wrap(integers(a, b))
  return floats(numberOf(left), numberOf(right))
}

export function add(left: ExprValue, right: ExprValue): ExprValue {
  if (typeof left === 'string' && typeof right === 'string') return left + right
  if (left instanceof GoTime && right instanceof Duration) return left.add(right.nanos)
  if (left instanceof Duration && right instanceof GoTime) return right.add(left.nanos)
  if (left instanceof Duration && right instanceof Duration) return new Duration(left.nanos + right.nanos)
  return calculate(
    '+',
    left,
    right,
    (a, b) => a + b,
    (a, b) => a + b,
  )
}

export function subtract(left: ExprValue, right: ExprValue): ExprValue {
  if (left instanceof GoTime && right instanceof GoTime) return new Duration(left.since(right))
  if (left instanceof GoTime && right instanceof Duration) return left.add(-right.nanos)
  if (left instanceof Duration && right instanceof Duration) return new Duration(left.nanos - right.nanos)
  return calculate(
    '-',
    left,
    right,
    (a, b) => a - b,
    (a, b) => a - b,
  )
}

export function multiply(left: ExprValue, right: ExprValue): ExprValue {
  if (left instanceof Duration || right instanceof Duration) return multiplyDuration(left, right)
  return calculate(
    '*',
    left,
    right,
    (a, b) => a * b,
    (a, b) => a * b,
  )
}

function multiplyDuration(left: ExprValue, right: ExprValue): ExprValue {
  const [a, b] = [left, right].map(value => (value instanceof Duration ? value.nanos : integerOf(value)))
  if (a !== undefined && b !== undefined) return new Duration(a * b)
  const nanos = (left instanceof Duration ? left : (right as Duration)).nanos
  const factor = left instanceof Duration ? right : left
  if (typeof factor !== 'number') throw mismatch('*', left, right)
  return Number(nanos) * factor
}

export function divide(left: ExprValue, right: ExprValue): number {
  if (!isNumber(left) || !isNumber(right)) throw mismatch('/', left, right)
  return numberOf(left) / numberOf(right)
}

export function modulo(left: ExprValue, right: ExprValue): bigint {
  const [a, b] = [integerOf(left), integerOf(right)]
  if (a === undefined || b === undefined) throw mismatch('%', left, right)
  if (b === 0n) throw new Fault('runtime error: integer divide by zero')
  return wrap(a % b)
}

export function negate(value: ExprValue): ExprValue {
  if (typeof value === 'number') return -value
  if (typeof value === 'bigint') return wrap(-value)
  if (value instanceof Byte) return new Byte(-value.value & 255)
  throw new Fault(`invalid operation: - ${typeName(value)}`)
}

/** The bytes of a string: what Go counts and cuts. */
export const byteLength = (text: string) => (isAscii(text) ? text.length : toBytes(text).length)

export const isAscii = (text: string) => {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) >= 0x80) return false
  return true
}

/** The length of what has one, in bytes for a string. */
export function lengthOf(value: ExprValue): number | undefined {
  if (typeof value === 'string') return byteLength(value)
  if (isList(value) || value instanceof Uint8Array) return value.length
  if (isMap(value)) return value.size
  return isObject(value) ? Object.keys(value).length : undefined
}

/** A map's value for a key. A key of another type than the map's is a fault. */
export function lookUp(map: ExprValue, key: ExprValue): { found: boolean; value: ExprValue } {
  const type = typeOf(map)
  const keyType = type?.key
  if (key === null || key === undefined) {
    const zero = keyType?.kind === 'string' ? '' : keyType?.kind === 'int' ? 0n : null
    return lookUpKnown(map, zero)
  }
  if (keyType !== undefined && keyType.kind !== 'interface' && typeName(key) !== keyType.name) {
    const what = `value of type ${typeName(key)} is not assignable to type ${keyType.name}`
    throw new Fault(`reflect.Value.MapIndex: ${what}`)
  }
  if (keyType?.kind === 'interface') checkKey(key, isMap(map) && map.size === 0)
  return lookUpKnown(map, key)
}

/** A key of a Go map, which no list and no map can be. An empty map words it differently. */
export function checkKey(key: ExprValue, isEmpty: boolean): void {
  const kind = typeOf(key)?.kind
  if (kind !== 'slice' && kind !== 'map' && kind !== 'func') return
  throw new Fault(
    isEmpty ? `hash of unhashable type: ${typeName(key)}` : `runtime error: hash of unhashable type ${typeName(key)}`,
  )
}

function lookUpKnown(map: ExprValue, key: ExprValue): { found: boolean; value: ExprValue } {
  if (isMap(map)) return { found: map.has(key), value: map.get(key) }
  const object = map as Readonly<Record<string, ExprValue>>
  return { found: Object.hasOwn(object, key as string), value: own(object, key as string) }
}

/** What stands at a key or index. */
export function fetch(from: ExprValue, key: ExprValue, dialect: ExprDialect): ExprValue {
  const refuse = () => new Fault(`cannot fetch ${goText(key)} from ${typeName(from)}`)
  if (from === null || from === undefined) throw refuse()
  if (typeof key === 'string') {
    const method = methodOf(from, key)
    if (method !== undefined) return method
  }
  if (typeof from === 'string' || isList(from) || from instanceof Uint8Array) return item(from, toInt(key), dialect)
  if (isMap(from) || isObject(from)) {
    const { found, value } = lookUp(from, key)
    if (found) return value ?? null
    return typeOf(from)?.elem?.kind === 'slice' ? nilList() : null
  }
  if (from instanceof GoTime || from instanceof Location)
    if (typeof key !== 'string') throw new Fault(conversion(key, 'string'))
  throw refuse()
}

function item(from: string | readonly ExprValue[] | Uint8Array, at: bigint, dialect: ExprDialect): ExprValue {
  const length = lengthOf(from) as number
  const index = at < 0n ? at + BigInt(length) : at
  if (index < 0n || index >= BigInt(length)) {
    if (dialect === '1.17') throw new Fault(`index out of range: ${index} (array length is ${length})`)
    const what = typeof from === 'string' ? 'string' : typeOf(from)?.kind === 'array' ? 'array' : 'slice'
    throw new Fault(`reflect: ${what} index out of range`)
  }
  return itemAt(from, Number(index))
}

/** An item that is there: of a string it is a byte. */
export function itemAt(from: string | readonly ExprValue[] | Uint8Array, index: number): ExprValue {
  if (typeof from === 'string')
    return new Byte(isAscii(from) ? from.charCodeAt(index) : (toBytes(from)[index] as number))
  if (from instanceof Uint8Array) return new Byte(from[index] as number)
  return from[index] ?? null
}

/** The text of a failed type assertion. */
export const conversion = (value: ExprValue, wanted: string) =>
  `interface conversion: interface {} is ${value === null || value === undefined ? 'nil' : typeName(value)}, not ${wanted}`

export function sliceValue(value: ExprValue, from: ExprValue, to: ExprValue): ExprValue {
  if (typeof value !== 'string' && !isList(value) && !(value instanceof Uint8Array))
    throw new Fault(`cannot slice ${goText(from)}`)
  const length = BigInt(lengthOf(value) as number)
  let [a, b] = [toInt(from), toInt(to)]
  if (a < 0n) a += length
  if (a < 0n) a = 0n
  if (b < 0n) b += length
  if (b < 0n) b = 0n
  if (b > length) b = length
  if (a > b) a = b
  return cut(value, Number(a), Number(b))
}

export function cut(value: string | readonly ExprValue[] | Uint8Array, from: number, to: number): ExprValue {
  if (typeof value === 'string')
    return isAscii(value) ? value.slice(from, to) : fromBytes(toBytes(value).subarray(from, to))
  if (value instanceof Uint8Array) return value.slice(from, to)
  if (isTypedNil(value)) return value
  const part = value.slice(from, to)
  const type = typeOf(value)
  return type === undefined || type.name === '[]interface {}' ? part : tagged(part, type)
}

export function isIn(needle: ExprValue, container: ExprValue, dialect: ExprDialect): boolean {
  if (container === null || container === undefined) return false
  if (isList(container)) return container.some(one => isEqual(one, needle, dialect))
  if (container instanceof Uint8Array) return [...container].some(byte => isEqual(new Byte(byte), needle, dialect))
  if (isMap(container) || isObject(container)) return lookUp(container, needle).found
  if (container instanceof Location) return false
  if (container instanceof GoTime) {
    if (typeof needle === 'string') return false
    throw new Fault(`cannot use ${typeName(needle)} as field name of ${typeName(container)}`)
  }
  throw new Fault(`operator "in" not defined on ${typeName(container)}`)
}
