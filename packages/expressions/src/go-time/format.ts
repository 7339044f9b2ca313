import type { CivilTime } from '../civil-time.ts'
import { layouts, longMonths, longWeekdays, shortMonths, shortWeekdays, splitLayout } from './layout.ts'
import { quoteTime } from './parse.ts'
import type { GoTime } from './time.ts'

/** A time written by a layout, as Go's Time.Format does. */
export function formatTime(time: GoTime, layout: string): string {
  const civil = time.civil
  return splitLayout(layout)
    .map(({ literal, element }) => literal + formatElement(element, time, civil))
    .join('')
}

const pad = (value: number, width: number, filler = '0'): string => String(value).padStart(width, filler)
const hour12 = (hour: number): number => hour % 12 || 12

function formatElement(element: string, time: GoTime, civil: CivilTime): string {
  switch (element) {
    case '':
      return ''
    case '2006':
      return civil.year < 0 ? `-${pad(-civil.year, 4)}` : pad(civil.year, 4)
    case '06':
      return pad(Math.max(civil.year, 0) % 100, 2)
    case 'January':
      return longMonths[civil.month - 1] as string
    case 'Jan':
      return shortMonths[civil.month - 1] as string
    case '1':
      return String(civil.month)
    case '01':
      return pad(civil.month, 2)
    case 'Monday':
      return longWeekdays[civil.weekday] as string
    case 'Mon':
      return shortWeekdays[civil.weekday] as string
    case '2':
      return String(civil.day)
    case '_2':
      return pad(civil.day, 2, ' ')
    case '02':
      return pad(civil.day, 2)
    case '__2':
      return pad(time.yearDay, 3, ' ')
    case '002':
      return pad(time.yearDay, 3)
    case '15':
      return pad(civil.hour, 2)
    case '3':
      return String(hour12(civil.hour))
    case '03':
      return pad(hour12(civil.hour), 2)
    case '4':
      return String(civil.minute)
    case '04':
      return pad(civil.minute, 2)
    case '5':
      return String(civil.second)
    case '05':
      return pad(civil.second, 2)
    case 'PM':
      return civil.hour >= 12 ? 'PM' : 'AM'
    case 'pm':
      return civil.hour >= 12 ? 'pm' : 'am'
    case 'MST':
      return time.zone.abbreviationAt(time.unix) || formatOffset('-0700', time.offset)
    default:
      return /^[-Z]/.test(element) ? formatOffset(element, time.offset) : formatFraction(element, time.nanosecond)
  }
}

function formatOffset(element: string, offset: number): string {
  if (element.startsWith('Z') && offset === 0) return 'Z'
  const size = Math.abs(offset)
  const [hours, minutes, seconds] = [Math.floor(size / 3600), Math.floor(size / 60) % 60, size % 60].map(part =>
    pad(part, 2),
  )
  const colon = element.includes(':') ? ':' : ''
  // The sign is that of whole minutes, as in Go.
  let text = `${Math.trunc(offset / 60) < 0 ? '-' : '+'}${hours}`
  if (element.length > 3) text += colon + minutes
  if (element.length > 6) text += colon + seconds
  return text
}

function formatFraction(element: string, nanosecond: number): string {
  const digits = pad(nanosecond, 9)
    .slice(0, element.length - 1)
    .padEnd(element.length - 1, '0')
  if (element[1] === '0') return element[0] + digits
  const shortened = digits.replace(/0+$/, '')
  return shortened === '' ? '' : element[0] + shortened
}

/** What a time prints as: `2026-03-29 02:30:00 +0200 CEST`. */
export const timeText = (time: GoTime): string => formatTime(time, layouts.string)

/** The time in Go's own syntax, as `%#v` prints it. */
export function timeSource(time: GoTime): string {
  const { year, month, day, hour, minute, second } = time.civil
  const zone = time.zone.name === 'UTC' ? 'time.UTC' : `time.Location(${quoteTime(time.zone.name)})`
  return `time.Date(${year}, time.${longMonths[month - 1]}, ${day}, ${hour}, ${minute}, ${second}, ${time.nanosecond}, ${zone})`
}
