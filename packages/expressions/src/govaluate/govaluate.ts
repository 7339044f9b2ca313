import { compilePattern, PatternError } from '../re2/pattern.ts'
import { evaluateStage } from './evaluation.ts'
import { GovaluateError } from './govaluate-error.ts'
import { readTokens } from './lexer.ts'
import { planStages } from './stage.ts'
import { checkBalance, checkSyntax, type Token } from './token.ts'
import { PatternValue } from './value.ts'
import { type GovaluateLimits, WorkLimit } from './work-limit.ts'

export { GovaluateError } from './govaluate-error.ts'
export type { Token as GovaluateToken, TokenKind as GovaluateTokenKind } from './token.ts'
export type { GovaluateLimits } from './work-limit.ts'

/** An expression that can be evaluated any number of times. */
export interface GovaluateExpression {
  readonly source: string
  readonly tokens: readonly Token[]
  /** The names of the parameters, as often as they occur. */
  readonly variables: readonly string[]
  /** The value for these parameters, which are plain JSON data. Throws GovaluateError. */
  evaluate(parameters?: Readonly<Record<string, unknown>>, limits?: GovaluateLimits): unknown
}

/** Reads an expression in the language of Knetic/govaluate: comparisons, `&&`, `||`, `!`, arithmetic, bits, `=~`, `in`,
 *  `?:`, `??`, `'text'`, dates, `name` and `[any name]`. Dates without zone are in UTC. Throws GovaluateError. */
export function compileGovaluate(source: string): GovaluateExpression {
  const tokens = readTokens(source)
  checkBalance(tokens)
  checkSyntax(tokens)
  const compiled = compilePatterns(tokens)
  const stage = planStages(compiled)
  return {
    source,
    tokens: compiled,
    variables: compiled.flatMap(token => (token.kind === 'VARIABLE' ? [token.value] : [])),
    evaluate: (parameters = {}, limits) => evaluateStage(stage, parameters, new WorkLimit(limits)),
  }
}

/** A text behind `=~` or `!~` is a pattern, and has to be one. */
function compilePatterns(tokens: readonly Token[]): Token[] {
  return tokens.map((token, index) => {
    const before = tokens[index - 1]
    const isPattern = before?.kind === 'COMPARATOR' && (before.value === '=~' || before.value === '!~')
    if (!isPattern || token.kind !== 'STRING') return token
    try {
      return { kind: 'PATTERN', value: new PatternValue(compilePattern(token.value)) }
    } catch (error) {
      if (error instanceof PatternError) throw new GovaluateError(error.message)
      throw error
    }
  })
}
