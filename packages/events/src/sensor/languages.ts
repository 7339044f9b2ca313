import type { Env } from '@tiphys/env'
import { compileTemplate } from '@tiphys/expressions/go-template'
import { compileGovaluate } from '@tiphys/expressions/govaluate'
import { compilePattern } from '@tiphys/expressions/re2'

/** The small languages in a Sensor's filters and parameters that are carried out on the spot. Each throws an Error that
 *  says what is wrong with the program or its outcome; none reaches the machine, none goes on for ever. */
export interface Languages {
  /** An expression of govaluate, with its parameters. */
  expression(source: string, parameters: Readonly<Record<string, unknown>>): unknown
  /** A Go template with sprig's functions, whose `.Input` is given. */
  template(source: string, input: unknown): string
  /** Whether a pattern of RE2 is found in a text. */
  pattern(source: string, text: string): boolean
}

/** The languages whose programs may do anything for as long as they like: they run elsewhere, and are ended there. */
export interface Scripts {
  /** A Lua script that sees the data as `event`: whether it returns true. */
  filter(source: string, data: string): Promise<boolean>
}

/** What upstream calls the templates of parameters and filters. */
const TEMPLATE_NAME = 'param'

export function createLanguages(env: Pick<Env, 'clock' | 'random'>): Languages {
  return {
    expression: (source, parameters) => compileGovaluate(source).evaluate(parameters),
    template: (source, input) =>
      compileTemplate(source, { funcs: 'sprig', name: TEMPLATE_NAME }).execute({ Input: input }, { env }),
    pattern: (source, text) => compilePattern(source).test(text),
  }
}
