import { TerminalFailure } from '@tiphys/env'
import { goQuote } from './go-quote.ts'

/** A text that is not JSON. The message is the one that Go's decoder gives, because clients of the API server see it. */
export class JsonFailure extends TerminalFailure {
  constructor(what: string) {
    super('kube-json-invalid', { what })
  }
}

const DEEPEST_NESTING = 10_000
const MOST_DUPLICATES = 100
const GREATEST_INT64 = 2n ** 63n - 1n
const LEAST_INT64 = -(2n ** 63n)
const LITERALS = { t: ['true', true], f: ['false', false], n: ['null', null] } as const
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

type Container = { type: 'array'; value: unknown[] } | { type: 'object'; value: Record<string, unknown>; key: string }

/** How numbers are written that are not just digits (`1.0`, `1e2`), by the path to them. Undefined when there are none. */
export type NumberTexts = ReadonlyMap<string, string> | undefined

/** The key of `NumberTexts`: fields and indexes from the root. */
export const numberPath = (steps: readonly (string | number)[]): string => steps.join('\0')

/** Decodes JSON with Go's rules and in Go's words. Slower than the engine's parser, and complete. */
export function decodeJson(text: string): {
  value: unknown
  duplicateFields: readonly string[]
  numberTexts: NumberTexts
} {
  return new Decoder(text).decode()
}

/** JSON values one after the other, each with the position where it ends. */
export function decodeJsonStream(text: string): { value: unknown; end: number }[] {
  const decoder = new Decoder(text)
  const values: { value: unknown; end: number }[] = []
  while (!decoder.isAtEnd()) values.push({ value: decoder.decodeNext(), end: decoder.position })
  return values
}

class Decoder {
  readonly #text: string
  #at = 0
  /** The containers around the current position, outermost first. A list, not recursion: nesting may be deep. */
  readonly #open: Container[] = []
  readonly #duplicates = new Set<string>()
  #overflowing: string | undefined
  #numberTexts: Map<string, string> | undefined

  constructor(text: string) {
    this.#text = text
  }

  get position(): number {
    return this.#at
  }

  isAtEnd(): boolean {
    this.#skipSpace()
    return this.#at >= this.#text.length
  }

