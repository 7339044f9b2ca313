import type { Source } from './source.ts'

export type TokenKind = 'ident' | 'escaped' | 'int' | 'uint' | 'float' | 'string' | 'bytes' | 'operator' | 'end'

export interface Token {
  kind: TokenKind
  text: string
  offset: number
}

export interface LexicalError {
  offset: number
  message: string
}

const longOperators = new Set('== != <= >= && ||'.split(' '))
const shortOperators = new Set('[ ] { } ( ) . , - ! ? : + * / % < >'.split(' '))
const words = new Set(['in', 'true', 'false', 'null'])

/** Keywords that are operators or literals to the grammar, although they look like identifiers. */
export function isKeyword(token: Token): boolean {
  return token.kind === 'ident' && words.has(token.text)
}

/** Splits an expression into tokens. A character that starts no token is reported and skipped, as ANTLR does. */
export function tokenize(source: Source): { tokens: Token[]; errors: LexicalError[] } {
  const { codePoints } = source
  const tokens: Token[] = []
  const errors: LexicalError[] = []
  let offset = 0
  const peek = (ahead = 0): string => codePoints[offset + ahead] ?? ''
  const push = (kind: TokenKind, length: number): void => {
    tokens.push({ kind, text: source.slice(offset, offset + length), offset })
    offset += length
  }
  while (offset < codePoints.length) {
    const character = peek()
    if (/[\t \r\n\f]/.test(character)) {
      offset++
    } else if (character === '/' && peek(1) === '/') {
      while (offset < codePoints.length && peek() !== '\n') offset++
    } else {
      const literal = stringLength(codePoints, offset)
      if (literal.length > 0) {
        push(literal.bytes ? 'bytes' : 'string', literal.length)
      } else if (/[A-Za-z_]/.test(character)) {
        push('ident', span(codePoints, offset, /[A-Za-z0-9_]/))
      } else if (/[0-9]/.test(character) || (character === '.' && /[0-9]/.test(peek(1)))) {
        const number = numberLength(codePoints, offset)
        push(number.kind, number.length)
      } else if (character === '`' && escapedLength(codePoints, offset) > 0) {
        push('escaped', escapedLength(codePoints, offset))
      } else {
        if (longOperators.has(character + peek(1))) push('operator', 2)
        else if (shortOperators.has(character)) push('operator', 1)
        else offset = reportUnknown(source, offset, /[=&|]/.test(character) ? 2 : literal.attempted, errors)
      }
    }
  }
  tokens.push({ kind: 'end', text: '<EOF>', offset: codePoints.length })
  return { tokens, errors }
}

function reportUnknown(source: Source, offset: number, attempted: number, errors: LexicalError[]): number {
  const end = Math.min(source.codePoints.length, offset + Math.max(1, attempted))
  const text = source.slice(offset, end).replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r')
  errors.push({ offset, message: `token recognition error at: '${text}'` })
  return end
}

function span(codePoints: readonly string[], offset: number, allowed: RegExp): number {
  let length = 0
  while (allowed.test(codePoints[offset + length] ?? '')) length++
  return length
}

function numberLength(codePoints: readonly string[], offset: number): { kind: TokenKind; length: number } {
  const at = (index: number): string => codePoints[offset + index] ?? ''
  const unsigned = (length: number): { kind: TokenKind; length: number } =>
    at(length) === 'u' || at(length) === 'U' ? { kind: 'uint', length: length + 1 } : { kind: 'int', length }
  if (at(0) === '0' && at(1) === 'x') {
    const digits = span(codePoints, offset + 2, /[0-9a-fA-F]/)
    if (digits > 0) return unsigned(2 + digits)
  }
  const whole = span(codePoints, offset, /[0-9]/)
  let length = whole
  if (at(length) === '.' && /[0-9]/.test(at(length + 1))) length += 1 + span(codePoints, offset + length + 1, /[0-9]/)
  if (at(length) === 'e' || at(length) === 'E') {
    const sign = at(length + 1) === '+' || at(length + 1) === '-' ? 1 : 0
    const digits = span(codePoints, offset + length + 1 + sign, /[0-9]/)
    if (digits > 0) length += 1 + sign + digits
  }
  return length > whole ? { kind: 'float', length } : unsigned(whole)
}

