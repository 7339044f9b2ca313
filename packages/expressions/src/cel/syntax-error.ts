import { isKeyword, type Token } from './lexer.ts'

const expressionStart = [
  "'['",
  "'{'",
  "'('",
  "'.'",
  "'-'",
  "'!'",
  "'true'",
  "'false'",
  "'null'",
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
]

/** The order in which ANTLR lists tokens that could have come. */
const tokenOrder = ["'['", "']'", "'{'", "'}'", "'('", "')'", "'.'", "','", "'-'", "'!'", "'?'", "':'"]

/** The expression breaks the grammar. The texts are those of the ANTLR parser that cel-go uses. */
export class CelSyntaxError extends Error {
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/** Parsing cannot go on, and what is wrong has been reported. */
export class AlreadyReported extends Error {}

function expectation(tokens: readonly string[]): string {
  if (tokens.length === 1) return tokens[0] as string
  const rank = (token: string): number => {
    const position = tokenOrder.indexOf(token)
    return position === -1 ? tokenOrder.length + expressionStart.indexOf(token) : position
  }
  return `{${[...tokens].sort((left, right) => rank(left) - rank(right)).join(', ')}}`
}

export function startsExpression({ kind, text }: Token): boolean {
  if (kind === 'end' || kind === 'escaped') return false
  if (kind === 'operator') return /^[[{(.\-!]$/.test(text)
  return text !== 'in' || kind !== 'ident'
}

function closes(token: Token, closers: readonly string[]): boolean {
  return closers.includes(`'${token.text}'`)
}

/** A token that must go, or is wrong: whether the parse can go on after it decides what ANTLR calls it. */
export interface SyntaxProblem {
  error: CelSyntaxError
  /** The parse goes on without the token, or as if the missing one were there. */
  recovery: 'skip' | 'insert' | 'none'
}

function unwanted(token: Token, expected: readonly string[]): SyntaxProblem {
  const message = `extraneous input '${token.text}' expecting ${expectation(expected)}`
  return { error: new CelSyntaxError(token.offset, message), recovery: 'skip' }
}

function mismatched(token: Token, expected: readonly string[]): SyntaxProblem {
  const message = `mismatched input '${token.text}' expecting ${expectation(expected)}`
  return { error: new CelSyntaxError(token.offset, message), recovery: 'none' }
}

/** No expression starts here; `others` may stand here as well, as `)` may after `f(`. */
export function expectedExpression(
  token: Token,
  next: Token | undefined,
  others: readonly string[] = [],
): SyntaxProblem {
  const expected = [...expressionStart, ...others]
  const canSkip = next !== undefined && (startsExpression(next) || closes(next, others))
  return canSkip ? unwanted(token, expected) : mismatched(token, expected)
}

/** Nothing to negate follows `!`. */
export function expectedOperand(token: Token): SyntaxProblem {
  return { ...unwanted(token, expressionStart), recovery: 'none' }
}

/** What follows a complete part is not what the grammar wants there. */
export function expectedAfter(
  token: Token,
  next: Token | undefined,
  expected: readonly string[],
  canFollow: boolean,
): SyntaxProblem {
  const canSkip = next !== undefined && (closes(next, expected) || (expected[0] === '<EOF>' && next.kind === 'end'))
  if (canSkip) return unwanted(token, expected)
  if (expected.length > 1 || !canFollow) return mismatched(token, expected)
  return {
    error: new CelSyntaxError(token.offset, `missing ${expected[0]} at '${token.text}'`),
    recovery: 'insert',
  }
}

/** After a dot comes neither a name nor a question mark with a name. */
export function badSelector(before: Token, found: Token): CelSyntaxError {
  if (isKeyword(found) && found.text !== 'in') {
    return new CelSyntaxError(found.offset, `mismatched input '${found.text}' expecting IDENTIFIER`)
  }
  return noAlternative(before, found)
}

export function noAlternative(before: Token, found: Token): CelSyntaxError {
  const shown = found.kind === 'end' ? before.text : `${before.text}${found.text}`
  return new CelSyntaxError(found.offset, `no viable alternative at input '${shown}'`)
}

/** Whether a token is an operator that goes on with the expression before it. */
export function continuesExpression({ kind, text }: Token): boolean {
  if (kind === 'operator') return /^(\?|\+|-|\*|\/|%|<|<=|>|>=|==|!=|&&|\|\|)$/.test(text)
  return kind === 'ident' && text === 'in'
}
