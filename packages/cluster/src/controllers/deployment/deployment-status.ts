import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '@tiphys/kube/kinds'
import { formatTime } from '../../timestamp.ts'
import { findCondition, statusOf, withCondition, withoutCondition } from '../status.ts'
import { allOf, type ReplicaSets } from './replica-sets.ts'
import { isComplete } from './rollout.ts'
import { desiredReplicas, limitsOf, totalSize } from './size.ts'

export interface ObservedProgress {
  deployment: Deployment
  sets: ReplicaSets
  /** The present set was created just now. */
  isCreated: boolean
  /** Whether a rollout is judged by its progress; see `RolloutPlan`. */
  isRollout: boolean
  now: number
}

export function statusOfDeployment(observed: ObservedProgress): DeploymentStatus {
  const { deployment, isRollout, now } = observed
  const before = conditionsBefore(observed)
  const counts = countReplicas(observed)
  const lacking = desiredReplicas(deployment) - limitsOf(deployment).unavailable - (counts.availableReplicas ?? 0)
  const conditions = withCondition(
    before,
    lacking <= 0
      ? condition('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.', now)
      : condition(
          'Available',
          'False',
          'MinimumReplicasUnavailable',
          'Deployment does not have minimum availability.',
          now,
        ),
  )
  const judged = isRollout ? withFailure(withProgress(observed, counts, conditions), observed) : conditions
  return statusOf<DeploymentStatus>({ ...counts, conditions: judged }, ['terminatingReplicas', 'collisionCount'])
}

/** A rollout that has succeeded, or missed its deadline, has none before it. */
const HAVE_NO_DEADLINE = new Set(['NewReplicaSetAvailable', 'ProgressDeadlineExceeded'])

/** In how many milliseconds a rollout without progress will have missed its deadline. */
export function timeToDeadline(deployment: Deployment, status: DeploymentStatus, now: number): number | undefined {
  const deadline = deadlineOf(deployment)
  const progressing = findCondition(status.conditions, 'Progressing')
  if (deadline === undefined || !progressing || isComplete(deployment, status)) return undefined
  if (HAVE_NO_DEADLINE.has(progressing.reason ?? '')) return undefined
  // A second more, since the condition's time has no fractions.
  return Math.max(0, Date.parse(progressing.lastUpdateTime ?? '') + deadline - now) + 1000
}

const NO_DEADLINE = 2 ** 31 - 1

export const hasDeadline = (deployment: Deployment): boolean => deadlineOf(deployment) !== undefined

function deadlineOf({ spec }: Deployment): number | undefined {
  const seconds = spec?.progressDeadlineSeconds
  return seconds === undefined || seconds === NO_DEADLINE ? undefined : seconds * 1000
}

function countReplicas({ deployment, sets }: ObservedProgress): DeploymentStatus {
  const all = allOf(sets)
  const availableReplicas = sum(all, ({ status }) => status?.availableReplicas)
  const terminating = terminatingReplicas(all)
  const { collisionCount } = deployment.status ?? {}
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sum(all, ({ status }) => status?.replicas),
    updatedReplicas: sets.current?.status?.replicas ?? 0,
    readyReplicas: sum(all, ({ status }) => status?.readyReplicas),
    availableReplicas,
    unavailableReplicas: Math.max(0, totalSize(all) - availableReplicas),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
  }
}

/** Unknown as long as a set that has been looked at does not say. */
function terminatingReplicas(sets: readonly ReplicaSet[]): number | undefined {
  const isSilent = ({ status }: ReplicaSet) =>
    status?.terminatingReplicas === undefined && (status?.observedGeneration ?? 0) > 0
  return sets.some(isSilent) ? undefined : sum(sets, ({ status }) => status?.terminatingReplicas)
}

const sum = (sets: readonly ReplicaSet[], countOf: (set: ReplicaSet) => number | undefined) =>
  sets.reduce((total, set) => total + (countOf(set) ?? 0), 0)

