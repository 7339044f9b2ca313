import { goQuote } from '../cel/functions/go-text.ts'
import type { ExprDialect } from './dialect.ts'
import { Fault, type Source } from './source.ts'
import { unescapeBytes, unescapeString } from './string-literal.ts'

export type TokenKind = 'Identifier' | 'Number' | 'String' | 'Bytes' | 'Operator' | 'Bracket' | 'EOF'

export interface Token {
  kind: TokenKind
  value: string
  bytes?: Uint8Array
  position: number
}

export function tokenText({ kind, value }: Token): string {
  return value === '' ? kind : `${kind}(${goQuote(value)})`
}

const letter = /^[\p{L}_$]$/u
const digit = /^\p{Nd}$/u
const space = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/

const isAlphaNumeric = (character: string | undefined) =>
  character !== undefined && (letter.test(character) || digit.test(character))

export const isIdentifier = (text: string) => /^[\p{L}_$][\p{L}_$\p{Nd}]*$/u.test(text)

const negatable = new Set(['in', 'matches', 'contains', 'startsWith', 'endsWith'])
const words = new Set([...negatable, 'or', 'and', 'let'])

/** Reads tokens on demand, since the newer version reports a syntax error before a bad character behind it. */
export class Lexer {
  readonly #characters: readonly string[]
  readonly #dialect: ExprDialect
  readonly #queue: Token[] = []
  #start = 0
  #end = 0
  #isDone = false
  /** Whether the last character read was the end of the text. */
  #sawEnd = false

  constructor(source: Source, dialect: ExprDialect) {
    this.#characters = source.characters
    this.#dialect = dialect
  }

  /** The next token, EOF again and again at the end. Throws Fault. */
  next(): Token | undefined {
    while (this.#queue.length === 0 && !this.#isDone) this.#read()
    return this.#queue.shift()
  }

  #next(): string | undefined {
    const character = this.#characters[this.#end]
    if (character === undefined) this.#sawEnd = true
    else this.#end++
    return character
  }

