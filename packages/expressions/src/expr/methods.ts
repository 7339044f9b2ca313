import { formatDuration } from '../duration.ts'
import { formatTime, GoTime, loadZone, timeText, utcZone } from '../go-time/go-time.ts'
import { namedIntText } from './go-print.ts'
import {
  boolType,
  durationType,
  floatType,
  funcType,
  type GoType,
  int64Type,
  intType,
  locationType,
  monthType,
  stringType,
  timeType,
  weekdayType,
} from './go-type.ts'
import {
  Duration,
  type ExprFunction,
  type ExprValue,
  int64,
  Location,
  month,
  type NamedInt,
  Opaque,
  typeOf,
  weekday,
} from './value.ts'

interface Method<T> {
  parameters: readonly GoType[]
  result: GoType
  call(receiver: T, ...values: ExprValue[]): ExprValue
}

function method<T, A extends ExprValue[]>(
  parameters: readonly GoType[],
  result: GoType,
  call: (receiver: T, ...values: A) => ExprValue,
): Method<T> {
  return { parameters, result, call }
}

const int = (value: number) => BigInt(value)
const second = 1_000_000_000n
const nanosOf = ({ unix, nanosecond }: GoTime) => BigInt(unix) * second + BigInt(nanosecond)
const divideDown = (value: bigint, by: bigint) => (value - (((value % by) + by) % by)) / by

const timeMethods: Readonly<Record<string, Method<GoTime>>> = {
  Year: method([], intType, time => int(time.civil.year)),
  Month: method([], monthType, time => month(time.civil.month)),
  Day: method([], intType, time => int(time.civil.day)),
  Hour: method([], intType, time => int(time.civil.hour)),
  Minute: method([], intType, time => int(time.civil.minute)),
  Second: method([], intType, time => int(time.civil.second)),
  Nanosecond: method([], intType, time => int(time.nanosecond)),
  Weekday: method([], weekdayType, time => weekday(time.civil.weekday)),
  YearDay: method([], intType, time => int(time.yearDay)),
  Unix: method([], int64Type, time => int64(BigInt(time.unix))),
  UnixMilli: method([], int64Type, time => int64(divideDown(nanosOf(time), 1_000_000n))),
  UnixMicro: method([], int64Type, time => int64(divideDown(nanosOf(time), 1_000n))),
  UnixNano: method([], int64Type, time => int64(nanosOf(time))),
  IsZero: method([], boolType, time => time.unix === -62_135_596_800 && time.nanosecond === 0),
  String: method([], stringType, timeText),
  UTC: method([], timeType, time => time.in(utcZone)),
  Local: method([], timeType, time => time.in(loadZone('Local'))),
  Location: method([], locationType, time => new Location(time.zone)),
  In: method([locationType], timeType, (time, place: Location) => time.in(place.zone)),
  Format: method([stringType], stringType, (time, layout: string) => formatTime(time, layout)),
  Add: method([durationType], timeType, (time, { nanos }: Duration) => time.add(nanos)),
  Sub: method([timeType], durationType, (time, other: GoTime) => new Duration(time.since(other))),
  AddDate: method([intType, intType, intType], timeType, addDate),
  Before: method([timeType], boolType, (time, other: GoTime) => compareTimes(time, other) < 0),
  After: method([timeType], boolType, (time, other: GoTime) => compareTimes(time, other) > 0),
  Equal: method([timeType], boolType, (time, other: GoTime) => compareTimes(time, other) === 0),
  Compare: method([timeType], intType, (time, other: GoTime) => int(Math.sign(compareTimes(time, other)))),
  Truncate: method([durationType], timeType, (time, { nanos }: Duration) => time.add(-sinceZero(time, nanos))),
  Round: method([durationType], timeType, (time, { nanos }: Duration) => {
    const rest = sinceZero(time, nanos)
    return time.add(rest * 2n < nanos ? -rest : nanos - rest)
  }),
}

