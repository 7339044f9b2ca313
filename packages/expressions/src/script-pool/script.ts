import { TerminalFailure } from '@tiphys/env'

/** What a program is asked to do with its input, by the name of its language. */
export interface ScriptRequest {
  /** `jq` and `lua` transform an event, `lua-filter` decides about one, `template` prints a text; a worker program may
   *  know more. */
  readonly language: string
  readonly program: string
  /** JSON text, as the language takes it. */
  readonly input: string
}

/** Why a script gave no result. */
export type ScriptProblem =
  /** It does not parse, or it failed by itself. */
  | 'failed'
  /** It took longer, more memory or more output than it may. */
  | 'limit'
  /** No program of the worker is in this language. */
  | 'language'

/** A script gave no result. Running it again with the same input is useless. */
export class ScriptFailure extends TerminalFailure {
  readonly problem: ScriptProblem

  constructor(problem: ScriptProblem, why: string) {
    super('script-failed', { what: problem === 'limit' ? 'The script was stopped' : 'The script failed', why })
    this.problem = problem
  }
}

/** What goes to a worker, and what comes back. */
export interface WorkerRequest extends ScriptRequest {
  readonly id: number
  readonly outputBytes: number
  readonly now: number
}

export type WorkerAnswer =
  | { kind: 'ready' }
  | { kind: 'result'; id: number; output: string }
  | { kind: 'problem'; id: number; problem: ScriptProblem; message: string }
