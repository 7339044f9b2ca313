import type { Job, JobCondition, Pod } from '@tiphys/kube/kinds'
import { formatTime } from '../../timestamp.ts'
import { isActive, isReady, isTerminating } from '../pods/readiness.ts'
import { findCondition } from '../status.ts'
import { afterPods, type Backoff, finishedAt, remainingBackoff } from './backoff.ts'
import { judgeFailure } from './failure-policy.ts'
import { IndexSet } from './index-set.ts'
import {
  allFailures,
  completionIndex,
  countedFailures,
  inOrderOfRemoval,
  isFailed,
  isIndexed,
  isSucceeded,
  isTracked,
  podOf,
  podOfIndex,
  replacesOnlyFailed,
} from './job-pods.ts'
import { matchSuccess } from './success-policy.ts'

/** How many pods one turn creates or deletes at most. */
const BURST = 500
/** A turn for the sake of a backoff comes no sooner than this. */
const SHORTEST_WAIT_MS = 1000

/** A Job and its pods, counted. */
export interface JobView {
  job: Job
  pods: readonly Pod[]
  now: number
  active: readonly Pod[]
  ready: number
  terminating: number
  /** Including what ended and is not in the status yet. */
  succeeded: number
  failed: number
  /** What the status knew of succeeded indexes, and what is so now. */
  knownIndexes: IndexSet
  succeededIndexes: IndexSet
  /** Only with a backoff limit per index. */
  failedIndexes?: IndexSet
  /** The failed pods that keep their finalizer until another pod has taken over their count of failures, by index. */
  awaitingReplacement: ReadonlyMap<number, Pod>
  backoff: Backoff
}

export type JobAction =
  | { type: 'none' }
  /** The Job has come to an end: its active pods are deleted, and counted before they may go. */
  | { type: 'finish'; condition: JobCondition; pods: readonly Pod[] }
  /** Pods that need not be counted. */
  | { type: 'delete'; pods: readonly Pod[] }
  | { type: 'create'; pods: readonly Pod[] }
  | { type: 'wait'; ms: number }

export const condition = (
  type: string,
  { reason, message }: Pick<JobCondition, 'reason' | 'message'>,
  now: number,
  status = 'True',
): JobCondition => ({
  type,
  status,
  lastProbeTime: formatTime(now),
  lastTransitionTime: formatTime(now),
  reason: reason ?? '',
  message: message ?? '',
})

export const isSuspended = ({ spec }: Job): boolean => spec?.suspend === true

