import { type FailureOptions, TerminalFailure } from '@tiphys/env'

/** A request is answered with an error: its HTTP status, and what a person reads. */
export class Refusal extends TerminalFailure {
  readonly status: number
  /** More for the page that shows it. */
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(status: number, code: string, options: FailureOptions & { details?: Readonly<Record<string, unknown>> }) {
    super(code, options)
    this.status = status
    this.details = options.details
  }
}

export const notFound = (what: string): Refusal =>
  new Refusal(404, 'console-not-found', {
    what: `there is no ${what}`,
    why: 'it never was, it was removed by retention, or you may not see it',
  })

export const badRequest = (what: string, todo?: string): Refusal =>
  new Refusal(400, 'console-bad-request', { what, ...(todo !== undefined && { todo }) })
