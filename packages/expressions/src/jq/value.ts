import { compareStrings } from '../cel/text-order.ts'

/** A number of `fromjson` that is printed as it was written, because printing its value would change the text. */
export class NumberText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type JqObject = { [key: string]: JqValue }

/** JSON as jq sees it: a bigint is an integer of any size, a number a floating-point number. Never changed in place. */
export type JqValue = null | boolean | number | bigint | NumberText | string | JqValue[] | JqObject

export type JqNumber = number | bigint | NumberText

/** Without a prototype: every key is data, `__proto__` too. */
export function newObject(): JqObject {
  return Object.create(null) as JqObject
}

export function copyObject(object: JqObject): JqObject {
  return Object.assign(newObject(), object)
}

export function isObject(value: JqValue): value is JqObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText)
}

export function isNumber(value: JqValue): value is JqNumber {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof NumberText
}

export function isTruthy(value: JqValue): boolean {
  return value !== null && value !== false
}

export function field(object: JqObject, key: string): JqValue {
  return Object.hasOwn(object, key) ? (object[key] as JqValue) : null
}

export function sortedKeys(object: JqObject): string[] {
  return Object.keys(object).sort(compareStrings)
}

export function typeOf(value: JqValue): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'boolean'
  if (isNumber(value)) return 'number'
  if (typeof value === 'string') return 'string'
  return Array.isArray(value) ? 'array' : 'object'
}

const maxInteger = 2n ** 63n - 1n
const minInteger = -(2n ** 63n)

/** The number that a decimal text stands for: an integer unless it has a fraction or an exponent. */
export function parseNumber(text: string): number | bigint {
  if (!/[.eE]/.test(text)) return BigInt(text.startsWith('+') ? text.slice(1) : text)
  return Number(text)
}

export function plainNumber(value: JqNumber): number | bigint {
  return value instanceof NumberText ? parseNumber(value.text) : value
}

/** Undefined when the value is no number, or its text is beyond the floating-point numbers. */
export function toFloat(value: JqValue): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (!(value instanceof NumberText)) return undefined
  const number = Number(value.text)
  return Number.isFinite(number) ? number : undefined
}

/** Truncated and held within 64 bits. */
export function floatToInteger(value: number): bigint {
  if (Number.isNaN(value)) return minInteger
  if (value >= -(2 ** 63) && value < 2 ** 63) return BigInt(Math.trunc(value))
  return value > 0 ? maxInteger : minInteger
}

export function toInteger(value: JqValue): bigint | undefined {
  if (!isNumber(value)) return undefined
  const number = plainNumber(value)
  if (typeof number === 'number') return floatToInteger(number)
  return number > maxInteger ? maxInteger : number < minInteger ? minInteger : number
}

/** An index or a count: what is beyond every array stays beyond it. */
export function toIndex(value: JqValue): number | undefined {
  const integer = toInteger(value)
  return integer === undefined ? undefined : Number(integer)
}

function rank(value: JqValue): number {
  if (value === null) return 0
  if (value === false) return 1
  if (value === true) return 2
  if (isNumber(value)) return 3
  if (typeof value === 'string') return 4
  return Array.isArray(value) ? 5 : 6
}

export function compare(left: JqValue, right: JqValue): number {
  if (isNumber(left) && isNumber(right)) return compareNumbers(plainNumber(left), plainNumber(right))
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right)
  if (Array.isArray(left) && Array.isArray(right)) return compareArrays(left, right)
  if (isObject(left) && isObject(right)) return compareObjects(left, right)
  return Math.sign(rank(left) - rank(right))
}

function compareNumbers(left: number | bigint, right: number | bigint): number {
  if (typeof left === 'bigint' && typeof right === 'bigint') return left < right ? -1 : left > right ? 1 : 0
  const [a, b] = [Number(left), Number(right)]
  // Not a number is less than everything, itself included.
  if (a < b || Number.isNaN(a)) return -1
  return a === b ? 0 : 1
}

function compareArrays(left: JqValue[], right: JqValue[]): number {
  const shared = Math.min(left.length, right.length)
  for (let index = 0; index < shared; index++) {
    const order = compare(left[index] as JqValue, right[index] as JqValue)
    if (order !== 0) return order
  }
  return Math.sign(left.length - right.length)
}

function compareObjects(left: JqObject, right: JqObject): number {
  const keys = sortedKeys(left)
  const order = compareArrays(keys, sortedKeys(right))
  if (order !== 0) return order
  for (const key of keys) {
    const difference = compare(left[key] as JqValue, right[key] as JqValue)
    if (difference !== 0) return difference
  }
  return 0
}
