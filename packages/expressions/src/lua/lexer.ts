import { LuaSyntaxError, textOf } from './value.ts'

export type TokenType = 'name' | 'keyword' | 'number' | 'string' | 'symbol' | 'end'

export interface Token {
  readonly type: TokenType
  readonly text: string
  readonly line: number
}

const keywords = new Set(
  'and break do else elseif end false for function if in local nil not or return repeat then true until while goto'.split(
    ' ',
  ),
)
const symbols = ['...', '..', '==', '~=', '<=', '>=', '::', ...Array.from('+-*/%^#(){}[];,.=<>:')]

const escapes = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
])

/** Reads a script token by token. Lines and columns are those of gopher-lua's messages: columns count bytes read. */
export class Lexer {
  readonly #source: string
  readonly #name: string
  #at = 0
  #line = 1
  #column = 0
  #isAtEnd = false

  constructor(source: string, name: string) {
    this.#source = source
    this.#name = name
  }

  next(): Token {
    this.#skipBlank()
    const line = this.#line
    const char = this.#source[this.#at]
    if (char === undefined) {
      this.#isAtEnd = true
      return { type: 'end', text: '', line }
    }
    if (/[A-Za-z_]/.test(char)) {
      const text = this.#take(/[A-Za-z0-9_]+/y)
      return { type: keywords.has(text) ? 'keyword' : 'name', text, line }
    }
    if (/[0-9]/.test(char) || (char === '.' && /[0-9]/.test(this.#source[this.#at + 1] ?? '')))
      return { type: 'number', text: this.#number(), line }
    if (char === '"' || char === "'") return { type: 'string', text: this.#string(char), line }
    if (/^\[=*\[/.test(this.#source.slice(this.#at, this.#at + 50))) return { type: 'string', text: this.#long(), line }
    const symbol = symbols.find(text => this.#source.startsWith(text, this.#at))
    if (symbol === undefined) {
      this.#advance(1)
      throw this.error(char, char === '~' ? "Invalid '~' token" : 'Invalid token')
    }
    this.#advance(symbol.length)
    return { type: 'symbol', text: symbol, line }
  }

  error(near: string, message: string): LuaSyntaxError {
    if (this.#isAtEnd) return new LuaSyntaxError(`${this.#name} at EOF:   ${message}\n`)
    return new LuaSyntaxError(
      `${this.#name} line:${this.#line}(column:${this.#column}) near '${textOf(near)}':   ${message}\n`,
    )
  }

  #advance(count: number): void {
    this.#at += count
    this.#column += count
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const text = pattern.exec(this.#source)?.[0] ?? ''
    this.#advance(text.length)
    return text
  }

  /** One character; any end of line is one line feed. */
  #read(): string | undefined {
    const char = this.#source[this.#at]
    if (char === undefined) {
      this.#isAtEnd = true
      return undefined
    }
    if (char !== '\n' && char !== '\r') {
      this.#advance(1)
      return char
    }
    const following = this.#source[this.#at + 1]
    const isPair = (following === '\n' || following === '\r') && following !== char
    this.#at += isPair ? 2 : 1
    this.#line++
    this.#column = 0
    return '\n'
  }

  #skipBlank(): void {
    for (;;) {
      const char = this.#source[this.#at]
      if (char === ' ' || char === '\t' || char === '\n' || char === '\r') this.#read()
      else if (char === '-' && this.#source[this.#at + 1] === '-') this.#comment()
      else return
    }
  }

  #comment(): void {
    this.#advance(2)
    if (/^\[=*\[/.test(this.#source.slice(this.#at, this.#at + 50))) {
      this.#long()
      return
    }
    for (let char = this.#source[this.#at]; char !== undefined && char !== '\n' && char !== '\r'; ) {
      this.#advance(1)
      char = this.#source[this.#at]
    }
  }

  #number(): string {
    const hex = this.#take(/0[xX][0-9a-fA-F]*/y)
    if (hex !== '') {
      if (hex.length === 2) throw this.error(hex, 'illegal hexadecimal number')
      return hex
    }
    const digits = this.#take(/[0-9]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]*)?/y)
    // A zero before other digits is passed over.
    return /^0[0-9]/.test(digits) ? digits.slice(1) : digits
  }

  #string(quote: string): string {
    this.#advance(1)
    let text = ''
    for (;;) {
      const char = this.#read()
      if (char === quote) return text
      if (char === undefined || char === '\n') throw this.error(text, 'unterminated string')
      text += char === '\\' ? this.#escape(text) : char
    }
  }

  #escape(before: string): string {
    const code = this.#take(/[0-9]{1,3}/y)
    if (code !== '') return String.fromCharCode(Number(code) & 255)
    const char = this.#read()
    if (char === undefined) throw this.error(before, 'unterminated string')
    return escapes.get(char) ?? char
  }

  #long(): string {
    const opening = this.#take(/\[=*\[/y)
    const closing = opening.replaceAll('[', ']')
    if (this.#source[this.#at] === '\n' || this.#source[this.#at] === '\r') this.#read()
    let text = ''
    while (!this.#source.startsWith(closing, this.#at)) {
      const char = this.#read()
      if (char === undefined) throw this.error(text, 'unterminated multiline string')
      text += char
    }
    this.#advance(closing.length)
    return text
  }
}
