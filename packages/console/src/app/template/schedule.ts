import type { TemplateManifest } from './template.ts'

/** When a CronWorkflow starts, and whether it does. */
export interface Schedule {
  /** As they are written: `0 3 * * *`, with the zone where one is named. */
  times: readonly string[]
  state: 'active' | 'suspended' | 'stopped'
  lastAt?: number
  /** When the next run starts; undefined when none does, or nobody could tell. */
  next?: { at: number; wall: string }
  /** Why the last start did not come about, or what is wrong with the schedule. */
  trouble?: string
}

/** Undefined of what has no schedule. */
export function scheduleOf({ kind, spec, status }: TemplateManifest, nextAt?: number): Schedule | undefined {
  if (kind !== 'CronWorkflow') return undefined
  const { schedules = [], schedule, timezone, suspend } = spec ?? {}
  const written = schedules.length > 0 ? schedules : schedule === undefined ? [] : [schedule]
  const trouble = status?.conditions?.find(({ status: is }) => is === 'True')
  return {
    times: written.map(each => (timezone === undefined ? each : `${each} ${timezone}`)),
    state: suspend === true ? 'suspended' : status?.phase === 'Stopped' ? 'stopped' : 'active',
    ...(status?.lastScheduledTime && { lastAt: Date.parse(status.lastScheduledTime) }),
    ...(nextAt !== undefined && { next: { at: nextAt, wall: wallTime(nextAt, timezone) } }),
    ...(trouble && { trouble: trouble.message ?? trouble.type }),
  }
}

/** As a clock shows it where the schedule is meant: `Thu 19 Nov, 03:00 Europe/Berlin`. Schedules without a zone are in UTC. */
function wallTime(at: number, timezone: string | undefined): string {
  const zone = timezone === undefined || timezone === '' ? 'UTC' : timezone
  const words = new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: zone,
  })
  return `${words.format(at)} ${zone}`
}
