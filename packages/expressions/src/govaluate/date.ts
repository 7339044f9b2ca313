/** A date as it is written in an expression. */
export interface DateTime {
  /** Seconds since 1970. */
  readonly unix: number
  readonly nanoseconds: number
  /** Seconds east of Greenwich. */
  readonly offset: number
  /** The zone's name; empty when only its offset is known. */
  readonly zone: string
}

const year = String.raw`(?<year>\d{4})`
const day = `${year}-(?<month>\\d\\d)-(?<day>\\d\\d)`
const hour = String.raw`(?<hour>\d\d?)`
const minute = String.raw`${hour}:(?<minute>\d\d)`
const second = String.raw`${minute}:(?<second>\d\d)(?:[.,](?<fraction>\d+))?`
const colonOffset = String.raw`(?<sign>[+-])(?<offsetHour>\d\d):(?<offsetMinute>\d\d)`
const plainOffset = String.raw`(?<sign>[+-])(?<offsetHour>\d\d)(?<offsetMinute>\d\d)`
const weekday = '(?:sun|mon|tue|wed|thu|fri|sat)'
const monthName = '(?<monthName>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)'
const zoneName = String.raw`(?<zone>UTC|ChST|MeST|GMT(?:[+-](?:[01]?\d|2[0-3]))?|WITA|[A-Z]{3}|[A-Z]{3,4}T|[+-](?:[01]?\d|2[0-3]))`

/** The forms that are dates, in the order in which they are tried. Everything else in quotes is a text. */
const forms = [
  `${caseless(`${weekday} +${monthName}`)} +(?<day>\\d\\d?) +${second} +${year}`,
  `${caseless(`${weekday} +${monthName}`)} +(?<day>\\d\\d?) +${second} +${zoneName} +${year}`,
  `${caseless(`${weekday} +${monthName}`)} +(?<day>\\d\\d) +${second} +${plainOffset} +${year}`,
  '(?<hour>\\d\\d?):(?<minute>\\d\\d)(?<half>AM|PM)',
  `${day}T${second}(?:Z|${colonOffset})`,
  day,
  `${day} +${minute}`,
  `${day} +${second}`,
  `${day} +${second}${colonOffset}`,
  `${day}T${hour}(?:Z|${plainOffset})`,
  `${day}T${minute}(?:Z|${plainOffset})`,
  `${day}T${second}(?:Z|${plainOffset})`,
].map(form => new RegExp(`^${form}$`, 'u'))

function caseless(pattern: string): string {
  return pattern.replace(/\b[a-z]{3}\b/g, name => name.replace(/./g, letter => `[${letter}${letter.toUpperCase()}]`))
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** The date that a text is, if it is one. A date without zone is in UTC. */
export function parseDate(text: string): DateTime | undefined {
  for (const form of forms) {
    const groups = form.exec(text)?.groups
    const date = groups === undefined ? undefined : dateOf(groups)
    if (date !== undefined) return date
  }
  return undefined
}

function dateOf(groups: Readonly<Record<string, string | undefined>>): DateTime | undefined {
  const read = (name: string, otherwise: number) => (groups[name] === undefined ? otherwise : Number(groups[name]))
  const month =
    groups.monthName === undefined ? read('month', 1) : monthNames.indexOf(groups.monthName.toLowerCase()) + 1
  const [year, day, minute, second] = [read('year', 0), read('day', 1), read('minute', 0), read('second', 0)]
  const hour = hourOf(read('hour', 0), groups.half)
  if (hour === undefined || minute > 59 || second > 59) return undefined
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined
  const zone = zoneOf(groups)
  if (zone === undefined) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return {
    // A zone that is named by its offset from Greenwich changes how the date is shown, not when it is.
    unix: date.getTime() / 1000 + hour * 3600 + minute * 60 + second - (groups.zone === undefined ? zone.offset : 0),
    nanoseconds: Number((groups.fraction ?? '').slice(0, 9).padEnd(9, '0')),
    ...zone,
  }
}

function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour > 23 ? undefined : hour
  if (hour > 12) return undefined
  if (half === 'PM') return hour < 12 ? hour + 12 : hour
  return hour === 12 ? 0 : hour
}

function zoneOf(groups: Readonly<Record<string, string | undefined>>): { offset: number; zone: string } | undefined {
  const name = groups.zone
  if (name !== undefined) {
    const offset = /^GMT(?<hours>[+-]\d+)$/.exec(name)?.groups?.hours
    return { offset: Number(offset ?? 0) * 3600, zone: name }
  }
  if (groups.sign === undefined) return { offset: 0, zone: 'UTC' }
  const [hours, minutes] = [Number(groups.offsetHour), Number(groups.offsetMinute)]
  if (hours > 24 || minutes > 60) return undefined
  const offset = (hours * 60 + minutes) * 60 * (groups.sign === '-' ? -1 : 1)
  return offset === 0 ? { offset: 0, zone: 'UTC' } : { offset, zone: '' }
}

function daysIn(year: number, month: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month, 0)
  return date.getUTCDate()
}

/** As Go prints it: `2014-01-02 14:12:22 +0000 UTC`. */
export function formatDate({ unix, nanoseconds, offset, zone }: DateTime): string {
  const local = new Date((unix + offset) * 1000)
  const pad = (value: number, length = 2) => String(value).padStart(length, '0')
  const date = [pad(local.getUTCFullYear(), 4), pad(local.getUTCMonth() + 1), pad(local.getUTCDate())].join('-')
  const time = [local.getUTCHours(), local.getUTCMinutes(), local.getUTCSeconds()].map(part => pad(part)).join(':')
  const fraction = nanoseconds === 0 ? '' : `.${pad(nanoseconds, 9).replace(/0+$/, '')}`
  const minutes = Math.abs(offset) / 60
  const zoneOffset = `${offset < 0 ? '-' : '+'}${pad(Math.trunc(minutes / 60))}${pad(minutes % 60)}`
  return `${date} ${time}${fraction} ${zoneOffset} ${zone || zoneOffset}`
}
