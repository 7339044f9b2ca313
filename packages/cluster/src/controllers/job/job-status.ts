import type { Job, JobCondition, JobStatus, Pod } from '@tiphys/kube/kinds'
import { formatTime } from '../../timestamp.ts'
import { findCondition } from '../status.ts'
import { judgeFailure } from './failure-policy.ts'
import { IndexSet } from './index-set.ts'
import { condition, isSuspended, type JobView } from './job-plan.ts'
import { completionIndex, isFailed, isIndexed, isSucceeded, isTracked } from './job-pods.ts'

/** How many pods are counted in one turn: their uids stand in the status in between. */
const MOST_UNCOUNTED = 500

/** What came of the plan. */
export interface JobOutcome {
  active: number
  ready: number
  terminating: number
  /** Why the Job ends, if it does. */
  ending: JobCondition | undefined
  /** Whether the plan for pods was carried out, which makes suspension true. */
  isManaged: boolean
}

export interface Tracking {
  /** The status to be stored before finalizers are removed. */
  status: JobStatus
  /** Pods that are counted in it, or need not be, and may go. */
  counted: readonly Pod[]
  /** The last condition of the Job, once all is counted. */
  finished: JobCondition | undefined
  /** What people are told now. */
  announced?: 'Suspended' | 'Resumed'
}

/** The condition of a Job that has reached its completions. */
export function completionOf({ job, succeeded, now }: JobView, active: number): JobCondition | undefined {
  const { completions } = job.spec ?? {}
  const isReached = completions === undefined ? succeeded > 0 : succeeded >= completions
  if (!isReached || active > 0) return undefined
  const reason = 'CompletionsReached'
  return condition('SuccessCriteriaMet', { reason, message: 'Reached expected number of succeeded pods' }, now)
}

/** Takes the ended pods into the status: their uids stand there until their finalizers are gone, so that none is counted
 *  twice or lost, whenever this is interrupted. */
export function trackPods(view: JobView, outcome: JobOutcome): Tracking {
  const { job, now, failedIndexes } = view
  const tracked = new Set(view.pods.filter(isTracked).map(({ metadata }) => metadata.uid ?? ''))
  const { announced, ...suspension } = suspensionOf(view, outcome)
  let status: JobStatus = {
    ...startOf(view),
    ...suspension,
    active: outcome.active,
    ready: outcome.ready,
    terminating: outcome.terminating,
  } as JobStatus
  status = withoutCounted(status, tracked)
  const { counted, indexes, uncounted, isComplete } = collect(view, outcome.ending, status)
  status = { ...status, uncountedTerminatedPods: uncounted }
  if (isIndexed(job)) {
    const completed = view.succeededIndexes.union(IndexSet.of(indexes))
    status.succeeded = completed.size
    status.completedIndexes = completed.toString()
    if (failedIndexes) status.failedIndexes = failedIndexes.toString()
  }
  const { ending } = outcome
  const isInterim = ending?.type === 'FailureTarget' || ending?.type === 'SuccessCriteriaMet'
  if (ending && isInterim && !findCondition(status.conditions, ending.type))
    status.conditions = [...(status.conditions ?? []), ending]
  const last = ending?.type === 'SuccessCriteriaMet' ? 'Complete' : 'Failed'
  const finished = ending && isComplete ? condition(last, ending, now) : undefined
  return { status, counted, finished, ...(announced && { announced }) }
}

/** The status once finalizers are removed: `tracked` are the uids that still have theirs. */
export function withoutCounted(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {}
  const left = { succeeded: succeeded.filter(uid => tracked.has(uid)), failed: failed.filter(uid => tracked.has(uid)) }
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length - left.succeeded.length,
    failed: (status.failed ?? 0) + failed.length - left.failed.length,
    uncountedTerminatedPods: left,
  }
}

/** The status with the last condition, if nothing is left to be counted or to end. */
export function withFinish(status: JobStatus, finished: JobCondition | undefined): JobStatus | undefined {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {}
  if (!finished || succeeded.length + failed.length > 0 || (status.terminating ?? 0) > 0) return undefined
  return {
    ...status,
    conditions: [...(status.conditions ?? []), finished],
    ...(finished.type === 'Complete' && { completionTime: finished.lastTransitionTime ?? '' }),
  }
}

