import { asError } from '@tiphys/env'
import { ApiError, UnknownKindFailure } from './api-error.ts'
import type { Selection } from './client.ts'
import { parseApiVersion, type Status } from './object.ts'

/** Why a list or watch did not go on, by what has to be done about it. */
export type WatchTrouble =
  /** The server has forgotten the version that was asked for: list anew. */
  | { kind: 'expired'; error: Error }
  /** The server has not reached that version and may never (it was restored from a backup): list anew. */
  | { kind: 'ahead'; error: Error }
  /** The server does not know the kind: wait until it does. */
  | { kind: 'missing'; error: Error }
  /** The user may not do this: wait until somebody grants it. */
  | { kind: 'forbidden'; error: Error; permission: MissingPermission }
  /** The server does not understand the form of the request: ask in the older form. */
  | { kind: 'refused'; error: Error }
  /** Anything that passes by itself: try again later. */
  | { kind: 'unavailable'; error: Error; retryAfterMs?: number }

export interface MissingPermission {
  verb: 'list' | 'watch'
  group: string
  /** The plural where the server told it, else the kind. */
  resource: string
  /** Left out: in all namespaces. */
  namespace?: string
}

export function troubleOf(thrown: unknown, verb: 'list' | 'watch', selection: Selection): WatchTrouble {
  const error = asError(thrown)
  // With a reason, the kind's own server did not answer: that says nothing about whether its objects exist.
  if (error instanceof UnknownKindFailure && error.why === undefined) return { kind: 'missing', error }
  return error instanceof ApiError
    ? troubleOfStatus(error.status, error, verb, selection)
    : { kind: 'unavailable', error }
}

export function troubleOfStatus(
  status: Status,
  error: Error,
  verb: 'list' | 'watch',
  selection: Selection,
): WatchTrouble {
  if (status.code === 410 || status.reason === 'Expired' || status.reason === 'Gone') return { kind: 'expired', error }
  if (status.details?.causes?.some(cause => cause.reason === 'ResourceVersionTooLarge')) return { kind: 'ahead', error }
  if (status.code === 404) return { kind: 'missing', error }
  if (status.code === 403) return { kind: 'forbidden', error, permission: missingPermission(status, verb, selection) }
  if (status.code === 400 || status.code === 422) return { kind: 'refused', error }
  const seconds = status.details?.retryAfterSeconds
  return { kind: 'unavailable', error, ...(seconds !== undefined && { retryAfterMs: seconds * 1000 }) }
}

function missingPermission({ details }: Status, verb: 'list' | 'watch', selection: Selection): MissingPermission {
  return {
    verb,
    group: details?.group ?? parseApiVersion(selection.apiVersion).group,
    resource: details?.kind ?? selection.kind,
    ...(selection.namespace !== undefined && { namespace: selection.namespace }),
  }
}
