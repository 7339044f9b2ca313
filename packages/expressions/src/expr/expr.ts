import { check } from './checker.ts'
import type { ExprDialect } from './dialect.ts'
import { Evaluation, type Plan, type RunOptions } from './evaluation.ts'
import { optimize } from './optimizer.ts'
import { parse } from './parser.ts'
import { plan } from './planner.ts'
import { builtinCalls, type ExprReference, referencesIn } from './references.ts'
import { ExprError, Fault, type Position, Source } from './source.ts'
import { type ExprFunction, type ExprObject, type ExprValue, own, put, typeName } from './value.ts'

export interface ExprOptions {
  /** '1.17' unless told otherwise. */
  dialect?: ExprDialect
  /** Functions that every run has beside its environment, one by one or in groups such as `sprig`. They hide names of the
   *  environment. */
  functions?: Readonly<Record<string, ExprFunction | Readonly<Record<string, ExprFunction>>>>
}

/** An expression that parses. It is checked when it runs, since an environment's values give its names their types; runs
 *  with the same types share the work. */
export interface CompiledExpr {
  readonly source: string
  readonly dialect: ExprDialect
  /** The names that the expression needs from its environment. */
  readonly references: readonly ExprReference[]
  /** Checks the types against an environment without running. Throws ExprError. */
  check(environment: ExprObject | null): void
  /** The value. An int is a bigint, a float64 a number. Throws ExprError. */
  run(environment: ExprObject | null, options?: RunOptions): ExprValue
}

/** Throws ExprError when the expression does not parse. In the dialect 1.15 types are checked here too. */
export function compileExpr(source: string, { dialect = '1.17', functions = {} }: ExprOptions = {}): CompiledExpr {
  return new Compiled(source, dialect, functions)
}

/** The names that an expression takes from its environment, with the members it reads of them. Types are not checked.
 *  Throws ExprError when it does not parse. */
export function identifiersOf(source: string, dialect: ExprDialect = '1.17'): readonly ExprReference[] {
  const text = new Source(source, dialect)
  return guarded(text, () => referencesIn(parse(text, { dialect }), text))
}

function guarded<T>(source: Source, work: () => T, run?: Evaluation): T {
  const failed = (problem: string, position: Position) =>
    new ExprError(run === undefined ? 'compile' : 'run', problem, source.explain(problem, position))
  try {
    return work()
  } catch (error) {
    if (error instanceof Fault) throw failed(error.message, run === undefined ? error.position : run.position)
    // JavaScript's own limits: the stack, and the length of strings and lists.
    if (error instanceof RangeError) throw failed(`too deep or too large: ${error.message}`, run?.position)
    throw error
  }
}

const maxPrograms = 20

class Compiled implements CompiledExpr {
  readonly source: string
  readonly dialect: ExprDialect
  readonly references: readonly ExprReference[]
  readonly #source: Source
  readonly #functions: ExprObject
  readonly #names: readonly string[]
  /** Builtins that a name of the environment would replace. */
  readonly #replaceable: readonly string[]
  readonly #programs = new Map<string, Plan | ExprError>()

  constructor(source: string, dialect: ExprDialect, functions: ExprObject) {
    this.source = source
    this.dialect = dialect
    this.#source = new Source(source, dialect)
    this.#functions = functions
    const tree = guarded(this.#source, () => parse(this.#source, { dialect }))
    this.references = referencesIn(tree, this.#source)
    this.#replaceable = builtinCalls(tree)
    this.#names = [...new Set([...this.references.map(({ name }) => name), ...this.#replaceable])]
    if (dialect === '1.15') this.#program(null)
  }

  check(environment: ExprObject | null): void {
    this.#program(environment === null ? null : this.#completed(environment))
  }

  run(environment: ExprObject | null, options: RunOptions = {}): ExprValue {
    const completed = environment === null ? null : this.#completed(environment)
    const program = this.#program(completed)
    const run = new Evaluation(completed, this.dialect, options)
    return guarded(this.#source, () => program(run) ?? null, run)
  }

  #completed(environment: ExprObject): ExprObject {
    if (Object.keys(this.#functions).length === 0) return environment
    const all: Record<string, ExprValue> = {}
    for (const name of Object.keys(environment)) put(all, name, own(environment, name))
    return Object.assign(all, this.#functions)
  }

  #program(environment: ExprObject | null): Plan {
    const key = this.dialect === '1.15' ? '' : this.#typesOf(environment)
    const known = this.#programs.get(key)
    const program = known ?? this.#make(environment)
    if (known === undefined) {
      if (this.#programs.size >= maxPrograms) this.#programs.clear()
      this.#programs.set(key, program)
    }
    if (program instanceof ExprError) throw program
    return program
  }

  /** What a check depends on: whether the names are there, and of which types. */
  #typesOf(environment: ExprObject | null): string {
    const all = environment ?? {}
    const known = this.#names.map(name => (Object.hasOwn(all, name) ? typeName(own(all, name)) : ''))
    return `${environment === null}\n${known.join('\n')}`
  }

  #make(environment: ExprObject | null): Plan | ExprError {
    const { dialect } = this
    const isOverridden = (name: string) => environment !== null && Object.hasOwn(environment, name)
    try {
      return guarded(this.#source, () => {
        // Checking and optimizing change the tree, so that each program has its own.
        const tree = parse(this.#source, { dialect, isOverridden })
        check(tree, dialect, environment ?? undefined)
        return plan(optimize(tree, dialect), dialect)
      })
    } catch (error) {
      if (error instanceof ExprError) return error
      throw error
    }
  }
}