  #peek(): string | undefined {
    return this.#characters[this.#end]
  }

  #accept(valid: string): boolean {
    const character = this.#peek()
    if (character === undefined || !valid.includes(character)) return false
    this.#end++
    return true
  }

  #acceptRun(valid: string): void {
    while (this.#accept(valid)) {}
  }

  #word(): string {
    return this.#characters.slice(this.#start, this.#end).join('')
  }

  #emit(kind: TokenKind, value = this.#word(), bytes?: Uint8Array): void {
    this.#queue.push({ kind, value, position: this.#start, ...(bytes === undefined ? {} : { bytes }) })
    this.#start = this.#end
  }

  #fail(message: string): never {
    // The older version marks the character after the wrong one, the newer one the wrong one itself.
    if (this.#dialect === '1.15') throw new Fault(message, this.#end)
    throw new Fault(message, Math.max(this.#end - (this.#sawEnd ? 0 : 1), 0))
  }

  #read(): void {
    const character = this.#next()
    if (character === undefined) {
      this.#queue.push({ kind: 'EOF', value: '', position: Math.max(this.#end - 1, 0) })
      this.#isDone = true
    } else if (space.test(character)) this.#start = this.#end
    else if (character === "'" || character === '"') this.#string(character)
    else if (character === '`' && this.#dialect === '1.17') this.#rawString()
    else if (/^[bB]$/.test(character) && this.#isQuoteAhead()) this.#bytes()
    else if (character >= '0' && character <= '9') {
      this.#end--
      this.#number()
    } else if (character === '?') {
      this.#accept('.?')
      this.#emit('Operator')
    } else if (character === '/') this.#slash()
    else if (character === '#') this.#pointer()
    else if (character === '|') {
      this.#accept('|')
      this.#emit('Operator')
    } else if (character === ':') {
      if (this.#dialect === '1.17') this.#accept(':')
      this.#emit('Operator')
    } else if ('([{)]}'.includes(character)) this.#emit('Bracket')
    else if (',;%+-^'.includes(character)) this.#emit('Operator')
    else if ('&!=*<>'.includes(character)) {
      this.#accept('&=*')
      this.#emit('Operator')
    } else if (character === '.') this.#dot()
    else if (isAlphaNumeric(character)) this.#identifier()
    else this.#fail(`unrecognized character: ${unicodeName(character)}`)
  }

  #isQuoteAhead(): boolean {
    return this.#dialect === '1.17' && (this.#peek() === "'" || this.#peek() === '"')
  }

  #string(quote: string): void {
    this.#scanString(quote)
    this.#emit('String', this.#unescaped(unescapeString, this.#word()))
  }

  #bytes(): void {
    this.#scanString(this.#next() as string)
    const bytes = this.#unescaped(unescapeBytes, this.#word().slice(1))
    this.#emit('Bytes', Array.from(bytes, byte => String.fromCharCode(byte)).join(''), bytes)
  }

  #unescaped<T>(unescape: (quoted: string, dialect: ExprDialect) => T, quoted: string): T {
    try {
      return unescape(quoted, this.#dialect)
    } catch (error) {
      this.#fail((error as Error).message)
    }
  }

  #scanString(quote: string): void {
    let character = this.#next()
    while (character !== quote) {
      if (character === '\n' || character === undefined) this.#fail('literal not terminated')
      character = character === '\\' ? this.#scanEscape(quote) : this.#next()
    }
  }

  #scanEscape(quote: string): string | undefined {
    const character = this.#next()
    if (character === undefined) this.#fail('invalid char escape')
    if ('abfnrtv\\'.includes(character) || character === quote) return this.#next()
    if (character >= '0' && character <= '7') return this.#scanDigits(character, /^[0-7]$/, 3)
    if (character === 'x') return this.#scanDigits(this.#next(), /^[0-9a-fA-F]$/, 2)
    if (character === 'u' && this.#dialect === '1.17' && this.#peek() === '{') return this.#scanBraces()
    if (character === 'u') return this.#scanDigits(this.#next(), /^[0-9a-fA-F]$/, 4)
    if (character === 'U') return this.#scanDigits(this.#next(), /^[0-9a-fA-F]$/, 8)
    this.#fail('invalid char escape')
  }

  #scanBraces(): string | undefined {
    this.#next()
    let digits = 0
    while (this.#peek() !== '}') {
      if (digits >= 6 || !/^[0-9a-fA-F]$/.test(this.#peek() ?? '')) this.#fail('invalid char escape')
      this.#next()
      digits++
    }
    if (digits === 0) this.#fail('invalid char escape')
    this.#next()
    return this.#next()
  }

  #scanDigits(first: string | undefined, valid: RegExp, count: number): string | undefined {
    let character = first
    for (let left = count; left > 0; left--) {
      if (character === undefined || !valid.test(character)) this.#fail('invalid char escape')
      character = this.#next()
    }
    return character
  }

  #rawString(): void {
    let text = ''
    for (;;) {
      const character = this.#next()
      if (character === undefined) this.#fail('literal not terminated')
      if (character === '`') {
        if (this.#peek() !== '`') break
        this.#next()
      }
      text += character
    }
    this.#emit('String', text)
  }

  #number(): void {
    if (!this.#scanNumber()) this.#fail(`bad number syntax: ${goQuote(this.#word())}`)
    this.#emit('Number')
  }

  #scanNumber(): boolean {
    let digits = '0123456789_'
    if (this.#accept('0')) {
      if (this.#accept('xX')) digits = '0123456789abcdefABCDEF_'
      else if (this.#accept('oO')) digits = '01234567_'
      else if (this.#accept('bB')) digits = '01_'
    }
    this.#acceptRun(digits)
    const beforeDot = this.#end
    if (this.#accept('.')) {
      if (this.#peek() === '.') {
        this.#end = beforeDot
        return true
      }
      this.#acceptRun(digits)
    }
    if (this.#accept('eE')) {
      this.#accept('+-')
      this.#acceptRun(digits)
    }
    if (!isAlphaNumeric(this.#peek())) return true
    this.#next()
    return false
  }

  #dot(): void {
    if (this.#accept('0123456789')) {
      this.#end--
      this.#number()
      return
    }
    this.#accept('.')
    this.#emit('Operator')
  }

  #identifier(): void {
    while (isAlphaNumeric(this.#peek())) this.#end++
    const word = this.#word()
    if (word === 'not') this.#not()
    else if (words.has(word)) this.#emit('Operator')
    else if (this.#dialect === '1.17' && (word === 'if' || word === 'else')) this.#emit('Operator')
    else this.#emit('Identifier')
  }

  #not(): void {
    this.#emit('Operator')
    this.#acceptRun(' ')
    this.#start = this.#end
    while (isAlphaNumeric(this.#peek())) this.#end++
    if (negatable.has(this.#word())) this.#emit('Operator')
    else this.#end = this.#start
  }

  #slash(): void {
    if (this.#accept('/')) {
      let character = this.#next()
      while (character !== undefined && character !== '\n') character = this.#next()
      this.#start = this.#end
    } else if (this.#accept('*')) {
      let character = this.#next()
      while (!(character === '*' && this.#accept('/'))) {
        if (character === undefined) this.#fail('unclosed comment')
        character = this.#next()
      }
      this.#start = this.#end
    } else this.#emit('Operator')
  }

  #pointer(): void {
    this.#accept('#')
    this.#emit('Operator')
    while (isAlphaNumeric(this.#peek())) this.#end++
    if (this.#end > this.#start) this.#emit('Identifier')
  }
}

/** The code point and the character, as Go's %#U writes them. */
function unicodeName(character: string): string {
  const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character) ? `U+${code} '${character}'` : `U+${code}`
}
