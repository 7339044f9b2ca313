export interface FailureOptions {
  /** What happened, in one sentence without a final full stop. */
  what: string
  /** The reason, when it is known and not in `what` already. */
  why?: string
  /** What the reader can do about it. */
  todo?: string
  cause?: unknown
}

/** An error meant for the person who reads it: a stable code, what happened, why, and what to do.
 *  The codes are documented in docs/errors.md; a test holds the two together. */
export class Failure extends Error {
  readonly code: string
  readonly what: string
  readonly why: string | undefined
  readonly todo: string | undefined

  constructor(code: string, { what, why, todo, cause }: FailureOptions) {
    super([why === undefined ? what : `${what}: ${why}`, todo].filter(part => part !== undefined).join('. '), { cause })
    this.name = new.target.name
    this.code = code
    this.what = what
    this.why = why
    this.todo = todo
  }
}

/** A failure that may pass by itself: the same call can succeed later. */
export class RetryableFailure extends Failure {}

/** A failure that stays until somebody changes something: calling again is useless. */
export class TerminalFailure extends Failure {}

/** What was thrown, as an Error. The one border where unknown throws become errors. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
