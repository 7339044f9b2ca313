import type { Env } from '@tiphys/env'
import { Budget, type TemplateLimits } from './budget.ts'
import { builtins } from './builtins.ts'
import { wellFormed } from './byte-text.ts'
import { execute } from './executor.ts'
import type { GoFunction } from './function.ts'
import { parseTemplate } from './parser.ts'
import type { MissingKey } from './program.ts'
import { sprigFunctions } from './sprig/sprig.ts'

export interface TemplateOptions {
  /** The functions beyond those that every template has: `sprig`, or functions of the caller's own. None unless told
   *  otherwise. */
  funcs?: 'sprig' | ReadonlyMap<string, GoFunction>
  /** What error messages call the template. */
  name?: string
  /** What a key that a map lacks gives: no value, the zero of its type, or an error. No value unless told otherwise. */
  missingKey?: MissingKey
}

export interface ExecuteOptions {
  /** Where time and randomness come from, for the functions that ask for them. */
  env: Pick<Env, 'clock' | 'random'>
  limits?: TemplateLimits
}

/** A template that was parsed; it may be executed any number of times. */
export interface Template {
  readonly name: string
  /** The names of the templates in the text, its own included. */
  readonly defined: readonly string[]
  /** What the template prints for the data, which it does not change. Objects are maps, numbers float64, bigints int.
   *  Throws TemplateExecutionError, or TemplateLimitError when the template wants too much. */
  execute(data: unknown, options: ExecuteOptions): string
}

/** Parses a template of Go's text/template. Throws TemplateParseError. */
export function compileTemplate(text: string, options: TemplateOptions = {}): Template {
  const { name = 'template', missingKey = 'invalid' } = options
  const functions: ReadonlyMap<string, GoFunction> =
    options.funcs === 'sprig' ? sprigFunctions : (options.funcs ?? new Map<string, GoFunction>())
  const trees = parseTemplate(name, text, wanted => functions.has(wanted) || builtins.has(wanted))
  const program = { name, text, trees, functions, builtins, missingKey }
  return {
    name,
    defined: [...trees.keys()],
    execute: (data, { env, limits }) =>
      wellFormed(
        execute(program, data, { random: env.random, now: () => env.clock.now(), budget: new Budget(limits) }),
      ),
  }
}
