import { type CivilTime, composites, dayNames, daysSinceEpoch, monthNames } from './civil.ts'

/** How a conversion is written: `%-d`, `%_H`, `%^a`, `%#p`, `%010Y`. */
interface Style {
  /** Undefined where the conversion decides; '' for no padding. */
  padding: string | undefined
  width: number
  upper: boolean
  swap: boolean
}

const maxWidth = 1024

/** strftime with the conversions of C and the flags of GNU. */
export function formatTime(time: CivilTime, format: string): string {
  return format.replace(
    /%([-_^#0]*)([1-9][0-9]*)?(:{0,3}z|[^])?/g,
    (all: string, flags: string, width: string | undefined, conversion: string | undefined) => {
      const style = styleOf(flags, width)
      if (conversion === undefined) return all.padStart(style.width, style.padding ?? ' ')
      return convert(time, conversion, style) ?? all.slice(0, -1).padStart(style.width - 1, ' ') + all.slice(-1)
    },
  )
}

function styleOf(flags: string, width: string | undefined): Style {
  const style: Style = { padding: undefined, width: Math.min(Number(width ?? 0), maxWidth), upper: false, swap: false }
  for (const flag of flags) {
    if (flag === '-') style.padding = ''
    else if (flag === '_') style.padding = ' '
    else if (flag === '0') style.padding = '0'
    else if (flag === '^') style.upper = true
    else style.swap = true
  }
  // A width asks for padding after all.
  if (style.padding === '' && style.width > 0) style.padding = ' '
  return style
}

function convert(time: CivilTime, conversion: string, style: Style): string | undefined {
  const composite = composites.get(conversion)
  if (composite !== undefined) return formatTime(time, composite)
  if (conversion.endsWith('z')) return zone(conversion.length - 1, style)
  return numeric(time, conversion, style) ?? textual(time, conversion, style)
}

function numeric(time: CivilTime, conversion: string, style: Style): string | undefined {
  const number = (value: number, width: number, padding = '0') => padNumber(value, width, style, padding)
  switch (conversion) {
    case 'Y':
      return number(time.year, style.width || 4)
    case 'y':
      return number(Math.abs(time.year % 100), 2)
    case 'C':
      return number(Math.trunc(time.year / 100), 2)
    case 'G':
      return number(isoWeek(time).year, style.width || 4)
    case 'g':
      return number(Math.abs(isoWeek(time).year % 100), 2)
    case 'V':
      return number(isoWeek(time).week, 2)
    case 'U':
      return number(Math.floor((time.yearDay + 6 - time.weekday) / 7), 2)
    case 'W':
      return number(Math.floor((time.yearDay + 6 - ((time.weekday + 6) % 7)) / 7), 2)
    case 'm':
      return number(time.month, 2)
    case 'd':
      return number(time.day, 2)
    case 'e':
      return number(time.day, 2, ' ')
    case 'j':
      return number(time.yearDay, 3)
    case 'H':
      return number(time.hour, 2)
    case 'k':
      return number(time.hour, 2, ' ')
    case 'I':
      return number(time.hour % 12 || 12, 2)
    case 'l':
      return number(time.hour % 12 || 12, 2, ' ')
    case 'M':
      return number(time.minute, 2)
    case 'S':
      return number(time.second, 2)
    case 's':
      return number(time.epoch, 0, ' ')
    case 'f':
      return number(Math.floor(time.nanosecond / 1000), style.width || 6)
    case 'w':
      return number(time.weekday, 0)
    case 'u':
      return number(time.weekday || 7, 0)
    default:
      return undefined
  }
}

function padNumber(value: number, least: number, style: Style, usual: string): string {
  const padding = style.padding ?? usual
  const digits = String(Math.abs(value))
  const width = Math.max(style.width, least)
  if (padding === '') return value < 0 ? `-${digits}` : digits
  if (value >= 0) return digits.padStart(width, padding)
  return padding === '0' ? `-${digits.padStart(width - 1, '0')}` : `-${digits}`.padStart(width, padding)
}

function textual(time: CivilTime, conversion: string, style: Style): string | undefined {
  const text = (value: string, swapped = style.swap) => padText(changeCase(value, style.upper, swapped), style)
  const half = time.hour < 12 ? 'AM' : 'PM'
  switch (conversion) {
    case 'B':
      return text(monthNames[time.month - 1] as string)
    case 'b':
    case 'h':
      return text((monthNames[time.month - 1] as string).slice(0, 3))
    case 'A':
      return text(dayNames[time.weekday] as string)
    case 'a':
      return text((dayNames[time.weekday] as string).slice(0, 3))
    case 'p':
      return text(half)
    case 'P':
      return text(half, !(style.upper || style.swap))
    case 'Z':
      return text('UTC')
    case 't':
      return padText('\t', style)
    case 'n':
      return padText('\n', style)
    case '%':
      return padText('%', style)
    default:
      return undefined
  }
}

/** Swapping makes capitals small, and everything else capital. */
function changeCase(text: string, upper: boolean, swap: boolean): string {
  if (swap) return /^.[a-z]/.test(text) ? text.toUpperCase() : text.toLowerCase()
  return upper ? text.toUpperCase() : text
}

function padText(text: string, { padding, width }: Style): string {
  return padding === '' ? text : text.padStart(width, padding ?? ' ')
}

function zone(colons: number, { padding, width }: Style): string {
  const offset = ['+0000', '+00:00', '+00:00:00', '+00'][colons] as string
  if (padding === '' || width <= offset.length) return padding === '' ? offset.replace('+00', '+0') : offset
  return padding === ' ' ? offset.padStart(width, ' ') : `+${offset.slice(1).padStart(width - 1, '0')}`
}

function isoWeek(time: CivilTime): { year: number; week: number } {
  // The week belongs to the year of its Thursday.
  const thursday = daysSinceEpoch(time.year, time.month, time.day) + 4 - (time.weekday || 7)
  let year = time.year + 1
  while (daysSinceEpoch(year, 1, 1) > thursday) year--
  return { year, week: Math.floor((thursday - daysSinceEpoch(year, 1, 1)) / 7) + 1 }
}