function escapedLength(codePoints: readonly string[], offset: number): number {
  const inner = span(codePoints, offset + 1, /[A-Za-z0-9_.\-/ ]/)
  return inner > 0 && codePoints[offset + 1 + inner] === '`' ? inner + 2 : 0
}

interface StringToken {
  /** 0 when no complete string literal starts here. */
  length: number
  bytes: boolean
  /** How far an incomplete literal got, for the error that names it. */
  attempted: number
}

function stringLength(codePoints: readonly string[], offset: number): StringToken {
  let start = offset
  const lower = (index: number): string => (codePoints[index] ?? '').toLowerCase()
  const bytes = lower(start) === 'b'
  if (bytes) start++
  const raw = lower(start) === 'r'
  if (raw) start++
  const quote = codePoints[start]
  if (quote !== '"' && quote !== "'") return { length: 0, bytes, attempted: 0 }
  const triple = codePoints[start + 1] === quote && codePoints[start + 2] === quote
  if (triple) {
    const end = literalEnd(codePoints, start + 3, quote, { raw, triple: true })
    if (end.closed) return { length: end.offset - offset, bytes, attempted: 0 }
  }
  const end = literalEnd(codePoints, start + 1, quote, { raw, triple: false })
  if (end.closed) return { length: end.offset - offset, bytes, attempted: 0 }
  const reached = triple ? literalEnd(codePoints, start + 3, quote, { raw, triple: true }).offset : end.offset
  // After a prefix letter the letter alone is an identifier, so the error starts at the quote.
  return { length: 0, bytes, attempted: start > offset ? 0 : Math.min(reached + 1, codePoints.length) - offset }
}

function literalEnd(
  codePoints: readonly string[],
  start: number,
  quote: string,
  { raw, triple }: { raw: boolean; triple: boolean },
): { offset: number; closed: boolean } {
  let offset = start
  while (offset < codePoints.length) {
    const character = codePoints[offset] as string
    if (character === '\\' && !raw) {
      const escape = escapeLength(codePoints, offset)
      if (escape === 0) return { offset: offset + partialEscapeLength(codePoints, offset), closed: false }
      offset += escape
    } else if (character === quote) {
      if (!triple) return { offset: offset + 1, closed: true }
      if (codePoints[offset + 1] === quote && codePoints[offset + 2] === quote) {
        return { offset: offset + 3, closed: true }
      }
      offset++
    } else if (!triple && (character === '\n' || character === '\r')) {
      return { offset, closed: false }
    } else {
      offset++
    }
  }
  return { offset, closed: false }
}

function escapeLength(codePoints: readonly string[], offset: number): number {
  const next = codePoints[offset + 1] ?? ''
  const hex = (digits: number): number =>
    span(codePoints.slice(0, offset + 2 + digits), offset + 2, /[0-9a-fA-F]/) === digits ? 2 + digits : 0
  if (/[abfnrtv"'\\?`]/.test(next)) return 2
  if (next === 'x' || next === 'X') return hex(2)
  if (next === 'u') return hex(4)
  if (next === 'U') return hex(8)
  if (/[0-3]/.test(next)) {
    return /^[0-7]{2}$/.test(`${codePoints[offset + 2] ?? ''}${codePoints[offset + 3] ?? ''}`) ? 4 : 0
  }
  return 0
}

/** How far an escape is one before it goes wrong. */
function partialEscapeLength(codePoints: readonly string[], offset: number): number {
  const next = codePoints[offset + 1] ?? ''
  if (/[xXuU]/.test(next)) return 2 + span(codePoints, offset + 2, /[0-9a-fA-F]/)
  return /[0-3]/.test(next) ? 2 + span(codePoints, offset + 2, /[0-7]/) : 1
}
