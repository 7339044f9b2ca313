import { replaceText, splitText, trimSpace } from '../cel/functions/go-text.ts'
import { stringLength } from '../cel/text-order.ts'
import { DurationError, parseDuration } from '../duration.ts'
import { fromBytes, toBytes } from '../go-template/byte-text.ts'
import { aggregateBuiltins } from './builtins-aggregate.ts'
import { bitBuiltins } from './builtins-bits.ts'
import { collectionBuiltins } from './builtins-collections.ts'
import { dateBuiltins } from './builtins-dates.ts'
import type { ExprDialect } from './dialect.ts'
import type { Evaluation } from './evaluation.ts'
import { goJson, goText } from './go-print.ts'
import { packageTypeName, stringsType } from './go-type.ts'
import { decodeJson } from './json-decoder.ts'
import { byteLength, conversion, integerOf, isAscii, lengthOf, toInt, truncate } from './operators.ts'
import { Fault } from './source.ts'
import { Byte, Duration, type ExprValue, isList, NamedInt, nilList, tagged, typeName, typeOf } from './value.ts'

/** A builtin at run time: the checker has seen to the number of its arguments. Throws Fault. */
export type Builtin = (run: Evaluation, values: readonly ExprValue[]) => ExprValue

/** A string argument, or the fault of Go's type assertion. */
export function textAt(values: readonly ExprValue[], index: number): string {
  const value = values[index]
  if (typeof value !== 'string') throw new Fault(conversion(value, 'string'))
  return value
}

/** Split into none at all, there is not even an empty slice. */
const strings = (list: string[], limit: number) => tagged(limit === 0 ? nilList() : list, stringsType)

function length(run: Evaluation, [value]: readonly ExprValue[]): ExprValue {
  if (typeof value === 'string' && run.dialect === '1.17') return BigInt(stringLength(value))
  const size = lengthOf(value)
  if (size === undefined) throw new Fault(`invalid argument for len (type ${typeName(value)})`)
  return BigInt(size)
}

const kindNames: Readonly<Record<string, string>> = {
  bool: 'bool',
  int: 'int',
  int64: 'int',
  uint8: 'uint',
  float64: 'float',
  string: 'string',
  slice: 'array',
  array: 'array',
  map: 'map',
  func: 'func',
  struct: 'struct',
}

function typeText(run: Evaluation, [value]: readonly ExprValue[]): ExprValue {
  const type = typeOf(value)
  if (type === undefined) return 'nil'
  const shown = type.kind === 'ptr' && run.dialect === '1.15' ? (type.elem ?? type) : type
  return packageTypeName(shown) ?? kindNames[shown.kind] ?? 'unknown'
}

function absolute(_run: Evaluation, [value]: readonly ExprValue[]): ExprValue {
  if (typeof value === 'number') return value < 0 ? -value : value
  if (typeof value === 'bigint') return value < 0n ? BigInt.asIntN(64, -value) : value
  if (value instanceof Byte) return value
  throw new Fault(`invalid argument for abs (type ${typeName(value)})`)
}

function rounding(name: string, round: (value: number) => number): Builtin {
  return (_run, [value]) => {
    if (typeof value === 'number') return round(value)
    const integer = integerOf(value)
    if (integer === undefined) throw new Fault(`invalid argument for ${name} (type ${typeName(value)})`)
    return Number(integer)
  }
}

/** Halves go away from zero, not up. */
function roundHalfAway(value: number): number {
  const size = Math.abs(value)
  const whole = Math.trunc(size)
  const rounded = size - whole >= 0.5 ? whole + 1 : whole
  return value < 0 || Object.is(value, -0) ? -rounded : rounded
}

export function toInteger(run: Evaluation, [value]: readonly ExprValue[]): ExprValue {
  if (typeof value === 'number') return truncate(value)
  const integer = integerOf(value)
  if (integer !== undefined) return integer
  if (typeof value === 'string') {
    const parsed = /^[+-]?[0-9]+$/.test(value) ? BigInt(value.replace(/^\+/, '')) : undefined
    if (parsed === undefined || BigInt.asIntN(64, parsed) !== parsed)
      throw new Fault(`invalid operation: int(${value})`)
    return parsed
  }
  if (run.dialect === '1.17' && value instanceof Duration) return value.nanos
  if (run.dialect === '1.17' && value instanceof NamedInt) return value.value
  // The newer version asks reflection whether it can convert, which does not stand nil.
  if (run.dialect === '1.17' && (value === null || value === undefined))
    throw new Fault('reflect: call of reflect.Value.Type on zero Value')
  throw new Fault(`invalid operation: int(${typeName(value)})`)
}

