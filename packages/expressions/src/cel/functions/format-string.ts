import { formatDouble } from '../number-text.ts'
import { formatSeconds, formatTimestamp } from '../time.ts'
import { CelError, CelList, CelMap, type CelValue, Duration, Timestamp, TypeValue, typeName, Uint } from '../value.ts'
import { bytesToString } from './conversions.ts'
import { goQuote } from './go-text.ts'

/** A format string does not fit its arguments. `argument` is the one to blame, when it is one. */
export class FormatError extends Error {
  readonly argument: number | undefined

  constructor(message: string, argument?: number) {
    super(message)
    this.argument = argument
  }
}

const maxInt = 2n ** 63n - 1n

export type Verb = 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o'

export const verbErrors: Readonly<Record<Verb, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ',
  d: 'decimal clause can only be used on integers, was given ',
  f: 'fixed-point clause can only be used on doubles, was given ',
  e: 'scientific clause can only be used on doubles, was given ',
  b: 'only integers and bools can be formatted as binary, was given ',
  x: 'only integers, byte buffers, and strings can be formatted as hex, was given ',
  X: 'only integers, byte buffers, and strings can be formatted as hex, was given ',
  o: 'octal clause can only be used on integers, was given ',
}

/** Walks a format string. `format` gives the text of one clause; `hasArgument` says whether there is one at an index. */
export function interpolate(
  template: string,
  hasArgument: (index: number) => boolean,
  format: (verb: Verb, precision: number | undefined, index: number) => string,
): { text: string; used: number } {
  let text = ''
  let used = 0
  let offset = 0
  while (offset < template.length) {
    const percent = template.indexOf('%', offset)
    if (percent === -1) return { text: text + template.slice(offset), used }
    text += template.slice(offset, percent)
    if (template[percent + 1] === '%') {
      text += '%'
      offset = percent + 2
      continue
    }
    if (percent + 1 >= template.length && hasArgument(used)) throw new FormatError('unexpected end of string')
    if (!hasArgument(used)) throw new FormatError(`index ${used} out of range`)
    const clause = parseClause(template, percent + 1)
    try {
      text += format(clause.verb, clause.precision, used)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      throw new FormatError(`error during formatting: ${error.message}`, error.argument)
    }
    used++
    offset = clause.end
  }
  return { text, used }
}

function parseClause(template: string, start: number): { verb: Verb; precision: number | undefined; end: number } {
  const problem = (message: string): FormatError => new FormatError(`could not parse formatting clause: ${message}`)
  let offset = start
  let precision: number | undefined
  if (template[offset] === '.') {
    const digits = /^\d*/.exec(template.slice(offset + 1))?.[0] ?? ''
    offset += 1 + digits.length
    if (offset >= template.length) {
      throw problem('error while parsing precision: could not find end of precision specifier')
    }
    if (digits === '') {
      throw problem(
        'error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
      )
    }
    if (BigInt(digits) > maxInt) {
      throw problem(
        `error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "${digits}": value out of range`,
      )
    }
    precision = Number(digits)
  }
  const verb = template[offset] as string
  if (!Object.hasOwn(verbErrors, verb)) throw problem(`unrecognized formatting clause "${verb}"`)
  return { verb: verb as Verb, precision, end: offset + 1 }
}

export function formatString(template: string, args: CelList): CelValue {
  try {
    return interpolate(
      template,
      index => index < args.size,
      (verb, precision, index) => formatClause(verb, precision, args.at(index)),
    ).text
  } catch (error) {
    if (error instanceof FormatError) return new CelError(error.message)
    throw error
  }
}

function formatClause(verb: Verb, precision: number | undefined, value: CelValue): string {
  const text = clauseText(verb, precision ?? 6, value)
  if (text === undefined) throw new FormatError(verbErrors[verb] + typeName(value))
  return text
}

function clauseText(verb: Verb, precision: number, value: CelValue): string | undefined {
  switch (verb) {
    case 's':
      return plainText(value)
    case 'd':
      return integerOf(value)?.toString()
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0'
      return integerOf(value)?.toString(2)
    case 'o':
      return integerOf(value)?.toString(8)
    case 'x':
      return hexText(value)
    case 'X':
      return hexText(value)?.toUpperCase()
    case 'f': {
      const number = doubleOf(value)
      return number === undefined ? undefined : withinLimits(precision, () => fixedPoint(number, precision))
    }
    case 'e': {
      const number = doubleOf(value)
      return number === undefined ? undefined : withinLimits(precision, () => scientific(number).padStart(precision))
    }
  }
}

function integerOf(value: CelValue): bigint | undefined {
  if (typeof value === 'bigint') return value
  return value instanceof Uint ? value.value : undefined
}

