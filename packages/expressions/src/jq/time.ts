import { type CivilTime, civilTime, epochSeconds } from './civil.ts'
import { failedOn, notApplicable } from './errors.ts'
import type { Native } from './functions.ts'
import { formatTime } from './time-format.ts'
import { parseTime, TimeFormatError } from './time-parse.ts'
import { type JqValue, toFloat, toIndex } from './value.ts'

/** Seconds since 1970 as jq's broken-down time: months and days of the year count from 0. */
function brokenDown(seconds: number): JqValue[] {
  // The fraction of a time before 1970 counts upwards from the whole second after it, as gojq has it.
  const time = civilTime(Math.trunc(seconds), Math.trunc((seconds - Math.floor(seconds)) * 1e9))
  return [
    BigInt(time.year),
    BigInt(time.month - 1),
    BigInt(time.day),
    BigInt(time.hour),
    BigInt(time.minute),
    time.second + time.nanosecond / 1e9,
    BigInt(time.weekday),
    BigInt(time.yearDay - 1),
  ]
}

/** Fields that are out of range carry over, missing ones are zero. */
function fromBrokenDown(fields: JqValue[]): CivilTime | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = fields.map(toIndex).map(number => number ?? 0)
  const second = fields.length > 5 ? toFloat(fields[5] as JqValue) : 0
  if (second === undefined || fields.slice(0, 8).some(field => toIndex(field) === undefined)) return undefined
  const whole = epochSeconds(year, month + 1, day, hour, minute, Math.trunc(second))
  return civilTime(whole, Math.trunc((second - Math.floor(second)) * 1e9))
}

const badFields = 'expected an array of 8 numbers'

function format(name: string): Native {
  return (value, [pattern = null]) => {
    const seconds = toFloat(value)
    const fields = seconds === undefined ? value : brokenDown(seconds)
    if (!Array.isArray(fields) || typeof pattern !== 'string') throw notApplicable(name, fields, pattern)
    const time = fromBrokenDown(fields)
    if (time === undefined) throw failedOn(badFields, name, fields, pattern)
    return formatTime(time, pattern)
  }
}

function breakDown(name: string): Native {
  return value => {
    const seconds = toFloat(value)
    if (seconds === undefined) throw notApplicable(name, value)
    return brokenDown(seconds)
  }
}

/** There is one time zone, UTC: the same program gives the same answer on every machine. */
export const timeFunctions: readonly (readonly [string, Native])[] = [
  ['now/0', (_value, _args, machine) => machine.now() / 1000],
  ['gmtime/0', breakDown('gmtime')],
  ['localtime/0', breakDown('localtime')],
  ['strftime/1', format('strftime')],
  ['strflocaltime/1', format('strflocaltime')],
  [
    'mktime/0',
    value => {
      if (!Array.isArray(value)) throw notApplicable('mktime', value)
      const time = fromBrokenDown(value)
      if (time === undefined) throw failedOn(badFields, 'mktime', value)
      return time.epoch + time.nanosecond / 1e9
    },
  ],
  [
    'strptime/1',
    (value, [pattern = null]) => {
      if (typeof value !== 'string' || typeof pattern !== 'string') throw notApplicable('strptime', value, pattern)
      try {
        return brokenDown(parseTime(value, pattern))
      } catch (error) {
        if (!(error instanceof TimeFormatError)) throw error
        throw failedOn(error.message, 'strptime', value, pattern)
      }
    },
  ],
]
