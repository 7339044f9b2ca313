import { compilePattern } from '../../re2/pattern.ts'
import { compareBytes, compareStrings } from '../text-order.ts'
import { isInTimestampRange } from '../time.ts'
import {
  CelError,
  CelList,
  CelMap,
  type CelValue,
  compareNumbers,
  Duration,
  noOverloadFor,
  noSuchOverload,
  sizeOf,
  Timestamp,
  TypeValue,
  typeName,
  Uint,
} from '../value.ts'
import type { OperatorFunction } from './implementation.ts'

const minInt = -(2n ** 63n)
const maxInt = 2n ** 63n - 1n
const maxUint = 2n ** 64n - 1n

const intOverflow = new CelError('integer overflow')
const uintOverflow = new CelError('unsigned integer overflow')
const timestampOverflow = new CelError('timestamp overflow')
const divisionByZero = new CelError('division by zero')
const modulusByZero = new CelError('modulus by zero')

export function checkedInt(value: bigint): bigint | CelError {
  return value < minInt || value > maxInt ? intOverflow : value
}

export function checkedUint(value: bigint): Uint | CelError {
  return value < 0n || value > maxUint ? uintOverflow : new Uint(value)
}

function checkedDuration(nanos: bigint): Duration | CelError {
  return nanos < minInt || nanos > maxInt ? intOverflow : new Duration(nanos)
}

function checkedTimestamp(nanos: bigint, offsetSeconds: number): Timestamp | CelError {
  return isInTimestampRange(nanos) ? new Timestamp(nanos, offsetSeconds) : timestampOverflow
}

export function add(left: CelValue, right: CelValue): CelValue {
  if (typeof left === 'bigint') return typeof right === 'bigint' ? checkedInt(left + right) : noOverloadFor(right)
  if (typeof left === 'string') return typeof right === 'string' ? left + right : noOverloadFor(right)
  if (typeof left === 'number') return typeof right === 'number' ? left + right : noOverloadFor(right)
  if (left instanceof CelList) return left.concat(right)
  if (left instanceof Uint) return right instanceof Uint ? checkedUint(left.value + right.value) : noOverloadFor(right)
  if (left instanceof Duration) {
    if (right instanceof Duration) return checkedDuration(left.nanos + right.nanos)
    if (right instanceof Timestamp) return checkedTimestamp(right.nanos + left.nanos, right.offsetSeconds)
    return noOverloadFor(right)
  }
  if (left instanceof Timestamp) {
    return right instanceof Duration
      ? checkedTimestamp(left.nanos + right.nanos, left.offsetSeconds)
      : noOverloadFor(right)
  }
  if (left instanceof Uint8Array) {
    return right instanceof Uint8Array ? new Uint8Array(Buffer.concat([left, right])) : noOverloadFor(right)
  }
  return noSuchOverload
}

function subtract(left: CelValue, right: CelValue): CelValue {
  if (typeof left === 'bigint') return typeof right === 'bigint' ? checkedInt(left - right) : noOverloadFor(right)
  if (typeof left === 'number') return typeof right === 'number' ? left - right : noOverloadFor(right)
  if (left instanceof Uint) return right instanceof Uint ? checkedUint(left.value - right.value) : noOverloadFor(right)
  if (left instanceof Duration) {
    return right instanceof Duration ? checkedDuration(left.nanos - right.nanos) : noOverloadFor(right)
  }
  if (left instanceof Timestamp) {
    if (right instanceof Timestamp) return checkedDuration(left.nanos - right.nanos)
    if (right instanceof Duration) return checkedTimestamp(left.nanos - right.nanos, left.offsetSeconds)
  }
  return noOverloadFor(right)
}

function multiply(left: CelValue, right: CelValue): CelValue {
  if (typeof left === 'bigint' && typeof right === 'bigint') return checkedInt(left * right)
  if (typeof left === 'number' && typeof right === 'number') return left * right
  if (left instanceof Uint && right instanceof Uint) return checkedUint(left.value * right.value)
  return noOverloadFor(right)
}

function divide(left: CelValue, right: CelValue): CelValue {
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    return right === 0n ? divisionByZero : checkedInt(left / right)
  }
  if (typeof left === 'number' && typeof right === 'number') return left / right
  if (left instanceof Uint && right instanceof Uint) {
    return right.value === 0n ? divisionByZero : new Uint(left.value / right.value)
  }
  return noOverloadFor(right)
}

function modulo(left: CelValue, right: CelValue): CelValue {
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    if (right === 0n) return modulusByZero
    return left === minInt && right === -1n ? intOverflow : left % right
  }
  if (left instanceof Uint && right instanceof Uint) {
    return right.value === 0n ? modulusByZero : new Uint(left.value % right.value)
  }
  return noOverloadFor(right)
}

