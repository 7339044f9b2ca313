import {
  boolType,
  CelCompileError,
  CelCostError,
  type CelEnv,
  CelEvaluationError,
  type CelProgram,
  CelProgramError,
  type CelType,
  compileCel,
  type DeclType,
  declTypeFromSchema,
  isSameType,
  stringType,
} from '@tiphys/expressions'
import type { Json, Schema, ValidationRule } from './schema.ts'

/** What evaluating an expression came to. The cost counts even when it failed. */
export type Evaluation = { value: unknown; cost: number } | { error: string; cost: number }

/** `oldSelf` is undefined when there is no old value. */
export type Evaluate = (self: Json, oldSelf: Json | undefined) => Evaluation

/** A rule of x-kubernetes-validations, compiled for the schema that it stands in. */
export interface CompiledRule {
  readonly rule: ValidationRule
  /** Why the rule cannot be used. */
  readonly error?: string
  readonly usesOldSelf: boolean
  /** The most that one evaluation can cost, and how many values of this schema one request can hold. */
  readonly maxCost: number
  readonly maxCardinality: number
  readonly evaluate?: Evaluate
  readonly messageError?: string
  readonly messageMaxCost: number
  readonly evaluateMessage?: Evaluate
}

const MOST_REQUEST_BYTES = 3 * 1024 * 1024
const CALL_COST_LIMIT = 1_000_000

/** Compiles the rules of one schema; undefined when expressions cannot see values of it. */
export function ruleCompiler(
  schema: Schema,
  isResourceRoot: boolean,
): ((rule: ValidationRule) => CompiledRule) | undefined {
  const declType = declTypeFromSchema(schema, isResourceRoot)
  if (declType === undefined) return undefined
  const maxCardinality = Math.floor(MOST_REQUEST_BYTES / (declType.minSerializedSize + 1))
  const env: CelEnv = { variables: { self: { declType }, oldSelf: { declType } } }
  const optionalEnv: CelEnv = { variables: { self: { declType }, oldSelf: { declType, optional: true } } }
  return rule => compileRule(rule, rule.optionalOldSelf ? optionalEnv : env, declType, maxCardinality)
}

function compileRule(rule: ValidationRule, env: CelEnv, declType: DeclType, maxCardinality: number): CompiledRule {
  const none = { rule, usesOldSelf: false, maxCost: 0, maxCardinality, messageMaxCost: 0 }
  if (rule.rule.trim() === '') return none
  const program = compile(rule.rule, env, boolType, '', 'cel expression must evaluate to a bool', 'program')
  if ('error' in program) return { ...none, error: program.error }
  const compiled = {
    ...none,
    usesOldSelf: program.references.has('oldSelf'),
    maxCost: Number(program.estimateCost(declType).max),
    evaluate: evaluator(program),
  }
  const { messageExpression } = rule
  if (messageExpression === undefined || messageExpression === '') return compiled
  const wrongType = 'messageExpression must evaluate to a string'
  const message = compile(messageExpression, env, stringType, 'messageExpression ', wrongType, 'messageExpression')
  if ('error' in message) return { ...compiled, messageError: message.error }
  return {
    ...compiled,
    messageMaxCost: Number(message.estimateCost(declType).max),
    evaluateMessage: messageEvaluator(message, rule),
  }
}

function compile(
  expression: string,
  env: CelEnv,
  wanted: CelType,
  prefix: string,
  wrongType: string,
  instantiated: string,
): CelProgram | { error: string } {
  try {
    const program = compileCel(expression, env)
    return isSameType(program.outputType, wanted) ? program : { error: wrongType }
  } catch (thrown) {
    if (thrown instanceof CelCompileError) return { error: `${prefix}compilation failed: ${thrown.message}` }
    if (thrown instanceof CelProgramError) return { error: `${instantiated} instantiation failed: ${thrown.message}` }
    throw thrown
  }
}

function evaluator(program: CelProgram): Evaluate {
  return (self, oldSelf) => {
    try {
      return program.evaluate({ self, oldSelf }, { costLimit: CALL_COST_LIMIT })
    } catch (thrown) {
      if (thrown instanceof CelEvaluationError) return { error: thrown.message, cost: thrown.cost }
      if (thrown instanceof CelCostError) return { error: thrown.message, cost: CALL_COST_LIMIT }
      throw thrown
    }
  }
}

/** The real server gives messages a plain oldSelf where the rule has an optional one: such a message never evaluates. */
function messageEvaluator(program: CelProgram, rule: ValidationRule): Evaluate {
  if (rule.optionalOldSelf && program.references.has('oldSelf')) return () => ({ error: 'no such overload', cost: 0 })
  return evaluator(program)
}
