import { type CronSchedule, parseCron } from '@tiphys/expressions/cron'
import { parseDuration } from '@tiphys/expressions/duration'
import { loadTimeZone, type TimeZone } from '@tiphys/expressions/time-zone'

export interface CalendarTimes {
  schedule?: string
  /** A Go duration; counts only without a schedule. */
  interval?: string
  timezone?: string
  /** `EXDATE:20240101T000000Z,…`: the whole days are left out. */
  exclusionDates?: readonly string[]
}

/** When an entry is due. Times are milliseconds since the epoch. Throws an error with upstream's words. */
export function calendarSchedule({
  schedule,
  interval,
  timezone = '',
  exclusionDates = [],
}: CalendarTimes): CronSchedule {
  const zone = loadTimeZone(timezone)
  const times = schedule ? cronOf(schedule, zone) : intervalOf(interval ?? '')
  const excluded = new Set(exclusionDates.flatMap(daysOf))
  if (excluded.size === 0) return times
  return {
    next(after) {
      let due = times.next(after)
      while (due !== undefined && excluded.has(dayOf(due, zone))) due = times.next(due)
      return due
    },
  }
}

function cronOf(schedule: string, timeZone: TimeZone): CronSchedule {
  try {
    return parseCron(schedule, { descriptors: false, timeZone })
  } catch (cause) {
    throw new Error(`failed to parse schedule ${schedule} from calendar event. Cause: ${(cause as Error).message}`, {
      cause,
    })
  }
}

/** On whole seconds, as upstream. */
function intervalOf(interval: string): CronSchedule {
  if (interval === '') throw new Error('must have either schedule or interval')
  let ms: number
  try {
    ms = Number(parseDuration(interval) / 1_000_000n)
  } catch (cause) {
    throw new Error(`failed to parse interval ${interval} from calendar event. Cause: ${(cause as Error).message}`, {
      cause,
    })
  }
  if (ms < 1000) throw new Error(`an interval of ${interval} is too short, use at least 1s`)
  return { next: after => after - (after % 1000) + ms }
}

const EXCLUSION = 'EXDATE:'
const EXCLUDED_TIME = /^(\d{4})(\d{2})(\d{2})T\d{6}Z$/

/** Upstream ignores what does not begin with EXDATE. */
function daysOf(text: string): string[] {
  if (!text.startsWith(EXCLUSION)) return []
  return text
    .slice(EXCLUSION.length)
    .split(',')
    .map(time => {
      const day = EXCLUDED_TIME.exec(time)
      if (!day) throw new Error(`the exclusion date ${time} is not of the form 20060102T150405Z`)
      return day.slice(1, 4).join('-')
    })
}

function dayOf(time: number, zone: TimeZone): string {
  return new Date(time + zone.offsetAt(Math.floor(time / 1000)) * 1000).toISOString().slice(0, 10)
}