/** Doubles, and the three strings that name what JSON cannot hold. */
function doubleOf(value: CelValue): number | undefined {
  if (typeof value === 'number') return value
  if (value === 'NaN') return Number.NaN
  if (value === 'Infinity') return Infinity
  return value === '-Infinity' ? -Infinity : undefined
}

function hexText(value: CelValue): string | undefined {
  if (typeof value === 'string') return Buffer.from(value, 'utf8').toString('hex')
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return integerOf(value)?.toString(16)
}

function notFinite(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN'
  return Number.isFinite(value) ? undefined : value > 0 ? '∞' : '-∞'
}

/** The Go library behind the two double clauses gives up on numbers of more than seven digits in a clause. */
function withinLimits(precision: number, format: () => string): string {
  return precision / 10 > 1_000_001 ? '%!(NOVERB)' : format()
}

const mostDecimals = 100

/** Decimal digits, where a tie goes to the even digit; toFixed lets a tie go up. */
function roundHalfEven(value: number, precision: number): string {
  const size = Math.abs(value)
  if (size >= 1e21) return BigInt(value).toString()
  const decimals = Math.min(precision, mostDecimals)
  const rounded = value.toFixed(decimals)
  const [whole = '0', fraction = ''] = size.toFixed(mostDecimals).split('.')
  if (!/^50*$/.test(fraction.slice(decimals))) return rounded
  const kept = BigInt(whole + fraction.slice(0, decimals))
  const even = (kept % 2n === 0n ? kept : kept + 1n).toString().padStart(decimals + 1, '0')
  const text = decimals === 0 ? even : `${even.slice(0, -decimals)}.${even.slice(-decimals)}`
  return value < 0 ? `-${text}` : text
}

/** In the locale en-US: digits grouped by three. From 256 decimals on only the last eight bits count as wanted. */
function fixedPoint(value: number, precision: number): string {
  const special = notFinite(value)
  if (special !== undefined) return special
  const [whole = '0', fraction = ''] = roundHalfEven(value, precision).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  const wanted = precision & 0xff
  const decimals = precision > 0xff ? fraction.replace(/0+$/, '') : fraction
  const padded = decimals.padEnd(wanted, '0')
  return padded === '' ? grouped : `${grouped}.${padded}`
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** In the locale en-US: `1.500000×10⁰³`. What the clause takes for a precision is a width: six decimals always. */
function scientific(value: number): string {
  const special = notFinite(value)
  if (special !== undefined) return special
  const [mantissa = '0', exponent = '0'] = value.toExponential(6).split('e')
  const digits = exponent.replace(/[+-]/, '').padStart(2, '0')
  const raised = Array.from(digits, digit => superscripts[Number(digit)]).join('')
  return `${mantissa}×10${exponent.startsWith('-') ? '⁻' : ''}${raised}`
}

/** The text of %s, or undefined for values that have none. */
function plainText(value: CelValue): string | undefined {
  switch (typeof value) {
    case 'string':
      return value
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'number':
      return formatDouble(value)
    default:
  }
  if (value === null) return 'null'
  if (value instanceof Uint) return value.value.toString()
  if (value instanceof CelList) return `[${[...value].map(nestedText).join(', ')}]`
  if (value instanceof CelMap) return mapText(value)
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof Duration) return formatSeconds(value)
  if (value instanceof TypeValue) return value.name
  if (value instanceof Uint8Array) return bytesText(value)
  return undefined
}

function bytesText(bytes: Uint8Array): string {
  const text = bytesToString(bytes)
  if (text instanceof CelError) throw new FormatError(`could not convert argument ${goQuote(text.message)} to string`)
  return text
}

/** Inside lists and maps strings are quoted, and times say what they are. */
function nestedText(value: CelValue): string {
  if (typeof value === 'string') return goQuote(value)
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return '"NaN"'
    return Number.isFinite(value) ? roundHalfEven(value, 6) : value > 0 ? '"+Inf"' : '"-Inf"'
  }
  if (value instanceof Timestamp) return `timestamp(${goQuote(formatTimestamp(value))})`
  if (value instanceof Duration) return `duration(${goQuote(formatSeconds(value))})`
  if (value instanceof Uint8Array) return `b${goQuote(bytesText(value))}`
  const text = plainText(value)
  if (text === undefined) throw new FormatError(`no formatting function for ${typeName(value)}`)
  return text
}

function mapText(map: CelMap): string {
  const entries: [string, string][] = []
  for (const key of map.keys()) {
    if (typeof key !== 'string' && typeof key !== 'boolean' && integerOf(key) === undefined) {
      throw new FormatError(`no formatting function for map key of type ${typeName(key)}`)
    }
    entries.push([nestedText(key), nestedText(map.find(key) ?? null)])
  }
  entries.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`
}
