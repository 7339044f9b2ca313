import { compareStrings } from '../cel/text-order.ts'
import { compilePattern, PatternError } from '../re2/pattern.ts'
import { GovaluateError } from './govaluate-error.ts'
import { power } from './power.ts'
import { deepEqual, goText, isObject, PatternValue } from './value.ts'

export interface Operator {
  readonly symbol: string
  /** Throws if the operands are not of its types. */
  check(left: unknown, right: unknown): void
  apply(left: unknown, right: unknown): unknown
}

type Check = (value: unknown) => boolean

const isNumber: Check = value => typeof value === 'number'
const isString: Check = value => typeof value === 'string'
const isBoolean: Check = value => typeof value === 'boolean'
const isPattern: Check = value => isString(value) || value instanceof PatternValue

const logicalError = "the logical operator '%', it is not a bool"
const modifierError = "the modifier '%', it is not a number"
const comparatorError = "the comparator '%', it is not a number"
const ternaryError = "the ternary operator '%', it is not a bool"
const prefixError = "the prefix '%'"

function refuse(value: unknown, symbol: string, why: string): never {
  throw new GovaluateError(`Value '${goText(value)}' cannot be used with ${why.replace('%', symbol)}`)
}

interface Checks {
  left?: Check
  right?: Check
  error?: string
}

function operator(symbol: string, checks: Checks, apply: Operator['apply']): Operator {
  const { left: checkLeft, right: checkRight, error = '' } = checks
  return {
    symbol,
    check: (left, right) => {
      if (checkLeft !== undefined && !checkLeft(left)) refuse(left, symbol, error)
      if (checkRight !== undefined && !checkRight(right)) refuse(right, symbol, error)
    },
    apply,
  }
}

function arithmetic(symbol: string, compute: (left: number, right: number) => number): Operator {
  const checks = { left: isNumber, right: isNumber, error: modifierError }
  return operator(symbol, checks, (left, right) => compute(left as number, right as number))
}

const addition: Operator = {
  symbol: '+',
  check: (left, right) => {
    const isSum = isNumber(left) && isNumber(right)
    if (!isSum && !isString(left) && !isString(right)) refuse(left, '+', modifierError)
  },
  apply: (left, right) =>
    typeof left === 'number' && typeof right === 'number' ? left + right : goText(left) + goText(right),
}

function comparison(symbol: string, holds: (order: number) => boolean): Operator {
  return {
    symbol,
    check: (left, right) => {
      const isComparable = (isNumber(left) && isNumber(right)) || (isString(left) && isString(right))
      if (!isComparable) refuse(left, symbol, comparatorError)
    },
    apply: (left, right) =>
      typeof left === 'string' && typeof right === 'string'
        ? holds(compareStrings(left, right))
        : holds(numberOrder(left as number, right as number)),
  }
}

/** NaN when the numbers have no order. */
function numberOrder(left: number, right: number): number {
  return left === right ? 0 : left < right ? -1 : left > right ? 1 : Number.NaN
}

function matching(symbol: string, isWanted: boolean): Operator {
  return operator(symbol, { left: isString, right: isPattern, error: comparatorError }, (left, right) => {
    const pattern = right instanceof PatternValue ? right.pattern : compileOperand(right as string)
    return pattern.test(left as string) === isWanted
  })
}

function compileOperand(source: string) {
  try {
    return compilePattern(source)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw new GovaluateError(`Unable to compile regexp pattern '${source}': ${error.message}`)
  }
}

function isIn(value: unknown, list: readonly unknown[]): boolean {
  return list.some(element => {
    const isBlock = (Array.isArray(value) && Array.isArray(element)) || (isObject(value) && isObject(element))
    if (isBlock) throw new GovaluateError(`Value '${goText(value)}' cannot be compared with the elements of a list`)
    return value === element
  })
}

function logical(symbol: string, apply: (left: boolean, right: boolean) => boolean): Operator {
  const checks = { left: isBoolean, right: isBoolean, error: logicalError }
  return operator(symbol, checks, (left, right) => apply(left as boolean, right as boolean))
}

const minInt64 = -(2n ** 63n)

/** A float as a 64-bit integer: what does not fit is the least of them. */
function toInt64(value: number): bigint {
  return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : minInt64
}

function toUint64(value: number): bigint {
  if (value >= 2 ** 63 && value < 2 ** 64) return BigInt(Math.trunc(value))
  return BigInt.asUintN(64, value >= 2 ** 64 ? minInt64 : toInt64(value))
}

function bitwise(symbol: string, compute: (left: bigint, right: bigint) => bigint): Operator {
  return arithmetic(symbol, (left, right) => Number(BigInt.asIntN(64, compute(toInt64(left), toInt64(right)))))
}

function shift(symbol: string, compute: (left: bigint, right: bigint) => bigint): Operator {
  return arithmetic(symbol, (left, right) => {
    const count = toUint64(right)
    return count > 63n ? 0 : Number(BigInt.asUintN(64, compute(toUint64(left), count)))
  })
}

const otherwise: Operator['apply'] = (left, right) => left ?? right

/** The binary operators by their symbols. */
export const operators: ReadonlyMap<string, Operator> = new Map(
  [
    operator(',', {}, (left, right) => (Array.isArray(left) ? [...(left as unknown[]), right] : [left, right])),
    operator('?', { left: isBoolean, error: ternaryError }, (left, right) => (left === true ? right : null)),
    operator(':', {}, otherwise),
    operator('??', {}, otherwise),
    logical('||', (left, right) => left || right),
    logical('&&', (left, right) => left && right),
    operator('=', {}, (left, right) => deepEqual(left, right)),
    operator('!=', {}, (left, right) => !deepEqual(left, right)),
    comparison('>', order => order > 0),
    comparison('>=', order => order >= 0),
    comparison('<', order => order < 0),
    comparison('<=', order => order <= 0),
    matching('=~', true),
    matching('!~', false),
    operator('in', { right: Array.isArray, error: comparatorError }, (left, right) => isIn(left, right as unknown[])),
    bitwise('&', (left, right) => left & right),
    bitwise('|', (left, right) => left | right),
    bitwise('^', (left, right) => left ^ right),
    shift('<<', (left, right) => left << right),
    shift('>>', (left, right) => left >> right),
    addition,
    arithmetic('-', (left, right) => left - right),
    arithmetic('*', (left, right) => left * right),
    arithmetic('/', (left, right) => left / right),
    arithmetic('%', (left, right) => left % right),
    arithmetic('**', power),
  ].map(entry => [entry.symbol === '=' ? '==' : entry.symbol, entry]),
)

/** The operators that stand before their only operand, which is the right one. */
export const prefixOperators: ReadonlyMap<string, Operator> = new Map(
  [
    operator('-', { right: isNumber, error: prefixError }, (_, right) => -(right as number)),
    operator('!', { right: isBoolean, error: prefixError }, (_, right) => right !== true),
    operator('~', { right: isNumber, error: prefixError }, (_, right) =>
      Number(BigInt.asIntN(64, ~toInt64(right as number))),
    ),
  ].map(entry => [entry.symbol, entry]),
)
