import { type Clock, type Random, seededRandom } from '@tiphys/env'
import {
  argoFunctions,
  type CompiledExpr,
  compileExpr,
  ExprError,
  type ExprObject,
  type ExprValue,
  evalBool,
  expandKeys,
  goJson,
} from '@tiphys/expressions/expr'
import { sprigFunctions } from '@tiphys/expressions/expr/sprig'
import { TemplateBudget, sprigFunctions as templateFunctions } from '@tiphys/expressions/go-template'
import type { Scope } from './scope.ts'

/** What expressions read beside their variables. */
export interface ExpressionEnv {
  /** Milliseconds since the epoch: what `now()` says. */
  now: number
  random: Random
}

const maxPrograms = 2000
const programs = new Map<string, CompiledExpr>()

/** The environment of the expression that is being evaluated; evaluating never waits. */
let current: ExpressionEnv = { now: 0, random: seededRandom(0) }

const clock = { now: () => current.now } as Clock

const functions = argoFunctions(
  '1.17',
  sprigFunctions(templateFunctions, () => ({
    now: () => current.now,
    random: current.random,
    budget: new TemplateBudget(),
  })),
)

/** Compiled once for a text. Throws ExprError. */
export function compiled(source: string): CompiledExpr {
  let program = programs.get(source)
  if (program === undefined) {
    program = compileExpr(source, { functions })
    if (programs.size >= maxPrograms) programs.clear()
    programs.set(source, program)
  }
  return program
}

/** Why a text is no expression; undefined when it is one. */
export function problemOfExpression(source: string): string | undefined {
  try {
    compiled(source)
    return undefined
  } catch (error) {
    if (!(error instanceof ExprError)) throw error
    return error.message.split('\n')[0] ?? error.message
  }
}

/** The value of an expression over a scope. Throws ExprError, or what evaluating threw. */
export function evaluateExpression(source: string, scope: Scope, env: ExpressionEnv): ExprValue {
  current = env
  const program = compiled(source)
  return program.run(environment(program, scope), { clock })
}

/** The value of an expression over objects that are given as they are. Throws as `evaluateExpression`. */
export function evaluateOver(source: string, objects: ExprObject, env: ExpressionEnv): ExprValue {
  current = env
  return compiled(source).run(objects, { clock })
}

/** The answer of a condition: a hook's, a retry's, a successCondition's. `extra` are values that are no texts. Throws when there
 *  is none. */
export function evaluateCondition(source: string, scope: Scope, env: ExpressionEnv, extra?: ExprObject): boolean {
  current = env
  const program = compiled(source)
  return evalBool(program, { ...environment(program, scope), ...extra }, { clock })
}

/** Text for the value of an expression, as it is put where a `{{=…}}` stood. */
export function expressionText(value: ExprValue): string {
  return typeof value === 'string' ? value : goJson(value)
}

/** The objects that the expression reads: `steps`, `inputs`, … with their dots as members. */
function environment(program: CompiledExpr, scope: Scope): ExprObject {
  const flat: Record<string, ExprValue> = {}
  for (const [root, members] of wanted(program)) {
    for (const [name, value] of scope.under(root, members)) flat[name] = value as ExprValue
  }
  return expandKeys(flat)
}

/** The names that an expression starts from, with the members it reads of them; undefined: perhaps all. */
function wanted(program: CompiledExpr): Map<string, Set<string> | undefined> {
  const roots = new Map<string, Set<string> | undefined>()
  for (const { path } of program.references) {
    const [root, member] = path
    if (root === undefined) continue
    const known = roots.get(root)
    if (member === undefined || (roots.has(root) && known === undefined)) roots.set(root, undefined)
    else roots.set(root, (known ?? new Set<string>()).add(member))
  }
  return roots
}
