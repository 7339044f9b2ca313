import type { Token } from './lexer.ts'

const expressionStart =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

/** The expression breaks the grammar. The texts are those of the ANTLR parser that cel-go uses. */
export class CelSyntaxError extends Error {
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }

  static expectedExpression(tokens: readonly Token[], position: number): CelSyntaxError {
    const token = tokens[position] as Token
    return new CelSyntaxError(token.offset, `mismatched input '${token.text}' expecting ${expressionStart}`)
  }

  static badSelector(dot: Token, found: Token): CelSyntaxError {
    if (/^(true|false|null)$/.test(found.text)) {
      return new CelSyntaxError(found.offset, `mismatched input '${found.text}' expecting IDENTIFIER`)
    }
    return new CelSyntaxError(found.offset, `no viable alternative at input '${dot.text}${found.text}'`)
  }
}

/** What follows a complete part is not what the grammar wants there. */
export function expectedAfter(tokens: readonly Token[], position: number, expected: string): CelSyntaxError {
  const token = tokens[position] as Token
  const next = tokens[position + 1]
  const extraneous = expected === '<EOF>' && next?.kind === 'end'
  const problem = extraneous ? 'extraneous' : 'mismatched'
  return new CelSyntaxError(token.offset, `${problem} input '${token.text}' expecting ${expected}`)
}
