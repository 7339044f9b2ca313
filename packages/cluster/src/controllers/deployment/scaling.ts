import type { Deployment, ReplicaSet } from '@tiphys/kube/kinds'
import { allOf, compareAge, type ReplicaSets } from './replica-sets.ts'
import { desiredThen, maximumThen } from './revision.ts'
import { desiredReplicas, isRolling, isScaledUp, limitsOf, sizeOf, totalSize } from './size.ts'

/** A ReplicaSet that should have this many replicas, and annotations that say so. */
export interface Resize {
  set: ReplicaSet
  replicas: number
}

/** The Deployment was scaled since its sets were last resized. */
export function isScaling(deployment: Deployment, sets: ReplicaSets): boolean {
  return allOf(sets).some(set => {
    const then = isScaledUp(set) ? desiredThen(set) : undefined
    return then !== undefined && then !== desiredReplicas(deployment)
  })
}

/** Spreads the Deployment's size over its sets without hastening a rollout that is under way: every set gets its share. */
export function planScaling(deployment: Deployment, sets: ReplicaSets): Resize[] {
  const desired = desiredReplicas(deployment)
  const only = onlyOrLatest(sets)
  if (only) return sizeOf(only) === desired ? [] : [{ set: only, replicas: desired }]
  const active = allOf(sets).filter(isScaledUp)
  if (active.length === 0) return []
  if (sets.current && isSaturated(deployment, sets.current)) {
    return sets.old.filter(isScaledUp).map(set => ({ set, replicas: 0 }))
  }
  return isRolling(deployment) ? proportionally(deployment, active).filter(resize => isChange(deployment, resize)) : []
}

/** Sizes stay often, but what they are parts of is always written down. */
function isChange(deployment: Deployment, { set, replicas }: Resize): boolean {
  const desired = desiredReplicas(deployment)
  const isRecorded = desiredThen(set) === desired && maximumThen(set) === desired + limitsOf(deployment).surge
  return !isRecorded || replicas !== sizeOf(set)
}

/** The set to scale when at most one has replicas: that one, or the latest. */
function onlyOrLatest(sets: ReplicaSets): ReplicaSet | undefined {
  const active = allOf(sets).filter(isScaledUp)
  if (active.length > 1) return undefined
  return active[0] ?? sets.current ?? sets.old.at(-1)
}

/** All replicas are its own and available. */
function isSaturated(deployment: Deployment, set: ReplicaSet): boolean {
  const desired = desiredReplicas(deployment)
  return sizeOf(set) === desired && desiredThen(set) === desired && (set.status?.availableReplicas ?? 0) === desired
}

function proportionally(deployment: Deployment, active: readonly ReplicaSet[]): Resize[] {
  const desired = desiredReplicas(deployment)
  const allowed = desired === 0 ? 0 : desired + limitsOf(deployment).surge
  const toAdd = allowed - totalSize(active)
  // Of sets of one size the newer grow first and the older shrink first.
  const ordered = active.toSorted(
    (a, b) => sizeOf(b) - sizeOf(a) || (toAdd > 0 ? compareAge(b, a) : toAdd < 0 ? compareAge(a, b) : 0),
  )
  let added = 0
  const resizes = ordered.map(set => {
    const share = shareOf(deployment, set, toAdd, added)
    added += share
    return { set, replicas: sizeOf(set) + share }
  })
  const largest = resizes[0]
  if (largest) largest.replicas = Math.max(0, largest.replicas + toAdd - added)
  return resizes
}

/** How many of the replicas to add (below zero: to remove) go to this set. */
function shareOf(deployment: Deployment, set: ReplicaSet, toAdd: number, added: number): number {
  if (sizeOf(set) === 0 || toAdd === added) return 0
  const fraction = fractionOf(deployment, set)
  return toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added)
}

function fractionOf(deployment: Deployment, set: ReplicaSet): number {
  const desired = desiredReplicas(deployment)
  if (desired === 0) return -sizeOf(set)
  const before = maximumThen(set) || (deployment.status?.replicas ?? 0)
  if (before === 0) return 0
  const size = (sizeOf(set) * (desired + limitsOf(deployment).surge)) / before
  return Math.round(size) - sizeOf(set)
}