export const isFinished = ({ status }: Job): boolean =>
  status?.conditions?.some(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True') ??
  false

export function viewJob(job: Job, pods: readonly Pod[], backoff: Backoff, now: number): JobView {
  const { status = {} } = job
  const completions = job.spec?.completions ?? Number.POSITIVE_INFINITY
  const uncounted = status.uncountedTerminatedPods ?? {}
  const isValid = (pod: Pod) => !isIndexed(job) || (completionIndex(pod) ?? completions) < completions
  const fresh = (known: readonly string[] = []) =>
    pods.filter(pod => isTracked(pod) && isValid(pod) && !known.includes(pod.metadata.uid ?? ''))
  const newSucceeded = fresh(uncounted.succeeded).filter(isSucceeded)
  const newFailed = fresh(uncounted.failed).filter(pod => isFailed(job, pod))
  const counted = newFailed.filter(pod => judgeFailure(job.spec?.podFailurePolicy, pod).isCounted)
  const active = pods.filter(isActive)

  const knownIndexes = IndexSet.parse(status.completedIndexes ?? '', completions)
  const view: JobView = {
    job,
    pods,
    now,
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
    succeeded: (status.succeeded ?? 0) + newSucceeded.length + (uncounted.succeeded?.length ?? 0),
    failed: (status.failed ?? 0) + counted.length + (uncounted.failed?.length ?? 0),
    knownIndexes,
    succeededIndexes: knownIndexes,
    awaitingReplacement: new Map(),
    backoff: afterPods(backoff, newSucceeded, newFailed),
  }
  return isIndexed(job) ? withIndexes(view, completions, fresh()) : view
}

function withIndexes(view: JobView, completions: number, tracked: readonly Pod[]): JobView {
  const { job, knownIndexes, active } = view
  const indexesOf = (pods: readonly Pod[]) => IndexSet.of(pods.map(pod => completionIndex(pod) as number))
  const succeededIndexes = knownIndexes.union(indexesOf(tracked.filter(isSucceeded)))
  const indexed = { ...view, succeededIndexes, succeeded: succeededIndexes.size }
  const limit = job.spec?.backoffLimitPerIndex
  if (limit === undefined) return indexed

  const failed = tracked.filter(pod => isFailed(job, pod))
  const isIndexFailed = (pod: Pod) => {
    const { action, isCounted } = judgeFailure(job.spec?.podFailurePolicy, pod)
    return action === 'FailIndex' || (isCounted && countedFailures(pod) >= limit)
  }
  const knownFailed = IndexSet.parse(job.status?.failedIndexes ?? '', completions)
  const failedIndexes = knownFailed.union(indexesOf(failed.filter(isIndexFailed)))
  const settled = succeededIndexes.union(failedIndexes).union(IndexSet.of(indexesAmong(active)))
  const awaitingReplacement = new Map<number, Pod>()
  for (const pod of failed) {
    const index = completionIndex(pod) as number
    if (settled.has(index)) continue
    const other = awaitingReplacement.get(index)
    const isLater = !other || (allFailures(other) <= allFailures(pod) && finishedAt(pod) >= finishedAt(other))
    if (isLater) awaitingReplacement.set(index, pod)
  }
  return { ...indexed, failedIndexes, awaitingReplacement }
}

export const indexesAmong = (pods: readonly Pod[]): number[] =>
  pods.map(completionIndex).filter(index => index !== undefined)

/** What is to be done about a Job's pods. */
export function planJob(view: JobView): JobAction {
  const ending = endOf(view)
  if (ending) return { type: 'finish', condition: ending, pods: view.active }
  if (view.job.metadata.deletionTimestamp !== undefined) return { type: 'none' }
  return planPods(view)
}

/** The condition under which the Job ends by other means than by reaching its completions. */
function endOf(view: JobView): JobCondition | undefined {
  const { job, pods, now, failed, failedIndexes, succeededIndexes } = view
  const { spec = {} as NonNullable<Job['spec']>, status } = job
  const isSet = (type: string) => {
    const found = findCondition(status?.conditions, type)
    return found?.status === 'True' ? found : undefined
  }
  const succeeding = isSet('SuccessCriteriaMet')
  if (succeeding) return succeeding
  const failing = isSet('FailureTarget')
  if (failing) return condition('Failed', failing, now)

  const fail = (reason: string, message: string) => condition('FailureTarget', { reason, message }, now)
  for (const pod of spec.podFailurePolicy ? pods : []) {
    const { message } = isFailed(job, pod) ? judgeFailure(spec.podFailurePolicy, pod) : {}
    if (message !== undefined) return fail('PodFailurePolicy', message)
  }
  if (failed > (spec.backoffLimit ?? 6) || isPastRestarts(view))
    return fail('BackoffLimitExceeded', 'Job has reached the specified backoff limit')
  if ((remainingDeadline(view) ?? 1) <= 0)
    return fail('DeadlineExceeded', 'Job was active longer than specified deadline')
  if (failedIndexes) {
    if (spec.maxFailedIndexes !== undefined && failedIndexes.size > spec.maxFailedIndexes)
      return fail('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes')
    if (failedIndexes.size > 0 && failedIndexes.size + succeededIndexes.size >= (spec.completions ?? 0))
      return fail('FailedIndexes', 'Job has failed indexes')
  }
  if (!isIndexed(job)) return undefined
  const message = matchSuccess(spec.successPolicy, succeededIndexes, spec.completions ?? 0)
  if (message === undefined) return undefined
  return condition('SuccessCriteriaMet', { reason: 'SuccessPolicy', message }, now)
}

/** With restart policy OnFailure it is the restarts of containers that count. */
function isPastRestarts({ job, pods }: JobView): boolean {
  if (job.spec?.template.spec?.restartPolicy !== 'OnFailure') return false
  const limit = job.spec.backoffLimit ?? 6
  let restarts = 0
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue
    for (const { restartCount } of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])])
      restarts += restartCount
  }
  return limit === 0 ? restarts > 0 : restarts >= limit
}

