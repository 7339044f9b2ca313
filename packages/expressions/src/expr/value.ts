import { GoTime, type NamedZone } from '../go-time/go-time.ts'
import {
  anyMapType,
  arrayType,
  boolType,
  bytesType,
  durationType,
  floatType,
  funcType,
  type GoType,
  int64Type,
  intType,
  locationType,
  looseFunction,
  mapType,
  monthType,
  type Signature,
  stringType,
  timeType,
  uint8Type,
  weekdayType,
} from './go-type.ts'

/** What an expression works on. Plain JSON is as Go decodes it: a number is a float64. An int is a bigint. */
export type ExprValue =
  | null
  | undefined
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | readonly ExprValue[]
  | ReadonlyMap<ExprValue, ExprValue>
  | ExprObject
  | GoTime
  | Duration
  | NamedInt
  | Byte
  | Location
  | Opaque
  | ExprFunction

export interface ExprObject {
  readonly [key: string]: ExprValue
}

/** A function that an expression may call. Without a signature it takes anything. It throws to fail. */
export interface ExprFunction {
  (...values: never[]): ExprValue
  readonly signature?: Signature
}

/** time.Duration. */
export class Duration {
  readonly nanos: bigint

  constructor(nanos: bigint) {
    this.nanos = BigInt.asIntN(64, nanos)
  }
}

/** time.Month, time.Weekday or int64: an integer of another type than int. */
export class NamedInt {
  readonly type: GoType
  readonly value: bigint

  constructor(type: GoType, value: bigint) {
    this.type = type
    this.value = value
  }
}

/** *time.Location. */
export class Location {
  readonly zone: NamedZone

  constructor(zone: NamedZone) {
    this.zone = zone
  }
}

/** A struct of Go that expressions reach by its methods alone, such as a version of sprig's. */
export abstract class Opaque {
  abstract readonly type: GoType
  abstract text(): string
  abstract method(name: string): ExprFunction | undefined
}

/** uint8: what a string or bytes are made of. */
export class Byte {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

/** Types of lists and maps that are not `[]interface {}` or `map[string]interface {}`. */
const taggedTypes = new WeakMap<object, GoType>()
const nilValues = new WeakSet<object>()

export function tagged<T extends object>(value: T, type: GoType): T {
  taggedTypes.set(value, type)
  return value
}

/** A slice that is nil: it is empty, and `??` passes over it. */
export const nilList = (): readonly ExprValue[] => nilOf<readonly ExprValue[]>([])

/** The same for a map. */
export function nilOf<T extends object>(value: T): T {
  nilValues.add(value)
  return value
}

export const isTypedNil = (value: ExprValue) => typeof value === 'object' && value !== null && nilValues.has(value)

export const isList = (value: ExprValue): value is readonly ExprValue[] => Array.isArray(value)

export const isMap = (value: ExprValue): value is ReadonlyMap<ExprValue, ExprValue> => value instanceof Map

/** A map with string keys. */
export function isObject(value: ExprValue): value is ExprObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

export function isNil(value: ExprValue): boolean {
  return value === null || value === undefined || isTypedNil(value)
}

/** The Go type of a value; nil has none. */
export function typeOf(value: ExprValue): GoType | undefined {
  switch (typeof value) {
    case 'boolean':
      return boolType
    case 'bigint':
      return intType
    case 'number':
      return floatType
    case 'string':
      return stringType
    case 'function':
      return functionType(value)
    case 'undefined':
      return undefined
    default:
      return value === null ? undefined : typeOfObject(value)
  }
}

function typeOfObject(value: object): GoType {
  const known = taggedTypes.get(value)
  if (known !== undefined) return known
  if (Array.isArray(value)) return arrayType
  if (value instanceof Map) return anyMapType
  if (value instanceof Uint8Array) return bytesType
  if (value instanceof Duration) return durationType
  if (value instanceof NamedInt || value instanceof Opaque) return value.type
  if (value instanceof Byte) return uint8Type
  if (value instanceof Location) return locationType
  return value instanceof GoTime ? timeType : mapType
}

const functionTypes = new WeakMap<object, GoType>()

function functionType(value: ExprFunction): GoType {
  if (value.signature === undefined) return looseFunction
  const known = functionTypes.get(value)
  if (known !== undefined) return known
  const { parameters, results, isVariadic } = value.signature
  const type = funcType(parameters, results, isVariadic)
  functionTypes.set(value, type)
  return type
}

/** The name of a value's type, as Go's %T prints it. */
export const typeName = (value: ExprValue) => typeOf(value)?.name ?? '<nil>'

export const int64 = (value: bigint) => new NamedInt(int64Type, BigInt.asIntN(64, value))
export const month = (value: number) => new NamedInt(monthType, BigInt(value))
export const weekday = (value: number) => new NamedInt(weekdayType, BigInt(value))

/** A key's own value, whatever the key is called. */
export function own(object: ExprObject, key: string): ExprValue {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Sets a key, `__proto__` too. */
export function put(object: Record<string, ExprValue>, key: string, value: ExprValue): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  else object[key] = value
}
