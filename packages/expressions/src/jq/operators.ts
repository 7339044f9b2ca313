import { preview } from './encoding.ts'
import { JqError, JqLimitError, typePreview } from './errors.ts'
import { charactersOf, checkItems, checkKeys, checkText } from './sizes.ts'
import {
  compare,
  copyObject,
  floatToInteger,
  isNumber,
  isObject,
  isTruthy,
  type JqObject,
  type JqValue,
  NumberText,
  plainNumber,
  toFloat,
} from './value.ts'

/** Counts what a program does; throws JqLimitError when it is too much. */
export interface Budget {
  spend(amount: number): void
}

/** What gojq itself refuses. */
const maxRepeatBytes = 2 ** 31 - 1

export type BinaryOperator = (left: JqValue, right: JqValue, budget: Budget) => JqValue

function mismatch(verb: string, left: JqValue, right: JqValue): JqError {
  return new JqError(`cannot ${verb}: ${typePreview(normal(left))} and ${typePreview(normal(right))}`)
}

function normal(value: JqValue): JqValue {
  return value instanceof NumberText ? plainNumber(value) : value
}

export function add(left: JqValue, right: JqValue, budget: Budget): JqValue {
  if (isNumber(left) && isNumber(right)) {
    const [a, b] = [plainNumber(left), plainNumber(right)]
    return typeof a === 'bigint' && typeof b === 'bigint' ? a + b : Number(a) + Number(b)
  }
  if (typeof left === 'string' && typeof right === 'string') {
    checkLength(left.length + right.length, budget)
    return left + right
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    if (left.length === 0) return right
    if (right.length === 0) return left
    budget.spend((left.length + right.length) / 4)
    checkItems(left.length + right.length)
    return left.concat(right)
  }
  if (isObject(left) && isObject(right)) {
    const rightKeys = Object.keys(right)
    const leftKeys = Object.keys(left)
    if (leftKeys.length === 0) return right
    if (rightKeys.length === 0) return left
    budget.spend(leftKeys.length + rightKeys.length)
    checkKeys(leftKeys.length + rightKeys.length)
    return Object.assign(copyObject(left), right)
  }
  if (left === null) return normal(right)
  if (right === null) return normal(left)
  throw mismatch('add', left, right)
}

export function checkLength(length: number, budget: Budget): void {
  checkText(length)
  budget.spend(length / 64)
}

export function subtract(left: JqValue, right: JqValue, budget: Budget): JqValue {
  if (isNumber(left) && isNumber(right)) {
    const [a, b] = [plainNumber(left), plainNumber(right)]
    return typeof a === 'bigint' && typeof b === 'bigint' ? a - b : Number(a) - Number(b)
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    budget.spend((left.length * right.length) / 4)
    return left.filter(item => !right.some(other => compare(item, other) === 0))
  }
  throw mismatch('subtract', left, right)
}

export function multiply(left: JqValue, right: JqValue, budget: Budget): JqValue {
  if (isNumber(left) && isNumber(right)) {
    const [a, b] = [plainNumber(left), plainNumber(right)]
    if (typeof a === 'number' || typeof b === 'number') return Number(a) * Number(b)
    return multiplyIntegers(a, b, budget)
  }
  if (isObject(left) && isObject(right)) return merge(left, right, budget)
  if (typeof left === 'string' && isNumber(right)) return repeat(left, right, budget)
  if (typeof right === 'string' && isNumber(left)) return repeat(right, left, budget)
  throw mismatch('multiply', left, right)
}

const maxIntegerBits = 1 << 18

function multiplyIntegers(left: bigint, right: bigint, budget: Budget): bigint {
  const small = 1n << 62n
  if (left < small && left > -small && right < small && right > -small) return left * right
  const digits = left.toString(16).length + right.toString(16).length
  if (digits * 4 > maxIntegerBits)
    throw new JqLimitError(`the program makes an integer of more than ${maxIntegerBits} bits`)
  budget.spend(digits)
  return left * right
}

