import { GoError } from '../go-error.ts'

/** A decimal number: `digits` times ten to the power of `exponent`. */
export interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

const power = (exponent: number): bigint => 10n ** BigInt(exponent)
const size = (value: bigint): bigint => (value < 0n ? -value : value)

/** The decimal number that a float64 prints as. Infinity has none. */
export function toDecimal(value: number): Decimal {
  if (!Number.isFinite(value)) {
    const name = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
    throw new GoError(`Cannot create a Decimal from ${name}`)
  }
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

export const fromDecimal = ({ digits, exponent }: Decimal): number => Number(`${digits}e${exponent}`)

function aligned(left: Decimal, right: Decimal): { a: bigint; b: bigint; exponent: number } {
  const exponent = Math.min(left.exponent, right.exponent)
  return {
    a: left.digits * power(left.exponent - exponent),
    b: right.digits * power(right.exponent - exponent),
    exponent,
  }
}

export function add(left: Decimal, right: Decimal): Decimal {
  const { a, b, exponent } = aligned(left, right)
  return { digits: a + b, exponent }
}

export const subtract = (left: Decimal, right: Decimal): Decimal => add(left, { ...right, digits: -right.digits })

export const multiply = (left: Decimal, right: Decimal): Decimal => ({
  digits: left.digits * right.digits,
  exponent: left.exponent + right.exponent,
})

/** To 16 places after the point, halves away from zero. */
export function divide(left: Decimal, right: Decimal): Decimal {
  if (right.digits === 0n) throw new GoError('decimal division by 0')
  const places = 16
  const shift = left.exponent - right.exponent + places
  const dividend = left.digits * power(Math.max(shift, 0))
  const divisor = right.digits * power(Math.max(-shift, 0))
  const quotient = dividend / divisor
  const isUp = 2n * size(dividend % divisor) >= size(divisor)
  const away = dividend < 0n === divisor < 0n ? 1n : -1n
  return { digits: quotient + (isUp ? away : 0n), exponent: -places }
}
