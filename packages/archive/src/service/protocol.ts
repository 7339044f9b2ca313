import { asError, Failure, RetryableFailure, TerminalFailure } from '@tiphys/env'
import type { DatabasePlace } from './writer.ts'

/** What a worker is started with. */
export interface WorkerTask {
  role: 'writer' | 'reader' | 'hand'
  database: DatabasePlace
  /** The worker's own program, for a writer: it may need a hand. */
  program?: string
}

export interface Request {
  id: number
  method: string
  args: readonly unknown[]
}

export type Answer = { id: number; result: unknown } | { id: number; failure: SentFailure }

/** An error on its way between threads: classes do not survive it. */
export interface SentFailure {
  type: 'retryable' | 'terminal' | 'error'
  code: string
  what: string
  why?: string
  todo?: string
}

export function sendFailure(thrown: unknown): SentFailure {
  const error = asError(thrown)
  if (!(error instanceof Failure)) return { type: 'error', code: '', what: error.stack ?? error.message }
  const { code, what, why, todo } = error
  const type = error instanceof RetryableFailure ? 'retryable' : 'terminal'
  return { type, code, what, ...(why === undefined ? {} : { why }), ...(todo === undefined ? {} : { todo }) }
}

export function receiveFailure({ type, code, what, why, todo }: SentFailure): Error {
  if (type === 'error') return new Error(what)
  const options = { what, ...(why === undefined ? {} : { why }), ...(todo === undefined ? {} : { todo }) }
  return type === 'retryable' ? new RetryableFailure(code, options) : new TerminalFailure(code, options)
}
