import { type FieldError, forbidden, invalid } from '../field-error.ts'
import { normalizeTime, TimeSyntaxError } from '../schema/go-time.ts'
import { badRequest, invalid as invalidStatus } from '../status-error.ts'

/** The query of a request for logs as the node reads it. Throws what the real server says of a bad one. */
export function logQuery(pod: string, query: URLSearchParams): URLSearchParams {
  const asked = new URLSearchParams()
  for (const name of ['follow', 'previous', 'timestamps']) if (isSet(query, name)) asked.set(name, 'true')
  const sinceSeconds = integer(query, 'sinceSeconds')
  const sinceTime = time(query.get('sinceTime'))
  const tailLines = integer(query, 'tailLines')
  const limitBytes = integer(query, 'limitBytes')
  const errors: FieldError[] = []
  if (tailLines !== undefined && tailLines < 0) {
    errors.push(invalid('tailLines', tailLines, 'must be greater than or equal to 0'))
  }
  if (limitBytes !== undefined && limitBytes < 1) {
    errors.push(invalid('limitBytes', limitBytes, 'must be greater than 0'))
  }
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.push(forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'))
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(invalid('sinceSeconds', sinceSeconds, 'must be greater than 0'))
  }
  if (query.has('stream')) errors.push(forbidden('stream', 'may not be specified'))
  if (errors.length > 0) throw invalidStatus({ group: '', kind: 'PodLogOptions' }, pod, errors)
  if (sinceSeconds !== undefined) asked.set('sinceSeconds', String(sinceSeconds))
  if (sinceTime !== undefined) asked.set('sinceTime', sinceTime)
  if (tailLines !== undefined) asked.set('tailLines', String(tailLines))
  if (limitBytes !== undefined) asked.set('limitBytes', String(limitBytes))
  return asked
}

/** A flag of a query: there, and not said to be false. */
export function isSet(query: URLSearchParams, name: string): boolean {
  const value = query.get(name)
  return value !== null && !/^(0|false)$/i.test(value)
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name)
  if (value === null) return undefined
  if (!/^[+-]?\d+$/.test(value)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`)
  if (!Number.isSafeInteger(Number(value))) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: value out of range`)
  }
  return Number(value)
}

function time(value: string | null): string | undefined {
  if (value === null || value === '') return undefined
  try {
    return normalizeTime(value) ?? undefined
  } catch (thrown) {
    if (thrown instanceof TimeSyntaxError) throw badRequest(thrown.message)
    throw thrown
  }
}
