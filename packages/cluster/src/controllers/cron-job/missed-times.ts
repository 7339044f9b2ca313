import type { CronSchedule } from '@tiphys/expressions/cron'
import type { CronJob } from '@tiphys/kube/kinds'

/** So many missed times and more are worth a warning. */
const MANY = 100
/** Clocks may differ by this much. */
const LEEWAY_MS = 100

/** How a CronJob stands to its schedule. Times are milliseconds since the epoch. */
export interface Missed {
  /** From when on times count: the last scheduled one, or the CronJob's creation, or what its deadline allows. */
  since: number
  /** The latest time up to now when a Job was due. */
  latest?: number
  /** About how many times there were. */
  count: 'none' | 'few' | 'many'
}

/** The schedule has no two times that follow each other: 31 February, for instance. */
export class EmptyScheduleError extends Error {
  constructor() {
    super('time difference between two schedules is less than 1 second')
    this.name = 'EmptyScheduleError'
  }
}

/** Throws EmptyScheduleError. `hasDeadline` says whether times beyond the starting deadline count. */
export function missedTimes(cronJob: CronJob, schedule: CronSchedule, now: number, hasDeadline: boolean): Missed {
  const { startingDeadlineSeconds } = cronJob.spec
  let since = Date.parse(cronJob.status?.lastScheduleTime ?? cronJob.metadata.creationTimestamp ?? '')
  if (hasDeadline && startingDeadlineSeconds !== undefined)
    since = Math.max(since, now - startingDeadlineSeconds * 1000)
  const first = schedule.next(since)
  if (first === undefined) throw new EmptyScheduleError()
  if (now < first) return { since, count: 'none' }
  const second = schedule.next(first)
  if (second === undefined) throw new EmptyScheduleError()
  if (now < second) return { since, latest: first, count: 'none' }

  // As many as fit if all lay as close together as the first two. From the last but one of those the schedule is followed:
  // it may be irregular.
  const interval = Math.round((second - first) / 1000)
  const count = Math.floor(Math.floor((now - first) / 1000) / interval) + 1
  let latest: number | undefined
  let next = schedule.next(first + (count - 2) * interval * 1000)
  while (next !== undefined && next <= now) {
    latest = next
    next = schedule.next(next)
  }
  return { since, ...(latest === undefined ? {} : { latest }), count: count > MANY ? 'many' : 'few' }
}

/** In how many milliseconds to look again; nothing when the schedule has no further time. */
export function untilNext(cronJob: CronJob, schedule: CronSchedule, now: number): number | undefined {
  const next = schedule.next(lastTime(cronJob, schedule, now))
  return next === undefined ? undefined : Math.max(0, next + LEEWAY_MS - now)
}

function lastTime(cronJob: CronJob, schedule: CronSchedule, now: number): number {
  try {
    const { latest, count, since } = missedTimes(cronJob, schedule, now, false)
    return latest ?? (count === 'none' ? since : now)
  } catch (error) {
    if (error instanceof EmptyScheduleError) return now
    throw error
  }
}
