import type { TemplateManifest } from './template.ts'

/** When a CronWorkflow starts, and whether it does. */
export interface Schedule {
  /** As they are written: `0 3 * * *`, with the zone where one is named. */
  times: readonly string[]
  state: 'active' | 'suspended' | 'stopped'
  lastAt?: number
  /** Why the last start did not come about, or what is wrong with the schedule. */
  trouble?: string
}

/** Undefined of what has no schedule. */
export function scheduleOf({ kind, spec, status }: TemplateManifest): Schedule | undefined {
  if (kind !== 'CronWorkflow') return undefined
  const { schedules = [], schedule, timezone, suspend } = spec ?? {}
  const written = schedules.length > 0 ? schedules : schedule === undefined ? [] : [schedule]
  const trouble = status?.conditions?.find(({ status: is }) => is === 'True')
  return {
    times: written.map(each => (timezone === undefined ? each : `${each} ${timezone}`)),
    state: suspend === true ? 'suspended' : status?.phase === 'Stopped' ? 'stopped' : 'active',
    ...(status?.lastScheduledTime && { lastAt: Date.parse(status.lastScheduledTime) }),
    ...(trouble && { trouble: trouble.message ?? trouble.type }),
  }
}
