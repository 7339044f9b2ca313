import { parseGoFloat } from '../gjson/go-float.ts'
import { parseDate } from './date.ts'
import { GovaluateError } from './govaluate-error.ts'
import { canFollow, type Token } from './token.ts'

const prefixes = new Set(['-', '!', '~'])
const modifiers = new Set(['+', '-', '*', '/', '%', '**', '&', '|', '^', '>>', '<<'])
const logicals = new Set(['&&', '||'])
const comparators = new Set(['==', '!=', '>', '>=', '<', '<=', '=~', '!~'])
const ternaries = new Set(['?', ':', '??'])

const maxTokens = 10_000

/** Splits an expression into its tokens. */
export function readTokens(expression: string): Token[] {
  const lexer = new Lexer(expression)
  const tokens: Token[] = []
  for (;;) {
    const token = lexer.next(tokens.at(-1))
    if (token === undefined) return tokens
    tokens.push(token)
    if (tokens.length > maxTokens) throw new GovaluateError(`the expression has more than ${maxTokens} tokens`)
  }
}

const isSpace = (character: string) => /\p{White_Space}/u.test(character)
const isDigit = (character: string) => /\p{Nd}/u.test(character)
const isLetter = (character: string) => /\p{L}/u.test(character)
const isNumeric = (character: string) => character === '.' || isDigit(character)
const isHexDigit = (character: string) => isDigit(character) || /[a-f]/.test(character.toLowerCase())
const isQuote = (character: string) => character === "'" || character === '"'
const isNameCharacter = (character: string) =>
  isLetter(character) || isDigit(character) || character === '_' || character === '.'
const isSymbolCharacter = (character: string) =>
  !(isDigit(character) || isLetter(character) || isQuote(character) || '()[]'.includes(character))

class Lexer {
  readonly #characters: readonly string[]
  #at = 0

  constructor(expression: string) {
    this.#characters = Array.from(expression)
  }

  /** The next token; what it can be depends on the one before. */
  next(last: Token | undefined): Token | undefined {
    while (this.#at < this.#characters.length && isSpace(this.#current())) this.#at++
    if (this.#at >= this.#characters.length) return undefined
    const first = this.#current()
    if (isNumeric(first)) return { kind: 'NUMERIC', value: this.#readNumber() }
    if (isLetter(first)) return namedToken(this.#readWhile(isNameCharacter))
    if (isQuote(first)) return this.#readString()
    if (first === '[') return { kind: 'VARIABLE', value: this.#readVariable() }
    if (first === ',' || first === '(' || first === ')') {
      this.#at++
      return { kind: first === ',' ? 'SEPARATOR' : first === '(' ? 'CLAUSE' : 'CLAUSE_CLOSE', value: first }
    }
    return symbolToken(this.#readWhile(isSymbolCharacter), last)
  }

  #current(): string {
    return this.#characters[this.#at] ?? ''
  }

  #readNumber(): number {
    const [zero, x, ...digits] = this.#characters.slice(this.#at, this.#at + 3)
    if (zero === '0' && x === 'x' && digits.length > 0) {
      this.#at += 2
      const text = this.#readWhile(isHexDigit)
      const isNumber = /^[0-9a-fA-F]+$/.test(text) && BigInt(`0x${text}`) < 2n ** 64n
      if (!isNumber) throw new GovaluateError(`Unable to parse hex value '${text}' to uint64\n`)
      return Number(BigInt(`0x${text}`))
    }
    const text = this.#readWhile(isNumeric)
    const value = parseGoFloat(text)
    const isInRange = value !== undefined && (Number.isFinite(value) || !/^[\d.]/.test(text))
    if (!isInRange) throw new GovaluateError(`Unable to parse numeric value '${text}' to float64\n`)
    return value
  }

  #readVariable(): string {
    this.#at++
    const { text, isClosed } = this.#readUntil(character => character === ']')
    if (!isClosed) throw new GovaluateError('Unclosed parameter bracket')
    return text
  }

  #readString(): Token {
    this.#at++
    const { text, isClosed } = this.#readUntil(isQuote)
    if (!isClosed) throw new GovaluateError('Unclosed string literal')
    const date = parseDate(text)
    return date === undefined ? { kind: 'STRING', value: text } : { kind: 'TIME', value: date }
  }

  /** Reads up to a closing character and passes over it. A backslash makes the next character stand for itself. */
  #readUntil(isEnd: (character: string) => boolean): { text: string; isClosed: boolean } {
    let text = ''
    for (; this.#at < this.#characters.length; this.#at++) {
      if (this.#current() === '\\') {
        text += this.#escaped()
      } else if (isEnd(this.#current())) {
        this.#at++
        return { text, isClosed: true }
      } else {
        text += this.#current()
      }
    }
    return { text, isClosed: false }
  }

  /** Reads characters of a kind, and escaped ones of any kind, up to the next space. */
  #readWhile(isWanted: (character: string) => boolean): string {
    let text = ''
    for (; this.#at < this.#characters.length; this.#at++) {
      const character = this.#current()
      if (character === '\\') {
        text += this.#escaped()
      } else if (isSpace(character)) {
        if (text !== '') return text
      } else if (isWanted(character)) {
        text += character
      } else {
        return text
      }
    }
    return text
  }

  #escaped(): string {
    this.#at++
    if (this.#at >= this.#characters.length) throw new GovaluateError('Unexpected end of expression')
    return this.#current()
  }
}

function namedToken(name: string): Token {
  if (name.indexOf('.') > 0) return { kind: 'ACCESSOR', value: accessorParts(name) }
  if (name === 'true' || name === 'false') return { kind: 'BOOLEAN', value: name === 'true' }
  if (name === 'in' || name === 'IN') return { kind: 'COMPARATOR', value: 'in' }
  return { kind: 'VARIABLE', value: name }
}

function accessorParts(name: string): string[] {
  if (name.endsWith('.')) throw new GovaluateError(`Hanging accessor on token '${name}'`)
  const parts = name.split('.')
  const hidden = parts.slice(1).find(part => isLower(part))
  if (hidden !== undefined) {
    throw new GovaluateError(`Unable to access unexported field '${hidden}' in token '${name}'`)
  }
  return parts
}

function isLower(name: string): boolean {
  const [first = ''] = name
  const upper = Array.from(first.toUpperCase())
  return upper.length === 1 && upper[0] !== first
}

function symbolToken(symbol: string, last: Token | undefined): Token {
  if (prefixes.has(symbol) && canFollow(last?.kind ?? 'UNKNOWN', 'PREFIX')) return { kind: 'PREFIX', value: symbol }
  if (modifiers.has(symbol)) return { kind: 'MODIFIER', value: symbol }
  if (logicals.has(symbol)) return { kind: 'LOGICALOP', value: symbol }
  if (comparators.has(symbol) || symbol === 'in') return { kind: 'COMPARATOR', value: symbol }
  if (ternaries.has(symbol)) return { kind: 'TERNARY', value: symbol }
  throw new GovaluateError(`Invalid token: '${symbol}'`)
}
