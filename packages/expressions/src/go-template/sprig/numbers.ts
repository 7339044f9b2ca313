import { sprint } from '../format.ts'
import { type CallContext, define, type GoFunction } from '../function.ts'
import { GoError } from '../go-error.ts'
import { parseInt64 } from '../number-text.ts'
import { GoSlice, type GoValue, int, int64 } from '../value.ts'
import { toFloat64, toInt64 } from './casts.ts'
import { add, type Decimal, divide, fromDecimal, multiply, subtract, toDecimal } from './decimal.ts'

function decimals(values: readonly GoValue[], combine: (left: Decimal, right: Decimal) => Decimal): number {
  const [first, ...rest] = values.map(value => toDecimal(toFloat64(value)))
  return fromDecimal(rest.reduce(combine, first as Decimal))
}

function integers(values: readonly GoValue[], combine: (left: bigint, right: bigint) => bigint): GoValue {
  const [first, ...rest] = values.map(toInt64)
  return int64(rest.reduce((left, right) => BigInt.asIntN(64, combine(left, right)), first ?? 0n))
}

function nonZero(divisor: bigint): bigint {
  if (divisor === 0n) throw new GoError('runtime error: integer divide by zero')
  return divisor
}

/** The integers from start to stop, which is not among them. */
function steps({ budget }: CallContext, start: number, stop: number, step: number): number[] {
  const isDown = stop < start
  if (isDown ? step >= 0 : step <= 0) return []
  const count = Math.ceil((stop - start) / step)
  budget.reserveItems(count)
  return Array.from({ length: count }, (_, index) => start + index * step)
}

const intList = (values: readonly number[]): GoSlice =>
  new GoSlice(
    '[]int',
    values.map(value => int(value)),
  )

function sequence(context: CallContext, values: readonly number[]): string {
  const [first = 0, second = 0, third = 0] = values
  const join = (numbers: readonly number[]) => numbers.join(' ')
  switch (values.length) {
    case 1: {
      const direction = first < 1 ? -1 : 1
      return join(steps(context, 1, first + direction, direction))
    }
    case 2: {
      const direction = second < first ? -1 : 1
      return join(steps(context, first, second + direction, direction))
    }
    case 3: {
      if (third < first && second > 0) return ''
      return join(steps(context, first, third + (third < first ? -1 : 1), second))
    }
    default:
      return ''
  }
}

function roundAt(value: number, places: number, roundOn: number): number {
  const power = places < 0 ? 1 / 10 ** -places : 10 ** places
  const shifted = power * value
  const fraction = shifted - Math.trunc(shifted)
  return (fraction >= roundOn ? Math.ceil(shifted) : Math.floor(shifted)) / power
}

/** strconv.ParseInt and what it returns besides an error: the nearest integer when the number is too large, else 0. */
export function parsedOrNearest(text: string): bigint {
  const parsed = parseInt64(text)
  if ('value' in parsed) return parsed.value
  if (parsed.problem === 'invalid syntax') return 0n
  return text.startsWith('-') ? -(2n ** 63n) : 2n ** 63n - 1n
}

const greater = (left: bigint, right: bigint): bigint => (right > left ? right : left)
const lesser = (left: bigint, right: bigint): bigint => (right < left ? right : left)
const biggest = define(['any', '...any'], (_, first, ...rest) => integers([first, ...rest], greater))

export const numberFunctions: Readonly<Record<string, GoFunction>> = {
  atoi: define(['string'], (_, text) => parsedOrNearest(text)),
  int64: define(['any'], (_, value) => int64(toInt64(value))),
  int: define(['any'], (_, value) => toInt64(value)),
  float64: define(['any'], (_, value) => toFloat64(value)),
  toDecimal: define(['any'], ({ budget }, value) => {
    const parsed = parseInt64(sprint(budget, [value]), 8)
    return int64('value' in parsed ? parsed.value : 0n)
  }),
  seq: define(['...int'], (context, ...values) => sequence(context, values)),
  until: define(['int'], (context, count) => intList(steps(context, 0, count, count < 0 ? -1 : 1))),
  untilStep: define(['int', 'int', 'int'], (context, start, stop, step) => intList(steps(context, start, stop, step))),
  add1: define(['any'], (_, value) => int64(toInt64(value) + 1n)),
  add: define(['...any'], (_, ...values) => integers([0n, ...values], (left, right) => left + right)),
  sub: define(['any', 'any'], (_, left, right) => int64(toInt64(left) - toInt64(right))),
  div: define(['any', 'any'], (_, left, right) => int64(toInt64(left) / nonZero(toInt64(right)))),
  mod: define(['any', 'any'], (_, left, right) => int64(toInt64(left) % nonZero(toInt64(right)))),
  mul: define(['any', '...any'], (_, first, ...rest) => integers([first, ...rest], (left, right) => left * right)),
  randInt: define(['int', 'int'], ({ random }, least, most) => {
    if (most - least <= 0) throw new GoError('invalid argument to Intn')
    return int(least + Math.floor(random.next() * (most - least)))
  }),
  add1f: define(['any'], (_, value) => decimals([value, 1n], add)),
  addf: define(['...any'], (_, ...values) => decimals([0, ...values], add)),
  subf: define(['any', '...any'], (_, first, ...rest) => decimals([first, ...rest], subtract)),
  divf: define(['any', '...any'], (_, first, ...rest) => decimals([first, ...rest], divide)),
  mulf: define(['any', '...any'], (_, first, ...rest) => decimals([first, ...rest], multiply)),
  biggest,
  max: biggest,
  min: define(['any', '...any'], (_, first, ...rest) => integers([first, ...rest], lesser)),
  maxf: define(['any', '...any'], (_, ...values) => Math.max(...values.map(toFloat64))),
  minf: define(['any', '...any'], (_, ...values) => Math.min(...values.map(toFloat64))),
  ceil: define(['any'], (_, value) => Math.ceil(toFloat64(value))),
  floor: define(['any'], (_, value) => Math.floor(toFloat64(value))),
  round: define(['any', 'int', '...float64'], (_, value, places, roundOn = 0.5) =>
    roundAt(toFloat64(value), places, roundOn),
  ),
}
