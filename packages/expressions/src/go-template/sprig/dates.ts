import { DurationError, formatDuration, parseDuration } from '../../duration.ts'
import { formatTime } from '../../go-time/format.ts'
import { parseTime, TimeParseError } from '../../go-time/parse.ts'
import { GoTime, zeroTime } from '../../go-time/time.ts'
import { loadZone, type NamedZone, utcZone } from '../../go-time/zone.ts'
import { TimeZoneError } from '../../time-zone.ts'
import { type CallContext, define, type GoFunction } from '../function.ts'
import { GoError } from '../go-error.ts'
import { roundDuration } from '../methods.ts'
import { TimeValue } from '../time-value.ts'
import { GoInt, type GoValue, integerOf } from '../value.ts'
import { parsedOrNearest } from './numbers.ts'

const second = 1_000_000_000n

/** The time that a value says; now for what says none. */
function timeOf({ now }: CallContext, value: GoValue, integerTypes: readonly string[]): GoTime {
  if (value instanceof TimeValue) return value.time
  const unix = integerOf(value)
  const type = value instanceof GoInt ? value.type : 'int'
  if (unix !== undefined && integerTypes.includes(type)) return new GoTime(Number(unix))
  return GoTime.fromMillis(now())
}

function zoneOrUtc(name: string): NamedZone {
  try {
    return loadZone(name)
  } catch (error) {
    if (error instanceof TimeZoneError) return utcZone
    throw error
  }
}

function formatIn(context: CallContext, layout: string, value: GoValue, zone: string): string {
  return formatTime(timeOf(context, value, ['int64', 'int', 'int32']).in(zoneOrUtc(zone)), layout)
}

/** Runs what parses; `absent` takes the place of an error, unless the error is wanted. */
function parsed<T>(parse: () => T, absent?: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof DurationError || error instanceof TimeParseError)) throw error
    if (absent === undefined) throw new GoError(error.message)
    return absent()
  }
}

function rounded(nanos: bigint): string {
  const size = BigInt.asUintN(64, nanos < 0n ? -nanos : nanos)
  const hour = 3600n * second
  const units: readonly (readonly [bigint, string])[] = [
    [hour * 24n * 365n, 'y'],
    [hour * 24n * 30n, 'mo'],
    [hour * 24n, 'd'],
    [hour, 'h'],
    [60n * second, 'm'],
    [second, 's'],
  ]
  const unit = units.find(([length]) => size > length)
  return unit === undefined ? '0s' : `${size / unit[0]}${unit[1]}`
}

function roundedDuration(context: CallContext, value: GoValue): string {
  if (typeof value === 'string')
    return rounded(
      parsed(
        () => parseDuration(value),
        () => 0n,
      ),
    )
  if (value instanceof TimeValue) return rounded(GoTime.fromMillis(context.now()).since(value.time))
  return rounded(value instanceof GoInt && value.type === 'int64' ? value.value : 0n)
}

function secondsText(value: GoValue): string {
  let seconds = 0n
  if (typeof value === 'string') seconds = parsedOrNearest(value)
  else if (value instanceof GoInt && value.type === 'int64') seconds = value.value
  return formatDuration(BigInt.asIntN(64, seconds * second))
}

const ago = define(['any'], (context, value) => {
  const passed = GoTime.fromMillis(context.now()).since(timeOf(context, value, ['int64', 'int']))
  return formatDuration(roundDuration(passed, second))
})
const dateInZone = define(['string', 'any', 'string'], formatIn)
const dateModify = define(['string', 'time.Time'], (_, change, { time }) =>
  parsed(
    () => new TimeValue(time.add(parseDuration(change))),
    () => new TimeValue(time),
  ),
)
const mustDateModify = define(['string', 'time.Time'], (_, change, { time }) =>
  parsed(() => new TimeValue(time.add(parseDuration(change)))),
)

export const dateFunctions: Readonly<Record<string, GoFunction>> = {
  now: define([], ({ now }) => new TimeValue(GoTime.fromMillis(now()))),
  ago,
  date: define(['string', 'any'], (context, layout, value) => formatIn(context, layout, value, 'Local')),
  dateInZone,
  date_in_zone: dateInZone,
  dateModify,
  date_modify: dateModify,
  mustDateModify,
  must_date_modify: mustDateModify,
  duration: define(['any'], (_, value) => secondsText(value)),
  durationRound: define(['any'], roundedDuration),
  htmlDate: define(['any'], (context, value) => formatIn(context, '2006-01-02', value, 'Local')),
  htmlDateInZone: define(['any', 'string'], (context, value, zone) => formatIn(context, '2006-01-02', value, zone)),
  toDate: define(['string', 'string'], (_, layout, text) =>
    parsed(
      () => new TimeValue(parseTime(layout, text)),
      () => new TimeValue(zeroTime),
    ),
  ),
  mustToDate: define(['string', 'string'], (_, layout, text) => parsed(() => new TimeValue(parseTime(layout, text)))),
  unixEpoch: define(['time.Time'], (_, { time }) => String(time.unix)),
}
