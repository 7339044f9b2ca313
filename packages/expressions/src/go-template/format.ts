import type { Budget } from './budget.ts'
import { byteLength, sliceBytes, toBytes } from './byte-text.ts'
import { formatFloat } from './float-text.ts'
import { FormatCursor } from './format-cursor.ts'
import { FormatFlags, padded } from './format-flags.ts'
import { canBackquote, isPrintable, quote, quoteRune } from './quote.ts'
import {
  anyType,
  GoComplex,
  GoInt,
  GoMap,
  GoObject,
  GoSlice,
  type GoValue,
  isUnsignedKind,
  kindOf,
  stringerText,
  typeOf,
} from './value.ts'

/** fmt.Sprintf. */
export function sprintf(budget: Budget, format: string, args: readonly GoValue[]): string {
  const printer = new Printer(budget)
  printer.printf(format, args)
  return printer.text
}

/** fmt.Sprint: a space stands between two values of which neither is a string. */
export function sprint(budget: Budget, args: readonly GoValue[]): string {
  const printer = new Printer(budget)
  let wasString = false
  for (const [index, arg] of args.entries()) {
    const isString = typeof arg === 'string'
    if (index > 0 && !isString && !wasString) printer.write(' ')
    printer.print(arg, 'v')
    wasString = isString
  }
  return printer.text
}

/** fmt.Sprintln. */
export function sprintln(budget: Budget, args: readonly GoValue[]): string {
  const printer = new Printer(budget)
  for (const [index, arg] of args.entries()) {
    if (index > 0) printer.write(' ')
    printer.print(arg, 'v')
  }
  printer.write('\n')
  return printer.text
}

/** What `%v` prints. */
export const valueText = (budget: Budget, value: GoValue): string =>
  typeof value === 'string' ? value : sprint(budget, [value])

class Printer {
  text = ''
  readonly #budget: Budget
  #flags = new FormatFlags()
  /** Inside the report of a wrong verb, where no String method is called. */
  #isReporting = false

  constructor(budget: Budget) {
    this.#budget = budget
  }

  write(text: string): void {
    this.#budget.reserve(text.length)
    this.text += text
  }