function merge(left: JqObject, right: JqObject, budget: Budget): JqObject {
  const merged = copyObject(left)
  const keys = Object.keys(right)
  budget.spend(keys.length + Object.keys(left).length)
  for (const key of keys) {
    const value = right[key] as JqValue
    const existing = Object.hasOwn(merged, key) ? (merged[key] as JqValue) : null
    merged[key] = isObject(existing) && isObject(value) ? merge(existing, value, budget) : value
  }
  return merged
}

function repeat(text: string, times: JqValue, budget: Budget): JqValue {
  const count = toFloat(times)
  if (count === undefined) throw mismatch('multiply', text, times)
  if (count < 0 || Number.isNaN(count)) return null
  const whole = Math.floor(Math.min(count, 2 ** 31 - 1))
  if (Buffer.byteLength(text) * whole >= maxRepeatBytes)
    throw new JqError(`repeat string result too large: ${preview(text)} * ${preview(count)}`)
  checkLength(text.length * whole, budget)
  return text.repeat(whole)
}

export function divide(left: JqValue, right: JqValue): JqValue {
  if (isNumber(left) && isNumber(right)) {
    const [a, b] = [plainNumber(left), plainNumber(right)]
    if (Number(b) === 0) throw zeroDivision('divide', a, b)
    if (typeof a === 'bigint' && typeof b === 'bigint' && a % b === 0n) return a / b
    return Number(a) / Number(b)
  }
  if (typeof left === 'string' && typeof right === 'string') return left === '' ? [] : splitText(left, right)
  throw mismatch('divide', left, right)
}

function zeroDivision(verb: string, left: number | bigint, right: number | bigint): JqError {
  // Both are shown as the kind of number that they were divided as.
  const isFloat = typeof left === 'number' || typeof right === 'number'
  const [a, b] = isFloat ? [Number(left), Number(right)] : [left, right]
  return new JqError(`cannot ${verb} ${typePreview(a)} by: ${typePreview(b)}`)
}

/** By code points where the separator is empty. */
export function splitText(text: string, separator: string): string[] {
  checkItems(text.length)
  return separator === '' ? charactersOf(text) : text.split(separator)
}

export function modulo(left: JqValue, right: JqValue): JqValue {
  if (!isNumber(left) || !isNumber(right)) throw mismatch('modulo', left, right)
  const [a, b] = [plainNumber(left), plainNumber(right)]
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    if (b === 0n) throw zeroDivision('modulo', a, b)
    return a % b
  }
  const [x, y] = [Number(a), Number(b)]
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN
  const divisor = floatToInteger(y)
  if (divisor === 0n) throw zeroDivision('modulo', a, b)
  return floatToInteger(x) % divisor
}

export function negate(value: JqValue): JqValue {
  if (typeof value === 'number' || typeof value === 'bigint') return -value
  if (value instanceof NumberText)
    return new NumberText(value.text.startsWith('-') ? value.text.slice(1) : `-${value.text}`)
  throw new JqError(`cannot negate: ${typePreview(value)}`)
}

export function plus(value: JqValue): JqValue {
  if (isNumber(value)) return value
  throw new JqError(`cannot plus: ${typePreview(value)}`)
}

export const binaryOperators: ReadonlyMap<string, BinaryOperator> = new Map<string, BinaryOperator>([
  ['+', add],
  ['-', subtract],
  ['*', multiply],
  ['/', divide],
  ['%', modulo],
  ['==', (left, right) => compare(left, right) === 0],
  ['!=', (left, right) => compare(left, right) !== 0],
  ['<', (left, right) => compare(left, right) < 0],
  ['<=', (left, right) => compare(left, right) <= 0],
  ['>', (left, right) => compare(left, right) > 0],
  ['>=', (left, right) => compare(left, right) >= 0],
  ['//', (left, right) => (isTruthy(left) ? left : right)],
])