/** In how many milliseconds the Job's time is up; nothing when it has no deadline, or when its time does not run. */
export function remainingDeadline({ job, now }: Pick<JobView, 'job' | 'now'>): number | undefined {
  const { spec, status } = job
  if (spec?.activeDeadlineSeconds === undefined || !status?.startTime || isSuspended(job)) return undefined
  return Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000 - now
}

function planPods(view: JobView): JobAction {
  const { job, active, terminating, now } = view
  if (isSuspended(job)) return deletion(view, active.length)
  const wanted = wantedActive(view)
  const surplus = deletion(view, Math.max(0, active.length - wanted))
  if (surplus.type === 'delete') return surplus
  const missing = wanted - active.length - (replacesOnlyFailed(job) ? terminating : 0)
  if (missing <= 0) return { type: 'none' }
  if (job.spec?.backoffLimitPerIndex === undefined) {
    const ms = remainingBackoff(view.backoff, now)
    if (ms > 0) return { type: 'wait', ms: Math.max(ms, SHORTEST_WAIT_MS) }
  }
  const count = Math.min(missing, BURST)
  if (isIndexed(job)) return creationOfIndexes(view, count)
  return { type: 'create', pods: Array.from({ length: count }, () => podOf(job)) }
}

function wantedActive({ job, active, succeeded }: JobView): number {
  const { completions, parallelism = 1 } = job.spec ?? {}
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism
  return Math.max(0, Math.min(completions - succeeded, parallelism))
}

function deletion({ job, active }: JobView, atLeast: number): JobAction {
  const { superfluous, rest } = isIndexed(job)
    ? splitByIndex(active, job.spec?.completions ?? 0)
    : { superfluous: [], rest: active }
  const more = inOrderOfRemoval(rest).slice(0, Math.max(0, atLeast - superfluous.length))
  const pods = [...superfluous, ...more]
  if (pods.length === 0) return { type: 'none' }
  return { type: 'delete', pods: isSuspended(job) ? pods : pods.slice(0, BURST) }
}

/** Of the pods with one index all but the most advanced are superfluous, as are those whose index is none of the Job's. */
function splitByIndex(active: readonly Pod[], completions: number) {
  const superfluous: Pod[] = []
  const rest: Pod[] = []
  for (const [index, pods] of [...groupByIndex(active)].sort(([a = -1], [b = -1]) => a - b)) {
    const ordered = inOrderOfRemoval(pods)
    const kept = index !== undefined && index < completions ? ordered.pop() : undefined
    superfluous.push(...ordered)
    if (kept) rest.push(kept)
  }
  return { superfluous, rest }
}

function groupByIndex(pods: readonly Pod[]): Map<number | undefined, Pod[]> {
  const groups = new Map<number | undefined, Pod[]>()
  for (const pod of pods) groups.set(completionIndex(pod), [...(groups.get(completionIndex(pod)) ?? []), pod])
  return groups
}

function creationOfIndexes(view: JobView, count: number): JobAction {
  const { job, pods, active, succeededIndexes, failedIndexes = IndexSet.empty, awaitingReplacement, now } = view
  const terminating = replacesOnlyFailed(job) ? pods.filter(isTerminating) : []
  const taken = succeededIndexes.union(failedIndexes).union(IndexSet.of(indexesAmong([...active, ...terminating])))
  const pending = taken.firstMissing(count, job.spec?.completions ?? 0)
  const delays = new Map(pending.map(index => [index, indexBackoff(awaitingReplacement.get(index), now)]))
  const due = pending.filter(index => delays.get(index) === 0)
  if (due.length > 0)
    return { type: 'create', pods: due.map(index => podOfIndex(job, index, awaitingReplacement.get(index))) }
  if (pending.length === 0) return { type: 'none' }
  return { type: 'wait', ms: Math.max(SHORTEST_WAIT_MS, Math.min(...delays.values())) }
}

function indexBackoff(failed: Pod | undefined, now: number): number {
  if (!failed) return 0
  return remainingBackoff({ failures: allFailures(failed) + 1, lastFailure: finishedAt(failed) }, now)
}
