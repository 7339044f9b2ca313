import { isPrintable, quote } from './quote.ts'

export type TokenKind =
  | 'error'
  | 'bool'
  | 'char'
  | 'charConstant'
  | 'complex'
  | 'assign'
  | 'declare'
  | 'eof'
  | 'field'
  | 'identifier'
  | 'leftDelim'
  | 'leftParen'
  | 'number'
  | 'pipe'
  | 'rawString'
  | 'rightDelim'
  | 'rightParen'
  | 'space'
  | 'string'
  | 'text'
  | 'variable'
  | 'dot'
  | Keyword

export type Keyword =
  | 'block'
  | 'break'
  | 'continue'
  | 'define'
  | 'else'
  | 'end'
  | 'if'
  | 'nil'
  | 'range'
  | 'template'
  | 'with'

const keywords: ReadonlySet<string> = new Set<Keyword>([
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'nil',
  'range',
  'template',
  'with',
])

export interface Token {
  kind: TokenKind
  /** Where it starts in the text. */
  at: number
  /** What it says; for an error, what is wrong. */
  text: string
  line: number
}

/** How an error message shows a token. */
export function describeToken({ kind, text }: Token): string {
  if (kind === 'eof') return 'EOF'
  if (kind === 'error') return text
  if (kind === 'dot' || keywords.has(kind)) return `<${text}>`
  const characters = Array.from(text)
  return Buffer.byteLength(text) > 10 ? `${quote(characters.slice(0, 10).join(''))}...` : quote(text)
}

