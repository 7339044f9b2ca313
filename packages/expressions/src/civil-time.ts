import type { TimeZone } from './time-zone.ts'

/** What calendar and clock show in a zone. */
export interface CivilTime {
  year: number
  /** January is 1. */
  month: number
  day: number
  /** Sunday is 0. */
  weekday: number
  hour: number
  minute: number
  second: number
}

export function civilAt(unix: number, zone: TimeZone): CivilTime {
  const local = unix + zone.offsetAt(unix)
  const days = Math.floor(local / 86_400)
  const secondOfDay = local - days * 86_400
  const date = new Date(days * 86_400_000)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: Math.floor(secondOfDay / 3600),
    minute: Math.floor((secondOfDay % 3600) / 60),
    second: secondOfDay % 60,
  }
}

/** The instant when a zone's clocks show this, as Go's time.Date finds it. A month or day beyond the end counts on. A time
 *  that a clock change skips is read with the offset before the change or the one after it, whichever Go happens on. */
export function instantOf(civil: Omit<CivilTime, 'weekday'>, zone: TimeZone): number {
  const date = new Date(0)
  date.setUTCFullYear(civil.year, civil.month - 1, civil.day)
  const local = date.getTime() / 1000 + civil.hour * 3600 + civil.minute * 60 + civil.second
  const guess = zone.offsetAt(local)
  return guess === 0 ? local : local - zone.offsetAt(local - guess)
}
