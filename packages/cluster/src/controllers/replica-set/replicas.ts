import type { KubeObject } from '@tiphys/kube'
import type { Pod, PodTemplateSpec, ReplicaSetStatus } from '@tiphys/kube/kinds'
import { formatTime } from '../../timestamp.ts'
import { isAvailable, isReady } from '../pods/readiness.ts'
import { findCondition, statusOf, withCondition, withoutCondition } from '../status.ts'
import { podsToDelete } from './deletion-order.ts'

/** What ReplicaSets and ReplicationControllers have in common: a number of pods of one template. */
export interface Replicated extends KubeObject {
  spec?: { replicas?: number; minReadySeconds?: number; template?: PodTemplateSpec }
  status?: ReplicaSetStatus
}

/** How many pods one turn creates or deletes at most. */
const BURST = 500

export type ReplicaAction =
  | { type: 'none' }
  | { type: 'create'; count: number }
  /** The least missed first. */
  | { type: 'delete'; pods: Pod[] }

export interface ObservedReplicas {
  /** The owner's pods that neither ended nor are being deleted. */
  active: readonly Pod[]
  /** The pods of the same application, see `podsToDelete`. Asked for when pods have to go. */
  related: () => readonly Pod[]
  now: number
}

export function planReplicas(owner: Replicated, { active, related, now }: ObservedReplicas): ReplicaAction {
  if (owner.metadata.deletionTimestamp !== undefined) return { type: 'none' }
  const missing = replicasOf(owner) - active.length
  if (missing > 0) return { type: 'create', count: Math.min(missing, BURST) }
  if (missing === 0) return { type: 'none' }
  return { type: 'delete', pods: podsToDelete(active, related(), Math.min(-missing, BURST), now) }
}

export interface CountedReplicas {
  active: readonly Pod[]
  /** Pods that are being deleted and have not ended; undefined where the kind does not count them. */
  terminating: readonly Pod[] | undefined
  failure: Error | undefined
  now: number
}

export function statusOfReplicas(owner: Replicated, counted: CountedReplicas): ReplicaSetStatus {
  const { active, terminating, failure, now } = counted
  const { minReadySeconds = 0, template } = owner.spec ?? {}
  const templateLabels = Object.entries(template?.metadata?.labels ?? {})
  const ready = active.filter(isReady)
  return statusOf<ReplicaSetStatus>(
    {
      replicas: active.length,
      fullyLabeledReplicas: active.filter(({ metadata: { labels = {} } }) =>
        templateLabels.every(([key, value]) => labels[key] === value),
      ).length,
      readyReplicas: ready.length,
      availableReplicas: ready.filter(pod => isAvailable(pod, minReadySeconds, now)).length,
      ...(terminating && { terminatingReplicas: terminating.length }),
      observedGeneration: owner.metadata.generation ?? 0,
      conditions: conditionsOf(owner, active.length, failure, now),
    },
    ['replicas', 'terminatingReplicas'],
  )
}

function conditionsOf(owner: Replicated, active: number, failure: Error | undefined, now: number) {
  const conditions = owner.status?.conditions ?? []
  if (!failure) return withoutCondition(conditions, 'ReplicaFailure')
  // The first failure's words stay until it is over.
  if (findCondition(conditions, 'ReplicaFailure')) return conditions
  return withCondition(conditions, {
    type: 'ReplicaFailure',
    status: 'True',
    lastTransitionTime: formatTime(now),
    reason: active < replicasOf(owner) ? 'FailedCreate' : 'FailedDelete',
    message: failure.message,
  })
}

export const replicasOf = ({ spec }: Replicated): number => spec?.replicas ?? 1
