import type { Json, Schema, ValidationRule } from './schema.ts'

/** What evaluating an expression came to. The cost counts even when it failed. */
export interface Evaluation {
  value?: unknown
  error?: string
  cost: number
}

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

export interface RuleCompiler {
  compile(rule: ValidationRule): CompiledRule
}

/** undefined when expressions cannot see values of this schema. */
export function ruleCompiler(_schema: Schema, _isResourceRoot: boolean): RuleCompiler | undefined {
  return undefined
}
