import { DurationError, parseDuration } from '../duration.ts'
import { loadTimeZone, TimeZoneError } from '../time-zone.ts'
import { plainDecimal } from './number-text.ts'
import { Duration, Timestamp } from './value.ts'

const second = 1_000_000_000n
/** Nanoseconds of a Go duration such as `1h30m`, or undefined when it is none. */
export function parseGoDuration(text: string): bigint | undefined {
  try {
    return parseDuration(text)
  } catch (error) {
    if (error instanceof DurationError) return undefined
    throw error
  }
}

/** Seconds with as many decimals as needed, as `string(duration)` writes them. */
export function formatSeconds({ nanos }: Duration): string {
  const value = Number(nanos / second) + Number(nanos % second) / 1e9
  return `${plainDecimal(value)}s`
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})?$/

/** A timestamp as Go's time.Parse reads RFC 3339; `zoneOptional` also takes local times, as UTC. */
export function parseTimestamp(text: string, { zoneOptional = false } = {}): Timestamp | undefined {
  const match = rfc3339.exec(text)
  if (match === null || (match[8] === undefined && !zoneOptional)) return undefined
  const [year, month, day, hours, minutes, seconds] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const offset = zoneOffset(match[8] ?? 'Z')
  if (offset === undefined || hours > 23 || minutes > 59 || seconds > 59) return undefined
  const days = epochDays(year, month, day)
  if (days === undefined) return undefined
  const fraction = (match[7] ?? '').slice(0, 9).padEnd(9, '0')
  const unix = days * 86400 + hours * 3600 + minutes * 60 + seconds - offset
  return new Timestamp(BigInt(unix) * second + BigInt(fraction), offset)
}

export function parseDate(text: string): Timestamp | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (match === null) return undefined
  const days = epochDays(Number(match[1]), Number(match[2]), Number(match[3]))
  return days === undefined ? undefined : new Timestamp(BigInt(days * 86400) * second)
}

function zoneOffset(zone: string): number | undefined {
  if (zone === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(4, 6))
  if (hours > 24 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60)
}

function epochDays(year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1) return undefined
  return Math.round(date.getTime() / 86_400_000)
}

const minSeconds = -62_135_596_800n
const maxSeconds = 253_402_300_799n

/** CEL knows the years 1 to 9999. */
export function isInTimestampRange(nanos: bigint): boolean {
  const seconds = floorSeconds(nanos)
  return seconds >= minSeconds && seconds <= maxSeconds
}

export function floorSeconds(nanos: bigint): bigint {
  const quotient = nanos / second
  return nanos < 0n && nanos % second !== 0n ? quotient - 1n : quotient
}

/** RFC 3339 with the fraction as short as it can be. */
export function formatTimestamp(time: Timestamp): string {
  const parts = fieldsAt(time.nanos, time.offsetSeconds)
  const two = (value: number): string => value.toString().padStart(2, '0')
  const date = `${parts.year.toString().padStart(4, '0')}-${two(parts.month + 1)}-${two(parts.day)}`
  const fraction = parts.nanosecond === 0 ? '' : `.${parts.nanosecond.toString().padStart(9, '0').replace(/0+$/, '')}`
  return `${date}T${two(parts.hours)}:${two(parts.minutes)}:${two(parts.seconds)}${fraction}${formatZone(time)}`
}

function formatZone({ offsetSeconds }: Timestamp): string {
  if (offsetSeconds === 0) return 'Z'
  const minutes = Math.trunc(Math.abs(offsetSeconds) / 60)
  const two = (value: number): string => value.toString().padStart(2, '0')
  return `${offsetSeconds < 0 ? '-' : '+'}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`
}

export interface TimeFields {
  year: number
  /** January is 0. */
  month: number
  day: number
  dayOfYear: number
  /** Sunday is 0. */
  dayOfWeek: number
  hours: number
  minutes: number
  seconds: number
  nanosecond: number
}

export function fieldsAt(nanos: bigint, offsetSeconds: number): TimeFields {
  const unix = floorSeconds(nanos)
  const nanosecond = Number(nanos - unix * second)
  const date = new Date((Number(unix) + offsetSeconds) * 1000)
  const year = date.getUTCFullYear()
  const newYear = new Date(0)
  newYear.setUTCFullYear(year, 0, 1)
  const midnight = Math.floor(date.getTime() / 86_400_000)
  return {
    year,
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    dayOfYear: midnight - Math.round(newYear.getTime() / 86_400_000),
    dayOfWeek: date.getUTCDay(),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
    nanosecond,
  }
}

/** Seconds east of UTC that a zone (`+01:30` or an IANA name) has at a time, or the error that names the bad zone. */
export function offsetOf(zone: string, nanos: bigint): number | Error {
  const colon = zone.indexOf(':')
  if (colon === -1) return namedOffset(zone, nanos)
  const hours = parseAtoi(zone.slice(0, colon))
  if (hours instanceof Error) return hours
  const minutes = parseAtoi(zone.slice(colon + 1))
  if (minutes instanceof Error) return minutes
  return 60 * (zone.startsWith('-') ? hours * 60 - minutes : hours * 60 + minutes)
}

function parseAtoi(text: string): number | Error {
  if (/^[+-]?\d+$/.test(text)) return Number(text)
  return new Error(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`)
}

function namedOffset(zone: string, nanos: bigint): number | Error {
  try {
    return loadTimeZone(zone).offsetAt(Number(floorSeconds(nanos)))
  } catch (error) {
    if (error instanceof TimeZoneError) return error
    throw error
  }
}

const durationUnits: readonly (readonly [bigint, readonly string[]])[] = [
  [1n, ['ns', 'nano']],
  [1_000n, ['us', 'µs', 'micro']],
  [1_000_000n, ['ms', 'milli']],
  [second, ['s', 'sec']],
  [60n * second, ['m', 'min']],
  [3600n * second, ['h', 'hr', 'hour']],
  [86_400n * second, ['d', 'day']],
  [604_800n * second, ['w', 'wk', 'week']],
]

/** A duration as the OpenAPI format `duration` allows it: Go's syntax, or numbers with words such as `3 days`. */
export function parseOpenApiDuration(text: string): Duration | undefined {
  const go = parseGoDuration(text)
  if (go !== undefined) return new Duration(go)
  let total = 0n
  let found = false
  for (const [, count = '0', word = ''] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const unit = word.toLowerCase()
    for (const [nanos, variants] of durationUnits) {
      const last = variants.at(-1) as string
      for (const variant of variants) {
        if (variant !== unit && !(variant === last && unit.startsWith(variant))) continue
        found = true
        total += BigInt(count) * nanos
      }
    }
  }
  return found ? new Duration(BigInt.asIntN(64, total)) : undefined
}
