import { CronError, type CronSchedule, parseCron } from '@tiphys/expressions/cron'
import { loadTimeZone, TimeZoneError } from '@tiphys/expressions/time-zone'
import type { CronJob, Job, ObjectReference } from '@tiphys/kube/kinds'
import { controllerReference } from '../pods/pod-template.ts'
import { EmptyScheduleError, type Missed, missedTimes, untilNext } from './missed-times.ts'

const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp'

/** Something to tell people about the CronJob. */
export interface Told {
  type: 'normal' | 'warning'
  reason: string
  message: string
}

const normal = (reason: string, message: string): Told => ({ type: 'normal', reason, message })
const warning = (reason: string, message: string): Told => ({ type: 'warning', reason, message })

/** What a CronJob's status says after a look at its Jobs. */
export interface Progress {
  active: ObjectReference[]
  lastSuccessfulTime?: string
  told: Told[]
}

export const finishOf = ({ status }: Job): 'Complete' | 'Failed' | undefined =>
  status?.conditions?.find(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True')
    ?.type as 'Complete' | 'Failed' | undefined

/** The finished Jobs beyond the limits of history, oldest first. */
export function jobsBeyondHistory({ spec }: CronJob, jobs: readonly Job[]): Job[] {
  const beyond = (finish: 'Complete' | 'Failed', limit: number | undefined) => {
    const finished = limit === undefined ? [] : jobs.filter(job => finishOf(job) === finish).toSorted(byStart)
    return finished.slice(0, Math.max(0, finished.length - (limit ?? 0)))
  }
  return [...beyond('Complete', spec.successfulJobsHistoryLimit), ...beyond('Failed', spec.failedJobsHistoryLimit)]
}

function byStart(a: Job, b: Job): number {
  const start = ({ status }: Job) => (status?.startTime ? Date.parse(status.startTime) : Number.POSITIVE_INFINITY)
  if (start(a) !== start(b)) return start(a) - start(b)
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1
}

/** `deleted` are the uids of Jobs that have just been deleted as beyond history. */
export function progressOf(cronJob: CronJob, jobs: readonly Job[], deleted: ReadonlySet<string>): Progress {
  const told: Told[] = []
  let active = (cronJob.status?.active ?? []).filter(({ uid = '' }) => !deleted.has(uid))
  let last = cronJob.status?.lastSuccessfulTime
  for (const job of jobs) {
    const { uid, name } = job.metadata
    const isKnown = active.some(reference => reference.uid === uid)
    const finish = finishOf(job)
    if (!finish) {
      if (!isKnown)
        told.push(warning('UnexpectedJob', `Saw a job that the controller did not create or forgot: ${name}`))
      continue
    }
    if (isKnown) {
      active = active.filter(reference => reference.uid !== uid)
      told.push(normal('SawCompletedJob', `Saw completed job: ${name}, condition: ${finish}`))
    }
    const completion = finish === 'Complete' ? job.status?.completionTime : undefined
    if (completion && (last === undefined || Date.parse(completion) > Date.parse(last))) last = completion
  }
  const there = new Set(jobs.map(({ metadata }) => metadata.uid))
  for (const { uid, name } of active)
    if (!there.has(uid)) told.push(normal('MissingJob', `Active job went missing: ${name}`))
  active = active.filter(({ uid }) => there.has(uid))
  return { active, told, ...(last === undefined ? {} : { lastSuccessfulTime: last }) }
}

/** What is to be done about a CronJob's schedule now. */
export interface CronPlan {
  told: Told[]
  /** The time for which a Job is to be created. */
  start?: number
  /** Jobs that give way to it. */
  replaced: readonly ObjectReference[]
  /** In how many milliseconds to look again. */
  againMs?: number
}

export function planCronJob(cronJob: CronJob, active: readonly ObjectReference[], now: number): CronPlan {
  const { spec, metadata, status } = cronJob
  const told: Told[] = []
  const nothing: CronPlan = { told, replaced: [] }
  if (metadata.deletionTimestamp !== undefined) return nothing
  const zoneProblem = problemOfZone(spec.timeZone)
  if (zoneProblem !== undefined) {
    told.push(warning('UnknownTimeZone', `invalid timeZone: ${JSON.stringify(spec.timeZone)}: ${zoneProblem}`))
    return nothing
  }
  if (spec.suspend === true) return nothing
  if (spec.schedule.includes('TZ')) told.push(warning('UnsupportedSchedule', unsupported(spec.schedule)))

  let schedule: CronSchedule
  let missed: Missed
  try {
    schedule = scheduleOf(cronJob)
    missed = missedTimes(cronJob, schedule, now, true)
  } catch (error) {
    if (error instanceof CronError) {
      const quoted = JSON.stringify(spec.schedule)
      told.push(warning('UnparseableSchedule', `unparseable schedule: ${quoted} : ${error.message}`))
    } else if (error instanceof EmptyScheduleError)
      told.push(warning('InvalidSchedule', `invalid schedule: ${spec.schedule} : ${error.message}`))
    else throw error
    return nothing
  }

  const again = (after = cronJob) => {
    const ms = untilNext(after, schedule, now)
    return ms === undefined ? {} : { againMs: ms }
  }
  const later: CronPlan = { ...nothing, ...again() }
  const { latest, count } = missed
  if (latest === undefined) return later
  if (count === 'many') {
    const advice = 'Set or decrease .spec.startingDeadlineSeconds or check clock skew'
    told.push(warning('TooManyMissedTimes', `too many missed start times. ${advice}`))
  }
  if (spec.startingDeadlineSeconds !== undefined && latest + spec.startingDeadlineSeconds * 1000 < now) {
    told.push(warning('MissSchedule', `Missed scheduled time to start a job: ${rfc1123(latest)}`))
    return later
  }
  const isStarted = active.some(({ name }) => name === nameOfJob(cronJob, latest))
  if (isStarted || (status?.lastScheduleTime && Date.parse(status.lastScheduleTime) === latest)) return later
  if (spec.concurrencyPolicy === 'Forbid' && active.length > 0) {
    const why = 'Not starting job because prior execution is running and concurrency policy is Forbid'
    told.push(normal('JobAlreadyActive', why))
    return later
  }
  const scheduled = { ...cronJob, status: { ...status, lastScheduleTime: new Date(latest).toISOString() } }
  return { told, start: latest, replaced: spec.concurrencyPolicy === 'Replace' ? active : [], ...again(scheduled) }
}

/** The zone of a schedule without one is UTC: that of most machines that run controllers. Throws CronError. */
export function scheduleOf({ spec: { schedule, timeZone } }: CronJob): CronSchedule {
  const hasOwnZone = schedule.includes('TZ') || timeZone === undefined
  const text = hasOwnZone ? schedule : `TZ=${timeZone} ${schedule}`
  const known = parsed.get(text)
  if (known) return known
  const read = parseCron(text)
  if (parsed.size >= MOST_PARSED) parsed.clear()
  parsed.set(text, read)
  return read
}

/** Schedules by their text: each is looked at several times for every Job. */
const parsed = new Map<string, CronSchedule>()
const MOST_PARSED = 1000

function problemOfZone(zone: string | undefined): string | undefined {
  try {
    loadTimeZone(zone ?? '')
    return undefined
  } catch (error) {
    if (error instanceof TimeZoneError) return error.message
    throw error
  }
}

/** Minutes since the epoch make it certain that a Job is created once for a time. */
export const nameOfJob = ({ metadata }: CronJob, time: number): string =>
  `${metadata.name}-${Math.floor(time / 60_000)}`

export function jobOf(cronJob: CronJob, time: number): Job {
  const { jobTemplate, timeZone } = cronJob.spec
  const { labels, annotations } = jobTemplate.metadata ?? {}
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...(cronJob.metadata.namespace !== undefined && { namespace: cronJob.metadata.namespace }),
      name: nameOfJob(cronJob, time),
      ...(labels && { labels: { ...labels } }),
      annotations: { ...annotations, [SCHEDULED_AT]: localTime(time, timeZone ?? '') },
      ownerReferences: [controllerReference(cronJob)],
    },
    ...(jobTemplate.spec && { spec: structuredClone(jobTemplate.spec) }),
  }
}

/** RFC 3339 in a zone. */
function localTime(time: number, zone: string): string {
  const offset = loadTimeZone(zone).offsetAt(Math.floor(time / 1000))
  const local = new Date(time + offset * 1000).toISOString().slice(0, 19)
  if (offset === 0) return `${local}Z`
  const minutes = Math.trunc(Math.abs(offset) / 60)
  const two = (value: number) => value.toString().padStart(2, '0')
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`
}

const rfc1123 = (time: number) => new Date(time).toUTCString().replace('GMT', '+0000')

const unsupported = (schedule: string) =>
  `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`
