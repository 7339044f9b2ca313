import { asError } from '@tiphys/env'
import { type CronSchedule, loadTimeZone, parseCron } from '@tiphys/expressions'
import type { KubeObject } from '@tiphys/kube'
import { ANNOTATION, LABEL } from '../pods/labels.ts'
import type { CronWorkflow, CronWorkflowStatus, Workflow } from '../spec/workflow.ts'
import { isStopMet, isWhenMet } from './cron-condition.ts'

export interface CronPlanInput {
  cron: CronWorkflow
  /** The Workflows that it has made. */
  runs: readonly Workflow[]
  now: number
  /** A time for which it was decided already, and no other way than by its run being there. */
  considered?: number
  /** When it was resumed, or got other schedules: what would have been due before was not missed. A resumed one makes up for
   *  what its startingDeadlineSeconds allow, as upstream does. */
  changed?: { at: number; what: 'resumed' | 'schedules' }
}

/** What comes next for a CronWorkflow. All of it may be done again. */
export interface CronPlan {
  /** Set when it differs from the stored one. */
  status?: CronWorkflowStatus
  /** A run that is due, for this time. Made before the status is stored. */
  start?: { name: string; time: number }
  /** Runs that give way to it. */
  terminate: readonly Workflow[]
  /** Runs that the history has no room for. */
  remove: readonly Workflow[]
  /** The time that has been decided about, whatever the decision was. */
  considered?: number
  /** The same, where it is that nothing runs: to be stored, or an engine that begins would decide anew. */
  skipped?: string
  /** When the next one is due. */
  wakeAt?: number
  /** It has stopped for good. */
  isStopped: boolean
}

/** The type of the condition that says why the cluster did not take a run. */
const REFUSAL = 'SubmissionError'
const DEFAULT_SUCCESSFUL = 3
const DEFAULT_FAILED = 1
/** Of a schedule that was not looked at for long, the last missed time counts; so many are looked through at most. */
const MOST_MISSED = 100_000

export function planCron({ cron, runs, now, considered, changed }: CronPlanInput): CronPlan {
  const { spec, status: before = {} } = cron
  const counted = countEnded(before, runs)
  const conditions: Record<string, unknown>[] = []
  // What the cluster did not take is told until it takes a run again.
  let refusals = (before.conditions ?? []).filter(({ type }) => type === REFUSAL)
  const plan: CronPlan = { terminate: [], remove: surplus(cron, runs), isStopped: before.phase === 'Stopped' }
  const active = runs.filter(isActive)
  let status: CronWorkflowStatus = {
    ...before,
    ...counted,
    active: active.map(referenceOf),
    phase: before.phase ?? 'Active',
  }
  try {
    if (plan.isStopped || isStopMet({ ...cron, status }, now)) {
      plan.isStopped = true
      status = { ...status, phase: 'Stopped' }
    } else {
      const schedules = schedulesOf(cron)
      const next = nextOf(schedules, now)
      if (next !== undefined && spec.suspend !== true) plan.wakeAt = next
      const due = spec.suspend === true ? undefined : dueTime(cron, schedules, now, changed)
      if (due !== undefined && due !== considered) {
        plan.considered = due
        const name = nameForTime(cron.metadata.name ?? '', due)
        // Made before a crash, or before its status could be stored.
        const isMade = runs.some(run => run.metadata.name === name)
        if (isMade || isAllowed(cron, status, active, now)) {
          if (!isMade) plan.start = { name, time: due }
          refusals = []
          if (spec.concurrencyPolicy === 'Replace') plan.terminate = active.filter(run => run.metadata.name !== name)
          status = { ...status, lastScheduledTime: timeText(due) }
        } else plan.skipped = timeText(due)
      }
    }
  } catch (thrown) {
    conditions.push({ type: 'SpecError', status: 'True', message: asError(thrown).message })
  }
  status = { ...status, conditions: [...conditions, ...refusals] }
  return isSame(status, before) ? plan : { ...plan, status }
}

/** What is stored when the cluster did not take the run that was due: nothing was started, and why. Undefined when that is stored
 *  already. */
export function refusedStatus(cron: CronWorkflow, plan: CronPlan, why: string): CronWorkflowStatus | undefined {
  const { lastScheduledTime: _, ...status } = plan.status ?? cron.status ?? {}
  const { lastScheduledTime } = cron.status ?? {}
  const others = (status.conditions ?? []).filter(({ type }) => type !== REFUSAL)
  const refused = {
    ...status,
    ...(lastScheduledTime !== undefined && { lastScheduledTime }),
    conditions: [...others, { type: REFUSAL, status: 'True', message: `Failed to submit Workflow: ${why}` }],
  }
  return isSame(refused, cron.status ?? {}) ? undefined : refused
}

