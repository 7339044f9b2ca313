import { GovaluateError } from './govaluate-error.ts'
import type { Stage } from './stage.ts'
import { operand } from './value.ts'
import type { WorkLimit } from './work-limit.ts'

type Parameters = Readonly<Record<string, unknown>>

/** Evaluates the left before the right, and the right only if it matters. What is missing is nil. */
export function evaluateStage(stage: Stage | undefined, parameters: Parameters, limit: WorkLimit): unknown {
  // Long chains lean to the left: they are walked down and up again, not called into.
  const chain: (Stage & { type: 'binary' })[] = []
  let innermost = stage
  while (innermost?.type === 'binary') {
    chain.push(innermost)
    innermost = innermost.left
  }
  let value = evaluateOperand(innermost, parameters, limit)
  for (const { operator, right } of chain.reverse()) {
    const decided = shortCircuit(operator.symbol, value)
    if (decided !== undefined) {
      value = decided.value
      continue
    }
    const other = evaluateStage(right, parameters, limit)
    operator.check(value, other)
    limit.spendOn(operator.symbol, value, other)
    value = operator.apply(value, other)
    limit.spendOnResult(value)
  }
  return value
}

/** The result, if the left operand alone decides it. */
function shortCircuit(symbol: string, left: unknown): { value: unknown } | undefined {
  switch (symbol) {
    case '&&':
      return left === false ? { value: false } : undefined
    case '||':
      return left === true ? { value: true } : undefined
    case '?':
      return left === false ? { value: null } : undefined
    case '??':
    case ':':
      return left === null ? undefined : { value: left }
    default:
      return undefined
  }
}

function evaluateOperand(
  stage: Exclude<Stage, { type: 'binary' }> | undefined,
  parameters: Parameters,
  limit: WorkLimit,
): unknown {
  switch (stage?.type) {
    case undefined:
      return null
    case 'literal':
      return stage.value
    case 'parameter':
      return parameter(stage.name, parameters)
    case 'group':
      return evaluateStage(stage.inner, parameters, limit)
    case 'prefix': {
      const right = evaluateStage(stage.right, parameters, limit)
      stage.operator.check(null, right)
      return stage.operator.apply(null, right)
    }
    case 'accessor': {
      evaluateStage(stage.call, parameters, limit)
      const [name = '', field = ''] = stage.path
      parameter(name, parameters)
      // JSON has no structs, so there is nothing to access.
      throw new GovaluateError(`Unable to access '${field}', '${name}' is not a struct`)
    }
  }
}

function parameter(name: string, parameters: Parameters): unknown {
  if (!Object.hasOwn(parameters, name)) throw new GovaluateError(`No parameter '${name}' found.`)
  return operand(parameters[name])
}
