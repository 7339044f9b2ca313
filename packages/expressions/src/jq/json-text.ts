import { fixSurrogates } from './encoding.ts'
import { type JqValue, newObject } from './value.ts'

/** The text is no JSON. The message is the one that Go gives. */
export class JsonTextError extends Error {}

/** Something follows the value. */
export class TrailingTextError extends Error {}

const maxDepth = 10_000

/** Reads one JSON value. Throws JsonTextError or TrailingTextError. */
export function readJson(text: string, number: (text: string) => JqValue): JqValue {
  return new JsonReader(text, number).document()
}

class JsonReader {
  readonly #text: string
  readonly #number: (text: string) => JqValue
  #at = 0
  #depth = 0

  constructor(text: string, number: (text: string) => JqValue) {
    this.#text = text
    this.#number = number
  }

  document(): JqValue {
    this.#skipSpace()
    if (this.#at === this.#text.length) throw new JsonTextError('EOF')
    const value = this.#value()
    this.#skipSpace()
    if (this.#at < this.#text.length) throw new TrailingTextError()
    return value
  }

  #value(): JqValue {
    this.#skipSpace()
    const first = this.#text[this.#at]
    switch (first) {
      case '{':
        return this.#nested(() => this.#object())
      case '[':
        return this.#nested(() => this.#array())
      case '"':
        return this.#string()
      case 't':
        return this.#word('true', true)
      case 'f':
        return this.#word('false', false)
      case 'n':
        return this.#word('null', null)
    }
    if (first !== undefined && /[-0-9]/.test(first)) return this.#digits()
    throw this.#unexpected('looking for beginning of value')
  }

  #nested(read: () => JqValue): JqValue {
    if (++this.#depth > maxDepth) throw new JsonTextError('exceeded max depth')
    this.#at++
    const value = read()
    this.#depth--
    return value
  }

  #array(): JqValue {
    const items: JqValue[] = []
    this.#skipSpace()
    if (this.#take(']')) return items
    for (;;) {
      items.push(this.#value())
      this.#skipSpace()
      if (this.#take(']')) return items
      if (!this.#take(',')) throw this.#unexpected('after array element')
    }
  }

  #object(): JqValue {
    const fields = newObject()
    this.#skipSpace()
    if (this.#take('}')) return fields
    for (;;) {
      this.#skipSpace()
      if (this.#text[this.#at] !== '"') throw this.#unexpected('looking for beginning of object key string')
      const key = this.#string()
      this.#skipSpace()
      if (!this.#take(':')) throw this.#unexpected('after object key')
      fields[key] = this.#value()
      this.#skipSpace()
      if (this.#take('}')) return fields
      if (!this.#take(',')) throw this.#unexpected('after object key:value pair')
    }
  }

  #string(): string {
    const start = this.#at++
    for (;;) {
      const character = this.#text[this.#at]
      if (character === undefined || character < ' ') throw this.#unexpected('in string literal')
      this.#at++
      if (character === '"') return fixSurrogates(JSON.parse(this.#text.slice(start, this.#at)) as string)
      if (character === '\\') this.#escape()
    }
  }

  #escape(): void {
    const escaped = this.#text[this.#at]
    if (escaped === undefined || !'"\\/bfnrtu'.includes(escaped)) throw this.#unexpected('in string escape code')
    this.#at++
    for (let left = escaped === 'u' ? 4 : 0; left > 0; left--) {
      if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? '')) throw this.#unexpected('in \\u hexadecimal character escape')
      this.#at++
    }
  }

  #word(word: string, value: JqValue): JqValue {
    for (const [position, letter] of Array.from(word).entries()) {
      if (this.#text[this.#at] !== letter && position > 0)
        throw this.#unexpected(`in literal ${word} (expecting '${letter}')`)
      this.#at++
    }
    return value
  }

  #digits(): JqValue {
    const start = this.#at
    this.#take('-')
    if (!this.#take('0') && !this.#takeDigits()) throw this.#unexpected('in numeric literal')
    if (this.#take('.') && !this.#takeDigits()) throw this.#unexpected('after decimal point in numeric literal')
    if (this.#take('e') || this.#take('E')) {
      if (!this.#take('+')) this.#take('-')
      if (!this.#takeDigits()) throw this.#unexpected('in exponent of numeric literal')
    }
    return this.#number(this.#text.slice(start, this.#at))
  }

  #takeDigits(): boolean {
    const start = this.#at
    while (/[0-9]/.test(this.#text[this.#at] ?? '')) this.#at++
    return this.#at > start
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #skipSpace(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? '')) this.#at++
  }

  #unexpected(where: string): JsonTextError {
    if (this.#at >= this.#text.length) return new JsonTextError('unexpected EOF')
    return new JsonTextError(`invalid character ${this.#shown()} ${where}`)
  }

  /** Go sees bytes: of a character beyond ASCII it shows the first one. */
  #shown(): string {
    const character = String.fromCodePoint(this.#text.codePointAt(this.#at) as number)
    if (character === "'") return "'\\''"
    if (character === '"') return `'"'`
    const first = String.fromCharCode(Buffer.from(character)[0] as number)
    if (first >= '\x80' && first < '\xa0') return `'\\u00${first.charCodeAt(0).toString(16)}'`
    return `'${JSON.stringify(first).slice(1, -1)}'`
  }
}
