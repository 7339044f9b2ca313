/** Times as Kubernetes reads and writes them: the two layouts of the API, with the words of Go's parser for what is wrong. */

const SECONDS = '2006-01-02T15:04:05Z07:00'
const MICROSECONDS = '2006-01-02T15:04:05.000000Z07:00'

const CANONICAL_SECONDS = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z$/
const MICRO_DIGITS = 6

/** A text that is not a time, in Go's words. */
export class TimeSyntaxError extends Error {}

/** `2020-01-01T01:00:00.5+01:00` → `2020-01-01T00:00:00Z`; null for the zero time, which Kubernetes writes as null. */
export function normalizeTime(text: string): string | null {
  if (isCanonical(text)) return text
  const { milliseconds } = new TimeParser(text, SECONDS).parse()
  return milliseconds === ZERO_TIME ? null : `${new Date(milliseconds).toISOString().slice(0, 19)}Z`
}

/** The same for times with exactly six digits of a second. */
export function normalizeMicroTime(text: string): string | null {
  const { milliseconds, nanoseconds } = new TimeParser(text, MICROSECONDS).parse()
  if (milliseconds === ZERO_TIME && nanoseconds === 0) return null
  const micros = String(Math.floor(nanoseconds / 1000)).padStart(MICRO_DIGITS, '0')
  return `${new Date(milliseconds).toISOString().slice(0, 19)}.${micros}Z`
}

const ZERO_TIME = utc(1, 1, 1, 0, 0, 0)

function utc(year: number, month: number, day: number, hour: number, minute: number, second: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, 0)
  return date.getTime()
}

const daysIn = (month: number, year: number): number => new Date(utc(year, month + 1, 0, 0, 0, 0)).getUTCDate()

function isCanonical(text: string): boolean {
  const match = text.length === 20 ? CANONICAL_SECONDS.exec(text) : null
  if (!match) return false
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return false
  return (day <= 28 || day <= daysIn(month, year)) && year > 1
}

class TimeParser {
  readonly #text: string
  readonly #layout: string
  #rest: string

  constructor(text: string, layout: string) {
    this.#text = text
    this.#layout = layout
    this.#rest = text
  }

  parse(): { milliseconds: number; nanoseconds: number } {
    const year = this.#year()
    this.#literal('-')
    const month = this.#number('01', true, 1, 12, 'month')
    this.#literal('-')
    const day = this.#number('02', true)
    this.#literal('T')
    const hour = this.#number('15', false, 0, 23, 'hour')
    this.#literal(':')
    const minute = this.#number('04', true, 0, 59, 'minute')
    this.#literal(':')
    const second = this.#number('05', true, 0, 59, 'second')
    const nanoseconds = this.#layout === MICROSECONDS ? this.#sixDigits() : this.#anyFraction()
    const offset = this.#zone()
    if (this.#rest !== '') throw this.#wrong(`: extra text: ${quote(this.#rest)}`)
    if (day < 1 || day > daysIn(month, year)) throw this.#wrong(': day out of range')
    return { milliseconds: utc(year, month, day, hour, minute, second) - offset * 1000, nanoseconds }
  }

  #year(): number {
    if (!/^\d{4}/.test(this.#rest)) throw this.#mismatch('2006', this.#rest)
    return Number(this.#take(4))
  }

  #literal(char: string): void {
    if (!this.#rest.startsWith(char)) throw this.#mismatch(char, this.#rest)
    this.#take(1)
  }

  #number(element: string, twoDigits: boolean, low = 0, high = 99, name = ''): number {
    const digits = /^\d\d?/.exec(this.#rest)?.[0] ?? ''
    if (digits.length < (twoDigits ? 2 : 1)) throw this.#mismatch(element, this.#rest)
    const value = Number(this.#take(digits.length))
    if (value < low || value > high) throw this.#wrong(`: ${name} out of range`)
    return value
  }

  #anyFraction(): number {
    const digits = /^[.,](\d+)/.exec(this.#rest)?.[1]
    if (digits === undefined) return 0
    this.#take(digits.length + 1)
    return Number(digits.slice(0, 9).padEnd(9, '0'))
  }

  #sixDigits(): number {
    const digits = /^[.,](\d{6})/.exec(this.#rest)?.[1]
    if (digits === undefined) throw this.#mismatch('.000000', this.#rest)
    this.#take(MICRO_DIGITS + 1)
    return Number(digits) * 1000
  }

  #zone(): number {
    if (this.#rest.startsWith('Z')) {
      this.#take(1)
      return 0
    }
    const match = /^([+-])(\d\d):(\d\d)/.exec(this.#rest)
    if (!match) throw this.#mismatch('Z07:00', this.#rest)
    this.#take(6)
    const [hours, minutes] = [Number(match[2]), Number(match[3])]
    if (minutes > 60) throw this.#wrong(': time zone offset minute out of range')
    if (hours > 24) throw this.#wrong(': time zone offset hour out of range')
    return (hours * 60 + minutes) * 60 * (match[1] === '-' ? -1 : 1)
  }

  #take(length: number): string {
    const taken = this.#rest.slice(0, length)
    this.#rest = this.#rest.slice(length)
    return taken
  }

  #mismatch(element: string, found: string): TimeSyntaxError {
    return this.#wrong(` as ${quote(this.#layout)}: cannot parse ${quote(found)} as ${quote(element)}`)
  }

  #wrong(message: string): TimeSyntaxError {
    return new TimeSyntaxError(`parsing time ${quote(this.#text)}${message}`)
  }
}

/** Go's time package quotes in its own way: every byte outside printable ASCII in hexadecimal. */
export function quote(text: string): string {
  let out = '"'
  for (const char of text) {
    if (char === '"' || char === '\\') out += `\\${char}`
    else if (char >= ' ' && char < '\x80') out += char
    else for (const byte of Buffer.from(char)) out += `\\x${byte.toString(16).padStart(2, '0')}`
  }
  return `${out}"`
}
