import { systemClock, systemRandom } from '@tiphys/env'

/** Runs one script: program and input in, JSON text out. Called in a worker thread, whose end is the limit of time. */
export type ScriptLanguage = (program: string, input: string, limits: ScriptLimits) => string

export interface ScriptLimits {
  readonly outputBytes: number
  /** Milliseconds since 1970. */
  now(): number
}

/** Loads a language when it is first asked for. */
export type ScriptLanguages = ReadonlyMap<string, () => Promise<ScriptLanguage>>

/** The clock stops what takes too long; this stops what would take memory meanwhile. */
const maxSteps = 1_000_000_000

export const defaultLanguages: ScriptLanguages = new Map<string, () => Promise<ScriptLanguage>>([
  [
    'jq',
    async () => {
      const { compileJq } = await import('../jq/index.ts')
      const compiled = remember(compileJq)
      return (program, input, { outputBytes, now }) =>
        compiled(program).transform(input, { maxSteps, maxOutput: outputBytes, now })
    },
  ],
  [
    'lua',
    async () => {
      const { parseLua } = await import('../lua/index.ts')
      const parsed = remember(parseLua)
      return (program, input, { outputBytes, now }) =>
        parsed(program).transform(input, { maxSteps, maxOutput: outputBytes, now })
    },
  ],
  [
    'lua-filter',
    async () => {
      const { parseLua } = await import('../lua/index.ts')
      const parsed = remember(parseLua)
      return (program, input, { now }) => String(parsed(program).filter(input, { maxSteps, now }))
    },
  ],
  [
    'template',
    async () => {
      const { compileTemplate } = await import('../go-template/go-template.ts')
      const compiled = remember(program => compileTemplate(program, { funcs: 'sprig' }))
      return (program, input, { outputBytes, now }) => {
        const env = { clock: { ...systemClock, now }, random: systemRandom }
        const limits = { outputBytes, steps: maxSteps }
        return JSON.stringify(compiled(program).execute(JSON.parse(input), { env, limits }))
      }
    },
  ],
])

const maxRemembered = 100

/** Keeps the last programs compiled: the same few run again and again. */
export function remember<Program>(compile: (source: string) => Program): (source: string) => Program {
  const known = new Map<string, Program>()
  return source => {
    const found = known.get(source)
    if (found !== undefined) return found
    const program = compile(source)
    if (known.size >= maxRemembered) known.delete(known.keys().next().value as string)
    known.set(source, program)
    return program
  }
}
