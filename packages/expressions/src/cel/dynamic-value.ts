import { ArrayList, CelList, CelMap, type CelValue, equalTo, listEquals, mapEquals, noOverloadFor } from './value.ts'

export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** A value without a schema: whole numbers are int, other numbers double. CEL values pass through. */
export function dynamicValue(value: unknown): CelValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return value
    case 'number':
      return Number.isSafeInteger(value) ? BigInt(value) : value
    case 'undefined':
      return null
    default:
  }
  if (Array.isArray(value)) return new DynamicList(value)
  if (isJsonObject(value)) return new DynamicMap(value)
  return value as CelValue
}

export class DynamicList extends CelList {
  readonly raw: readonly unknown[]

  constructor(raw: readonly unknown[]) {
    super()
    this.raw = raw
  }

  get size(): number {
    return this.raw.length
  }

  at(index: number): CelValue {
    return dynamicValue(this.raw[index])
  }

  equals(other: CelValue): boolean {
    return listEquals(this, other)
  }

  contains(value: CelValue): boolean {
    return [...this].some(element => equalTo(value, element) === true)
  }

  concat(other: CelValue): CelValue {
    if (!(other instanceof CelList)) return noOverloadFor(other)
    if (this.size === 0) return other
    return other.size === 0 ? this : new ArrayList([...this, ...other])
  }
}

export class DynamicMap extends CelMap {
  readonly raw: JsonObject

  constructor(raw: JsonObject) {
    super()
    this.raw = raw
  }

  get size(): number {
    return Object.keys(this.raw).length
  }

  keys(): Iterable<CelValue> {
    return Object.keys(this.raw)
  }

  find(key: CelValue): CelValue | undefined {
    return typeof key === 'string' && Object.hasOwn(this.raw, key) ? dynamicValue(this.raw[key]) : undefined
  }

  equals(other: CelValue): boolean {
    return mapEquals(this, other)
  }
}
