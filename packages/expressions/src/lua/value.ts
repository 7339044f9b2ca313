import { formatDouble } from '../cel/number-text.ts'
import { parseGoFloat } from '../gjson/go-float.ts'
import { decodeUtf8 } from '../jq/formats.ts'
import type { Operators } from './operators.ts'

/** What libraries ask of the machine. */
export type Runtime = Operators

/** A function of the standard libraries. Its name in error messages is the one that the script calls it by. */
export type NativeCall = (args: LuaValue[], runtime: Runtime) => LuaValue[]

export class LuaFunction {
  readonly call: NativeCall
  readonly isNative: boolean

  constructor(call: NativeCall, isNative: boolean) {
    this.call = call
    this.isNative = isNative
  }
}

/** Strings are bytes: every character of the JavaScript string is one of them. Nil is undefined. */
export type LuaValue = undefined | boolean | number | string | LuaTable | LuaFunction

/** An error that `pcall` catches. */
export class LuaError extends Error {
  readonly value: LuaValue

  constructor(value: LuaValue) {
    super(typeof value === 'string' ? textOf(value) : `(${typeName(value)})`)
    this.name = 'LuaError'
    this.value = value
  }
}

/** The script does not parse. */
export class LuaSyntaxError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'LuaSyntaxError'
  }
}

/** The script wants more time or memory than it is given; `pcall` does not catch it. */
export class LuaLimitError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'LuaLimitError'
  }
}

/** Keys from 1 on live in an array, with holes; the others keep the order in which they were first set. */
export class LuaTable {
  metatable: LuaTable | undefined
  readonly array: LuaValue[] = []
  readonly #positions = new Map<LuaValue, number>()
  readonly #keys: LuaValue[] = []
  readonly #values: LuaValue[] = []

  get(key: LuaValue): LuaValue {
    if (isArrayKey(key)) return this.array[key - 1]
    const position = this.#positions.get(key)
    return position === undefined ? undefined : this.#values[position]
  }

  set(key: LuaValue, value: LuaValue): void {
    if (isArrayKey(key)) {
      if (key > maxItems) throw new LuaLimitError(`the script makes a table of more than ${maxItems} items`)
      while (this.array.length < key - 1) this.array.push(undefined)
      this.array[key - 1] = value
      return
    }
    const position = this.#positions.get(key)
    if (position !== undefined) this.#values[position] = value
    else if (value !== undefined) {
      if (this.#keys.length >= maxKeys) throw new LuaLimitError(`the script makes a table of more than ${maxKeys} keys`)
      this.#positions.set(key, this.#keys.length)
      this.#keys.push(key)
      this.#values.push(value)
    }
  }

  /** The number of the last item that is not nil. */
  get length(): number {
    let length = this.array.length
    while (length > 0 && this.array[length - 1] === undefined) length--
    return length
  }

  append(value: LuaValue): void {
    if (value === undefined) return
    this.set(this.length + 1, value)
  }

  /** The entry after a key, from nil on. Undefined at the end. */
  next(key: LuaValue): [key: LuaValue, value: LuaValue] | undefined {
    const isInArray = key === undefined || (typeof key === 'number' && Number.isInteger(key) && key > 0)
    if (isInArray) {
      for (let at = key ?? 0; at < this.array.length; at++)
        if (this.array[at] !== undefined) return [at + 1, this.array[at]]
    }
    const from = isInArray ? 0 : (this.#positions.get(key) ?? 0) + 1
    for (let at = from; at < this.#keys.length; at++)
      if (this.#values[at] !== undefined) return [this.#keys[at], this.#values[at]]
    return undefined
  }
}

/** No table is larger, because V8 ends the whole process when a single allocation goes far beyond a worker's limit. */
const maxItems = 1024 * 1024
const maxKeys = 200_000

export const maxArrayIndex = 67_108_864

export function isArrayKey(key: LuaValue): key is number {
  return typeof key === 'number' && key >= 1 && key < maxArrayIndex && Number.isInteger(key)
}

export function typeName(value: LuaValue): string {
  if (value === undefined) return 'nil'
  if (value instanceof LuaTable) return 'table'
  if (value instanceof LuaFunction) return 'function'
  return typeof value
}

export function isTruthy(value: LuaValue): boolean {
  return value !== undefined && value !== false
}

export function numberText(value: number): string {
  if (isWhole(value)) return BigInt(value).toString()
  return formatDouble(value)
}

/** A whole number that fits 64 bits. */
export function isWhole(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63
}

/** Truncated; whatever does not fit becomes the least integer, as on the processors that Argo Events runs on. */
export function truncate(value: number): number {
  return value >= -(2 ** 63) && value < 2 ** 63 ? Math.trunc(value) : -(2 ** 63)
}

/** The number that a string stands for. */
export function parseNumber(source: string): number | undefined {
  const text = source.replace(/^[ \t\n]+|[ \t\n]+$/g, '')
  return parseInteger(text) ?? parseFinite(text)
}

function parseFinite(text: string): number | undefined {
  const value = parseGoFloat(text)
  return value !== undefined && !Number.isFinite(value) && /\d/.test(text) ? undefined : value
}

/** With the prefixes of Go: 0x, 0o, 0b, and 0 for octal. */
function parseInteger(text: string): number | undefined {
  const match = /^([+-]?)(0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|0[0-7_]*|[1-9][0-9_]*)$/.exec(text)
  if (match === null) return undefined
  const [, sign, digits = ''] = match
  if (/__|_$|^_/.test(digits)) return undefined
  const plain = digits.replaceAll('_', '')
  const value = BigInt(/^0[0-7]/.test(plain) ? `0o${plain.slice(1)}` : plain)
  const limit = 2n ** 63n
  if (value > (sign === '-' ? limit : limit - 1n)) return undefined
  return Number(sign === '-' ? -value : value)
}

export function toNumber(value: LuaValue): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? parseNumber(value) : undefined
}

let identities = new WeakMap<object, string>()
let lastIdentity = 0

/** Without metamethods. */
export function toText(value: LuaValue): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return numberText(value)
  if (value === undefined) return 'nil'
  if (typeof value === 'boolean') return String(value)
  let identity = identities.get(value)
  if (identity === undefined) {
    identity = `0x${(++lastIdentity).toString(16).padStart(10, '0')}`
    identities.set(value, identity)
  }
  return `${typeName(value)}: ${identity}`
}

/** Addresses count from the beginning again, so that the same script prints the same. */
export function forgetIdentities(): void {
  if (lastIdentity === 0) return
  identities = new WeakMap()
  lastIdentity = 0
}

export function bytesOf(text: string): string {
  return /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text).toString('latin1')
}

export function textOf(bytes: string): string {
  return /^[\x00-\x7f]*$/.test(bytes) ? bytes : decodeUtf8(Buffer.from(bytes, 'latin1'))
}
