import type { RunOptions } from '../evaluation.ts'
import type { CompiledExpr } from '../expr.ts'
import { goText } from '../go-print.ts'
import { ExprError } from '../source.ts'
import { type ExprObject, type ExprValue, isList, isObject, own, typeName } from '../value.ts'

/** The expression has no answer, or one that is neither true nor false. The message is Argo's. */
export class ConditionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ConditionError'
  }
}

/** The value of a condition, as Argo evaluates it: a filter, a retry or hook expression. Throws ConditionError; in the
 *  dialect 1.17 what does not compile stays an ExprError. */
export function evalBool(expression: CompiledExpr, environment: ExprObject, options: RunOptions = {}): boolean {
  const value = evaluate(expression, environment, options)
  if (typeof value === 'boolean') return value
  throw new ConditionError(`unable to cast expression result '${asText(value)}' to bool`)
}

function evaluate(expression: CompiledExpr, environment: ExprObject, options: RunOptions): ExprValue {
  try {
    return expression.run(environment, options)
  } catch (error) {
    if (!(error instanceof ExprError) || (error.phase === 'compile' && expression.dialect === '1.17')) throw error
    const message = `unable to evaluate expression '${expression.source}': ${error.message}`
    throw new ConditionError(message, { cause: error })
  }
}

/** A value as Go's %s prints it, which complains about what is no string; nothing inside of something it lets pass. */
function asText(value: ExprValue, isInside = false): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return isInside ? '<nil>' : '%!s(<nil>)'
  if (isList(value)) return `[${value.map(item => asText(item, true)).join(' ')}]`
  if (isObject(value)) {
    const entries = Object.keys(value)
      .sort()
      .map(key => `${key}:${asText(own(value, key), true)}`)
    return `map[${entries.join(' ')}]`
  }
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
    ? `%!s(${typeName(value)}=${goText(value)})`
    : goText(value)
}
