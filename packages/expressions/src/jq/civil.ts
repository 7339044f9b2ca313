/** A moment in UTC, on the calendar that is in use today however long ago it was. */
export interface CivilTime {
  readonly epoch: number
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly nanosecond: number
  /** From Sunday, 0. */
  readonly weekday: number
  /** From 1. */
  readonly yearDay: number
}

const daySeconds = 86_400

/** Days since 1970-01-01 of a day that may lie outside its month, in a month that may lie outside its year. */
export function daysSinceEpoch(year: number, month: number, day: number): number {
  const monthIndex = month - 1
  const realYear = year + Math.floor(monthIndex / 12)
  const realMonth = monthIndex - 12 * Math.floor(monthIndex / 12)
  // Years begin in March here, so that the leap day comes last.
  const shifted = realMonth < 2 ? realYear - 1 : realYear
  const marchMonth = (realMonth + 10) % 12
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400)
  return shifted * 365 + leapDays + Math.floor((marchMonth * 153 + 2) / 5) + day - 1 - 719_468
}

export function epochSeconds(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number {
  return daysSinceEpoch(year, month, day) * daySeconds + hour * 3600 + minute * 60 + second
}

export function civilTime(seconds: number, nanoseconds: number): CivilTime {
  const epoch = seconds + Math.floor(nanoseconds / 1e9)
  const nanosecond = nanoseconds - Math.floor(nanoseconds / 1e9) * 1e9
  const days = Math.floor(epoch / daySeconds)
  const rest = epoch - days * daySeconds
  let year = 1970 + Math.floor(days / 365.2425)
  while (daysSinceEpoch(year + 1, 1, 1) <= days) year++
  while (daysSinceEpoch(year, 1, 1) > days) year--
  const yearDay = days - daysSinceEpoch(year, 1, 1) + 1
  let month = 12
  while (daysSinceEpoch(year, month, 1) > days) month--
  return {
    epoch,
    year,
    month,
    day: days - daysSinceEpoch(year, month, 1) + 1,
    hour: Math.floor(rest / 3600),
    minute: Math.floor(rest / 60) % 60,
    second: rest % 60,
    nanosecond,
    weekday: (((days + 4) % 7) + 7) % 7,
    yearDay,
  }
}

export const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
export const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** Conversions that stand for others. */
export const composites: ReadonlyMap<string, string> = new Map([
  ['c', '%a %b %e %H:%M:%S %Y'],
  ['+', '%a %b %e %H:%M:%S %Z %Y'],
  ['v', '%e-%b-%Y'],
  ['r', '%I:%M:%S %p'],
  ['F', '%Y-%m-%d'],
  ['D', '%m/%d/%y'],
  ['x', '%m/%d/%y'],
  ['T', '%H:%M:%S'],
  ['X', '%H:%M:%S'],
  ['R', '%H:%M'],
])
