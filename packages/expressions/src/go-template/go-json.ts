import type { Budget } from './budget.ts'
import { wellFormed } from './byte-text.ts'
import { GoError } from './go-error.ts'
import { quote } from './quote.ts'
import { GoComplex, GoInt, GoMap, GoObject, GoSlice, type GoValue, list, typeOf } from './value.ts'

export interface JsonStyle {
  /** What every level is indented with; all on one line when it is left out. */
  indent?: string
  /** Whether `<`, `>` and `&` are written as they are. */
  isRaw?: boolean
}

/** json.Marshal. Throws GoError for what JSON cannot say. */
export function encodeJson(budget: Budget, value: GoValue, style: JsonStyle = {}, depth = 0): string {
  budget.checkDepth(depth)
  budget.step()
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'string') {
    budget.reserve(value.length)
    return encodeString(value, style.isRaw === true)
  }
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return encodeNumber(value)
  if (value instanceof GoInt) return String(value.value)
  if (value instanceof GoComplex) throw new GoError(`json: unsupported type: ${typeOf(value)}`)
  if (value instanceof GoObject) return value.json()
  if (value.isNil) return 'null'
  const encode = (inner: GoValue) => encodeJson(budget, inner, style, depth + 1)
  if (value instanceof GoSlice) return enclose('[', ']', value.items.map(encode), style, depth)
  const colon = style.indent === undefined ? ':' : ': '
  const entries = value
    .sortedKeys()
    .map(key => encodeString(key, style.isRaw === true) + colon + encode(value.entries.get(key)))
  return enclose('{', '}', entries, style, depth)
}

function enclose(open: string, close: string, parts: readonly string[], { indent }: JsonStyle, depth: number): string {
  if (indent === undefined || parts.length === 0) return open + parts.join(',') + close
  const line = `\n${indent.repeat(depth + 1)}`
  return `${open}${line}${parts.join(`,${line}`)}\n${indent.repeat(depth)}${close}`
}

function encodeNumber(value: number): string {
  if (!Number.isFinite(value)) {
    const name = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
    throw new GoError(`json: unsupported value: ${name}`)
  }
  return Object.is(value, -0) ? '-0' : String(value)
}

const short: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '"': '\\"',
  '\\': '\\\\',
}

