import { goQuote, splitSpace, trimSpace } from './cel/functions/go-text.ts'
import { type CivilTime, civilAt, instantOf } from './civil-time.ts'
import { parseDuration } from './duration.ts'
import { loadTimeZone, type TimeZone, utc } from './time-zone.ts'

/** The text is no schedule; the message is the one that robfig's cron library gives. */
export class CronError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CronError'
  }
}

/** Times when something is due. Times are milliseconds since the epoch. */
export interface CronSchedule {
  /** The first time after `after`, on a whole second; undefined when the next five years have none. A time of day that a
   *  clock change skips or repeats is treated as robfig's library treats it. */
  next(after: number): number | undefined
}

export type CronField = 'second' | 'minute' | 'hour' | 'dayOfMonth' | 'month' | 'dayOfWeek'

export interface CronOptions {
  /** What a schedule consists of, always in this order. Minute to day of week unless told otherwise. */
  fields?: readonly CronField[]
  /** One of these fields may be left out. */
  optional?: 'second' | 'dayOfWeek'
  /** Whether `@daily`, `@every 1h` and their like are understood. True unless told otherwise. */
  descriptors?: boolean
  /** The zone of schedules that name none with `TZ=` or `CRON_TZ=`. UTC unless told otherwise. */
  timeZone?: TimeZone
}

interface Bounds {
  field: CronField
  low: number
  high: number
  names?: ReadonlyMap<string, number>
  /** What stands for a field that a schedule does not have. */
  absent: '0' | '*'
}

const numbered = (names: string, from: number) => new Map(names.split(' ').map((name, index) => [name, index + from]))

const bounds: readonly Bounds[] = [
  { field: 'second', low: 0, high: 59, absent: '0' },
  { field: 'minute', low: 0, high: 59, absent: '0' },
  { field: 'hour', low: 0, high: 23, absent: '0' },
  { field: 'dayOfMonth', low: 1, high: 31, absent: '*' },
  {
    field: 'month',
    low: 1,
    high: 12,
    names: numbered('jan feb mar apr may jun jul aug sep oct nov dec', 1),
    absent: '*',
  },
  { field: 'dayOfWeek', low: 0, high: 6, names: numbered('sun mon tue wed thu fri sat', 0), absent: '*' },
]

const standardFields: readonly CronField[] = ['minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek']

const descriptors: ReadonlyMap<string, readonly string[]> = new Map([
  ['@yearly', ['0', '0', '0', '1', '1', '*']],
  ['@annually', ['0', '0', '0', '1', '1', '*']],
  ['@monthly', ['0', '0', '0', '1', '*', '*']],
  ['@weekly', ['0', '0', '0', '*', '*', '0']],
  ['@daily', ['0', '0', '0', '*', '*', '*']],
  ['@midnight', ['0', '0', '0', '*', '*', '*']],
  ['@hourly', ['0', '0', '*', '*', '*', '*']],
])

/** Reads a schedule as robfig's cron v3 does; without options as its ParseStandard, which is what Kubernetes and Argo take
 *  for schedules. Throws CronError. */
export function parseCron(text: string, options: CronOptions = {}): CronSchedule {
  const { fields = standardFields, optional, descriptors: hasDescriptors = true } = options
  if (text === '') throw new CronError('empty spec string')
  const { spec, zone } = splitZone(text, options.timeZone ?? utc)
  if (spec.startsWith('@')) {
    if (!hasDescriptors) throw new CronError(`parser does not accept descriptors: ${spec}`)
    return parseDescriptor(spec, zone)
  }
  return fieldSchedule(completeFields(splitSpace(spec), fields, optional), zone)
}

function splitZone(text: string, absent: TimeZone): { spec: string; zone: TimeZone } {
  if (!/^(CRON_)?TZ=/.test(text)) return { spec: text, zone: absent }
  const space = text.indexOf(' ')
  // The library itself panics here; these are the words of Kubernetes, which catches it.
  if (space < 0) throw new CronError('invalid schedule format: runtime error: slice bounds out of range [:-1]')
  const name = text.slice(text.indexOf('=') + 1, space)
  const spec = trimSpace(text.slice(space))
  if (name === 'Local') return { spec, zone: absent }
  try {
    return { spec, zone: loadTimeZone(name) }
  } catch (cause) {
    throw new CronError(`provided bad location ${name}: ${(cause as Error).message}`, { cause })
  }
}

function parseDescriptor(descriptor: string, zone: TimeZone): CronSchedule {
  const fields = descriptors.get(descriptor)
  if (fields !== undefined) return fieldSchedule(fields, zone)
  const every = '@every '
  if (!descriptor.startsWith(every)) throw new CronError(`unrecognized descriptor: ${descriptor}`)
  try {
    return intervalSchedule(parseDuration(descriptor.slice(every.length)))
  } catch (cause) {
    throw new CronError(`failed to parse duration ${descriptor}: ${(cause as Error).message}`, { cause })
  }
}

/** All six fields, in their order. */
function completeFields(
  given: readonly string[],
  fields: readonly CronField[],
  optional: CronOptions['optional'],
): string[] {
  const expected = bounds.filter(({ field }) => fields.includes(field) || field === optional)
  const most = expected.length
  const least = optional === undefined ? most : most - 1
  if (given.length < least || given.length > most) {
    const count = least === most ? `exactly ${most}` : `${least} to ${most}`
    throw new CronError(`expected ${count} fields, found ${given.length}: [${given.join(' ')}]`)
  }
  let complete = [...given]
  if (given.length < most) complete = optional === 'second' ? ['0', ...given] : [...given, '*']
  return bounds.map(each => complete[expected.indexOf(each)] ?? each.absent)
}

