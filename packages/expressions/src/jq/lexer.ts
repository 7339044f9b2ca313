import { encodeString, fixSurrogates } from './encoding.ts'
import { JqSyntaxError } from './errors.ts'

export type TokenType =
  | 'ident'
  | 'variable'
  | 'module ident'
  | 'module variable'
  | 'keyword'
  | 'index'
  | 'number'
  | 'format'
  | 'string'
  | 'string start'
  | 'string query'
  | 'string end'
  | 'recurse'
  | 'operator'
  | 'character'
  | 'invalid'
  | 'invalid escape'
  | 'unterminated'
  | 'end'

/** `text` is what an error message shows, `value` what the parser reads. */
export interface Token {
  readonly type: TokenType
  readonly value: string
}

const keywords = new Set(
  'or and module import include def as label break null true false if then elif else end try catch reduce foreach'.split(
    ' ',
  ),
)

const operators = ['?//', '//=', '|=', '+=', '-=', '*=', '/=', '%=', '==', '!=', '>=', '<=', '//', '=', '>', '<']

const identifier = /[A-Za-z_][A-Za-z0-9_]*/y
const qualified = /[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)?/y
const blank = /(?:[ \t\r\n]|#(?:\\\r\n|\\[\\\n\r]|\\|[^\\\r\n])*)*/y

/** Reads a program token by token. Inside a string with interpolations `inString` is set, by itself or by the parser. */
export class Lexer {
  inString = false
  readonly #source: string
  #offset = 0
  /** The text that an error shows. Parts of strings without a text of their own leave the one before. */
  #shown = ''

  constructor(source: string) {
    this.#source = source
  }

  next(): Token {
    if (this.#offset === this.#source.length) return this.#end()
    if (this.inString) return this.#string(this.#offset)
    this.#match(blank)
    if (this.#offset >= this.#source.length) return this.#end()
    const start = this.#offset
    const char = this.#source[start] as string
    if (/[A-Za-z_]/.test(char)) return this.#word()
    if (/[0-9]/.test(char)) return this.#number(start, false)
    if (char === '.') return this.#dot(start)
    if (char === '$' || char === '@') return this.#sigil(char)
    if (char === '"') {
      this.#offset++
      return this.#string(start)
    }
    const operator = operators.find(text => this.#source.startsWith(text, start))
    if (operator !== undefined) {
      this.#offset += operator.length
      return this.#shownToken('operator', operator)
    }
    return this.#character()
  }

  /** The error that names the token. */
  unexpected(token: Token): JqSyntaxError {
    if (token.type === 'end') return new JqSyntaxError('unexpected EOF')
    if (token.type === 'invalid') return new JqSyntaxError(`invalid token ${encodeString(this.#shown)}`)
    if (token.type === 'invalid escape')
      return new JqSyntaxError(`invalid escape sequence "${this.#shown}" in string literal`)
    if (token.type === 'unterminated') return new JqSyntaxError('unterminated string literal')
    return new JqSyntaxError(`unexpected token ${encodeString(token.type === 'character' ? token.value : this.#shown)}`)
  }

  #end(): Token {
    return this.#shownToken('end', '')
  }

  #shownToken(type: TokenType, shown: string, value = shown): Token {
    this.#shown = shown
    return { type, value }
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#offset
    const text = pattern.exec(this.#source)?.[0] ?? ''
    this.#offset += text.length
    return text
  }

  #peek(ahead = 0): string {
    return this.#source[this.#offset + ahead] ?? ''
  }

  #character(): Token {
    const char = String.fromCodePoint(this.#source.codePointAt(this.#offset) as number)
    this.#offset += char.length
    // A character beyond ASCII is shown; the others stand for themselves and leave what was shown before.
    if (char > '\x7f') this.#shown = char
    return { type: 'character', value: char }
  }

  #word(): Token {
    const text = this.#match(qualified)
    if (text.includes('::')) return this.#shownToken('module ident', text)
    return this.#shownToken(keywords.has(text) ? 'keyword' : 'ident', text)
  }

  #sigil(sigil: string): Token {
    if (sigil === '$' && /[A-Za-z_]/.test(this.#peek(1))) {
      this.#offset++
      const name = `$${this.#match(qualified)}`
      return this.#shownToken(name.includes('::') ? 'module variable' : 'variable', name)
    }
    if (sigil === '@' && /[A-Za-z0-9_]/.test(this.#peek(1))) {
      this.#offset++
      return this.#shownToken('format', `@${this.#match(/[A-Za-z0-9_]*/y)}`)
    }
    return this.#character()
  }

  #dot(start: number): Token {
    const following = this.#peek(1)
    if (following === '.') {
      this.#offset += 2
      return this.#shownToken('recurse', '..')
    }
    if (/[A-Za-z_]/.test(following)) {
      this.#offset++
      const name = this.#match(identifier)
      return this.#shownToken('index', `.${name}`, name)
    }
    if (/[0-9]/.test(following)) return this.#number(start, true)
    return this.#character()
  }

  #number(start: number, hasPoint: boolean): Token {
    const end = scanNumber(this.#source, hasPoint ? start + 1 : start, hasPoint)
    this.#offset = Math.abs(end)
    return this.#shownToken(end < 0 ? 'invalid' : 'number', this.#source.slice(start, this.#offset))
  }

  #string(start: number): Token {
    const source = this.#source
    for (let at = this.#offset; at < source.length; at++) {
      const char = source[at]
      if (char === '"') return this.#quote(start, at)
      if (char !== '\\') continue
      at++
      const escaped = source[at]
      if (escaped === undefined) break
      if (escaped === '(') return this.#interpolation(start, at)
      if (escaped === 'u') {
        const hex = /^[0-9a-fA-F]{0,4}/.exec(source.slice(at + 1, at + 5))?.[0].length ?? 0
        if (hex < 4) return this.#badEscape(at - 1, at + 1 + hex)
        at += 4
      } else if (!'"/\\bfnrt'.includes(escaped)) return this.#badEscape(at - 1, at + 1)
    }
    this.#offset = source.length
    return this.#shownToken('unterminated', '')
  }

  #badEscape(start: number, end: number): Token {
    this.#offset = Math.min(end, this.#source.length)
    return this.#shownToken('invalid escape', this.#source.slice(start, end))
  }

  #interpolation(start: number, at: number): Token {
    if (!this.inString) {
      this.inString = true
      return { type: 'string start', value: '' }
    }
    if (at === this.#offset + 1) {
      this.#offset += 2
      this.inString = false
      return { type: 'string query', value: '' }
    }
    this.#offset = at - 1
    return this.#text(start, this.#source.slice(start, this.#offset))
  }

  #quote(start: number, at: number): Token {
    if (!this.inString) {
      this.#offset = at + 1
      return this.#text(start, this.#source.slice(start + 1, at))
    }
    if (at > this.#offset) {
      this.#offset = at
      return this.#text(start, this.#source.slice(start, at))
    }
    this.inString = false
    this.#offset = at + 1
    return { type: 'string end', value: '' }
  }

  #text(start: number, raw: string): Token {
    const controls = /[\x00-\x1f]/g
    const json = raw.replace(controls, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
    const value = fixSurrogates(JSON.parse(`"${json}"`) as string)
    return this.#shownToken('string', this.#source.slice(start, this.#offset), value)
  }
}

/** Where the number ends; negative when it is none. */
function scanNumber(source: string, from: number, hasPoint: boolean): number {
  const isDigit = (at: number) => /[0-9]/.test(source[at] ?? '')
  const isLetter = (at: number) => /[A-Za-z_]/.test(source[at] ?? '')
  let at = from
  let point = hasPoint
  for (;;) {
    while (isDigit(at)) at++
    if (source[at] !== '.') break
    at++
    if (point) return -at
    point = true
  }
  if (source[at] === 'e' || source[at] === 'E') {
    at++
    if (source[at] === '-' || source[at] === '+') at++
    if (!isDigit(at)) return isLetter(at) ? -(at + 1) : -at
    while (isDigit(at)) at++
  }
  return isLetter(at) ? -(at + 1) : at
}

/** Whether `tonumber` reads the text. */
export function isNumberText(text: string): boolean {
  return /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)
}
