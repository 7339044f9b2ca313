import { isNotFound, kindRef, type SharedCache } from '@tiphys/kube'
import type { Job, JobCondition, JobStatus, Pod } from '@tiphys/kube/kinds'
import {
  type Controller,
  type ControllerContext,
  controllerKey,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from '../controller.ts'
import { claim } from '../pods/claim.ts'
import { candidatesOf, keysOfOwners, selectorOf } from '../pods/owned.ts'
import { allAtOnce, createPodControl, inSlowStart } from '../pods/pod-control.ts'
import { controllerOf } from '../pods/pod-template.ts'
import { isReady } from '../pods/readiness.ts'
import { updateStatus } from '../status.ts'
import { type Backoff, noBackoff } from './backoff.ts'
import { isFinished, type JobAction, type JobView, planJob, remainingDeadline, viewJob } from './job-plan.ts'
import { isTracked, TRACKING } from './job-pods.ts'
import {
  completionOf,
  countsTooMany,
  type JobOutcome,
  storedStatus,
  trackPods,
  withFinish,
  withoutCounted,
} from './job-status.ts'

const COMPLETION_MODES: readonly (string | undefined)[] = [undefined, 'NonIndexed', 'Indexed']

const isManagedElsewhere = ({ spec }: Job) =>
  spec?.managedBy !== undefined && spec.managedBy !== 'kubernetes.io/job-controller'

/** Under which key a pod with the finalizer is to be released if no Job does it: its Job's, or that of orphans. */
const trackedBy = (pod: Pod): readonly string[] =>
  isTracked(pod) ? [controllerKey(pod, 'batch/v1', 'Job') ?? keyOfOrphans(pod.metadata.namespace)] : []
const keyOfOrphans = (namespace = '') => `${namespace}/`

/** Runs pods to completion. */
export function createJobController(context: ControllerContext): Controller {
  const { client, env } = context
  const recorder = context.recorder('job-controller')
  const podControl = createPodControl(client, recorder)
  const backoffs = new Map<string, Backoff>()

  const jobWake = wakeBy<Job>(context, kindRef('batch/v1', 'Job'), ({ object }) => [keyOfObject(object)])
  const jobs: SharedCache<Job> = jobWake.cache
  const keysOfJobs = keysOfOwners<Job>({ cache: jobs, selectorOf: ({ spec }) => selectorOf(spec?.selector) })
  const podWake = wakeBy<Pod>(context, kindRef('v1', 'Pod'), function* (change) {
    yield* keysOfJobs(change)
    if (isTracked(change.object) && !controllerOf(change.object)) yield keyOfOrphans(change.object.metadata.namespace)
  })
  const pods: SharedCache<Pod> = podWake.cache

  /** Answers whether the pod is without finalizer now. */
  const release = async ({ metadata: { namespace = '', name = '' } }: Pod) => {
    const patch = { metadata: { '$deleteFromPrimitiveList/finalizers': [TRACKING] } }
    try {
      await client.patch({ apiVersion: 'v1', kind: 'Pod', namespace, name }, { type: 'strategic', patch })
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown
    }
  }

  /** Pods whose Job is gone or has ended are counted by nobody. */
  const releaseUnclaimed = async (key: string, job: Job | undefined) => {
    const { namespace } = parseKey(key)
    const tracked = pods.indexBy(trackedBy)
    const unclaimed = [...tracked.get(key), ...(job ? [] : tracked.get(keyOfOrphans(namespace)))].filter(
      pod => !job || isFinished(job) || controllerOf(pod)?.uid !== job.metadata.uid,
    )
    const { failure } = await allAtOnce(unclaimed, release)
    if (failure) throw failure
  }

  const remove = async (job: Job, removed: readonly Pod[], isCounted: boolean) => {
    const { done, failure } = await allAtOnce(removed, async pod => {
      if (!isCounted && isTracked(pod)) await release(pod)
      await podControl.delete(job, pod)
      return pod
    })
    return { done, failure }
  }

  /** Does what the plan says, and answers with what has become of the pods. */
  const act = async (view: JobView, action: JobAction): Promise<{ outcome: JobOutcome; failure?: Error }> => {
    const { job, ready, terminating } = view
    const active = view.active.length
    const isManaged = job.metadata.deletionTimestamp === undefined && action.type !== 'finish'
    const outcome: JobOutcome = { active, ready, terminating, ending: undefined, isManaged }
    switch (action.type) {
      case 'none':
      case 'wait':
        return { outcome }
      case 'create': {
        const { done, failure } = await inSlowStart(action.pods, pod => podControl.create(job, pod))
        return { outcome: { ...outcome, active: active + done.length }, ...(failure && { failure }) }
      }
      case 'delete':
      case 'finish': {
        const { done, failure } = await remove(job, action.pods, action.type === 'finish')
        const after = {
          ...outcome,
          active: active - done.length,
          ready: ready - done.filter(isReady).length,
          terminating: terminating + done.length,
          ending: action.type === 'finish' && !failure ? action.condition : undefined,
        }
        return { outcome: after, ...(failure && { failure }) }
      }
    }
  }

  const announceFinish = (job: Job, status: JobStatus, { type, reason = '', message = '' }: JobCondition) => {
    if (type !== 'Complete') return recorder.warning(job, reason, message)
    if (countsTooMany(job, status)) {
      const text = 'Too many succeeded pods running after completion count reached'
      recorder.warning(job, 'TooManySucceededPods', text)
    }
    recorder.normal(job, 'Completed', 'Job completed')
  }

  const track = async (key: string, view: JobView, outcome: JobOutcome) => {
    const { status, counted, finished, announced } = trackPods(view, outcome)
    if (announced === 'Suspended') recorder.normal(view.job, 'Suspended', 'Job suspended')
    if (announced === 'Resumed') recorder.normal(view.job, 'Resumed', 'Job resumed')
    const stored = await updateStatus(client, view.job, storedStatus(status))
    backoffs.set(key, view.backoff)

    const { done, failure } = await allAtOnce(counted, async pod => {
      await release(pod)
      return pod.metadata.uid ?? ''
    })
    const tracked = new Set(view.pods.filter(isTracked).map(({ metadata }) => metadata.uid ?? ''))
    for (const uid of done) tracked.delete(uid)
    const settled = withoutCounted(status, tracked)
    const last = failure ? undefined : withFinish(settled, finished)
    await updateStatus(client, stored, storedStatus(last ?? settled))
    if (last && finished) announceFinish(view.job, last, finished)
    if (failure) throw failure
  }

  const reconcile = async (key: string): Promise<number | undefined> => {
    const { namespace, name } = parseKey(key)
    const job = jobs.get(name, namespace)
    if (job && isManagedElsewhere(job)) return undefined
    await releaseUnclaimed(key, job)
    if (!job || isFinished(job)) {
      backoffs.delete(key)
      return undefined
    }
    if (!COMPLETION_MODES.includes(job.spec?.completionMode)) {
      recorder.warning(job, 'UnknownCompletionMode', 'Skipped Job sync because completion mode is unknown')
      return undefined
    }
    const selector = selectorOf(job.spec?.selector)
    const mine = await claim(client, job, selector, candidatesOf(pods, job), { finalizers: [TRACKING] })
    const view = viewJob(job, mine, backoffs.get(key) ?? noBackoff, env.clock.now())
    const action = planJob(view)
    const { outcome, failure } = await act(view, action)
    if (action.type !== 'finish') {
      const completion = completionOf(view, outcome.active)
      if (completion) outcome.ending = completion
    }
    await track(key, view, outcome)
    if (failure) throw failure
    return nextLook(jobs.get(name, namespace), action)
  }

  const nextLook = (job: Job | undefined, action: JobAction): number | undefined => {
    const deadline = job && !isFinished(job) ? remainingDeadline({ job, now: env.clock.now() }) : undefined
    const waits = [deadline, action.type === 'wait' ? action.ms : undefined].filter(ms => ms !== undefined)
    return waits.length === 0 ? undefined : Math.max(0, Math.min(...waits))
  }

  return createReconciler(context, { name: 'job', wakes: [jobWake, podWake], reconcile })
}
