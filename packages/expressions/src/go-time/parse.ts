import { longMonths, longWeekdays, shortMonths, shortWeekdays, splitLayout } from './layout.ts'
import { GoTime } from './time.ts'
import { fixedZone, type NamedZone, utcZone } from './zone.ts'

/** The text is no time of the layout; the message is the one that Go gives. */
export class TimeParseError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TimeParseError'
  }
}

/** The element cannot be read from the text that is left. */
class Mismatch extends Error {}
/** The element can be read, but is no such number. */
class OutOfRange extends Error {}

/** Reads a time by a layout, as Go's time.ParseInLocation does. What names no zone is in `zone`. Throws TimeParseError. */
export function parseTime(layout: string, text: string, zone: NamedZone = utcZone): GoTime {
  const fields = new TimeFields()
  const pieces = splitLayout(layout)
  let rest = text
  for (const [index, { literal, element }] of pieces.entries()) {
    const afterLiteral = skipLiteral(literal, rest)
    if (typeof afterLiteral !== 'string') throw cannotParse(layout, text, afterLiteral.literal, afterLiteral.rest)
    rest = afterLiteral
    if (element === '') break
    const before = rest
    try {
      const next = pieces[index + 1]
      const isFractionNext = next !== undefined && next.literal === '' && /^[.,]/.test(next.element)
      rest = fields.read(element, rest, isFractionNext)
    } catch (error) {
      if (error instanceof OutOfRange)
        throw new TimeParseError(`parsing time ${quoteTime(text)}: ${error.message} out of range`)
      if (error instanceof Mismatch) throw cannotParse(layout, text, element, before)
      throw error
    }
  }
  if (rest !== '') throw new TimeParseError(`parsing time ${quoteTime(text)}: extra text: ${quoteTime(rest)}`)
  const problem = fields.settleDay()
  if (problem !== undefined) throw new TimeParseError(`parsing time ${quoteTime(text)}: ${problem}`)
  return fields.toTime(zone)
}

function cannotParse(layout: string, text: string, element: string, rest: string): TimeParseError {
  const what = `cannot parse ${quoteTime(rest)} as ${quoteTime(element)}`
  return new TimeParseError(`parsing time ${quoteTime(text)} as ${quoteTime(layout)}: ${what}`)
}

/** The quotes of Go's package time: every byte beyond printable ASCII is written in hexadecimal. */
export function quoteTime(text: string): string {
  let quoted = ''
  for (const byte of Buffer.from(text, 'utf8')) {
    const character = String.fromCharCode(byte)
    if (byte < 0x20 || byte >= 0x80) quoted += `\\x${byte.toString(16).padStart(2, '0')}`
    else quoted += character === '"' || character === '\\' ? `\\${character}` : character
  }
  return `"${quoted}"`
}

/** What follows the literal; a run of spaces matches any other. Where it does not match, what is left of both. */
function skipLiteral(literal: string, text: string): string | { literal: string; rest: string } {
  let wanted = literal
  let rest = text
  while (wanted !== '') {
    if (wanted.startsWith(' ')) {
      if (rest !== '' && !rest.startsWith(' ')) return { literal: wanted, rest }
      wanted = wanted.replace(/^ +/, '')
      rest = rest.replace(/^ +/, '')
      continue
    }
    if (rest[0] !== wanted[0]) return { literal: wanted, rest }
    wanted = wanted.slice(1)
    rest = rest.slice(1)
  }
  return rest
}

const daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365]
const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

function daysIn(month: number, year: number): number {
  if (month === 2 && isLeap(year)) return 29
  return (daysBefore[month] as number) - (daysBefore[month - 1] as number)
}

class TimeFields {
  #year = 0
  #month: number | undefined
  #day: number | undefined
  #yearDay: number | undefined
  #hour = 0
  #minute = 0
  #second = 0
  #nanosecond = 0
  #half: 'am' | 'pm' | undefined
  #isUtc = false
  #offset: number | undefined
  #zoneName = ''

