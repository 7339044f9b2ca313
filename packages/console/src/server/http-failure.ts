import { type FailureOptions, TerminalFailure } from '@tiphys/env'

export interface HttpFailureOptions extends FailureOptions {
  /** The HTTP status of the answer. */
  status: number
  /** More for the page that shows it. */
  details?: Readonly<Record<string, unknown>>
}

/** A request is answered with an error that a person reads. */
export class HttpFailure extends TerminalFailure {
  readonly status: number
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(code: string, options: HttpFailureOptions) {
    super(code, options)
    this.status = options.status
    this.details = options.details
  }
}

export const notFound = (what: string): HttpFailure =>
  new HttpFailure('console-not-found', {
    status: 404,
    what: `there is no ${what}`,
    why: 'it never was, it was removed by retention, or you may not see it',
  })

export const badRequest = (what: string, todo?: string): HttpFailure =>
  new HttpFailure('console-bad-request', { status: 400, what, ...(todo !== undefined && { todo }) })