/** What is known before progress is judged: that the Deployment was paused or resumed, and that a set was made or found. */
function conditionsBefore({ deployment, sets, isCreated, now }: ObservedProgress): DeploymentCondition[] {
  let conditions = deployment.status?.conditions ?? []
  if (!hasDeadline(deployment)) return conditions
  const isDeleted = deployment.metadata.deletionTimestamp !== undefined
  const { reason } = findCondition(conditions, 'Progressing') ?? {}
  const isPaused = deployment.spec?.paused === true
  if (isPaused && !isDeleted && reason !== 'DeploymentPaused' && reason !== 'ProgressDeadlineExceeded') {
    const paused = condition('Progressing', 'Unknown', 'DeploymentPaused', 'Deployment is paused', now)
    conditions = withCondition(conditions, paused)
  } else if (!isPaused && !isDeleted && reason === 'DeploymentPaused') {
    const resumed = condition('Progressing', 'Unknown', 'DeploymentResumed', 'Deployment is resumed', now)
    conditions = withCondition(conditions, resumed)
  }
  const name = sets.current?.metadata.name
  if (name !== undefined && isCreated) {
    const message = `Created new replica set "${name}"`
    return withCondition(conditions, condition('Progressing', 'True', 'NewReplicaSetCreated', message, now))
  }
  if (name !== undefined && !findCondition(conditions, 'Progressing')) {
    const message = `Found new replica set "${name}"`
    return withCondition(conditions, condition('Progressing', 'True', 'FoundNewReplicaSet', message, now))
  }
  return conditions
}

function withProgress(
  { deployment, sets, now }: ObservedProgress,
  status: DeploymentStatus,
  conditions: DeploymentCondition[],
): DeploymentCondition[] {
  const deadline = deadlineOf(deployment)
  if (deadline === undefined) return withoutCondition(conditions, 'Progressing')
  const current = findCondition(conditions, 'Progressing')
  if (status.replicas === status.updatedReplicas && current?.reason === 'NewReplicaSetAvailable') return conditions
  const subject = sets.current
    ? `ReplicaSet "${sets.current.metadata.name}"`
    : `Deployment "${deployment.metadata.name}"`
  if (isComplete(deployment, status)) {
    const message = `${subject} has successfully progressed.`
    return withCondition(conditions, condition('Progressing', 'True', 'NewReplicaSetAvailable', message, now))
  }
  if (isProgress(deployment.status, status)) {
    const progress = condition('Progressing', 'True', 'ReplicaSetUpdated', `${subject} is progressing.`, now)
    // Unlike others this one is renewed with every step, since its time of update is what the deadline counts from.
    const others = withoutCondition(conditions, 'Progressing')
    const since = current?.status === 'True' ? current.lastTransitionTime : undefined
    return [...others, since === undefined ? progress : { ...progress, lastTransitionTime: since }]
  }
  if (current && hasMissedDeadline(current, deadline, now)) {
    const message = `${subject} has timed out progressing.`
    return withCondition(conditions, condition('Progressing', 'False', 'ProgressDeadlineExceeded', message, now))
  }
  return conditions
}

/** More new replicas, fewer old ones, or more that are ready or available. */
function isProgress(before: DeploymentStatus | undefined, after: DeploymentStatus): boolean {
  const count = ({
    replicas = 0,
    updatedReplicas = 0,
    readyReplicas = 0,
    availableReplicas = 0,
  }: DeploymentStatus) => ({
    updated: updatedReplicas,
    old: replicas - updatedReplicas,
    ready: readyReplicas,
    available: availableReplicas,
  })
  const [then, now] = [count(before ?? {}), count(after)]
  return now.updated > then.updated || now.old < then.old || now.ready > then.ready || now.available > then.available
}

function hasMissedDeadline(progressing: DeploymentCondition, deadline: number, now: number): boolean {
  if (progressing.reason === 'NewReplicaSetAvailable') return false
  if (progressing.reason === 'ProgressDeadlineExceeded') return true
  return Date.parse(progressing.lastUpdateTime ?? '') + deadline < now
}

/** The failure of the present set, else of a former one, is the Deployment's too. */
function withFailure(conditions: DeploymentCondition[], { sets }: ObservedProgress): DeploymentCondition[] {
  const failureOf = (set: ReplicaSet | undefined) => findCondition(set?.status?.conditions, 'ReplicaFailure')
  const failure = failureOf(sets.current) ?? sets.old.map(failureOf).find(found => found !== undefined)
  if (!failure) return withoutCondition(conditions, 'ReplicaFailure')
  const { lastTransitionTime } = failure
  return withCondition(conditions, {
    ...failure,
    ...(lastTransitionTime === undefined ? {} : { lastUpdateTime: lastTransitionTime }),
  })
}

export const condition = (
  type: string,
  status: string,
  reason: string,
  message: string,
  now: number,
): DeploymentCondition => ({
  type,
  status,
  lastUpdateTime: formatTime(now),
  lastTransitionTime: formatTime(now),
  reason,
  message,
})