  /** Reads one element and returns what follows it. */
  read(element: string, text: string, isFractionNext: boolean): string {
    switch (element) {
      case '06':
        return this.#take(/^\d\d/, text, digits => {
          this.#year = Number(digits) + (Number(digits) >= 69 ? 1900 : 2000)
        })
      case '2006':
        return this.#take(/^\d{4}/, text, digits => {
          this.#year = Number(digits)
        })
      case 'Jan':
      case 'January':
        return this.#lookup(element === 'Jan' ? shortMonths : longMonths, text, index => {
          this.#month = index + 1
        })
      case 'Mon':
      case 'Monday':
        return this.#lookup(element === 'Mon' ? shortWeekdays : longWeekdays, text, () => undefined)
      case '1':
      case '01':
        return this.#number(element === '01', text, value => {
          this.#month = inRange(value, 1, 12, 'month')
        })
      case '2':
      case '02':
      case '_2': {
        const unpadded = element === '_2' ? text.replace(/^ /, '') : text
        return this.#number(element === '02', unpadded, value => {
          this.#day = value
        })
      }
      case '002':
      case '__2':
        return this.#take(element === '002' ? /^\d{3}/ : /^ {0,2}\d{1,3}/, text, digits => {
          this.#yearDay = Number(digits)
        })
      case '15':
        return this.#number(false, text, value => {
          this.#hour = inRange(value, 0, 23, 'hour')
        })
      case '3':
      case '03':
        return this.#number(element === '03', text, value => {
          this.#hour = inRange(value, 0, 12, 'hour')
        })
      case '4':
      case '04':
        return this.#number(element === '04', text, value => {
          this.#minute = inRange(value, 0, 59, 'minute')
        })
      case '5':
      case '05': {
        const rest = this.#number(element === '05', text, value => {
          this.#second = inRange(value, 0, 59, 'second')
        })
        // A fraction may follow the seconds although the layout says nothing of it.
        return isFractionNext || !/^[.,]\d/.test(rest) ? rest : this.#fraction(/^[.,]\d+/, rest)
      }
      case 'PM':
      case 'pm':
        return this.#take(element === 'PM' ? /^[AP]M/ : /^[ap]m/, text, half => {
          this.#half = half.toLowerCase() as 'am' | 'pm'
        })
      case 'MST':
        return this.#zone(text)
      default:
        if (/^[-Z]/.test(element)) return this.#zoneOffset(element, text)
        if (element[1] === '0') return this.#fraction(new RegExp(`^[.,]\\d{${element.length - 1}}`), text)
        return /^[.,]\d/.test(text) ? this.#fraction(/^[.,]\d+/, text) : text
    }
  }

  #take(pattern: RegExp, text: string, use: (taken: string) => void): string {
    const taken = pattern.exec(text)?.[0]
    if (taken === undefined) throw new Mismatch()
    use(taken)
    return text.slice(taken.length)
  }

  #number(isFixed: boolean, text: string, use: (value: number) => void): string {
    return this.#take(isFixed ? /^\d\d/ : /^\d\d?/, text, digits => {
      use(Number(digits))
    })
  }

  #lookup(names: readonly string[], text: string, use: (index: number) => void): string {
    const index = names.findIndex(name => text.slice(0, name.length).toLowerCase() === name.toLowerCase())
    if (index < 0) throw new Mismatch()
    use(index)
    return text.slice((names[index] as string).length)
  }

  #fraction(pattern: RegExp, text: string): string {
    return this.#take(pattern, text, taken => {
      this.#nanosecond = Number(taken.slice(1, 10).padEnd(9, '0'))
    })
  }

  #zoneOffset(element: string, text: string): string {
    if (element.startsWith('Z') && text.startsWith('Z')) {
      this.#isUtc = true
      return text.slice(1)
    }
    const colon = element.includes(':') ? ':' : ''
    const parts = element.length > 6 ? 3 : element.length > 3 ? 2 : 1
    const pattern = new RegExp(`^([+-])${Array.from({ length: parts }, () => '(\\d\\d)').join(colon)}`)
    const match = pattern.exec(text)
    if (match === null) throw new Mismatch()
    const [whole, sign, hours = '0', minutes = '0', seconds = '0'] = match
    const offset =
      inRange(Number(hours), 0, 24, 'time zone offset hour') * 3600 +
      inRange(Number(minutes), 0, 60, 'time zone offset minute') * 60 +
      inRange(Number(seconds), 0, 60, 'time zone offset second')
    this.#offset = sign === '-' ? -offset : offset
    return text.slice(whole.length)
  }

  #zone(text: string): string {
    if (text.startsWith('UTC')) {
      this.#isUtc = true
      return text.slice(3)
    }
    const length = zoneNameLength(text)
    if (length === 0) throw new Mismatch()
    this.#zoneName = text.slice(0, length)
    return text.slice(length)
  }

  /** Finds month and day from what was read. Returns what is wrong with them. */
  settleDay(): string | undefined {
    if (this.#yearDay !== undefined) {
      const problem = this.#settleYearDay(this.#yearDay)
      if (problem !== undefined) return problem
    }
    this.#month ??= 1
    this.#day ??= 1
    return this.#day < 1 || this.#day > daysIn(this.#month, this.#year) ? 'day out of range' : undefined
  }

  #settleYearDay(yearDay: number): string | undefined {
    if (yearDay < 1 || yearDay > (isLeap(this.#year) ? 366 : 365)) return 'day-of-year out of range'
    let month = 1
    let day = yearDay
    while (day > daysIn(month, this.#year)) {
      day -= daysIn(month, this.#year)
      month += 1
    }
    if (this.#month !== undefined && this.#month !== month) return 'day-of-year does not match month'
    if (this.#day !== undefined && this.#day !== day) return 'day-of-year does not match day'
    this.#month = month
    this.#day = day
    return undefined
  }

  toTime(zone: NamedZone): GoTime {
    if (this.#isUtc) return this.#civilIn(utcZone)
    if (this.#offset !== undefined) {
      const unix = this.#civilIn(utcZone).unix - this.#offset
      const isInZone =
        zone.offsetAt(unix) === this.#offset && (this.#zoneName === '' || zone.abbreviationAt(unix) === this.#zoneName)
      return new GoTime(unix, this.#nanosecond, isInZone ? zone : fixedZone(this.#zoneName, this.#offset))
    }
    if (this.#zoneName === '') return this.#civilIn(zone)
    const local = this.#civilIn(zone)
    if (zone !== utcZone && zone.abbreviationAt(local.unix) === this.#zoneName) return local
    const hours = /^GMT([+-]\d+)$/.exec(this.#zoneName)?.[1]
    return new GoTime(
      this.#civilIn(utcZone).unix,
      this.#nanosecond,
      fixedZone(this.#zoneName, hours === undefined ? 0 : Number(hours) * 3600),
    )
  }

  #civilIn(zone: NamedZone): GoTime {
    let hour = this.#hour
    if (this.#half === 'pm' && hour < 12) hour += 12
    else if (this.#half === 'am' && hour === 12) hour = 0
    const day = { year: this.#year, month: this.#month ?? 1, day: this.#day ?? 1 }
    return GoTime.fromCivil({ ...day, hour, minute: this.#minute, second: this.#second }, this.#nanosecond, zone)
  }
}

function inRange(value: number, low: number, high: number, what: string): number {
  if (value < low || value > high) throw new OutOfRange(what)
  return value
}

/** How much of the text is the letters of a zone; 0 for none. */
function zoneNameLength(text: string): number {
  if (/^(ChST|MeST)/.test(text)) return 4
  if (text.startsWith('GMT')) return 3 + signedOffsetLength(text.slice(3))
  if (text.length >= 3 && /^[+-]/.test(text)) return signedOffsetLength(text)
  const upper = /^[A-Z]*/.exec(text)?.[0] ?? ''
  switch (upper.length) {
    case 3:
      return 3
    case 4:
      return upper.endsWith('T') || upper === 'WITA' ? 4 : 0
    case 5:
      return upper.endsWith('T') ? 5 : 0
    default:
      return 0
  }
}

function signedOffsetLength(text: string): number {
  const match = /^[+-](\d+)/.exec(text)
  return match === null || Number(match[1]) > 23 ? 0 : match[0].length
}
