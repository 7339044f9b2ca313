import { Failure, RetryableFailure, TerminalFailure } from '@tiphys/env'
import type { Status, StatusDetails } from './object.ts'

/** The API server answered, and the answer is a refusal. The message is the server's own. */
export class ApiError extends Failure {
  readonly status: Status
  /** The HTTP status code. (`code` is the code of the failure, as in every Failure.) */
  readonly statusCode: number

  constructor(status: Status) {
    super('kube-api-error', { what: status.message ?? `the API server answered ${status.code ?? 'with a failure'}` })
    this.status = status
    this.statusCode = status.code ?? 500
  }

  get reason(): string | undefined {
    return this.status.reason
  }

  get details(): StatusDetails | undefined {
    return this.status.details
  }

  /** When the server says that trying again later may help: after how long. */
  get retryAfterSeconds(): number | undefined {
    return this.status.details?.retryAfterSeconds
  }
}

/** There was no answer: the connection could not be made, or it broke. Whether a write took place is unknown. */
export class ConnectionFailure extends RetryableFailure {
  constructor(server: string, cause: Error) {
    super('kube-connection-failed', { what: `no answer from ${server}`, why: describeCause(cause), cause })
  }
}

/** The server does not have this kind, also after its discovery has been read anew. */
export class UnknownKindFailure extends TerminalFailure {
  constructor({ apiVersion, kind }: { apiVersion: string; kind: string }, unavailable: readonly string[] = []) {
    const isUnavailable = unavailable.includes(apiVersion)
    super('kube-unknown-kind', {
      what: `the server does not know the kind ${kind} of ${apiVersion}`,
      ...(isUnavailable && { why: `${apiVersion} did not answer discovery` }),
      todo: isUnavailable
        ? `See why its API service is not available: kubectl get apiservices`
        : `Check the spelling, or install the CustomResourceDefinition that defines it`,
    })
  }
}

export const isNotFound = (error: unknown): error is ApiError => hasReason(error, 'NotFound', 404)
export const isForbidden = (error: unknown): error is ApiError => hasReason(error, 'Forbidden', 403)
export const isUnauthorized = (error: unknown): error is ApiError => hasReason(error, 'Unauthorized', 401)
export const isInvalid = (error: unknown): error is ApiError => hasReason(error, 'Invalid', 422)
export const isTooManyRequests = (error: unknown): error is ApiError => hasReason(error, 'TooManyRequests', 429)
/** A name that is taken. (It shares its status code with `isConflict`, so the reason alone tells.) */
export const isAlreadyExists = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.reason === 'AlreadyExists'
/** The object changed since it was read. */
export const isConflict = (error: unknown): error is ApiError =>
  hasReason(error, 'Conflict', 409) && !isAlreadyExists(error)
/** The resourceVersion or the continue token is older than what the server remembers. */
export const isExpired = (error: unknown): error is ApiError => hasReason(error, 'Expired', 410)

function hasReason(error: unknown, reason: string, statusCode: number): error is ApiError {
  return error instanceof ApiError && (error.reason === reason || error.statusCode === statusCode)
}

/** The error of an answer outside 2xx. A proxy's answer that is no Status is given the reason of its code. */
export function apiErrorFrom(answer: {
  status: number
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
  body: unknown
}): ApiError {
  const { status: code, headers, body } = answer
  const retryAfter = Number(headers['retry-after'])
  const hasRetryAfter = headers['retry-after'] !== undefined && Number.isFinite(retryAfter)
  const status = isStatus(body) ? { ...body, code: body.code ?? code } : statusFor(code, body)
  if (hasRetryAfter && status.details?.retryAfterSeconds === undefined) {
    status.details = { ...status.details, retryAfterSeconds: retryAfter }
  }
  return new ApiError(status)
}

export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status'
}

function statusFor(code: number, body: unknown): Status {
  const text = typeof body === 'string' ? body.trim().slice(0, 1000) : ''
  const reason = REASONS[code]
  return {
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    message: text === '' ? `the server answered ${code}${reason ? ` (${reason})` : ''}` : text,
    ...(reason !== undefined && { reason }),
    code,
  }
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

function describeCause(cause: Error): string {
  // A host with several addresses fails with one error for each and no message of its own.
  if (cause instanceof AggregateError && cause.errors.length > 0) {
    return cause.errors.map(error => (error instanceof Error ? error.message : String(error))).join(', ')
  }
  return cause.message
}
