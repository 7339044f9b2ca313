import { formatDouble, plainDecimal } from '../cel/number-text.ts'
import { checkLength } from './operators.ts'
import { isWhole, LuaTable, type LuaValue, numberText, parseNumber, type Runtime, toText, truncate } from './value.ts'

interface Directive {
  readonly flags: string
  readonly width: number
  readonly precision: number | undefined
  readonly verb: string
}

const maxWidth = 1000

/** `string.format` as Go's fmt prints Lua's numbers and strings. */
export function formatString(format: string, args: LuaValue[], runtime: Runtime): string {
  const percents = format.split('%').length - 1
  const doubled = format.split('%%').length - 1
  const given = args.slice(0, Math.max(0, percents - doubled))
  let used = 0
  let length = format.length
  const text = format.replace(
    /%([-+# 0]*)([0-9]*)(?:\.([0-9]*))?([^]?)/g,
    (_all, flags: string, width: string, precision: string | undefined, verb: string) => {
      if (verb === '%') return '%'
      if (verb === '') return '%!(NOVERB)'
      if (used >= given.length) return `%!${verb}(MISSING)`
      const directive: Directive = {
        flags,
        width: Math.min(Number(width), maxWidth),
        precision: precision === undefined ? undefined : Math.min(Number(precision), 100),
        verb,
      }
      const shown = formatValue(given[used++], directive)
      length += shown.length
      checkLength(runtime, length)
      return shown
    },
  )
  if (used >= given.length) return text
  const extra = given.slice(used).map(value => `${goType(value)}=${toText(value)}`)
  return `${text}%!(EXTRA ${extra.join(', ')})`
}

function goType(value: LuaValue): string {
  if (typeof value === 'number') return 'lua.LNumber'
  if (typeof value === 'string') return 'lua.LString'
  if (typeof value === 'boolean') return 'lua.LBool'
  return value === undefined ? '*lua.LNilType' : value instanceof LuaTable ? '*lua.LTable' : '*lua.LFunction'
}

function formatValue(value: LuaValue, directive: Directive): string {
  if (typeof value === 'number') return formatNumber(value, directive)
  if (typeof value === 'string') {
    if (directive.verb !== 'd' && directive.verb !== 'i') return formatText(value, directive)
    return parseNumber(value) === undefined
      ? formatNumber(0, { ...directive, verb: 'd' })
      : formatText(value, directive)
  }
  if ('svq'.includes(directive.verb)) return formatText(toText(value), { ...directive, verb: 's' })
  if (typeof value === 'boolean' && directive.verb === 't') return pad(String(value), directive)
  return `%!${directive.verb}(${goType(value)}=${toText(value)})`
}

function formatText(text: string, directive: Directive): string {
  const { verb, precision } = directive
  const cut = precision === undefined ? text : text.slice(0, precision)
  switch (verb) {
    case 'x':
      return pad(Buffer.from(cut, 'latin1').toString('hex'), directive)
    case 'X':
      return pad(Buffer.from(cut, 'latin1').toString('hex').toUpperCase(), directive)
    case 'q':
      return pad(quote(cut), directive)
    case 's':
    case 'v':
    case 'd':
    case 'i':
      return pad(cut, directive)
    default:
      return `%!${verb}(string=${pad(cut, directive)})`
  }
}

function quote(text: string): string {
  return JSON.stringify(text)
    .replace(/\\u00([0-9a-f]{2})/g, '\\x$1')
    .replace('\\b', '\\b')
}

function formatNumber(value: number, directive: Directive): string {
  const { verb } = directive
  switch (verb) {
    case 's':
    case 'q':
      return formatText(numberText(value), directive)
    case 'd':
    case 'i':
      return integer(value, 10, directive)
    case 'x':
      return integer(value, 16, directive)
    case 'X':
      return integer(value, 16, directive).toUpperCase()
    case 'o':
      return integer(value, 8, directive)
    case 'b':
      return integer(value, 2, directive)
    case 'c': {
      const code = truncate(value)
      const isCharacter = code >= 0 && code <= 0x10ffff
      return pad(Buffer.from(String.fromCodePoint(isCharacter ? code : 0xfffd)).toString('latin1'), directive)
    }
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
      return float(value, directive)
    case 'v':
      return isWhole(value) ? integer(value, 10, directive) : float(value, { ...directive, verb: 'g' })
    default:
      return isWhole(value) ? `%!${verb}(int64=${truncate(value)})` : `%!${verb}(float64=${formatDouble(value)})`
  }
}

function integer(value: number, base: number, directive: Directive): string {
  const whole = truncate(value)
  const digits = BigInt(Math.abs(whole)).toString(base)
  const prefix = directive.flags.includes('#') ? (base === 16 ? '0x' : base === 8 ? '0' : '') : ''
  const least = directive.precision ?? 0
  const text = prefix + digits.padStart(least, '0')
  return padNumber(
    text,
    whole < 0,
    directive.precision === undefined ? directive : { ...directive, flags: directive.flags.replace('0', '') },
  )
}

function float(value: number, directive: Directive): string {
  const isNegative = value < 0 || Object.is(value, -0)
  if (!Number.isFinite(value)) {
    const text = Number.isNaN(value) ? 'NaN' : 'Inf'
    const signed = Number.isNaN(value)
      ? text
      : value < 0
        ? `-${text}`
        : directive.flags.includes('+')
          ? `+${text}`
          : `+${text}`
    return pad(signed, { ...directive, flags: directive.flags.replace('0', '') })
  }
  return padNumber(floatDigits(Math.abs(value), directive), isNegative, directive)
}

function floatDigits(size: number, { verb, precision }: Directive): string {
  switch (verb) {
    case 'f':
    case 'F':
      return fixed(size, precision ?? 6)
    case 'e':
    case 'E': {
      const text = twoDigits(size.toExponential(precision ?? 6))
      return verb === 'E' ? text.toUpperCase() : text
    }
    default: {
      const text = precision === undefined ? formatDouble(size) : general(size, precision)
      return verb === 'G' ? text.toUpperCase() : text
    }
  }
}

/** A number half way between two others becomes the even one, which is not what toFixed does. */
function fixed(size: number, places: number): string {
  if (size >= 1e21) return plainDecimal(size) + (places > 0 ? `.${'0'.repeat(places)}` : '')
  const rounded = size.toFixed(places)
  const doubled = size * 2 * 10 ** places
  const isHalf = places <= 20 && Number.isSafeInteger(doubled) && doubled % 2 === 1 && isExact(size, places)
  if (!isHalf) return rounded
  const whole = Math.floor(doubled / 2)
  const even = BigInt(whole % 2 === 0 ? whole : whole + 1)
    .toString()
    .padStart(places + 1, '0')
  return places === 0 ? even : `${even.slice(0, -places)}.${even.slice(-places)}`
}

/** Whether the number has at most one more decimal place than that. */
function isExact(size: number, places: number): boolean {
  return /^0*$/.test((size.toFixed(100).split('.')[1] ?? '').slice(places + 1))
}

function twoDigits(exponential: string): string {
  return exponential.replace(/e([+-])(\d)$/, 'e$10$2')
}

function general(size: number, precision: number): string {
  const digits = Math.max(precision, 1)
  const [mantissa = '0', exponentText = '0'] = size.toExponential(digits - 1).split('e')
  const exponent = Number(exponentText)
  const significant = mantissa.replace('.', '').replace(/0+$/, '').length || 1
  const limit = digits > significant && significant >= exponent + 1 ? significant : digits
  const trimmed = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa
  if (exponent < -4 || exponent >= limit)
    return twoDigits(`${trimmed}e${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`)
  return plainDecimal(Number(`${mantissa}e${exponent}`))
}

function padNumber(digits: string, isNegative: boolean, directive: Directive): string {
  const { flags, width } = directive
  const sign = isNegative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
  if (flags.includes('0') && !flags.includes('-')) return sign + digits.padStart(width - sign.length, '0')
  return pad(sign + digits, directive)
}

function pad(text: string, { flags, width }: Directive): string {
  if (flags.includes('-')) return text.padEnd(width)
  return text.padStart(width, flags.includes('0') ? '0' : ' ')
}