function negate(value: CelValue): CelValue {
  if (typeof value === 'bigint') return checkedInt(-value)
  if (typeof value === 'number') return -value
  if (value instanceof Duration) return checkedDuration(-value.nanos)
  return noOverloadFor(value)
}

const notOrdered = new CelError('NaN values cannot be ordered')

/** -1, 0 or 1, or the error that the two values cannot be ordered. */
export function compare(left: CelValue, right: CelValue): number | CelError {
  if (typeof left === 'string') return typeof right === 'string' ? compareStrings(left, right) : noOverloadFor(right)
  if (typeof left === 'bigint' || typeof left === 'number' || left instanceof Uint) {
    if (typeof right !== 'bigint' && typeof right !== 'number' && !(right instanceof Uint)) return noOverloadFor(right)
    const order = compareNumbers(left, right)
    return Number.isNaN(order) ? notOrdered : order
  }
  if (typeof left === 'boolean') {
    return typeof right === 'boolean' ? Number(left) - Number(right) : noOverloadFor(right)
  }
  if (left instanceof Timestamp && right instanceof Timestamp) return compareNumbers(left.nanos, right.nanos)
  if (left instanceof Duration && right instanceof Duration) return compareNumbers(left.nanos, right.nanos)
  if (left instanceof Uint8Array && right instanceof Uint8Array) return compareBytes(left, right)
  return noOverloadFor(right)
}

export function isComparable(value: CelValue): boolean {
  switch (typeof value) {
    case 'string':
    case 'bigint':
    case 'number':
    case 'boolean':
      return true
    default:
      return (
        value instanceof Uint || value instanceof Timestamp || value instanceof Duration || value instanceof Uint8Array
      )
  }
}

function relation(holds: (order: number) => boolean): OperatorFunction {
  return {
    accepts: isComparable,
    implementation(left, right) {
      if (typeof left === 'bigint' && typeof right === 'bigint') return holds(left < right ? -1 : left > right ? 1 : 0)
      const order = compare(left, right)
      return typeof order === 'number' ? holds(order) : order
    },
  }
}

function contains(value: CelValue, aggregate: CelValue): CelValue {
  if (aggregate instanceof CelList) return aggregate.contains(value)
  if (!(aggregate instanceof CelMap)) return noOverloadFor(aggregate)
  const found = aggregate.find(value)
  return found instanceof CelError ? found : found !== undefined
}

/** Whether a string matches an RE2 pattern anywhere. */
function matches(text: CelValue, pattern: CelValue): CelValue {
  if (typeof pattern !== 'string') return noOverloadFor(pattern)
  try {
    return compilePattern(pattern).test(text as string)
  } catch (error) {
    return new CelError((error as Error).message)
  }
}

const isNumber = (value: CelValue): boolean =>
  typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint
const isTime = (value: CelValue): boolean => value instanceof Timestamp || value instanceof Duration
const isInteger = (value: CelValue): boolean => typeof value === 'bigint' || value instanceof Uint
const anything = (): boolean => true

export function canAdd(value: CelValue): boolean {
  if (typeof value === 'string' || isNumber(value) || isTime(value)) return true
  return value instanceof CelList || value instanceof Uint8Array
}

function binary(
  implementation: (left: CelValue, right: CelValue) => CelValue,
  accepts: (operand: CelValue) => boolean,
): OperatorFunction {
  return { implementation, accepts }
}

function unary(
  implementation: (value: CelValue) => CelValue,
  accepts: (operand: CelValue) => boolean,
): OperatorFunction {
  return { implementation, accepts }
}

export const operatorFunctions: ReadonlyMap<string, OperatorFunction> = new Map([
  ['_+_', binary(add, canAdd)],
  ['_-_', binary(subtract, value => isNumber(value) || isTime(value))],
  ['_*_', binary(multiply, isNumber)],
  ['_/_', binary(divide, isNumber)],
  ['_%_', binary(modulo, isInteger)],
  [
    '-_',
    unary(
      negate,
      value =>
        typeof value === 'bigint' ||
        typeof value === 'number' ||
        typeof value === 'boolean' ||
        value instanceof Duration,
    ),
  ],
  ['_<_', relation(order => order < 0)],
  ['_<=_', relation(order => order <= 0)],
  ['_>_', relation(order => order > 0)],
  ['_>=_', relation(order => order >= 0)],
  ['!_', unary(value => (typeof value === 'boolean' ? !value : noOverloadFor(value)), anything)],
  ['@in', binary(contains, anything)],
  [
    'size',
    unary(
      value => BigInt(sizeOf(value) ?? 0),
      value =>
        typeof value === 'string' || value instanceof CelList || value instanceof CelMap || value instanceof Uint8Array,
    ),
  ],
  ['matches', binary(matches, value => typeof value === 'string')],
  ['dyn', unary(value => value, anything)],
  ['type', unary(value => new TypeValue(typeName(value)), anything)],
])
