import { define, type GoFunction } from './function.ts'
import { duration } from './time-value.ts'
import { GoInt, GoObject, type GoValue, int64, stringerText } from './value.ts'

/** The method of a value that templates may call. */
export function methodOf(value: GoValue, name: string): GoFunction | undefined {
  if (value instanceof GoObject) return value.method(name)
  if (!(value instanceof GoInt)) return undefined
  if (name === 'String' && stringerText(value) !== undefined) return define([], () => stringerText(value))
  return value.type === 'time.Duration' ? durationMethod(value.value, name) : undefined
}

const hour = 3_600_000_000_000n
const minute = 60_000_000_000n
const second = 1_000_000_000n

/** Whole units and the rest are divided apart, which keeps more digits. */
const inUnits = (nanos: bigint, unit: bigint): number => Number(nanos / unit) + Number(nanos % unit) / Number(unit)

function durationMethod(nanos: bigint, name: string): GoFunction | undefined {
  switch (name) {
    case 'Hours':
      return define([], () => inUnits(nanos, hour))
    case 'Minutes':
      return define([], () => inUnits(nanos, minute))
    case 'Seconds':
      return define([], () => inUnits(nanos, second))
    case 'Milliseconds':
      return define([], () => int64(nanos / 1_000_000n))
    case 'Microseconds':
      return define([], () => int64(nanos / 1000n))
    case 'Nanoseconds':
      return define([], () => int64(nanos))
    case 'Abs':
      return define([], () => duration(nanos < 0n ? -nanos : nanos))
    case 'Truncate':
      return define(['time.Duration'], (_, step) => duration(step <= 0n ? nanos : nanos - (nanos % step)))
    case 'Round':
      return define(['time.Duration'], (_, step) => duration(roundDuration(nanos, step)))
    default:
      return undefined
  }
}

/** To the nearest multiple, halves away from zero. */
export function roundDuration(nanos: bigint, step: bigint): bigint {
  if (step <= 0n) return nanos
  const size = nanos < 0n ? -nanos : nanos
  const over = size % step
  const rounded = over + over < step ? size - over : size + step - over
  return nanos < 0n ? -rounded : rounded
}