  printf(format: string, args: readonly GoValue[]): void {
    const cursor = new FormatCursor(format, args)
    while (!cursor.isAtEnd) {
      this.write(cursor.takeText())
      if (cursor.isAtEnd) break
      this.#flags = new FormatFlags()
      const { verb, problem } = cursor.takeDirective(this.#flags, text => {
        this.write(text)
      })
      if (problem !== undefined) this.write(problem)
      else if (verb === '%') this.write('%')
      else if (verb !== undefined) this.print(cursor.takeArgument(), verb)
    }
    const extra = cursor.unused()
    if (extra.length === 0) return
    this.#flags = new FormatFlags()
    this.write('%!(EXTRA ')
    for (const [index, arg] of extra.entries()) {
      if (index > 0) this.write(', ')
      if (arg === null || arg === undefined) {
        this.write('<nil>')
        continue
      }
      this.write(`${typeOf(arg)}=`)
      this.print(arg, 'v')
    }
    this.write(')')
  }

  print(value: GoValue, verb: string): void {
    if (value === null || value === undefined) {
      if (verb === 'T' || verb === 'v') this.#pad('<nil>')
      else this.#badVerb(value, verb)
    } else if (verb === 'T') {
      this.#string(typeOf(value), 's', value)
    } else if (verb === 'w' && (value instanceof GoSlice || value instanceof GoMap)) {
      // Only fmt.Errorf knows this verb.
      this.#badVerb(value, verb)
    } else {
      this.#value(value, verb, 0)
    }
  }

  #badVerb(value: GoValue, verb: string): void {
    this.#isReporting = true
    this.write(`%!${verb}(`)
    if (value === null || value === undefined) {
      this.write('<nil>')
    } else {
      this.write(`${typeOf(value)}=`)
      this.#value(value, 'v', 0)
    }
    this.write(')')
    this.#isReporting = false
  }

  #value(value: GoValue, verb: string, depth: number): void {
    this.#budget.checkDepth(depth)
    if (this.#printedItself(value, verb)) return
    if (value === null || value === undefined) this.write(this.#flags.isSource ? `${anyType}(nil)` : '<nil>')
    else if (typeof value === 'boolean') this.#boolean(value, verb)
    else if (typeof value === 'string') this.#string(value, verb, value)
    else if (typeof value === 'number') this.#float(value, verb, value)
    else if (typeof value === 'bigint' || value instanceof GoInt) this.#integer(value, verb)
    else if (value instanceof GoComplex) this.#complex(value, verb)
    else if (value instanceof GoSlice) this.#slice(value, verb, depth)
    else if (value instanceof GoMap) this.#map(value, verb, depth)
    else this.#badVerb(value, verb)
  }

  /** Types with a String method print what it gives. */
  #printedItself(value: GoValue, verb: string): boolean {
    if (value instanceof GoObject && verb === 'v' && this.#flags.isSource) {
      this.#string(value.source(), 's', value)
      return true
    }
    if (this.#isReporting && !(value instanceof GoObject)) return false
    if (this.#flags.isSource || !'vsxXq'.includes(verb)) return false
    const text = stringerText(value)
    if (text === undefined) return false
    this.#string(text, verb, value)
    return true
  }

  #boolean(value: boolean, verb: string): void {
    if (verb === 't' || verb === 'v') this.#pad(String(value))
    else this.#badVerb(value, verb)
  }

  #string(text: string, verb: string, owner: GoValue): void {
    switch (verb) {
      case 'v':
        if (this.#flags.isSource) this.#quoted(text)
        else this.#pad(this.#truncated(text))
        break
      case 's':
        this.#pad(this.#truncated(text))
        break
      case 'q':
        this.#quoted(text)
        break
      case 'x':
      case 'X':
        this.#hexBytes(text, verb)
        break
      default:
        this.#badVerb(owner, verb)
    }
  }

  #truncated(text: string): string {
    const { precision } = this.#flags
    if (precision === undefined || text.length <= precision) return text
    return Array.from(text).slice(0, precision).join('')
  }

  #quoted(text: string): void {
    const shown = this.#truncated(text)
    if (this.#flags.sharp && canBackquote(shown)) this.#pad(`\`${shown}\``)
    else this.#pad(quote(shown, this.#flags.plus))
  }

  #hexBytes(text: string, verb: string): void {
    const { precision, space, sharp } = this.#flags
    const shown = precision === undefined ? text : sliceBytes(text, 0, Math.min(precision, byteLength(text)))
    if (shown === '') {
      this.#pad('')
      return
    }
    const bytes = [...toBytes(shown)].map(byte => byte.toString(16).padStart(2, '0'))
    const hex = space ? bytes.join(sharp ? ' 0x' : ' ') : bytes.join('')
    const prefixed = sharp ? `0x${hex}` : hex
    this.#pad(verb === 'X' ? prefixed.toUpperCase() : prefixed)
  }

  #integer(value: bigint | GoInt, verb: string): void {
    const number = typeof value === 'bigint' ? value : value.value
    const isUnsigned = isUnsignedKind(kindOf(value))
    switch (verb) {
      case 'v':
        if (this.#flags.isSource && isUnsigned) {
          const sharp = this.#flags.sharp
          this.#flags.sharp = true
          this.#digits(number, 16, 'v')
          this.#flags.sharp = sharp
        } else {
          this.#digits(number, 10, verb)
        }
        break
      case 'd':
        this.#digits(number, 10, verb)
        break
      case 'b':
        this.#digits(number, 2, verb)
        break
      case 'o':
      case 'O':
        this.#digits(number, 8, verb)
        break
      case 'x':
      case 'X':
        this.#digits(number, 16, verb)
        break
      case 'c':
        this.#pad(runeText(number))
        break
      case 'q':
        this.#pad(quoteRune(runeText(number), this.#flags.plus))
        break
      case 'U':
        this.#unicode(number)
        break
      default:
        this.#badVerb(value, verb)
    }
  }

  #digits(number: bigint, base: number, verb: string): void {
    const { precision, width, zero, minus, plus, space, sharp } = this.#flags
    const isNegative = number < 0n
    const sign = isNegative ? '-' : plus ? '+' : space ? ' ' : ''
    if (precision === 0 && number === 0n) {
      this.#padWithSpaces('')
      return
    }
    let minimum = precision ?? 0
    if (precision === undefined && zero && !minus && width !== undefined) minimum = width - sign.length
    let digits = (isNegative ? -number : number).toString(base).padStart(minimum, '0')
    if (verb === 'X') digits = digits.toUpperCase()
    if (sharp && base === 2) digits = `0b${digits}`
    if (sharp && base === 8 && !digits.startsWith('0')) digits = `0${digits}`
    if (sharp && base === 16) digits = `${verb === 'X' ? '0X' : '0x'}${digits}`
    if (verb === 'O') digits = `0o${digits}`
    this.#padWithSpaces(sign + digits)
  }

  #unicode(number: bigint): void {
    const code = BigInt.asUintN(64, number)
    const hex = code
      .toString(16)
      .toUpperCase()
      .padStart(Math.max(4, this.#flags.precision ?? 0), '0')
    const shown =
      this.#flags.sharp && code <= 0x10ffffn && isPrintable(runeText(number)) ? ` '${runeText(number)}'` : ''
    this.#padWithSpaces(`U+${hex}${shown}`)
  }

  #float(value: number, verb: string, owner: GoValue): void {
    if (!'vbgGxXfFeE'.includes(verb)) {
      this.#badVerb(owner, verb)
      return
    }
    const style = verb === 'v' ? 'g' : verb === 'F' ? 'f' : verb
    const precision = this.#flags.precision ?? ('fFeE'.includes(verb) ? 6 : -1)
    let text = formatFloat(value, style, precision)
    if (!/^[+-]/.test(text)) text = `+${text}`
    const { space, plus, sharp, zero, minus, width } = this.#flags
    if (space && text.startsWith('+') && !plus) text = ` ${text.slice(1)}`
    if (/^.[IN]/.test(text)) {
      this.#padWithSpaces(text[1] === 'N' && !space && !plus ? text.slice(1) : text)
      return
    }
    if (sharp && style !== 'b') text = withPoint(text, style, precision)
    if (!plus && text.startsWith('+')) this.#pad(text.slice(1))
    else if (zero && !minus && width !== undefined && width > text.length) {
      this.write(`${text[0]}${'0'.repeat(width - text.length)}${text.slice(1)}`)
    } else this.#pad(text)
  }

  #complex(value: GoComplex, verb: string): void {
    if (!'vbgGxXfFeE'.includes(verb)) {
      this.#badVerb(value, verb)
      return
    }
    const plus = this.#flags.plus
    this.write('(')
    this.#float(value.real, verb, value)
    this.#flags.plus = true
    this.#float(value.imaginary, verb, value)
    this.write('i)')
    this.#flags.plus = plus
  }

  #slice(value: GoSlice, verb: string, depth: number): void {
    const { isSource } = this.#flags
    if (isSource) this.write(value.type)
    if (isSource && value.isNil) {
      this.write('(nil)')
      return
    }
    this.write(isSource ? '{' : '[')
    for (const [index, item] of value.items.entries()) {
      if (index > 0) this.write(isSource ? ', ' : ' ')
      this.#value(item, verb, depth + 1)
    }
    this.write(isSource ? '}' : ']')
  }

  #map(value: GoMap, verb: string, depth: number): void {
    const { isSource } = this.#flags
    this.write(isSource ? value.type : 'map[')
    if (isSource && value.isNil) {
      this.write('(nil)')
      return
    }
    if (isSource) this.write('{')
    for (const [index, key] of value.sortedKeys().entries()) {
      if (index > 0) this.write(isSource ? ', ' : ' ')
      this.#value(key, verb, depth + 1)
      this.write(':')
      this.#value(value.entries.get(key), verb, depth + 1)
    }
    this.write(isSource ? '}' : ']')
  }

  #pad(text: string): void {
    this.#budget.reserve(this.#flags.width ?? 0)
    this.write(padded(text, this.#flags))
  }

  /** Integers have taken their zeros already. */
  #padWithSpaces(text: string): void {
    const { zero } = this.#flags
    this.#flags.zero = false
    this.#pad(text)
    this.#flags.zero = zero
  }
}

function runeText(number: bigint): string {
  const isRune = number >= 0n && number <= 0x10ffffn && !(number >= 0xd800n && number <= 0xdfffn)
  return isRune ? String.fromCodePoint(Number(number)) : '\ufffd'
}

/** The `#` flag: a decimal point always, and the zeros that `%g` leaves out. */
function withPoint(text: string, style: string, precision: number): string {
  const isHex = style === 'x' || style === 'X'
  const [, sign = '', digits = '', tail = ''] = (isHex ? /^(.)(.*?)([pP].*)?$/ : /^(.)(.*?)([eE].*)?$/).exec(
    text,
  ) as RegExpExecArray
  let wanted = style === 'g' || style === 'G' || style === 'x' ? (precision === -1 ? 6 : precision) : 0
  const significant = digits.replace('.', '').replace(/^0+/, '')
  wanted -= significant.length
  if (!digits.includes('.') && digits === '0') wanted -= 1
  return `${sign}${digits}${digits.includes('.') ? '' : '.'}${'0'.repeat(Math.max(wanted, 0))}${tail}`
}
