import { parseGoFloat } from '../../gjson/go-float.ts'
import { parseInt64 } from '../number-text.ts'
import { type GoValue, integerOf } from '../value.ts'

const minInt64 = -(2n ** 63n)

/** A float64 converted to an int64: what does not fit becomes the least integer, as it does on amd64. */
export function truncateFloat(value: number): bigint {
  if (!Number.isFinite(value)) return minInt64
  const whole = BigInt(Math.trunc(value))
  return whole === BigInt.asIntN(64, whole) ? whole : minInt64
}

/** The integer that a value of any type says; 0 for what says none. */
export function toInt64(value: GoValue): bigint {
  if (typeof value === 'number') return truncateFloat(value)
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (typeof value === 'string') {
    const parsed = parseInt64(withoutFraction(value), 0)
    return 'value' in parsed ? parsed.value : 0n
  }
  return BigInt.asIntN(64, integerOf(value) ?? 0n)
}

/** `12.9` says 12; what is no plain decimal number stays as it is. */
function withoutFraction(text: string): string {
  if (!text.includes('.')) return text
  const match = /^([-+]?\d*)(\.\d*)?$/.exec(text)
  if (match === null) return text
  const whole = match[1] as string
  return /\d/.test(whole) ? whole : `${whole}0`
}

/** The number that a value of any type says; 0 for what says none. */
export function toFloat64(value: GoValue): number {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string') {
    const parsed = parseGoFloat(value) ?? 0
    // Too great a number is an error, infinity spelled out is not.
    return Math.abs(parsed) === Infinity && !/inf/i.test(value) ? 0 : parsed
  }
  return Number(integerOf(value) ?? 0n)
}
