import { check } from './checker.ts'
import { estimateCost } from './cost-estimator.ts'
import { type DeclType, nameDeclType } from './decl-type.ts'
import type { Estimate } from './estimate.ts'
import { CelInternalError, type Evaluate, Evaluation, type Variable } from './evaluation.ts'
import { macrosOf } from './macros.ts'
import { parse } from './parser.ts'
import { planProgram } from './planner.ts'
import { type CelType, optionalType } from './type.ts'
import { typeProviderOf } from './type-provider.ts'
import { typedValue } from './typed-value.ts'
import { schemaValue } from './unstructured.ts'
import { validate } from './validators.ts'
import { CelError, type CelValue, Optional } from './value.ts'

/** A variable declared by a schema. With `optional` it is an optional that is empty when no value is given. */
export interface DeclaredVariable {
  declType: DeclType
  optional?: boolean
}

/** What expressions of one kind may use. Make it once and compile many expressions with it. */
export interface CelEnv {
  variables: Readonly<Record<string, CelType | DeclaredVariable>>
  /** Adds `cel.bind`, which Kubernetes does not have. */
  bindings?: boolean
}

export interface EvaluateOptions {
  /** Evaluation stops with CelCostError beyond this cost. Kubernetes allows 1,000,000 for one expression. */
  costLimit?: number
}

export interface CelResult {
  value: CelValue
  cost: number
}

/** A compiled expression. It has no state: it may be evaluated any number of times. */
export interface CelProgram {
  readonly outputType: CelType
  /** The variables that the expression reads. */
  readonly references: ReadonlySet<string>
  /** Bounds of the cost, given the schema from which the sizes of values under the variables are known. */
  estimateCost(root?: DeclType): Estimate
  /** Throws CelEvaluationError when the expression fails, CelCostError when it costs too much.
   *  Variables with a schema take JSON values; integers beyond 2^53 may be bigint. */
  evaluate(variables: Readonly<Record<string, unknown>>, options?: EvaluateOptions): CelResult
}

/** The expression failed on the values it was given. */
export class CelEvaluationError extends Error {
  readonly cost: number

  constructor(message: string, cost: number) {
    super(message)
    this.name = 'CelEvaluationError'
    this.cost = cost
  }
}

/** Compiles an expression. Throws CelCompileError for what the language or the types forbid, and CelProgramError
 *  for constants that cannot be computed. */
export function compileCel(expression: string, env: CelEnv): CelProgram {
  const { types, variables, provider, macros } = prepare(env)
  const checked = check(parse(expression, macros), types, provider)
  validate(checked)
  const names = Object.keys(types)
  const { evaluate } = planProgram(checked, names)
  return {
    outputType: checked.types.get(checked.root.id) as CelType,
    references: new Set(checked.identifiers.values()),
    estimateCost: root => estimateCost(checked, root),
    evaluate(given, { costLimit = Infinity } = {}) {
      const evaluation = new Evaluation(costLimit, variables, given)
      const value = run(evaluate, evaluation)
      if (value instanceof CelError) throw new CelEvaluationError(value.message, evaluation.cost)
      return { value, cost: evaluation.cost }
    },
  }
}

function run(evaluate: Evaluate, evaluation: Evaluation): CelValue {
  try {
    return evaluate(evaluation)
  } catch (error) {
    if (error instanceof CelInternalError) return new CelError(error.message)
    throw error
  }
}

interface PreparedEnv {
  types: Readonly<Record<string, CelType>>
  variables: readonly Variable[]
  provider: ReturnType<typeof typeProviderOf>
  macros: ReturnType<typeof macrosOf>
}

const prepared = new WeakMap<CelEnv, PreparedEnv>()

function prepare(env: CelEnv): PreparedEnv {
  const known = prepared.get(env)
  if (known !== undefined) return known
  const types: Record<string, CelType> = {}
  const variables: Variable[] = []
  const declTypes = new Map<DeclType, DeclType>()
  for (const [name, declared] of Object.entries(env.variables)) {
    if (!('declType' in declared)) {
      types[name] = declared
      variables.push({ name, read: given => (given === undefined ? undefined : typedValue(given, declared)) })
      continue
    }
    const { declType, optional = false } = declared
    const named = declTypes.get(declType) ?? nameDeclType(declType, `selfType${declTypes.size + 1}`)
    declTypes.set(declType, named)
    types[name] = optional ? optionalType(named.celType) : named.celType
    variables.push(optional ? optionalVariable(name, named) : schemaVariable(name, named))
  }
  const environment = {
    types,
    variables,
    provider: typeProviderOf(declTypes.values()),
    macros: macrosOf({ bindings: env.bindings ?? false }),
  }
  prepared.set(env, environment)
  return environment
}

function schemaVariable(name: string, { schema }: DeclType): Variable {
  return { name, read: given => (given === undefined ? undefined : schemaValue(given, schema)) }
}

function optionalVariable(name: string, { schema }: DeclType): Variable {
  return {
    name,
    read: given => (given === undefined ? Optional.none : new Optional(schemaValue(given, schema))),
  }
}