function addDate(time: GoTime, years: bigint, months: bigint, days: bigint): GoTime {
  const { year, month: ofYear, day, hour, minute, second: seconds } = time.civil
  const moved = {
    year: year + Number(years),
    month: ofYear + Number(months),
    day: day + Number(days),
    hour,
    minute,
    second: seconds,
  }
  return GoTime.fromCivil(moved, time.nanosecond, time.zone)
}

const compareTimes = (left: GoTime, right: GoTime) => left.unix - right.unix || left.nanosecond - right.nanosecond

/** What a time is beyond a multiple of the duration, counted from the year 1. */
function sinceZero(time: GoTime, step: bigint): bigint {
  if (step <= 0n) return 0n
  const nanos = nanosOf(time) + 62_135_596_800n * second
  return ((nanos % step) + step) % step
}

const durationMethods: Readonly<Record<string, Method<Duration>>> = {
  Hours: method([], floatType, ({ nanos }) => inUnits(nanos, 3600n * second)),
  Minutes: method([], floatType, ({ nanos }) => inUnits(nanos, 60n * second)),
  Seconds: method([], floatType, ({ nanos }) => inUnits(nanos, second)),
  Milliseconds: method([], int64Type, ({ nanos }) => int64(nanos / 1_000_000n)),
  Microseconds: method([], int64Type, ({ nanos }) => int64(nanos / 1_000n)),
  Nanoseconds: method([], int64Type, ({ nanos }) => int64(nanos)),
  String: method([], stringType, ({ nanos }) => formatDuration(nanos)),
  Abs: method([], durationType, ({ nanos }) => new Duration(nanos < 0n ? -nanos : nanos)),
  Truncate: method(
    [durationType],
    durationType,
    ({ nanos }, { nanos: step }: Duration) => new Duration(step <= 0n ? nanos : nanos - (nanos % step)),
  ),
  Round: method([durationType], durationType, ({ nanos }, { nanos: step }: Duration) => {
    if (step <= 0n) return new Duration(nanos)
    const rest = nanos % step
    const size = rest < 0n ? -rest : rest
    if (size * 2n < step) return new Duration(nanos - rest)
    return new Duration(rest < 0n ? nanos - rest - step : nanos - rest + step)
  }),
}

const inUnits = (nanos: bigint, unit: bigint) => Number(nanos / unit) + Number(nanos % unit) / Number(unit)

const namedMethods: Readonly<Record<string, Method<NamedInt>>> = { String: method([], stringType, namedIntText) }
const locationMethods: Readonly<Record<string, Method<Location>>> = {
  String: method([], stringType, ({ zone }) => zone.name),
}

type Methods = Readonly<Record<string, Method<never>>>

const methodsByType: ReadonlyMap<string, Methods> = new Map<string, Methods>([
  [timeType.name, timeMethods],
  [durationType.name, durationMethods],
  [monthType.name, namedMethods],
  [weekdayType.name, namedMethods],
  [locationType.name, locationMethods],
])

function find(type: GoType | undefined, name: string): Method<never> | undefined {
  const methods = type === undefined ? undefined : methodsByType.get(type.name)
  return methods !== undefined && Object.hasOwn(methods, name) ? methods[name] : undefined
}

/** The type of a method, without its receiver. */
export function methodType(type: GoType, name: string): GoType | undefined {
  const found = find(type, name)
  return found && funcType(found.parameters, [found.result])
}

/** A value's method, ready to be called. */
export function methodOf(value: ExprValue, name: string): ExprFunction | undefined {
  if (value instanceof Opaque) return value.method(name)
  const found = typeof value === 'object' ? find(typeOf(value), name) : undefined
  if (found === undefined) return undefined
  const bound = (...values: ExprValue[]) => found.call(value as never, ...values)
  return Object.assign(bound, {
    signature: { parameters: found.parameters, isVariadic: false, results: [found.result] },
  })
}