function encodeString(text: string, isRaw: boolean): string {
  // Bytes that are no UTF-8 are written as an escape, a U+FFFD that was there before is not.
  const marked = text.replace(/[\u{D800}-\u{DFFF}]/gu, '\ud800')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are escaped
  const special = isRaw
    ? /[\0-\x1f"\\\u2028\u2029]|\ud800(?![\udc00-\udfff])/g
    : /[\0-\x1f"\\<>&\u2028\u2029]|\ud800(?![\udc00-\udfff])/g
  const escaped = marked.replace(special, character => {
    if (character === '\ud800') return '\\ufffd'
    return short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
  return `"${escaped}"`
}

/** json.Unmarshal into an `interface {}`. Throws GoError with Go's text. */
export function decodeJson(text: string): GoValue {
  const decoder = new Decoder(text)
  const value = decoder.value(0)
  decoder.end()
  return value
}

const maxDepth = 1000
const needsMore = /^(?:in (?:literal|numeric|exponent|string escape|\\u)|after decimal)/
const escapes: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
  '/': '/',
}

class Decoder {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  end(): void {
    this.#skipSpace()
    if (this.#at < this.#text.length) this.#invalid('after top-level value')
  }

  #skipSpace(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? '')) this.#at += 1
  }

  #invalid(where: string): never {
    const code = this.#text.codePointAt(this.#at)
    if (code === undefined) {
      // The scanner ends the text with a space, which is what is wrong where no space may be.
      throw new GoError(needsMore.test(where) ? `invalid character ' ' ${where}` : 'unexpected end of JSON input')
    }
    // The scanner of Go sees bytes, and shows the first one of a character.
    const byte = String.fromCharCode(Buffer.from(String.fromCodePoint(code), 'utf8')[0] as number)
    const shown = byte === "'" ? "'\\''" : byte === '"' ? `'"'` : `'${quote(byte).slice(1, -1)}'`
    throw new GoError(`invalid character ${shown} ${where}`)
  }

  value(depth: number): GoValue {
    if (depth > maxDepth) throw new GoError('exceeded max depth')
    this.#skipSpace()
    const first = this.#text[this.#at]
    if (first === '{') return this.#object(depth)
    if (first === '[') return this.#array(depth)
    if (first === '"') return this.#string()
    if (first === 't') return this.#literal('true', true)
    if (first === 'f') return this.#literal('false', false)
    if (first === 'n') return this.#literal('null', null)
    if (first === '-' || /\d/.test(first ?? '')) return this.#number()
    return this.#invalid('looking for beginning of value')
  }

  #literal(word: string, value: boolean | null): GoValue {
    for (const [index, character] of Array.from(word).entries()) {
      if (this.#text[this.#at] !== character) {
        if (index === 0) return this.#invalid('looking for beginning of value')
        return this.#invalid(`in literal ${word} (expecting '${character}')`)
      }
      this.#at += 1
    }
    return value
  }

  #number(): number {
    const start = this.#at
    if (this.#text[this.#at] === '-') this.#at += 1
    if (this.#text[this.#at] === '0') this.#at += 1
    else this.#digits('in numeric literal')
    if (this.#text[this.#at] === '.') {
      this.#at += 1
      this.#digits('after decimal point in numeric literal')
    }
    if (/[eE]/.test(this.#text[this.#at] ?? '')) {
      this.#at += 1
      if (/[+-]/.test(this.#text[this.#at] ?? '')) this.#at += 1
      this.#digits('in exponent of numeric literal')
    }
    const literal = this.#text.slice(start, this.#at)
    const value = Number(literal)
    if (Number.isFinite(value)) return value
    throw new GoError(`json: cannot unmarshal number ${literal} into Go value of type float64`)
  }

  #digits(where: string): void {
    if (!/\d/.test(this.#text[this.#at] ?? '')) this.#invalid(where)
    while (/\d/.test(this.#text[this.#at] ?? '')) this.#at += 1
  }

  #string(): string {
    let text = ''
    for (this.#at += 1; ; ) {
      const character = this.#text[this.#at]
      if (character === undefined) return this.#invalid('')
      if (character === '"') break
      if (character < ' ') this.#invalid('in string literal')
      this.#at += 1
      text += character === '\\' ? this.#escape() : character
    }
    this.#at += 1
    return wellFormed(text)
  }

  #escape(): string {
    const character = this.#text[this.#at] ?? ''
    if (character === 'u') {
      this.#at += 1
      const start = this.#at
      for (; this.#at < start + 4; this.#at++) {
        if (!/[\da-fA-F]/.test(this.#text[this.#at] ?? '')) this.#invalid('in \\u hexadecimal character escape')
      }
      return String.fromCharCode(Number.parseInt(this.#text.slice(start, this.#at), 16))
    }
    const escape = escapes[character]
    if (escape === undefined) return this.#invalid('in string escape code')
    this.#at += 1
    return escape
  }

  #array(depth: number): GoValue {
    const items: GoValue[] = []
    this.#at += 1
    this.#skipSpace()
    if (this.#text[this.#at] === ']') {
      this.#at += 1
      return list(items)
    }
    for (;;) {
      items.push(this.value(depth + 1))
      this.#skipSpace()
      const separator = this.#text[this.#at]
      if (separator !== ',' && separator !== ']') this.#invalid('after array element')
      this.#at += 1
      if (separator === ']') return list(items)
    }
  }

  #object(depth: number): GoValue {
    const map = new GoMap()
    this.#at += 1
    this.#skipSpace()
    if (this.#text[this.#at] === '}') {
      this.#at += 1
      return map
    }
    for (;;) {
      this.#skipSpace()
      if (this.#text[this.#at] !== '"') this.#invalid('looking for beginning of object key string')
      const key = this.#string()
      this.#skipSpace()
      if (this.#text[this.#at] !== ':') this.#invalid('after object key')
      this.#at += 1
      map.entries.set(key, this.value(depth + 1))
      this.#skipSpace()
      const separator = this.#text[this.#at]
      if (separator !== ',' && separator !== '}') this.#invalid('after object key:value pair')
      this.#at += 1
      if (separator === '}') return map
    }
  }
}
