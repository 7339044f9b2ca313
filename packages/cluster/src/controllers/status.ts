import { isDeepStrictEqual } from 'node:util'
import type { Env } from '@tiphys/env'
import type { Client, KubeObject } from '@tiphys/kube'
import { formatTime } from '../timestamp.ts'

/** Writes an object's status, unless it is so already. Answers with the object as it is then. */
export async function updateStatus<T extends KubeObject>(client: Client, object: T, status: unknown): Promise<T> {
  if (isDeepStrictEqual(status, object['status'] ?? {})) return object
  return client.update<T>({ ...object, status }, { subresource: 'status' })
}

/** A status as the API server keeps it: without what is empty (zero, nothing, no items), except for the fields in `kept`,
 *  which are there even when they are zero. */
export function statusOf<T extends object>(fields: T, kept: readonly (keyof T)[] = []): T {
  const entries = Object.entries(fields).filter(([name, value]) => {
    if (value === undefined) return false
    return kept.includes(name as keyof T) || !isEmpty(value)
  })
  return Object.fromEntries(entries) as T
}

const isEmpty = (value: unknown) => value === 0 || value === '' || (Array.isArray(value) && value.length === 0)

/** Now, as times are written in objects: to the second. */
export const timestampOf = ({ clock }: Pick<Env, 'clock'>): string => formatTime(clock.now())

interface Condition {
  type: string
  status: string
  reason?: string
  lastTransitionTime?: string
}

export const findCondition = <C extends Condition>(conditions: readonly C[] | undefined, type: string): C | undefined =>
  conditions?.find(condition => condition.type === type)

export const withoutCondition = <C extends Condition>(conditions: readonly C[] | undefined, type: string): C[] =>
  (conditions ?? []).filter(condition => condition.type !== type)

/** The conditions with this one set. One with the same status and reason stays as it was; a changed one goes to the end
 *  and keeps its time of transition as long as its status stays. */
export function withCondition<C extends Condition>(conditions: readonly C[] | undefined, condition: C): C[] {
  const current = findCondition(conditions, condition.type)
  if (current?.status === condition.status && current.reason === condition.reason) return [...(conditions ?? [])]
  const since = current?.status === condition.status ? current.lastTransitionTime : condition.lastTransitionTime
  const changed = since === undefined ? condition : { ...condition, lastTransitionTime: since }
  return [...withoutCondition(conditions, condition.type), changed]
}