export function toFloatingPoint(_run: Evaluation, [value]: readonly ExprValue[]): ExprValue {
  if (typeof value === 'number') return value
  const integer = integerOf(value)
  if (integer !== undefined) return Number(integer)
  if (typeof value !== 'string') throw new Fault(`invalid operation: float(${typeName(value)})`)
  const parsed = parseFloatText(value)
  if (parsed === undefined) throw new Fault(`invalid operation: float(${value})`)
  return parsed
}

/** strconv.ParseFloat: decimal, hexadecimal with a power of two, infinities and NaN. */
function parseFloatText(text: string): number | undefined {
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(text)
  if (special !== null) {
    if (special[2]?.toLowerCase() === 'nan') return special[1] === '' ? Number.NaN : undefined
    return special[1] === '-' ? -Infinity : Infinity
  }
  if (/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text)) {
    const value = Number(text)
    return Number.isFinite(value) ? value : undefined
  }
  const hex = /^([+-]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?[0-9]+)$/.exec(text)
  if (hex === null || `${hex[2]}${hex[3]}` === '') return undefined
  const [, sign, whole = '', fraction = '', power] = hex
  const value = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(power) - 4 * fraction.length)
  return Number.isFinite(value) ? (sign === '-' ? -value : value) : undefined
}

function trim(_run: Evaluation, values: readonly ExprValue[]): ExprValue {
  const text = textAt(values, 0)
  return values.length === 1 ? trimSpace(text) : trimCharacters(text, textAt(values, 1))
}

function trimCharacters(text: string, set: string): string {
  const unwanted = new Set(set)
  const characters = Array.from(text)
  let [from, to] = [0, characters.length]
  while (from < to && unwanted.has(characters[from] as string)) from++
  while (to > from && unwanted.has(characters[to - 1] as string)) to--
  return characters.slice(from, to).join('')
}

const affix = (values: readonly ExprValue[]) => (values.length === 2 ? textAt(values, 1) : ' ')

/** By character: Go knows no `ß` that becomes two letters. */
function changeCase(text: string, change: (character: string) => string): string {
  if (isAscii(text)) return change(text)
  return Array.from(text, character => {
    const changed = change(character)
    return Array.from(changed).length === 1 ? changed : character
  }).join('')
}

function splitAfter(text: string, separator: string, limit: number): string[] {
  const parts = splitText(text, separator, limit)
  return parts.map((part, index) => (index < parts.length - 1 ? part + separator : part))
}

const countOf = (values: readonly ExprValue[], index: number) =>
  values.length > index ? Number(BigInt.asIntN(53, toInt(values[index]))) : -1

function repeat(run: Evaluation, values: readonly ExprValue[]): ExprValue {
  if (run.dialect === '1.17') textAt(values, 0)
  const count = toInt(values[1])
  if (run.dialect === '1.17' && count < 0n)
    throw new Fault(`invalid argument for repeat (expected positive integer, got ${count})`)
  if (count > 1_000_000n) throw new Fault('memory budget exceeded')
  const text = textAt(values, 0)
  if (count < 0n) throw new Fault('strings: negative Repeat count')
  const size = byteLength(text) * Number(count)
  if (run.dialect === '1.17') run.grow(size)
  if (size > 0x1fffffe8) throw new Fault('memory budget exceeded')
  run.step(Math.ceil(size / 64))
  return run.text(text.repeat(Number(count)))
}

function join(run: Evaluation, values: readonly ExprValue[]): ExprValue {
  const glue = values.length === 2 ? textAt(values, 1) : ''
  const [list] = values
  const type = typeName(list)
  if (!isList(list) || (type !== '[]interface {}' && type !== '[]string'))
    throw new Fault(`invalid argument for join (type ${list === null || list === undefined ? '%!s(<nil>)' : type})`)
  run.step(list.length)
  return run.text(list.map((_, index) => textAt(list, index)).join(glue))
}

/** The place in bytes, or -1. */
function byteIndex(text: string, index: number): bigint {
  return BigInt(index <= 0 ? index : byteLength(text.slice(0, index)))
}

function fromBase64(_run: Evaluation, values: readonly ExprValue[]): ExprValue {
  const text = textAt(values, 0)
  const bytes = decodeBase64(text)
  return fromBytes(bytes)
}

