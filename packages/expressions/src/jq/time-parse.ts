import { composites, dayNames, daysSinceEpoch, epochSeconds, monthNames } from './civil.ts'

export class TimeFormatError extends Error {}

class Mismatch extends Error {}

/** What has been read so far. Years of centuries and of weeks are put together at the end. */
interface Fields {
  year: number
  century: number | undefined
  month: number
  day: number
  yearDay: number
  /** From Sunday, 1; 0 when it was not given. */
  weekday: number
  week: number | undefined
  weekStart: 'sunday' | 'monday' | 'iso' | undefined
  isIsoYear: boolean
  hour: number
  minute: number
  second: number
  nanosecond: number
  isAfternoon: boolean
  zoneOffset: number
}

/** Seconds since 1970 of a time that is written in the format. Throws TimeFormatError. */
export function parseTime(source: string, format: string): number {
  try {
    return new TimeParser(source).parse(format)
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error
    throw new TimeFormatError(
      `failed to parse ${JSON.stringify(source)} with ${JSON.stringify(format)}: ${error.message}`,
    )
  }
}

class TimeParser {
  readonly #source: string
  #at = 0
  readonly #fields: Fields = {
    year: 1900,
    century: undefined,
    month: 1,
    day: 0,
    yearDay: 0,
    weekday: 0,
    week: undefined,
    weekStart: undefined,
    isIsoYear: false,
    hour: 0,
    minute: 0,
    second: 0,
    nanosecond: 0,
    isAfternoon: false,
    zoneOffset: 0,
  }

  constructor(source: string) {
    this.#source = source
  }

  parse(format: string): number {
    this.#read(format, false)
    if (this.#at < this.#source.length)
      throw new Mismatch(`unparsed string ${JSON.stringify(this.#source.slice(this.#at))}`)
    return this.#seconds()
  }

  #read(format: string, isComposite: boolean): void {
    for (let at = 0; at < format.length; at++) {
      const character = format[at] as string
      if (character !== '%') {
        this.#literal(character)
        continue
      }
      at++
      const conversion = format[at]
      if (conversion === undefined) throw new Mismatch('stray "%"')
      const composite = isComposite ? undefined : composites.get(conversion)
      if (composite !== undefined) this.#read(composite, true)
      else if (conversion === ':') at = this.#colons(format, at)
      else this.#convert(conversion)
    }
  }

  #literal(character: string): void {
    if (this.#source[this.#at] !== character) throw new Mismatch(`expected '${quoted(character)}'`)
    this.#at++
  }

  #convert(conversion: string): void {
    const fields = this.#fields
    switch (conversion) {
      case 'G':
      case 'Y':
        fields.isIsoYear ||= conversion === 'G'
        fields.year = this.#sign() * this.#integer(4, 0, 9999, conversion)
        return
      case 'g':
      case 'y': {
        fields.isIsoYear ||= conversion === 'g'
        const year = this.#integer(2, 0, 99, conversion)
        fields.year = year < 69 ? year + 2000 : year + 1900
        return
      }
      case 'C':
        if (this.#sign() < 0) throw new Mismatch('negative century is not supported for "%C"')
        fields.century = this.#integer(2, 0, 99, 'C')
        return
      case 'm':
        fields.month = this.#integer(2, 1, 12, 'm')
        return
      case 'B':
      case 'b':
      case 'h':
        fields.month = this.#name(
          conversion === 'B' ? monthNames : monthNames.map(name => name.slice(0, 3)),
          conversion,
        )
        return
      case 'e':
      case 'd':
        if (conversion === 'e') this.#skipSpace()
        fields.day = this.#integer(2, 1, 31, conversion)
        return
      case 'j':
        fields.yearDay = this.#integer(3, 1, 366, 'j')
        return
      case 's':
        this.#epoch()
        return
      default:
        this.#convertWeek(conversion)
    }
  }

  #convertWeek(conversion: string): void {
    const fields = this.#fields
    switch (conversion) {
      case 'A':
      case 'a':
        fields.weekday = this.#name(conversion === 'A' ? dayNames : dayNames.map(name => name.slice(0, 3)), conversion)
        return
      case 'w':
        fields.weekday = this.#integer(1, 0, 6, 'w') + 1
        return
      case 'u':
        fields.weekday = (this.#integer(1, 1, 7, 'u') % 7) + 1
        return
      case 'V':
      case 'U':
      case 'W':
        fields.week = this.#integer(2, conversion === 'V' ? 1 : 0, 53, conversion)
        fields.weekStart = conversion === 'V' ? 'iso' : conversion === 'U' ? 'sunday' : 'monday'
        fields.weekday ||= conversion === 'U' ? 1 : 2
        return
      default:
        this.#convertClock(conversion)
    }
  }

  #convertClock(conversion: string): void {
    const fields = this.#fields
    switch (conversion) {
      case 'k':
      case 'H':
        if (conversion === 'k') this.#skipSpace()
        fields.hour = this.#integer(2, 0, 23, conversion)
        return
      case 'l':
      case 'I':
        if (conversion === 'l') this.#skipSpace()
        fields.hour = this.#integer(2, 1, 12, conversion) % 12
        return
      case 'P':
      case 'p':
        fields.isAfternoon = this.#name(['AM', 'PM'], conversion) === 2
        return
      case 'M':
        fields.minute = this.#integer(2, 0, 59, 'M')
        return
      case 'S':
        fields.second = this.#integer(2, 0, 60, 'S')
        return
      case 'f': {
        const start = this.#at
        const digits = this.#integer(6, 0, 999_999, 'f')
        fields.nanosecond = digits * 10 ** (6 - (this.#at - start)) * 1000
        return
      }
      case 'Z':
        this.#zoneName()
        return
      case 'z':
        this.#zone(0)
        return
      case 't':
      case 'n': {
        const blank = /^[ \t-\r]+/.exec(this.#source.slice(this.#at))
        if (blank === null) throw new Mismatch(`expected a space for "%${conversion}"`)
        this.#at += blank[0].length
        return
      }
      case '%':
        this.#literal('%')
        return
      default:
        throw new Mismatch(`unexpected format "%${conversion}"`)
    }
  }

  #colons(format: string, at: number): number {
    const colons = /^:{1,3}/.exec(format.slice(at))?.[0].length ?? 0
    if (format[at + colons] !== 'z') throw new Mismatch(`expected 'z' after "%${':'.repeat(colons)}"`)
    this.#zone(colons)
    return at + colons
  }

  #zone(colons: number): void {
    const wrong = () => new Mismatch(`cannot parse "%${':'.repeat(colons)}z"`)
    const rest = this.#source.slice(this.#at)
    if (rest.startsWith('Z')) {
      this.#fields.zoneOffset = 0
      this.#at++
      return
    }
    const match = /^([+-])([01][0-9]|2[0-3])(?:(:?)([0-5][0-9])(?:(:)([0-5][0-9]))?)?/.exec(rest)
    if (match === null) throw wrong()
    const [, sign, hours, colon, minutes, secondColon, seconds] = match
    const needsColon = new Mismatch(`expected ':' for "%${':'.repeat(colons)}z"`)
    const isStrict = colons === 1 || colons === 2
    if (isStrict && rest[3] !== ':') throw needsColon
    if (minutes === undefined && (isStrict || (colons === 0 && rest[3] === ':'))) throw wrong()
    // Without colons in the format, seconds are read only after minutes with a colon.
    const readsSeconds = secondColon !== undefined && (colons > 1 || (colons === 0 && colon === ':'))
    if (colons === 2 && !readsSeconds) throw rest[6] === ':' ? wrong() : needsColon
    const read = 3 + (minutes === undefined ? 0 : (colon?.length ?? 0) + 2) + (readsSeconds ? 3 : 0)
    const offset = Number(hours) * 3600 + Number(minutes ?? 0) * 60 + (readsSeconds ? Number(seconds) : 0)
    this.#fields.zoneOffset = sign === '-' ? -offset : offset
    this.#at += read
  }

  /** An abbreviation says nothing about the offset; what looks like one is read and taken for UTC. */
  #zoneName(): void {
    const name = /^[A-Z]*/.exec(this.#source.slice(this.#at))?.[0] ?? ''
    const isName = name.length === 3 || (name.length === 4 && /T$|^WITA$/.test(name)) || /^[A-Z]{4}T$/.test(name)
    if (!isName) throw new Mismatch(`cannot parse ${JSON.stringify(name)} with "%Z"`)
    this.#at += name.length
  }

  #epoch(): void {
    const sign = this.#sign()
    const seconds = sign * this.#integer(19, 0, Number.POSITIVE_INFINITY, 's')
    const days = Math.floor(seconds / 86_400)
    Object.assign(this.#fields, { year: 1970, month: 1, day: 1 + days, hour: 0, minute: 0 })
    this.#fields.second = seconds - days * 86_400
  }

  #sign(): number {
    if (this.#source[this.#at] !== '-') return 1
    this.#at++
    return -1
  }

  #skipSpace(): void {
    if (this.#source[this.#at] === ' ') this.#at++
  }

  #integer(size: number, least: number, most: number, conversion: string): number {
    const digits = /^[0-9]*/.exec(this.#source.slice(this.#at, this.#at + size))?.[0] ?? ''
    const value = Number(digits)
    if (digits === '' || value < least || value > most) throw new Mismatch(`cannot parse "%${conversion}"`)
    this.#at += digits.length
    return value
  }

  /** Which of the names comes next, counted from 1. */
  #name(names: readonly string[], conversion: string): number {
    const rest = this.#source.slice(this.#at).toLowerCase()
    const found = names.findIndex(name => rest.startsWith(name.toLowerCase()))
    if (found < 0) throw new Mismatch(`cannot parse "%${conversion}"`)
    this.#at += (names[found] as string).length
    return found + 1
  }

  #seconds(): number {
    const fields = this.#fields
    const year = fields.century === undefined ? fields.year : fields.century * 100 + (fields.year % 100)
    const hour = fields.hour + (fields.isAfternoon ? 12 : 0)
    const at = (month: number, day: number) =>
      epochSeconds(year, month, day, hour, fields.minute, fields.second) - fields.zoneOffset + fields.nanosecond / 1e9
    if (fields.day !== 0) return at(fields.month, fields.day)
    if (fields.yearDay > 0) {
      if (fields.isIsoYear) throw new Mismatch('use "%Y" to parse non-ISO year for "%j"')
      return at(1, fields.yearDay)
    }
    if (fields.weekStart === undefined) return at(fields.month, 1)
    return at(1, this.#dayOfWeek(year))
  }

  /** The day of January, or beyond it, that the week and the weekday name. */
  #dayOfWeek(year: number): number {
    const { weekStart, isIsoYear, weekday } = this.#fields
    if (weekStart === 'iso' && !isIsoYear) throw new Mismatch('use "%G" to parse ISO year for "%V"')
    if (weekStart !== 'iso' && isIsoYear) throw new Mismatch('use "%Y" to parse non-ISO year for "%U" or "%W"')
    const week = (this.#fields.week as number) + (weekStart !== 'sunday' && weekday === 1 ? 1 : 0)
    const before = { sunday: 0, monday: -1, iso: -4 }[weekStart as 'sunday' | 'monday' | 'iso']
    const startWeekday = (((daysSinceEpoch(year, 1, before) + 4) % 7) + 7) % 7
    return before + week * 7 - startWeekday + weekday - 1
  }
}

function quoted(character: string): string {
  return character === "'" || character === '\\'
    ? `\\${character}`
    : JSON.stringify(character).slice(1, -1).replace('\\"', '"')
}