function intervalSchedule(nanos: bigint): CronSchedule {
  const seconds = Math.max(1, Number(nanos / 1_000_000_000n))
  return { next: after => (Math.floor(after / 1000) + seconds) * 1000 }
}

/** The values that a field allows. */
interface Allowed {
  has: readonly boolean[]
  /** Whether the field was written with a star, which says nothing: of two day fields the other one decides. */
  isStar: boolean
}

function parseField(text: string, range: Bounds): Allowed {
  const has = Array.from({ length: range.high + 1 }, () => false)
  let isStar = false
  for (const part of text.split(',')) {
    if (part === '') continue
    const { start, end, step, star } = parseRange(part, range)
    for (let value = start; value <= end; value += step) has[value] = true
    isStar ||= star
  }
  return { has, isStar }
}

function parseRange(text: string, { low, high, names }: Bounds) {
  const [range = '', stepText, ...moreSteps] = text.split('/')
  const [first = '', last, ...moreEnds] = range.split('-')
  const star = first === '*' || first === '?'
  let start = BigInt(low)
  let end = BigInt(high)
  if (!star) {
    start = parseNumber(first, names)
    if (moreEnds.length > 0) throw new CronError(`too many hyphens: ${text}`)
    end = last === undefined ? start : parseNumber(last, names)
  }
  if (moreSteps.length > 0) throw new CronError(`too many slashes: ${text}`)
  let step = 1n
  if (stepText !== undefined) {
    step = parseNumber(stepText)
    if (last === undefined) end = BigInt(high)
  }
  if (start < low) throw new CronError(`beginning of range (${start}) below minimum (${low}): ${text}`)
  if (end > high) throw new CronError(`end of range (${end}) above maximum (${high}): ${text}`)
  if (start > end) throw new CronError(`beginning of range (${start}) beyond end of range (${end}): ${text}`)
  if (step === 0n) throw new CronError(`step of range should be a positive number: ${text}`)
  return { start: Number(start), end: Number(end), step: Number(step), star: star && step === 1n }
}

function parseNumber(text: string, names?: ReadonlyMap<string, number>): bigint {
  const named = names?.get(text.toLowerCase())
  if (named !== undefined) return BigInt(named)
  const problem = (what: string) => `failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: ${what}`
  if (!/^[+-]?\d+$/.test(text)) throw new CronError(problem('invalid syntax'))
  const number = BigInt(text.replace(/^\+/, ''))
  if (number !== BigInt.asIntN(64, number)) throw new CronError(problem('value out of range'))
  if (number < 0n) throw new CronError(`negative number (${number}) not allowed: ${text}`)
  return number
}

function fieldSchedule(fields: readonly string[], zone: TimeZone): CronSchedule {
  const [second, minute, hour, dayOfMonth, month, dayOfWeek] = bounds.map((range, index) =>
    parseField(fields[index] ?? '', range),
  ) as [Allowed, Allowed, Allowed, Allowed, Allowed, Allowed]

  const isDay = ({ day, weekday }: CivilTime): boolean => {
    const isDayOfMonth = dayOfMonth.has[day] === true
    const isDayOfWeek = dayOfWeek.has[weekday] === true
    return dayOfMonth.isStar || dayOfWeek.isStar ? isDayOfMonth && isDayOfWeek : isDayOfMonth || isDayOfWeek
  }

  // A field like `,` allows nothing: going through five years of seconds would find nothing either.
  const isEmpty = [second, minute, hour, month].some(({ has }) => !has.includes(true))

  /** Goes up field by field, from the month to the second. A field that wraps around sends it back to the month, since the
   *  greater fields have changed. Days are civil, hours and less are elapsed time: that decides what clock changes do. */
  const search = (after: number): number | undefined => {
    let unix = after + 1
    let time = civilAt(unix, zone)
    const lastYear = time.year + 5
    let isOnStart = false
    const go = (to: number) => {
      unix = to
      time = civilAt(unix, zone)
    }
    const startAt = (to: () => number) => {
      if (isOnStart) return
      isOnStart = true
      go(to())
    }

    wrapped: while (time.year <= lastYear) {
      while (month.has[time.month] !== true) {
        startAt(() => instantOf({ ...time, day: 1, hour: 0, minute: 0, second: 0 }, zone))
        go(instantOf({ ...time, month: time.month + 1 }, zone))
        if (time.month === 1) continue wrapped
      }
      while (!isDay(time)) {
        startAt(() => instantOf({ ...time, hour: 0, minute: 0, second: 0 }, zone))
        const day = time.day
        const passed = unix
        go(instantOf({ ...time, day: day + 1 }, zone))
        // Where a zone crosses the date line a whole day is missing, and the next one is found before this one.
        if (unix <= passed) go(instantOf({ ...civilAt(passed, zone), day: day + 2 }, zone))
        // Where a clock change takes midnight away, the day begins at 1 or the civil day's start lies at 23 before it.
        if (time.hour !== 0) go(unix + (time.hour > 12 ? 24 - time.hour : -time.hour) * 3600)
        if (time.day === 1) continue wrapped
      }
      while (hour.has[time.hour] !== true) {
        startAt(() => instantOf({ ...time, minute: 0, second: 0 }, zone))
        go(unix + 3600)
        if (time.hour === 0) continue wrapped
      }
      while (minute.has[time.minute] !== true) {
        startAt(() => Math.floor(unix / 60) * 60)
        go(unix + 60)
        if (time.minute === 0) continue wrapped
      }
      while (second.has[time.second] !== true) {
        startAt(() => unix)
        go(unix + 1)
        if (time.second === 0) continue wrapped
      }
      return unix
    }
    return undefined
  }

  return {
    next(after) {
      const found = isEmpty ? undefined : search(Math.floor(after / 1000))
      return found === undefined ? undefined : found * 1000
    },
  }
}
