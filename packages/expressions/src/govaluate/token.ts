import { type DateTime, formatDate } from './date.ts'
import { GovaluateError } from './govaluate-error.ts'
import { goText, type PatternValue } from './value.ts'

export type TokenKind =
  | 'UNKNOWN'
  | 'PREFIX'
  | 'NUMERIC'
  | 'BOOLEAN'
  | 'STRING'
  | 'PATTERN'
  | 'TIME'
  | 'VARIABLE'
  | 'SEPARATOR'
  | 'ACCESSOR'
  | 'COMPARATOR'
  | 'LOGICALOP'
  | 'MODIFIER'
  | 'CLAUSE'
  | 'CLAUSE_CLOSE'
  | 'TERNARY'

export type Token =
  | { readonly kind: 'NUMERIC'; readonly value: number }
  | { readonly kind: 'BOOLEAN'; readonly value: boolean }
  | { readonly kind: 'PATTERN'; readonly value: PatternValue }
  | { readonly kind: 'TIME'; readonly value: DateTime }
  | { readonly kind: 'ACCESSOR'; readonly value: readonly string[] }
  | {
      readonly kind: Exclude<TokenKind, 'UNKNOWN' | 'NUMERIC' | 'BOOLEAN' | 'PATTERN' | 'TIME' | 'ACCESSOR'>
      readonly value: string
    }

/** A token's value as Go prints it: a parenthesis is a number there. */
export function tokenText(token: Token | undefined): string {
  if (token === undefined) return '<nil>'
  if (token.kind === 'CLAUSE') return '40'
  if (token.kind === 'CLAUSE_CLOSE') return '41'
  return token.kind === 'TIME' ? formatDate(token.value) : goText(token.value)
}

const operands = 'NUMERIC BOOLEAN VARIABLE ACCESSOR CLAUSE'
const afterValue = 'MODIFIER COMPARATOR LOGICALOP CLAUSE_CLOSE SEPARATOR'

/** The kinds that may follow a kind; UNKNOWN is the beginning. */
const followers: Readonly<Record<TokenKind, string>> = {
  UNKNOWN: `PREFIX ${operands} PATTERN STRING TIME`,
  CLAUSE: `PREFIX ${operands} PATTERN STRING TIME CLAUSE_CLOSE`,
  CLAUSE_CLOSE: `${afterValue} NUMERIC BOOLEAN VARIABLE STRING PATTERN TIME CLAUSE TERNARY`,
  NUMERIC: `${afterValue} TERNARY`,
  BOOLEAN: `${afterValue} TERNARY`,
  STRING: `${afterValue} TERNARY`,
  TIME: afterValue,
  PATTERN: afterValue,
  VARIABLE: `${afterValue} TERNARY`,
  ACCESSOR: `${afterValue} TERNARY CLAUSE`,
  MODIFIER: `PREFIX ${operands} STRING CLAUSE_CLOSE`,
  COMPARATOR: `PREFIX ${operands} STRING TIME CLAUSE_CLOSE PATTERN`,
  LOGICALOP: `PREFIX ${operands} STRING TIME CLAUSE_CLOSE`,
  PREFIX: `${operands} CLAUSE_CLOSE`,
  TERNARY: `PREFIX ${operands} STRING TIME SEPARATOR`,
  SEPARATOR: `PREFIX ${operands} STRING TIME`,
}

const followerSets = new Map(Object.entries(followers).map(([kind, kinds]) => [kind, new Set(kinds.split(' '))]))
const lastKinds = new Set<TokenKind>(
  'CLAUSE_CLOSE NUMERIC BOOLEAN STRING TIME PATTERN VARIABLE ACCESSOR'.split(' ') as TokenKind[],
)

export function canFollow(kind: TokenKind, next: TokenKind): boolean {
  return followerSets.get(kind)?.has(next) === true
}

/** Refuses an order of tokens that no expression has. */
export function checkSyntax(tokens: readonly Token[]): void {
  let last: Token | undefined
  for (const token of tokens) {
    const lastKind = last?.kind ?? 'UNKNOWN'
    if (!canFollow(lastKind, token.kind)) {
      if (last?.kind === 'VARIABLE' && token.kind === 'CLAUSE') {
        throw new GovaluateError(`Undefined function ${last.value}`)
      }
      throw new GovaluateError(
        `Cannot transition token types from ${lastKind} [${tokenText(last)}] to ${token.kind} [${tokenText(token)}]`,
      )
    }
    last = token
  }
  if (last === undefined || !lastKinds.has(last.kind)) throw new GovaluateError('Unexpected end of expression')
}

export function checkBalance(tokens: readonly Token[]): void {
  const opened = tokens.filter(({ kind }) => kind === 'CLAUSE').length
  const closed = tokens.filter(({ kind }) => kind === 'CLAUSE_CLOSE').length
  if (opened !== closed) throw new GovaluateError('Unbalanced parenthesis')
}
