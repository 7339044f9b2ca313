import { Failure, RetryableFailure, TerminalFailure } from '@tiphys/env'
import { ApiError, isConflict, isForbidden } from '@tiphys/kube'

/** What the manifest, or what an event makes of it, asks for cannot be done. */
export function invalidTrigger(
  what: string,
  options: { why?: string; todo?: string; cause?: unknown } = {},
): TerminalFailure {
  return new TerminalFailure('trigger-invalid', { what, ...options })
}

/** The receiver cannot have seen anything: trying again may help. */
export function notReached(receiver: string, thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown
  return new RetryableFailure('trigger-not-reached', {
    what: `${receiver} was not reached`,
    why: wordsOf(thrown),
    cause: thrown,
  })
}

/** Why a request to the API server failed, in its own words, as a failure that says whether to try again. */
export function apiFailure(thrown: unknown, what: string): unknown {
  if (!(thrown instanceof ApiError))
    return thrown instanceof Failure
      ? thrown
      : new TerminalFailure('trigger-failed', { what, why: wordsOf(thrown), cause: thrown })
  const why = thrown.what
  if (thrown.statusCode === 429 || thrown.statusCode >= 500)
    return new RetryableFailure('trigger-server-busy', { what, why, cause: thrown })
  if (isConflict(thrown)) return new RetryableFailure('trigger-conflict', { what, why, cause: thrown })
  const permission = isForbidden(thrown) ? MISSING_PERMISSION.exec(why) : undefined
  if (permission)
    return new TerminalFailure('trigger-forbidden', {
      what,
      why,
      todo: `Give the Sensor's ServiceAccount a role with the verb ${permission[1]} on ${permission[2]}`,
      cause: thrown,
    })
  return new TerminalFailure('trigger-refused', { what, why, cause: thrown })
}

/** Quotas and namespaces that end are refusals with the same code, and no role helps against them. */
const MISSING_PERMISSION = /cannot (\S+) (resource .+)$/

const wordsOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))