/** What the run for a time is called. */
export const nameForTime = (cron: string, time: number): string => `${cron}-${time / 1000}`

/** When a CronWorkflow starts its next run; undefined of one that starts none, or whose schedules cannot be read. */
export function nextStart(cron: KubeObject, now: number): number | undefined {
  const { spec, status } = cron as CronWorkflow
  if (spec.suspend === true || status?.phase === 'Stopped') return undefined
  try {
    return nextOf(schedulesOf(cron as CronWorkflow), now)
  } catch {
    return undefined // A condition of it says what is wrong.
  }
}

function schedulesOf({ spec }: CronWorkflow): CronSchedule[] {
  const texts = [...(spec.schedules ?? []), ...(spec.schedule ? [spec.schedule] : [])]
  if (texts.length === 0) throw new Error('it has no schedules')
  const timeZone = loadTimeZone(spec.timezone ?? '')
  return texts.map(text => parseCron(text, { timeZone }))
}

const nextOf = (schedules: readonly CronSchedule[], after: number): number | undefined =>
  schedules.map(schedule => schedule.next(after)).reduce<number | undefined>(earlier, undefined)

const earlier = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b)

/** The last time that has passed without a run, if it is not too late for it. */
function dueTime(
  { metadata, spec, status }: CronWorkflow,
  schedules: readonly CronSchedule[],
  now: number,
  changed: CronPlanInput['changed'],
): number | undefined {
  const ran = Date.parse(status?.lastScheduledTime ?? metadata.creationTimestamp ?? '')
  if (Number.isNaN(ran)) return undefined
  const skipped = Date.parse(metadata.annotations?.[ANNOTATION.skippedTime] ?? '')
  const last = Number.isNaN(skipped) ? ran : Math.max(ran, skipped)
  const deadline = spec.startingDeadlineSeconds
  const isAnew = changed !== undefined && (changed.what === 'schedules' || deadline === undefined)
  const since = isAnew ? Math.max(last, changed.at) : last
  // Nothing before the deadline can be due.
  let at = deadline === undefined ? since : Math.max(since, now - deadline * 1000 - 1000)
  let due: number | undefined
  for (let looked = 0; looked < MOST_MISSED; looked++) {
    const next = nextOf(schedules, at)
    if (next === undefined || next > now) break
    due = next
    at = next
  }
  // A second for the time that passes until a timer is served.
  return due !== undefined && (deadline === undefined || now <= due + Math.max(1, deadline) * 1000) ? due : undefined
}

function isAllowed(cron: CronWorkflow, status: CronWorkflowStatus, active: readonly Workflow[], now: number): boolean {
  if (cron.spec.concurrencyPolicy === 'Forbid' && active.length > 0) return false
  return isWhenMet({ ...cron, status }, now)
}

/** Runs that were active when it was last looked at, and have ended since. */
function countEnded(before: CronWorkflowStatus, runs: readonly Workflow[]) {
  const byUid = new Map(runs.map(run => [run.metadata.uid, run]))
  let { succeeded = 0, failed = 0 } = before
  for (const { uid } of before.active ?? []) {
    const run = byUid.get(uid as string)
    if (!run || isActive(run)) continue
    if (run.status?.phase === 'Succeeded') succeeded++
    else failed++
  }
  return { succeeded, failed }
}

/** The oldest of those that have ended, beyond the limits. */
function surplus({ spec }: CronWorkflow, runs: readonly Workflow[]): Workflow[] {
  const ended = runs
    .filter(run => !isActive(run) && run.metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => String(b.status?.finishedAt).localeCompare(String(a.status?.finishedAt)))
  const beyond = (isIt: (run: Workflow) => boolean, limit: number) => ended.filter(isIt).slice(Math.max(0, limit))
  const hasSucceeded = ({ status }: Workflow) => status?.phase === 'Succeeded'
  return [
    ...beyond(hasSucceeded, spec.successfulJobsHistoryLimit ?? DEFAULT_SUCCESSFUL),
    ...beyond(run => !hasSucceeded(run), spec.failedJobsHistoryLimit ?? DEFAULT_FAILED),
  ]
}

const isActive = ({ metadata }: Workflow): boolean => metadata.labels?.[LABEL.completed] !== 'true'

const referenceOf = ({ apiVersion, kind, metadata: { name, namespace, uid } }: Workflow) => ({
  apiVersion,
  kind,
  name,
  namespace,
  uid,
})

export const timeText = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')

const isSame = (a: object, b: object): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, sorted(field)]),
  )
}
