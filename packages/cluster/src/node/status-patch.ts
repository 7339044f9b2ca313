import type { PodCondition, PodStatus } from '@tiphys/kube/kinds'
import type { NodePodStatus } from './pod-status.ts'

const FIELDS = [
  'phase',
  'reason',
  'message',
  'hostIP',
  'hostIPs',
  'podIP',
  'podIPs',
  'startTime',
  'observedGeneration',
  'containerStatuses',
  'initContainerStatuses',
  'ephemeralContainerStatuses',
] as const

/** A strategic merge patch that makes `before` what this node says it is, or nothing when it is already. It touches no
 *  condition and no field of others. */
export function statusPatch(before: PodStatus | undefined, after: NodePodStatus): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {}
  for (const field of FIELDS) {
    if (saysTheSame(before?.[field], after[field])) continue
    patch[field] = after[field] ?? null
  }
  const conditions = after.conditions.flatMap(condition => conditionPatch(before?.conditions, condition) ?? [])
  if (conditions.length > 0) patch['conditions'] = conditions
  return Object.keys(patch).length === 0 ? undefined : patch
}

function conditionPatch(before: readonly PodCondition[] | undefined, after: PodCondition) {
  const known = before?.find(({ type }) => type === after.type)
  if (!known) return after
  if (saysTheSame({ ...known, lastProbeTime: undefined }, after)) return undefined
  return {
    ...after,
    ...(known.reason !== undefined && after.reason === undefined && { reason: null }),
    ...(known.message !== undefined && after.message === undefined && { message: null }),
  }
}

/** Servers fill in what is empty (`lastState: {}`, `lastProbeTime: null`): a field that is empty is as good as missing. */
function saysTheSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (isEmpty(one) && isEmpty(other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false
    return one.every((value, index) => saysTheSame(value, other[index]))
  }
  const left = one as Record<string, unknown>
  const right = other as Record<string, unknown>
  for (const key in left) if (!saysTheSame(left[key], right[key])) return false
  for (const key in right) if (!(key in left) && !isEmpty(right[key])) return false
  return true
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
