import type { Deployment, ReplicaSet } from '@tiphys/kube/kinds'
import { allOf, compareAge, newReplicaSet, type ReplicaSets, sizeOfCurrent } from './replica-sets.ts'
import { nextRevision, revisionOf } from './revision.ts'
import { isScaling, planScaling, type Resize } from './scaling.ts'
import { desiredReplicas, isRolling, isScaledUp, limitsOf, sizeOf, totalSize } from './size.ts'

/** What to do with a Deployment's ReplicaSets next. A step at a time: what it changes wakes the controller again. */
export type RolloutStep =
  | { type: 'create'; set: ReplicaSet }
  | { type: 'resize'; resizes: Resize[] }
  | { type: 'clean-up'; sets: ReplicaSet[] }

export interface ObservedRollout {
  deployment: Deployment
  sets: ReplicaSets
  /** Pods of former templates have not ended yet. */
  hasOldPods: boolean
}

export interface RolloutPlan {
  /** Whether a rollout is under way (or done), which is judged by its progress; else the Deployment is merely scaled. */
  isRollout: boolean
  step?: RolloutStep
}

export function planRollout(observed: ObservedRollout): RolloutPlan {
  const { deployment, sets } = observed
  if (deployment.metadata.deletionTimestamp !== undefined) return { isRollout: false }
  if (deployment.spec?.paused || isScaling(deployment, sets)) {
    const step = resized(planScaling(deployment, sets)) ?? (deployment.spec?.paused ? cleanUp(observed) : undefined)
    return { isRollout: false, ...(step && { step }) }
  }
  const step = isRolling(deployment) ? rollingStep(observed) : recreateStep(observed)
  return { isRollout: true, ...(step && { step }) }
}

function rollingStep(observed: ObservedRollout): RolloutStep | undefined {
  const { deployment, sets } = observed
  const { current } = sets
  if (!current) return creation(observed)
  const desired = desiredReplicas(deployment)
  const size = sizeOf(current) > desired ? desired : sizeOfCurrent(deployment, sets)
  if (size !== sizeOf(current)) return resized([{ set: current, replicas: size }])
  return resized(planShrinking(deployment, current, sets)) ?? cleanUpWhenComplete(observed)
}

function recreateStep(observed: ObservedRollout): RolloutStep | undefined {
  const { deployment, sets, hasOldPods } = observed
  const shrinking = resized(sets.old.filter(isScaledUp).map(set => ({ set, replicas: 0 })))
  if (shrinking) return shrinking
  if (hasOldPods) return undefined
  if (!sets.current) return creation(observed)
  const desired = desiredReplicas(deployment)
  const growing = sizeOf(sets.current) === desired ? undefined : resized([{ set: sets.current, replicas: desired }])
  return growing ?? cleanUpWhenComplete(observed)
}

const creation = ({ deployment, sets }: ObservedRollout): RolloutStep => ({
  type: 'create',
  set: newReplicaSet(deployment, sets.old, nextRevision(sets.old)),
})

const resized = (resizes: Resize[]): RolloutStep | undefined =>
  resizes.length === 0 ? undefined : { type: 'resize', resizes }

/** How far the sets of former templates may shrink now: first what of them is not available anyway, then as much as the
 *  available replicas of all sets allow. */
function planShrinking(deployment: Deployment, current: ReplicaSet, sets: ReplicaSets): Resize[] {
  const minimum = desiredReplicas(deployment) - limitsOf(deployment).unavailable
  const old = sets.old.filter(isScaledUp).toSorted(compareAge)
  const notYetAvailable = sizeOf(current) - availableOf(current)
  const removable = totalSize(allOf(sets)) - minimum - notYetAvailable
  if (old.length === 0 || removable <= 0) return []

  const sizes = new Map(old.map(set => [set, sizeOf(set)]))
  let unhealthy = removable
  for (const set of old) {
    const removed = Math.min(unhealthy, Math.max(0, sizeOf(set) - availableOf(set)))
    sizes.set(set, sizeOf(set) - removed)
    unhealthy -= removed
  }
  let spare = [...old, current].reduce((sum, set) => sum + availableOf(set), 0) - minimum
  for (const set of old) {
    const removed = Math.max(0, Math.min(spare, sizes.get(set) ?? 0))
    sizes.set(set, (sizes.get(set) ?? 0) - removed)
    spare -= removed
  }
  return old
    .map(set => ({ set, replicas: sizes.get(set) ?? 0 }))
    .filter(({ set, replicas }) => replicas !== sizeOf(set))
}

const availableOf = ({ status }: ReplicaSet) => status?.availableReplicas ?? 0

/** All of the Deployment's replicas are of its present template and available, and no others are left. */
export function isComplete({ metadata, spec }: Deployment, status: Deployment['status']): boolean {
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status ?? {}
  const desired = spec?.replicas ?? 1
  const isAll = updatedReplicas === desired && replicas === desired && availableReplicas === desired
  return isAll && observedGeneration >= (metadata.generation ?? 0)
}

const cleanUpWhenComplete = (observed: ObservedRollout): RolloutStep | undefined =>
  isComplete(observed.deployment, observed.deployment.status) ? cleanUp(observed) : undefined

const UNLIMITED = 2 ** 31 - 1

/** Removes the oldest of the former sets that the history has no room for, as far as they have no pods. */
function cleanUp({ deployment, sets }: ObservedRollout): RolloutStep | undefined {
  const limit = deployment.spec?.revisionHistoryLimit ?? UNLIMITED
  if (limit === UNLIMITED) return undefined
  const former = sets.old.filter(({ metadata }) => metadata.deletionTimestamp === undefined).toSorted(compareRevision)
  const surplus = former.slice(0, Math.max(0, former.length - limit)).filter(isIdle)
  return surplus.length === 0 ? undefined : { type: 'clean-up', sets: surplus }
}

const isIdle = (set: ReplicaSet) =>
  sizeOf(set) === 0 &&
  (set.status?.replicas ?? 0) === 0 &&
  (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0)

function compareRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [revisionA, revisionB] = [revisionOf(a), revisionOf(b)]
  if (revisionA === undefined || revisionB === undefined || revisionA === revisionB) return compareAge(a, b)
  return revisionA - revisionB
}