/** The status as the server stores it. */
export function storedStatus({ uncountedTerminatedPods: uncounted = {}, ...status }: JobStatus): JobStatus {
  const kept: readonly string[] = ['ready', 'terminating', 'failedIndexes']
  const fields = Object.entries(status).filter(
    ([name, value]) => kept.includes(name) || !(value === undefined || value === 0 || value === ''),
  )
  const left = Object.fromEntries(Object.entries(uncounted).filter(([, uids]) => uids.length > 0))
  return { ...Object.fromEntries(fields), uncountedTerminatedPods: left }
}

function startOf({ job, now }: JobView): JobStatus {
  const { status = {} } = job
  return status.startTime === undefined && !isSuspended(job) ? { ...status, startTime: formatTime(now) } : status
}

interface Suspension {
  conditions?: JobCondition[]
  startTime?: string | undefined
  announced?: 'Suspended' | 'Resumed'
}

/** What changes when the Job goes to sleep or wakes up. */
function suspensionOf({ job, now }: JobView, { isManaged, ending }: JobOutcome): Suspension {
  const current = findCondition(job.status?.conditions, 'Suspended')
  const wanted = isSuspended(job) ? 'True' : 'False'
  if (!isManaged || ending || (current?.status ?? 'False') === wanted) return {}
  const texts = isSuspended(job)
    ? { reason: 'JobSuspended', message: 'Job suspended' }
    : { reason: 'JobResumed', message: 'Job resumed' }
  const changed = condition('Suspended', texts, now, wanted)
  const conditions = job.status?.conditions ?? []
  return {
    conditions: current ? conditions.map(each => (each === current ? changed : each)) : [...conditions, changed],
    startTime: isSuspended(job) ? undefined : formatTime(now),
    announced: isSuspended(job) ? 'Suspended' : 'Resumed',
  }
}

function collect(view: JobView, ending: JobCondition | undefined, status: JobStatus) {
  const { job, pods, knownIndexes } = view
  const before = job.status?.uncountedTerminatedPods ?? {}
  const wasSucceeded = new Set(before.succeeded)
  const wasFailed = new Set(before.failed)
  const succeeded = [...(status.uncountedTerminatedPods?.succeeded ?? [])]
  const failed = [...(status.uncountedTerminatedPods?.failed ?? [])]
  const completions = job.spec?.completions ?? Number.POSITIVE_INFINITY
  const indexes: number[] = []
  const counted: Pod[] = []
  const ordered = isIndexed(job)
    ? pods.toSorted((a, b) => (completionIndex(a) ?? -1) - (completionIndex(b) ?? -1))
    : pods

  for (const pod of ordered) {
    const uid = pod.metadata.uid ?? ''
    if (!isTracked(pod) || !mayGo(view, pod, ending)) continue
    counted.push(pod)
    const index = completionIndex(pod)
    const isValid = !isIndexed(job) || (index !== undefined && index < completions)
    if (isSucceeded(pod) && !wasFailed.has(uid)) {
      if (!isIndexed(job)) {
        if (!wasSucceeded.has(uid)) succeeded.push(uid)
      } else if (index !== undefined && isValid && !knownIndexes.has(index)) indexes.push(index)
    } else if (isFailed(job, pod) || (ending !== undefined && ending.type !== 'SuccessCriteriaMet')) {
      if (!wasFailed.has(uid) && isValid && judgeFailure(job.spec?.podFailurePolicy, pod).isCounted) failed.push(uid)
    }
    if (indexes.length + succeeded.length + failed.length >= MOST_UNCOUNTED) {
      return { counted, indexes, uncounted: { succeeded, failed }, isComplete: false }
    }
  }
  return { counted, indexes, uncounted: { succeeded, failed }, isComplete: true }
}

function mayGo({ job, awaitingReplacement }: JobView, pod: Pod, ending: JobCondition | undefined): boolean {
  if (job.metadata.deletionTimestamp !== undefined || ending !== undefined || isSucceeded(pod)) return true
  if (!isFailed(job, pod)) return false
  const index = completionIndex(pod)
  return index === undefined || awaitingReplacement.get(index)?.metadata.uid !== pod.metadata.uid
}

export const countsTooMany = ({ spec }: Job, { succeeded = 0 }: JobStatus): boolean =>
  spec?.completions !== undefined && succeeded > spec.completions
