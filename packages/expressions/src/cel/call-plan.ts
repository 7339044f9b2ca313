import { compilePattern } from '../re2/pattern.ts'
import { type CallCost, callCost } from './call-cost.ts'
import { functionDeclarations } from './declarations/declarations.ts'
import type { Evaluate, Evaluation } from './evaluation.ts'
import { dispatch, isNonStrict } from './functions/dispatch.ts'
import type { Implementation } from './functions/implementation.ts'
import { operatorFunctions } from './functions/operators.ts'
import { evaluator, type Plan } from './plan.ts'
import { CelProgramError } from './source.ts'
import { ArrayList, CelError, type CelValue, celEquals, noOverloadFor, Optional, TypeValue, Uint } from './value.ts'

const conversions = new Set('bool bytes double duration dyn int string timestamp type uint'.split(' '))

/** Plans a call of a function: constants are folded, constant patterns compiled, sets of constants hashed. */
export function planCall(functionName: string, overloadIds: readonly string[], args: readonly Plan[]): Plan {
  const overloadId = overloadIds.length === 1 ? (overloadIds[0] as string) : ''
  const implementation = dispatch(functionName, overloadIds)
  const [first, second] = args
  if (overloadId === 'in_list' && second?.kind === 'constant' && second.value instanceof ArrayList) {
    const membership = planMembership(first as Plan, second.value)
    if (membership !== undefined) return membership
  }
  if (conversions.has(functionName) && args.length === 1 && first?.kind === 'constant') {
    const value = implementation(first.value)
    if (value instanceof CelError) throw new CelProgramError(value.message)
    return { kind: 'constant', value }
  }
  const pattern = constantPattern(functionName, second)
  const cost = callCost(functionName, overloadId)
  const evaluators = args.map(evaluator)
  const inSequence = pattern || evaluators.length > 2 || isVariadic(functionName, overloadId)
  const called = pattern ? onString(implementation) : implementation
  return { kind: 'computed', evaluate: callClosure(evaluators, called, cost, functionName, inSequence) }
}

/** Functions bound with an argument list stop at the first error, and cost nothing when they stop early. */
function isVariadic(functionName: string, overloadId: string): boolean {
  if (overloadId === 'string_format') return true
  if (overloadId !== '' || operatorFunctions.has(functionName)) return false
  return (functionDeclarations().get(functionName)?.overloads.length ?? 0) > 1
}

/** With a constant pattern the only question left is whether there is a string in the operand. */
function onString(implementation: Implementation): Implementation {
  return (operand = null, ...rest) => {
    const text = textIn(operand)
    return text === undefined ? noOverloadFor(operand) : implementation(text, ...rest)
  }
}

function textIn(value: CelValue): string | undefined {
  if (typeof value === 'string') return value
  if (value instanceof TypeValue) return value.name
  return value instanceof Optional && value.value !== undefined ? textIn(value.value) : undefined
}

/** Compiles the pattern of a regular expression function ahead of time, when it is a constant. */
function constantPattern(functionName: string, pattern: Plan | undefined): boolean {
  if (functionName !== 'matches' && functionName !== 'find' && functionName !== 'findAll') return false
  if (pattern?.kind !== 'constant' || typeof pattern.value !== 'string') return false
  try {
    compilePattern(pattern.value)
    return true
  } catch (error) {
    throw new CelProgramError((error as Error).message)
  }
}

function callClosure(
  args: readonly Evaluate[],
  implementation: Implementation,
  cost: CallCost,
  functionName: string,
  inSequence: boolean,
): Evaluate {
  const strict = !isNonStrict(functionName)
  const [first, second] = args
  if (first === undefined) return withoutArguments(implementation, cost)
  if (inSequence) return inSequenceCall(args, implementation, cost)
  if (second === undefined) {
    return evaluation => {
      const value = first(evaluation)
      const result = strict && value instanceof CelError ? value : implementation(value)
      evaluation.charge(typeof cost === 'number' ? cost : cost([value], result))
      return result
    }
  }
  return evaluation => {
    const left = first(evaluation)
    const right = second(evaluation)
    const result = left instanceof CelError ? left : right instanceof CelError ? right : implementation(left, right)
    evaluation.charge(typeof cost === 'number' ? cost : cost([left, right], result))
    return result
  }
}

function withoutArguments(implementation: Implementation, cost: CallCost): Evaluate {
  return evaluation => {
    const result = implementation()
    evaluation.charge(typeof cost === 'number' ? cost : cost([], result))
    return result
  }
}

function inSequenceCall(args: readonly Evaluate[], implementation: Implementation, cost: CallCost): Evaluate {
  const charge = (evaluation: Evaluation, values: readonly CelValue[], result: CelValue): CelValue => {
    evaluation.charge(typeof cost === 'number' ? cost : cost(values, result))
    return result
  }
  return evaluation => {
    const values: CelValue[] = []
    for (const arg of args) {
      const value = arg(evaluation)
      values.push(value)
      if (value instanceof CelError) return values.length === args.length ? charge(evaluation, values, value) : value
    }
    return charge(evaluation, values, implementation(...values))
  }
}

export function planEquality(operator: '_==_' | '_!=_', args: readonly Evaluate[]): Evaluate {
  const [first, second] = args as [Evaluate, Evaluate]
  const cost = callCost(operator, operator === '_==_' ? 'equals' : 'not_equals') as Exclude<CallCost, number>
  const negated = operator === '_!=_'
  return evaluation => {
    const left = first(evaluation)
    const right = second(evaluation)
    let result: CelValue
    if (left instanceof CelError) result = left
    else if (right instanceof CelError) result = right
    else {
      const equal = celEquals(left, right)
      result = negated ? equal !== true : equal
    }
    evaluation.charge(cost([left, right], result))
    return result
  }
}

type MemberToken = string | number | bigint | boolean

/** Equal tokens for equal members: numbers of all types meet in one form. */
function memberToken(value: CelValue): MemberToken | undefined {
  if (typeof value === 'string') return `s${value}`
  if (typeof value === 'boolean') return value
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
  return value instanceof Uint ? value.value : undefined
}

/** `x in [constants]`, which costs no more than reading x. Undefined when the list holds more than plain values. */
function planMembership(value: Plan, list: ArrayList): Plan | undefined {
  if (list.size === 0) return { kind: 'constant', value: false }
  const members = new Set<MemberToken>()
  for (const element of list.elements) {
    const token = memberToken(element)
    if (token === undefined) return undefined
    members.add(token)
  }
  const read = evaluator(value)
  return {
    kind: 'computed',
    evaluate: evaluation => {
      const wanted = read(evaluation)
      if (wanted instanceof CelError) return wanted
      const token = memberToken(wanted)
      return token !== undefined && !Number.isNaN(token) && members.has(token)
    },
  }
}