  decode(): ReturnType<typeof decodeJson> {
    const value = this.decodeNext()
    if (!this.isAtEnd()) throw this.#unexpected('after top-level value')
    // Go decodes numbers only after the whole text proved to be well formed, so this error comes last.
    if (this.#overflowing !== undefined) {
      throw new JsonFailure(`json: cannot unmarshal number ${this.#overflowing} into Go value of type float64`)
    }
    return { value, duplicateFields: [...this.#duplicates], numberTexts: this.#numberTexts }
  }

  decodeNext(): unknown {
    let value = this.#readValueOrOpen()
    for (let container = this.#open.at(-1); container; container = this.#open.at(-1)) {
      if (value !== OPENED) {
        this.#attach(container, value)
        if (!this.#readSeparator(container)) {
          this.#open.pop()
          value = container.value
          continue
        }
        if (container.type === 'object') this.#readKey(container)
      }
      value = this.#readValueOrOpen()
    }
    return value
  }

  /** A scalar or an empty container, or `OPENED` when a container with content begins here. */
  #readValueOrOpen(): unknown {
    this.#skipSpace()
    const char = this.#text[this.#at]
    switch (char) {
      case '{': {
        const object: Container = { type: 'object', value: {}, key: '' }
        this.#enter()
        if (this.#endsWith('}')) return object.value
        this.#open.push(object)
        this.#readKey(object)
        return OPENED
      }
      case '[': {
        this.#enter()
        if (this.#endsWith(']')) return []
        this.#open.push({ type: 'array', value: [] })
        return OPENED
      }
      case '"':
        return this.#readString()
      case 't':
      case 'f':
      case 'n':
        return this.#readLiteral(char)
      default:
        if (char === '-' || isDigit(char)) return this.#readNumber()
        throw this.#unexpected('looking for beginning of value')
    }
  }

  #enter(): void {
    if (this.#open.length === DEEPEST_NESTING) throw this.#unexpected('exceeded max depth')
    this.#at++
    this.#skipSpace()
  }

  #endsWith(close: string): boolean {
    if (this.#text[this.#at] !== close) return false
    this.#at++
    return true
  }

  #attach(container: Container, value: unknown): void {
    if (container.type === 'array') container.value.push(value)
    else setField(container.value, container.key, value)
  }

  /** True after a comma, false after the container's end. */
  #readSeparator(container: Container): boolean {
    this.#skipSpace()
    const char = this.#text[this.#at]
    const isArray = container.type === 'array'
    if (char !== ',' && char !== (isArray ? ']' : '}')) {
      throw this.#unexpected(isArray ? 'after array element' : 'after object key:value pair')
    }
    this.#at++
    return char === ','
  }

  #readKey(object: Container & { type: 'object' }): void {
    this.#skipSpace()
    if (this.#text[this.#at] !== '"') throw this.#unexpected('looking for beginning of object key string')
    const key = this.#readString()
    if (Object.hasOwn(object.value, key) && this.#duplicates.size < MOST_DUPLICATES) {
      this.#duplicates.add(formatPath(this.#open, key))
    }
    object.key = key
    this.#skipSpace()
    if (this.#text[this.#at] !== ':') throw this.#unexpected('after object key')
    this.#at++
  }

  #readString(): string {
    const text = this.#text
    let out = ''
    let from = ++this.#at
    while (true) {
      const char = text[this.#at]
      if (char === '"') {
        out += text.slice(from, this.#at++)
        return out
      }
      if (char === undefined || char < ' ') throw this.#unexpected('in string literal')
      if (char === '\\') {
        out += text.slice(from, this.#at)
        out += this.#readEscape()
        from = this.#at
      } else {
        this.#at++
      }
    }
  }

  #readEscape(): string {
    this.#at++
    const char = this.#text[this.#at]
    const short = char === undefined ? undefined : ESCAPES[char]
    if (short !== undefined) {
      this.#at++
      return short
    }
    if (char !== 'u') throw this.#malformed('in string escape code')
    this.#at++
    const unit = this.#readHexDigits()
    if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit)
    const pair = /^\\u([dD][c-fC-F][0-9a-fA-F]{2})/.exec(this.#text.slice(this.#at, this.#at + 6))
    if (unit > 0xdbff || !pair) return '\ufffd'
    this.#at += 6
    return String.fromCharCode(unit, Number.parseInt(pair[1] as string, 16))
  }

  #readHexDigits(): number {
    const start = this.#at
    for (; this.#at < start + 4; this.#at++) {
      if (!/^[0-9a-fA-F]/.test(this.#text[this.#at] ?? '')) throw this.#malformed('in \\u hexadecimal character escape')
    }
    return Number.parseInt(this.#text.slice(start, this.#at), 16)
  }

  #readLiteral(first: 't' | 'f' | 'n'): boolean | null {
    const [word, value] = LITERALS[first]
    for (const letter of word) {
      if (this.#text[this.#at] !== letter) throw this.#malformed(`in literal ${word} (expecting '${letter}')`)
      this.#at++
    }
    return value
  }

  #readNumber(): number | bigint {
    const start = this.#at
    if (this.#text[this.#at] === '-') this.#at++
    if (this.#text[this.#at] === '0') this.#at++
    else this.#readDigits('in numeric literal')
    if (this.#text[this.#at] === '.') {
      this.#at++
      this.#readDigits('after decimal point in numeric literal')
    }
    if (this.#text[this.#at] === 'e' || this.#text[this.#at] === 'E') {
      this.#at++
      if (this.#text[this.#at] === '+' || this.#text[this.#at] === '-') this.#at++
      this.#readDigits('in exponent of numeric literal')
    }
    const literal = this.#text.slice(start, this.#at)
    if (!WHOLE.test(literal)) {
      this.#numberTexts ??= new Map()
      this.#numberTexts.set(numberPath(this.#open.map(stepInto)), literal)
    }
    return this.#toNumber(literal)
  }

  #readDigits(where: string): void {
    if (!isDigit(this.#text[this.#at])) throw this.#malformed(where)
    while (isDigit(this.#text[this.#at])) this.#at++
  }

  #toNumber(literal: string): number | bigint {
    const value = Number(literal)
    if (Number.isSafeInteger(value)) return value
    if (WHOLE.test(literal) && literal.length <= 20) {
      const integer = BigInt(literal)
      if (integer >= LEAST_INT64 && integer <= GREATEST_INT64) return integer
    }
    if (!Number.isFinite(value)) this.#overflowing ??= literal
    return value
  }

  #skipSpace(): void {
    while (isSpace(this.#text[this.#at])) this.#at++
  }

  #unexpected(where: string): JsonFailure {
    if (this.#at >= this.#text.length) return new JsonFailure('unexpected end of JSON input')
    return this.#malformed(where)
  }

  /** A mistake inside a token. Go's decoder notices the end of the text there as a space. */
  #malformed(where: string): JsonFailure {
    const rune = this.#text.codePointAt(this.#at) ?? 0x20
    return new JsonFailure(`invalid character ${quoteByte(firstByte(rune))} ${where}`)
  }
}

const WHOLE = /^-?\d+$/

/** Where in a container the next value goes. */
const stepInto = (container: Container) => (container.type === 'array' ? container.value.length : container.key)

const OPENED = Symbol('a container begins')

const isDigit = (char: string | undefined) => char !== undefined && char >= '0' && char <= '9'
const isSpace = (char: string | undefined) => char === ' ' || char === '\n' || char === '\t' || char === '\r'

/** A key named `__proto__` is data like any other. */
function setField(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  } else {
    object[key] = value
  }
}

function formatPath(open: readonly Container[], key: string): string {
  let path = ''
  for (const container of open.slice(0, -1)) {
    if (container.type === 'array') path += `[${container.value.length}]`
    else path += path === '' ? container.key : `.${container.key}`
  }
  return open.length === 1 ? key : `${path}.${key}`
}

// Go looks at bytes, and names the first byte of a longer character by the character with that number.
function firstByte(rune: number): number {
  return Buffer.from(String.fromCodePoint(rune))[0] as number
}

function quoteByte(byte: number): string {
  if (byte === 0x27) return "'\\''"
  if (byte === 0x22) return "'\"'"
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`
}
