import type { Deployment, ReplicaSet } from '@tiphys/kube/kinds'
import { resolveIntOrPercent } from '../int-or-percent.ts'

export const isRolling = ({ spec }: Deployment): boolean => spec?.strategy?.type === 'RollingUpdate'
export const desiredReplicas = ({ spec }: Deployment): number => spec?.replicas ?? 1
export const sizeOf = ({ spec }: ReplicaSet): number => spec?.replicas ?? 1
export const totalSize = (sets: readonly ReplicaSet[]): number => sets.reduce((sum, set) => sum + sizeOf(set), 0)
export const isScaledUp = (set: ReplicaSet): boolean => sizeOf(set) > 0

/** What a rollout may have beyond the desired replicas, and what it may lack of them. */
export function limitsOf(deployment: Deployment): { surge: number; unavailable: number } {
  if (!isRolling(deployment)) return { surge: 0, unavailable: 0 }
  const { maxSurge, maxUnavailable } = deployment.spec?.strategy?.rollingUpdate ?? {}
  const desired = desiredReplicas(deployment)
  const surge = resolveIntOrPercent(maxSurge, desired, 'up')
  const rounded = resolveIntOrPercent(maxUnavailable, desired, 'down')
  // Both may round to zero; without one of them nothing would ever move.
  const unavailable = surge === 0 && rounded === 0 ? 1 : rounded
  return { surge, unavailable: Math.min(unavailable, desired) }
}
