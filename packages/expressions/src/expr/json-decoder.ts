import { type ExprValue, put } from './value.ts'

/** Decodes JSON as Go's encoding/json does. Throws an Error with Go's text. */
export function decodeJson(text: string): ExprValue {
  const problem = new JsonScanner(text).problem()
  if (problem !== undefined) throw new Error(problem)
  return plain(JSON.parse(text))
}

/** JSON.parse keeps `__proto__` as a key of its own, but a copy by assignment would not. */
function plain(value: unknown): ExprValue {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value as ExprValue
  const object: Record<string, ExprValue> = {}
  for (const [key, item] of Object.entries(value)) put(object, key, plain(item))
  return object
}

const maxDepth = 10_000

/** Finds what Go would say is wrong with a text. */
class JsonScanner {
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  problem(): string | undefined {
    try {
      this.#value()
      this.#space()
      if (this.#at < this.#text.length) return this.#invalid('after top-level value')
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }

  #space(): void {
    while (/[ \t\r\n]/.test(this.#text.charAt(this.#at))) this.#at++
  }

  #invalid(context: string): string {
    const isEnd = this.#at >= this.#text.length
    // Go ends every text with a space, which is wrong within a number, a word or an escape.
    if (isEnd && /literal|escape/.test(context) && context !== 'in string literal')
      return `invalid character ' ' ${context}`
    if (isEnd) return 'unexpected end of JSON input'
    const character = String.fromCodePoint(this.#text.codePointAt(this.#at) as number)
    return `invalid character ${quoteByte(character)} ${context}`
  }

  #fail(context: string): never {
    throw new Error(this.#invalid(context))
  }

  #value(): void {
    this.#space()
    const character = this.#text.charAt(this.#at)
    if (character === '{') this.#object()
    else if (character === '[') this.#array()
    else if (character === '"') this.#string()
    else if (character === '-' || /[0-9]/.test(character)) this.#number()
    else if (character === 't') this.#literal('true')
    else if (character === 'f') this.#literal('false')
    else if (character === 'n') this.#literal('null')
    else this.#fail('looking for beginning of value')
  }

  #enter(): void {
    this.#at++
    if (++this.#depth > maxDepth) throw new Error('exceeded max depth')
    this.#space()
  }

  #object(): void {
    this.#enter()
    if (this.#text.charAt(this.#at) === '}') return this.#leave()
    for (;;) {
      this.#space()
      if (this.#text.charAt(this.#at) !== '"') this.#fail('looking for beginning of object key string')
      this.#string()
      this.#space()
      if (this.#text.charAt(this.#at) !== ':') this.#fail('after object key')
      this.#at++
      this.#value()
      this.#space()
      if (this.#text.charAt(this.#at) === '}') return this.#leave()
      if (this.#text.charAt(this.#at) !== ',') this.#fail('after object key:value pair')
      this.#at++
    }
  }

  #array(): void {
    this.#enter()
    if (this.#text.charAt(this.#at) === ']') return this.#leave()
    for (;;) {
      this.#value()
      this.#space()
      if (this.#text.charAt(this.#at) === ']') return this.#leave()
      if (this.#text.charAt(this.#at) !== ',') this.#fail('after array element')
      this.#at++
    }
  }

  #leave(): void {
    this.#depth--
    this.#at++
  }

  #string(): void {
    this.#at++
    for (;;) {
      const character = this.#text.charAt(this.#at)
      if (character === '"') break
      if (character === '' || character < ' ') this.#fail('in string literal')
      this.#at++
      if (character === '\\') this.#escape()
    }
    this.#at++
  }

  #escape(): void {
    const character = this.#text.charAt(this.#at)
    if (!/^["\\/bfnrtu]$/.test(character)) this.#fail('in string escape code')
    this.#at++
    if (character !== 'u') return
    for (let digit = 0; digit < 4; digit++) {
      if (!/^[0-9a-fA-F]$/.test(this.#text.charAt(this.#at))) this.#fail('in \\u hexadecimal character escape')
      this.#at++
    }
  }

  #number(): void {
    const isDigit = () => /^[0-9]$/.test(this.#text.charAt(this.#at))
    const digits = () => {
      while (isDigit()) this.#at++
    }
    if (this.#text.charAt(this.#at) === '-') {
      this.#at++
      if (!isDigit()) this.#fail('in numeric literal')
    }
    if (this.#text.charAt(this.#at) === '0') this.#at++
    else digits()
    if (this.#text.charAt(this.#at) === '.') {
      this.#at++
      if (!isDigit()) this.#fail('after decimal point in numeric literal')
      digits()
    }
    if (!/^[eE]$/.test(this.#text.charAt(this.#at))) return
    this.#at++
    if (/^[+-]$/.test(this.#text.charAt(this.#at))) this.#at++
    if (!isDigit()) this.#fail('in exponent of numeric literal')
    digits()
  }

  #literal(word: string): void {
    for (const letter of word) {
      if (this.#text.charAt(this.#at) !== letter) this.#fail(`in literal ${word} (expecting '${letter}')`)
      this.#at++
    }
  }
}

/** Go quotes the byte, not the character: of a longer character it is the first one. */
function quoteByte(character: string): string {
  if (character === "'") return "'\\''"
  if (character === '"') return "'\"'"
  const first = Buffer.from(character, 'utf8')[0] as number
  if (first >= 0x80) {
    const shown = String.fromCharCode(first)
    return first >= 0xa1 && first !== 0xad ? `'${shown}'` : `'\\u${first.toString(16).padStart(4, '0')}'`
  }
  const named: Readonly<Record<string, string>> = {
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\b': '\\b',
    '\f': '\\f',
    '\v': '\\v',
    '\x07': '\\a',
    '\\': '\\\\',
  }
  const escape = named[character]
  if (escape !== undefined) return `'${escape}'`
  return first < 0x20 || first === 0x7f ? `'\\x${first.toString(16).padStart(2, '0')}'` : `'${character}'`
}
