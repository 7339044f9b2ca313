import { GovaluateError } from './govaluate-error.ts'
import { type Operator, operators, prefixOperators } from './operator.ts'
import { type Token, tokenText } from './token.ts'

/** One step of the evaluation, with what has to be evaluated before it. */
export type Stage =
  | { readonly type: 'literal'; readonly value: unknown }
  | { readonly type: 'parameter'; readonly name: string }
  | { readonly type: 'accessor'; readonly path: readonly string[]; readonly call: Stage | undefined }
  | { readonly type: 'group'; readonly inner: Stage | undefined }
  | { readonly type: 'prefix'; readonly operator: Operator; readonly right: Stage | undefined }
  | {
      readonly type: 'binary'
      readonly operator: Operator
      readonly left: Stage | undefined
      readonly right: Stage | undefined
    }

/** The operators from the loosest to the tightest. All of them group from the left, `**` as well. */
const levels: readonly ReadonlySet<string>[] = [
  [','],
  ['?', ':', '??'],
  ['||'],
  ['&&'],
  ['==', '!=', '>', '>=', '<', '<=', '=~', '!~', 'in'],
  ['^', '&', '|'],
  ['>>', '<<'],
  ['+', '-'],
  ['*', '/', '%'],
  ['**'],
].map(symbols => new Set(symbols))

const operatorKinds = new Set(['SEPARATOR', 'TERNARY', 'LOGICALOP', 'COMPARATOR', 'MODIFIER'])
const maxDepth = 200

/** Plans the evaluation of tokens that are in order. */
export function planStages(tokens: readonly Token[]): Stage | undefined {
  return new Planner(tokens).plan()
}

/** Tokens behind a closed parenthesis that continue nothing are passed over in silence, as in the Go module. */
class Planner {
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  plan(): Stage | undefined {
    if (this.#depth >= maxDepth) throw new GovaluateError(`the expression is nested more than ${maxDepth} levels deep`)
    this.#depth++
    const stage = this.#planLevel(0)
    this.#depth--
    return stage
  }

  #planLevel(level: number): Stage | undefined {
    const symbols = levels[level]
    if (symbols === undefined) return this.#planOperand()
    let stage = this.#planLevel(level + 1)
    for (;;) {
      const token = this.#tokens[this.#at]
      if (token === undefined || !operatorKinds.has(token.kind) || !symbols.has(token.value as string)) return stage
      this.#at++
      const operator = operators.get(token.value as string) as Operator
      stage = { type: 'binary', operator, left: stage, right: this.#planLevel(level + 1) }
    }
  }

  #planOperand(): Stage | undefined {
    const token = this.#tokens[this.#at]
    if (token === undefined || token.kind === 'CLAUSE_CLOSE') return undefined
    this.#at++
    switch (token.kind) {
      case 'CLAUSE': {
        const inner = this.plan()
        this.#at++
        return { type: 'group', inner }
      }
      case 'ACCESSOR': {
        const isCall = this.#tokens[this.#at]?.kind === 'CLAUSE'
        return { type: 'accessor', path: token.value, call: isCall ? this.plan() : undefined }
      }
      case 'VARIABLE':
        return { type: 'parameter', name: token.value }
      case 'NUMERIC':
      case 'STRING':
      case 'BOOLEAN':
      case 'PATTERN':
        return { type: 'literal', value: token.value }
      case 'TIME':
        return { type: 'literal', value: token.value.unix }
      case 'PREFIX':
        return {
          type: 'prefix',
          operator: prefixOperators.get(token.value) as Operator,
          right: this.#planOperand(),
        }
      default:
        throw new GovaluateError(`Unable to plan token kind: '${token.kind}', value: '${tokenText(token)}'`)
    }
  }
}
