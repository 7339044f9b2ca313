import { asError } from '@tiphys/env'
import { CronError } from '@tiphys/expressions/cron'
import { isAlreadyExists, isNotFound, kindRef, type SharedCache } from '@tiphys/kube'
import type { CronJob, CronJobStatus, Job, ObjectReference } from '@tiphys/kube/kinds'
import { formatTime } from '../../timestamp.ts'
import {
  type Controller,
  type ControllerContext,
  controllerKey,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from '../controller.ts'
import { isNamespaceTerminating } from '../namespace/active.ts'
import { isControlledBy } from '../pods/pod-template.ts'
import { statusOf, updateStatus } from '../status.ts'
import { jobOf, jobsBeyondHistory, planCronJob, progressOf, scheduleOf, type Told } from './cron-job-plan.ts'
import { untilNext } from './missed-times.ts'

/** Timers do not reach further than a few weeks. */
const LONGEST_WAIT_MS = 24 * 3_600_000

/** Creates Jobs by the clock. */
export function createCronJobController(context: ControllerContext): Controller {
  const { client, env } = context
  const recorder = context.recorder('cronjob-controller')
  /** The schedule of each CronJob when it was last looked at. */
  const schedules = new Map<string, string>()

  const cronJobWake = wakeBy<CronJob>(context, kindRef('batch/v1', 'CronJob'), ({ object }) => [keyOfObject(object)])
  const cronJobs: SharedCache<CronJob> = cronJobWake.cache
  const jobWake = wakeBy<Job>(context, kindRef('batch/v1', 'Job'), function* (change) {
    const objects = change.type === 'updated' ? [change.old, change.object] : [change.object]
    for (const key of new Set(objects.map(object => controllerKey(object, 'batch/v1', 'CronJob'))))
      if (key !== undefined) yield key
  })
  const jobs: SharedCache<Job> = jobWake.cache

  const tell = (cronJob: CronJob, told: readonly Told[]) => {
    for (const { type, reason, message } of told) recorder[type](cronJob, reason, message)
  }

  const deleteJob = async (cronJob: CronJob, { namespace = '', name = '' }: { namespace?: string; name?: string }) => {
    try {
      const options = { propagationPolicy: 'Background' } as const
      await client.delete({ apiVersion: 'batch/v1', kind: 'Job', namespace, name }, options)
      recorder.normal(cronJob, 'SuccessfulDelete', `Deleted job ${name}`)
    } catch (thrown) {
      recorder.warning(cronJob, 'FailedDelete', `Deleted job: ${asError(thrown).message}`)
      throw thrown
    }
  }

  /** Nothing, when there is a Job of the name that is somebody else's, or none can be made any more. */
  const startJob = async (cronJob: CronJob, time: number): Promise<Job | undefined> => {
    const wanted = jobOf(cronJob, time)
    try {
      const job = await client.create(wanted)
      recorder.normal(cronJob, 'SuccessfulCreate', `Created job ${job.metadata.name}`)
      return job
    } catch (thrown) {
      if (isNamespaceTerminating(thrown)) return undefined
      if (!isAlreadyExists(thrown)) {
        recorder.warning(cronJob, 'FailedCreate', `Error creating job: ${asError(thrown).message}`)
        throw thrown
      }
      const { namespace = '', name = '' } = wanted.metadata
      const there = await client.get<Job>({ ...kindRef<Job>('batch/v1', 'Job'), namespace, name })
      return isControlledBy(there, cronJob) ? there : undefined
    }
  }

  const replace = async (cronJob: CronJob, replaced: readonly ObjectReference[]) => {
    for (const reference of replaced) {
      try {
        await deleteJob(cronJob, reference)
      } catch (thrown) {
        if (!isNotFound(thrown)) throw thrown
      }
    }
  }

  const reconcile = async (key: string): Promise<number | undefined> => {
    const { namespace, name } = parseKey(key)
    const cronJob = cronJobs.get(name, namespace)
    if (!cronJob) {
      schedules.delete(key)
      return undefined
    }
    const changed = whenScheduleChanged(key, cronJob)
    if (changed !== undefined) return changed

    const children = jobs.ownedBy(cronJob.metadata.uid ?? '')
    const deleted = new Set<string>()
    for (const job of jobsBeyondHistory(cronJob, children)) {
      await deleteJob(cronJob, job.metadata)
      deleted.add(job.metadata.uid ?? '')
    }
    const progress = progressOf(cronJob, children, deleted)
    tell(cronJob, progress.told)
    const plan = planCronJob(cronJob, progress.active, env.clock.now())
    tell(cronJob, plan.told)
    let status: CronJobStatus = { ...cronJob.status, active: progress.active }
    if (progress.lastSuccessfulTime !== undefined) status.lastSuccessfulTime = progress.lastSuccessfulTime
    if (plan.start !== undefined) {
      await replace(cronJob, plan.replaced)
      const kept = plan.replaced.length > 0 ? [] : progress.active
      const job = await startJob(cronJob, plan.start)
      status = { ...status, active: kept }
      if (job) status = withStarted(status, job, plan.start)
    }
    await updateStatus(client, cronJob, statusOf(status))
    return plan.againMs === undefined ? undefined : Math.min(plan.againMs, LONGEST_WAIT_MS)
  }

  /** A changed schedule counts from its next time on: nothing is made up for. */
  const whenScheduleChanged = (key: string, cronJob: CronJob): number | undefined => {
    const schedule = `${cronJob.spec.timeZone ?? ''} ${cronJob.spec.schedule}`
    const before = schedules.get(key)
    schedules.set(key, schedule)
    if (before === undefined || before === schedule) return undefined
    try {
      const ms = untilNext(cronJob, scheduleOf(cronJob), env.clock.now())
      return ms === undefined ? undefined : Math.min(ms, LONGEST_WAIT_MS)
    } catch (error) {
      // The turn that follows tells of it.
      if (error instanceof CronError) return undefined
      throw error
    }
  }

  return createReconciler(context, { name: 'cronjob', wakes: [cronJobWake, jobWake], reconcile })
}

function withStarted(status: CronJobStatus, { apiVersion, kind, metadata }: Job, time: number): CronJobStatus {
  const { namespace, name, uid, resourceVersion } = metadata
  const reference = { kind, namespace, name, uid, apiVersion, resourceVersion } as ObjectReference
  return { ...status, active: [...(status.active ?? []), reference], lastScheduleTime: formatTime(time) }
}
