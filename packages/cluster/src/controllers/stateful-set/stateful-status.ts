import type { ControllerRevision, Pod, StatefulSet, StatefulSetStatus } from '@tiphys/kube/kinds'
import { isAvailable, isReady } from '../pods/readiness.ts'
import { statusOf } from '../status.ts'
import { ordinalOf, replicasOf, revisionOf } from './stateful-pod.ts'

export interface CountedSet {
  set: StatefulSet
  pods: readonly Pod[]
  current: ControllerRevision
  update: ControllerRevision
  collisionCount: number
  now: number
}

export function statusOfStatefulSet(counted: CountedSet): StatefulSetStatus {
  const { set, current, update, collisionCount, now } = counted
  const minReadySeconds = set.spec?.minReadySeconds ?? 0
  const pods = counted.pods.filter(pod => ordinalOf(pod) >= 0)
  const ready = pods.filter(pod => pod.status?.phase === 'Running' && isReady(pod))
  const staying = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const at = ({ metadata }: ControllerRevision) => staying.filter(pod => revisionOf(pod) === metadata.name).length
  const status: StatefulSetStatus = {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter(pod => isAvailable(pod, minReadySeconds, now)).length,
    currentReplicas: at(current),
    updatedReplicas: at(update),
    currentRevision: current.metadata.name ?? '',
    updateRevision: update.metadata.name ?? '',
    collisionCount,
    conditions: set.status?.conditions ?? [],
  }
  return statusOf(isUpdated(set, status) ? completed(status) : status, [
    'replicas',
    'availableReplicas',
    'collisionCount',
  ])
}

/** Every replica is at the update's revision and ready. */
function isUpdated(set: StatefulSet, { updatedReplicas, readyReplicas, replicas }: StatefulSetStatus): boolean {
  const isRolling = set.spec?.updateStrategy?.type === 'RollingUpdate'
  return isRolling && [updatedReplicas, readyReplicas, replicas].every(count => count === replicasOf(set))
}

const completed = (status: StatefulSetStatus): StatefulSetStatus => ({
  ...status,
  currentReplicas: status.updatedReplicas ?? 0,
  currentRevision: status.updateRevision ?? '',
})
