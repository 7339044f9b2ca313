import { formatTime, timeSource, timeText } from '../go-time/format.ts'
import { layouts } from '../go-time/layout.ts'
import { GoTime } from '../go-time/time.ts'
import { utcZone } from '../go-time/zone.ts'
import { define, type GoFunction } from './function.ts'
import { GoInt, GoObject, int, int64 } from './value.ts'

export const duration = (nanos: bigint): GoInt => new GoInt('time.Duration', BigInt.asIntN(64, nanos))

/** A time.Time. */
export class TimeValue extends GoObject {
  readonly type = 'time.Time'
  readonly kind = 'struct'
  readonly time: GoTime

  constructor(time: GoTime) {
    super()
    this.time = time
  }

  text(): string {
    return timeText(this.time)
  }

  source(): string {
    return timeSource(this.time)
  }

  json(): string {
    return `"${formatTime(this.time, layouts.rfc3339Nano)}"`
  }

  method(name: string): GoFunction | undefined {
    return methods.get(name)?.(this)
  }

  equals(other: GoObject): boolean {
    return (
      other instanceof TimeValue &&
      this.time.isSameInstant(other.time) &&
      this.time.zone.name === other.time.zone.name &&
      this.time.offset === other.time.offset
    )
  }
}

type Method = (self: TimeValue) => GoFunction

const reads = (read: (time: GoTime) => ReturnType<GoFunction['call']>): Method => {
  return ({ time }) => define([], () => read(time))
}
const compares = (accepts: (time: GoTime, other: GoTime) => boolean): Method => {
  return ({ time }) => define(['time.Time'], (_, other) => accepts(time, other.time))
}

const nanos = (time: GoTime): bigint => BigInt(time.unix) * 1_000_000_000n + BigInt(time.nanosecond)
const zeroNanos = -62_135_596_800n * 1_000_000_000n

/** The multiple of `step` since the year 1 that lies before the time. */
function truncated(time: GoTime, step: bigint): bigint {
  const elapsed = nanos(time) - zeroNanos
  return elapsed % step
}

const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['Year', reads(time => int(time.civil.year))],
  ['Month', reads(time => new GoInt('time.Month', BigInt(time.civil.month)))],
  ['Day', reads(time => int(time.civil.day))],
  ['Hour', reads(time => int(time.civil.hour))],
  ['Minute', reads(time => int(time.civil.minute))],
  ['Second', reads(time => int(time.civil.second))],
  ['Nanosecond', reads(time => int(time.nanosecond))],
  ['Weekday', reads(time => new GoInt('time.Weekday', BigInt(time.civil.weekday)))],
  ['YearDay', reads(time => int(time.yearDay))],
  ['Unix', reads(time => int64(BigInt(time.unix)))],
  ['UnixMilli', reads(time => int64(BigInt(time.unix) * 1000n + BigInt(Math.floor(time.nanosecond / 1_000_000))))],
  ['UnixMicro', reads(time => int64(BigInt(time.unix) * 1_000_000n + BigInt(Math.floor(time.nanosecond / 1000))))],
  ['UnixNano', reads(time => int64(nanos(time)))],
  ['String', reads(timeText)],
  ['GoString', reads(timeSource)],
  ['IsZero', reads(time => time.unix === -62_135_596_800 && time.nanosecond === 0)],
  ['UTC', reads(time => new TimeValue(time.in(utcZone)))],
  ['Local', reads(time => new TimeValue(time.in(utcZone)))],
  ['After', compares((time, other) => nanos(time) > nanos(other))],
  ['Before', compares((time, other) => nanos(time) < nanos(other))],
  ['Equal', compares((time, other) => time.isSameInstant(other))],
  [
    'Compare',
    ({ time }) =>
      define(['time.Time'], (_, other) => {
        const difference = nanos(time) - nanos(other.time)
        return difference > 0n ? 1n : difference < 0n ? -1n : 0n
      }),
  ],
  ['Sub', ({ time }) => define(['time.Time'], (_, other) => duration(time.since(other.time)))],
  ['Add', ({ time }) => define(['time.Duration'], (_, length) => new TimeValue(time.add(length)))],
  [
    'Truncate',
    ({ time }) =>
      define(['time.Duration'], (_, step) => new TimeValue(step <= 0n ? time : time.add(-truncated(time, step)))),
  ],
  [
    'Round',
    ({ time }) =>
      define(['time.Duration'], (_, step) => {
        if (step <= 0n) return new TimeValue(time)
        const over = truncated(time, step)
        return new TimeValue(time.add(over + over < step ? -over : step - over))
      }),
  ],
  [
    'AddDate',
    ({ time }) =>
      define(['int', 'int', 'int'], (_, years, months, days) => {
        const { year, month, day, ...clock } = time.civil
        const moved = { ...clock, year: year + years, month: month + months, day: day + days }
        return new TimeValue(GoTime.fromCivil(moved, time.nanosecond, time.zone))
      }),
  ],
  ['Format', ({ time }) => define(['string'], (_, layout) => formatTime(time, layout))],
])
