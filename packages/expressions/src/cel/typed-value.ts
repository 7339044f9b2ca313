import { dynamicValue } from './dynamic-value.ts'
import { QuantityValue } from './functions/kubernetes.ts'
import { formatSeconds, formatTimestamp, parseGoDuration, parseTimestamp } from './time.ts'
import { type CelType, parameterOf } from './type.ts'
import {
  ArrayList,
  CelList,
  CelMap,
  type CelValue,
  Duration,
  EntryMap,
  Optional,
  printValue,
  Timestamp,
  Uint,
} from './value.ts'

/** A JavaScript value as a CEL value of a declared type. What the type says nothing about is taken as it is. */
export function typedValue(value: unknown, type: CelType): CelValue {
  switch (type.kind) {
    case 'int':
      return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : dynamicValue(value)
    case 'uint':
      return typeof value === 'number' || typeof value === 'bigint' ? new Uint(BigInt(value)) : dynamicValue(value)
    case 'double':
      return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : dynamicValue(value)
    case 'timestamp':
      return (typeof value === 'string' ? parseTimestamp(value) : asTimestamp(value)) ?? dynamicValue(value)
    case 'duration': {
      const nanos = typeof value === 'string' ? parseGoDuration(value) : undefined
      return nanos === undefined ? dynamicValue(value) : new Duration(nanos)
    }
    case 'list':
      if (!Array.isArray(value)) return dynamicValue(value)
      return new ArrayList(value.map(element => typedValue(element, parameterOf(type, 0))))
    case 'map':
      return mapValue(value, type)
    default:
      return dynamicValue(value)
  }
}

function asTimestamp(value: unknown): Timestamp | undefined {
  return value instanceof Date ? new Timestamp(BigInt(value.getTime()) * 1_000_000n) : undefined
}

function mapValue(value: unknown, type: CelType): CelValue {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) {
    return dynamicValue(value)
  }
  const elementType = parameterOf(type, 1)
  return EntryMap.of(Object.entries(value).map(([key, element]) => [key, typedValue(element, elementType)] as const))
}

/** A CEL value as plain data, as it would appear in JSON: bytes in base64, times as text, an empty optional as undefined.
 *  Integers are numbers where a number keeps all their digits, else bigint. */
export function plainValue(value: CelValue): unknown {
  if (typeof value === 'bigint') return plainInteger(value)
  if (value instanceof Uint) return plainInteger(value.value)
  if (value instanceof CelList) return Array.from(value, plainValue)
  if (value instanceof CelMap) {
    return Object.fromEntries(Array.from(value.keys(), key => [printValue(key), plainValue(value.find(key) ?? null)]))
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof Duration) return formatSeconds(value)
  if (value instanceof Optional) return value.value === undefined ? undefined : plainValue(value.value)
  if (value instanceof QuantityValue) return value.quantity.toString()
  return typeof value === 'object' && value !== null ? printValue(value) : value
}

function plainInteger(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}