function decodeBase64(text: string): Uint8Array {
  const refuse = (at: number) => new Fault(`illegal base64 data at input byte ${at}`)
  const bytes = toBytes(text)
  const kept: { byte: number; at: number }[] = []
  for (const [at, byte] of bytes.entries()) if (byte !== 10 && byte !== 13) kept.push({ byte, at })
  for (let start = 0; start < kept.length; start += 4) {
    for (let offset = 0; offset < 4; offset++) {
      const one = kept[start + offset]
      // A group that is cut short is blamed where it begins.
      if (one === undefined) throw refuse(bytes.length - offset)
      if (one.byte !== 61) {
        if (!/[A-Za-z0-9+/]/.test(String.fromCharCode(one.byte))) throw refuse(one.at)
        continue
      }
      if (offset < 2) throw refuse(one.at)
      const second = kept[start + offset + 1]
      if (offset === 2 && second === undefined) throw refuse(bytes.length)
      if (offset === 2 && second?.byte !== 61) throw refuse(second?.at ?? one.at)
      const after = kept[start + 4]
      if (after !== undefined) throw refuse(after.at)
      break
    }
  }
  return Buffer.from(text, 'base64')
}

function duration(_run: Evaluation, values: readonly ExprValue[]): ExprValue {
  try {
    return new Duration(parseDuration(textAt(values, 0)))
  } catch (error) {
    throw error instanceof DurationError ? new Fault(error.message) : error
  }
}

function asFault<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw new Fault((error as Error).message)
  }
}

const common: Readonly<Record<string, Builtin>> = {
  len: length,
  type: typeText,
  abs: absolute,
  ceil: rounding('ceil', Math.ceil),
  floor: rounding('floor', Math.floor),
  round: rounding('round', roundHalfAway),
  int: toInteger,
  float: toFloatingPoint,
  string: (run, [value]) => run.text(goText(value)),
  trim,
  trimPrefix: (_run, values) => {
    const [prefix, text] = [affix(values), textAt(values, 0)]
    return text.startsWith(prefix) ? text.slice(prefix.length) : text
  },
  trimSuffix: (_run, values) => {
    const [suffix, text] = [affix(values), textAt(values, 0)]
    return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text
  },
  upper: (_run, values) => changeCase(textAt(values, 0), text => text.toUpperCase()),
  lower: (_run, values) => changeCase(textAt(values, 0), text => text.toLowerCase()),
  split: (_run, values) =>
    strings(splitText(textAt(values, 0), textAt(values, 1), countOf(values, 2)), countOf(values, 2)),
  splitAfter: (_run, values) =>
    strings(splitAfter(textAt(values, 0), textAt(values, 1), countOf(values, 2)), countOf(values, 2)),
  replace: (run, values) =>
    run.text(replaceText(textAt(values, 0), textAt(values, 1), textAt(values, 2), countOf(values, 3))),
  repeat,
  join,
  indexOf: (_run, values) => byteIndex(textAt(values, 0), textAt(values, 0).indexOf(textAt(values, 1))),
  lastIndexOf: (_run, values) => byteIndex(textAt(values, 0), textAt(values, 0).lastIndexOf(textAt(values, 1))),
  hasPrefix: (_run, values) => textAt(values, 0).startsWith(textAt(values, 1)),
  hasSuffix: (_run, values) => textAt(values, 0).endsWith(textAt(values, 1)),
  toJSON: (run, [value]) => run.text(asFault(() => goJson(value, '  '))),
  fromJSON: (_run, values) => asFault(() => decodeJson(textAt(values, 0))),
  toBase64: (run, values) => run.text(toBytes(textAt(values, 0)).toString('base64')),
  fromBase64,
  duration,
}

const tables: Readonly<Record<ExprDialect, ReadonlyMap<string, Builtin>>> = {
  '1.17': tableOf('1.17'),
  '1.15': tableOf('1.15'),
}

function tableOf(dialect: ExprDialect): ReadonlyMap<string, Builtin> {
  return new Map(
    Object.entries({
      ...common,
      ...collectionBuiltins(dialect),
      ...aggregateBuiltins(dialect),
      ...dateBuiltins(dialect),
      ...(dialect === '1.17' ? bitBuiltins : {}),
    }),
  )
}

export const builtinsOf = (dialect: ExprDialect) => tables[dialect]