const leftDelim = '{{'
const rightDelim = '}}'
const space = /[ \t\r\n]/
const wordCharacter = /[_\p{L}\p{Nd}]/u
const leadingSpace = /^[ \t\r\n]+/
const trailingSpace = /[ \t\r\n]+$/
const number =
  /^[+-]?(?:0[xX][\da-fA-F_]*(?:\.[\da-fA-F_]*)?(?:[pP][+-]?[\d_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?[\d_]*)?)i?/

/** `U+0023 '#'`. */
function unicodeName(character: string): string {
  const hex = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
  return `U+${hex}${isPrintable(character) ? ` '${character}'` : ''}`
}

/** Takes a template's text apart, one token at a time. */
export class Lexer {
  readonly #text: string
  #at = 0
  #line = 1
  /** Up to where newlines have been counted. */
  #counted = 0
  #isInAction = false
  #parenDepth = 0

  constructor(text: string) {
    this.#text = text
  }

  next(): Token {
    return this.#isInAction ? this.#inAction() : this.#outside()
  }

  #token(kind: TokenKind, start: number, end: number): Token {
    this.#at = end
    return { kind, at: start, text: this.#text.slice(start, end), line: this.#lineAt(start) }
  }

  #lineAt(position: number): number {
    if (position < this.#counted) {
      this.#line = 1
      this.#counted = 0
    }
    for (let at = this.#text.indexOf('\n', this.#counted); at >= 0 && at < position; ) {
      this.#line += 1
      at = this.#text.indexOf('\n', at + 1)
    }
    this.#counted = position
    return this.#line
  }

  #error(text: string, start: number): Token {
    return { kind: 'error', at: start, text, line: this.#lineAt(start) }
  }

  #outside(): Token {
    for (;;) {
      const start = this.#at
      const open = this.#text.indexOf(leftDelim, start)
      if (open < 0) {
        const end = this.#text.length
        return end > start ? this.#token('text', start, end) : this.#token('eof', end, end)
      }
      const isTrimmed = this.#hasLeftTrim(open + leftDelim.length)
      const before = this.#text.slice(start, open)
      const kept = isTrimmed ? before.replace(trailingSpace, '') : before
      if (kept !== '') {
        this.#at = open
        return { kind: 'text', at: start, text: kept, line: this.#lineAt(start) }
      }
      const inner = open + leftDelim.length + (isTrimmed ? 2 : 0)
      if (!this.#text.startsWith('/*', inner)) {
        const token = this.#token('leftDelim', open, open + leftDelim.length)
        this.#at = inner
        this.#isInAction = true
        this.#parenDepth = 0
        return token
      }
      const problem = this.#skipComment(inner)
      if (problem !== undefined) return this.#error(problem, inner)
    }
  }

  #hasLeftTrim(at: number): boolean {
    return this.#text[at] === '-' && space.test(this.#text[at + 1] ?? '')
  }

  #hasRightTrim(at: number): boolean {
    return space.test(this.#text[at] ?? '') && this.#text.startsWith(`-${rightDelim}`, at + 1)
  }

  #skipComment(start: number): string | undefined {
    const close = this.#text.indexOf('*/', start + 2)
    if (close < 0) return 'unclosed comment'
    const end = close + 2
    if (this.#hasRightTrim(end)) this.#at = this.#afterSpace(end + 2 + rightDelim.length)
    else if (this.#text.startsWith(rightDelim, end)) this.#at = end + rightDelim.length
    else return 'comment ends before closing delimiter'
    return undefined
  }

  #afterSpace(at: number): number {
    return at + (leadingSpace.exec(this.#text.slice(at))?.[0].length ?? 0)
  }

  #close(start: number): Token {
    this.#isInAction = false
    return this.#token('rightDelim', start, start + rightDelim.length)
  }

  #inAction(): Token {
    const start = this.#at
    const isTrimmed = this.#hasRightTrim(start)
    if (isTrimmed || this.#text.startsWith(rightDelim, start)) {
      if (this.#parenDepth > 0) return this.#error('unclosed left paren', start)
      if (!isTrimmed) return this.#close(start)
      const token = this.#close(start + 2)
      this.#at = this.#afterSpace(this.#at)
      return token
    }
    if (start >= this.#text.length) return this.#error('unclosed action', start)
    const character = String.fromCodePoint(this.#text.codePointAt(start) as number)
    if (space.test(character)) return this.#space(start)
    switch (character) {
      case '=':
        return this.#token('assign', start, start + 1)
      case ':':
        return this.#text[start + 1] === '='
          ? this.#token('declare', start, start + 2)
          : this.#error('expected :=', start)
      case '|':
        return this.#token('pipe', start, start + 1)
      case '"':
        return this.#quoted(start, 'string', 'unterminated quoted string')
      case "'":
        return this.#quoted(start, 'charConstant', 'unterminated character constant')
      case '`': {
        const end = this.#text.indexOf('`', start + 1)
        return end < 0 ? this.#error('unterminated raw quoted string', start) : this.#token('rawString', start, end + 1)
      }
      case '$':
        return this.#named(start, 'variable', 'variable')
      case '(':
        this.#parenDepth += 1
        return this.#token('leftParen', start, start + 1)
      case ')':
        this.#parenDepth -= 1
        return this.#parenDepth < 0
          ? this.#error('unexpected right paren', start)
          : this.#token('rightParen', start, start + 1)
      default:
        break
    }
    if (character === '.' && start + 1 < this.#text.length && !/\d/.test(this.#text[start + 1] as string)) {
      return this.#named(start, 'field', 'dot')
    }
    if (/[.+\-\d]/.test(character)) return this.#number(start)
    if (wordCharacter.test(character)) return this.#identifier(start)
    if (/^[ -~]$/.test(character)) return this.#token('char', start, start + 1)
    return this.#error(`unrecognized character in action: ${unicodeName(character)}`, start)
  }

  #space(start: number): Token {
    const end = this.#afterSpace(start)
    // The last space belongs to a trim marker that follows.
    const isTrimmed = this.#hasRightTrim(end - 1)
    return this.#token('space', start, isTrimmed ? end - 1 : end)
  }

  #quoted(start: number, kind: TokenKind, problem: string): Token {
    const mark = this.#text[start] as string
    for (let at = start + 1; at < this.#text.length; at++) {
      const character = this.#text[at]
      if (character === '\\') at += 1
      else if (character === mark) return this.#token(kind, start, at + 1)
      if (this.#text[at] === '\n') break
    }
    return this.#error(problem, start)
  }

  #wordEnd(at: number): number {
    let end = at
    for (;;) {
      const code = this.#text.codePointAt(end)
      if (code === undefined || !wordCharacter.test(String.fromCodePoint(code))) return end
      end += code > 0xffff ? 2 : 1
    }
  }

  #isTerminator(at: number): boolean {
    const character = this.#text[at]
    if (character === undefined || space.test(character) || '.,|:()'.includes(character)) return true
    return this.#text.startsWith(rightDelim, at)
  }

  /** `.name` or `$name`; `alone` when no name follows. */
  #named(start: number, kind: TokenKind, alone: TokenKind): Token {
    if (this.#isTerminator(start + 1)) return this.#token(alone, start, start + 1)
    const end = this.#wordEnd(start + 1)
    return this.#isTerminator(end) ? this.#token(kind, start, end) : this.#badCharacter(end, start)
  }

  #badCharacter(at: number, start: number): Token {
    const character = String.fromCodePoint(this.#text.codePointAt(at) as number)
    return this.#error(`bad character ${unicodeName(character)}`, start)
  }

  #identifier(start: number): Token {
    const end = this.#wordEnd(start)
    if (!this.#isTerminator(end)) return this.#badCharacter(end, start)
    const word = this.#text.slice(start, end)
    if (keywords.has(word)) return this.#token(word as Keyword, start, end)
    return this.#token(word === 'true' || word === 'false' ? 'bool' : 'identifier', start, end)
  }

  #number(start: number): Token {
    const first = this.#scanNumber(start)
    if (!first.isGood) return this.#badNumber(start, first.end)
    if (!/[+-]/.test(this.#text[first.end] ?? '')) return this.#token('number', start, first.end)
    const second = this.#scanNumber(first.end)
    if (!second.isGood || this.#text[second.end - 1] !== 'i') return this.#badNumber(start, second.end)
    return this.#token('complex', start, second.end)
  }

  #badNumber(start: number, end: number): Token {
    return this.#error(`bad number syntax: ${quote(this.#text.slice(start, end))}`, start)
  }

  #scanNumber(start: number): { end: number; isGood: boolean } {
    const end = start + (number.exec(this.#text.slice(start))?.[0].length ?? 0)
    const next = this.#text.codePointAt(end)
    if (next === undefined || !wordCharacter.test(String.fromCodePoint(next))) return { end, isGood: true }
    return { end: end + (next > 0xffff ? 2 : 1), isGood: false }
  }
}
