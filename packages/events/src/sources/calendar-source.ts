import { asError } from '@tiphys/env'
import { parseDuration } from '@tiphys/expressions/duration'
import { eventId } from '../event-id.ts'
import type { Problem } from '../problem.ts'
import { type CalendarTimes, calendarSchedule } from './calendar-schedule.ts'
import { pause, publishUntilTaken, runSource } from './running-source.ts'
import { problemsOf, type Shape } from './shape.ts'
import type { SourceHost, SourceType } from './source.ts'

/** An entry of `spec.calendar` of an EventSource. */
export interface CalendarSpec extends CalendarTimes {
  metadata?: Readonly<Record<string, string>>
  persistence?: {
    catchup?: { enabled?: boolean; maxDuration?: string }
    configMap?: { name?: string; createIfNotExist?: boolean }
  }
  filter?: { expression?: string }
}

const SHAPE: Shape = {
  schedule: 'string',
  interval: 'string',
  timezone: 'string',
  exclusionDates: ['string'],
  metadata: { '*': 'string' },
  persistence: {
    catchup: { enabled: 'boolean', maxDuration: 'string' },
    configMap: { name: 'string', createIfNotExist: 'boolean' },
  },
  filter: { expression: 'string' },
}

/** Without catch-up a time that was missed by no more than this still counts, so that a restart loses nothing. */
const GRACE_MS = 60_000
/** The clock may be set while a long wait is under way. */
const LONGEST_WAIT_MS = 60_000
const LAST = 'last'

/** Times of a schedule. Never early; what was missed is published as `persistence.catchup` says. What was published is
 *  remembered beside the events, so that `persistence.configMap` is not needed. */
export const calendarSource: SourceType<CalendarSpec> = {
  type: 'calendar',
  check,
  start: (spec, host) =>
    runSource(
      host,
      ({ message }) => ({ reason: 'ScheduleFailed', message }),
      (stopped, counted) => run(spec, counted, stopped),
    ),
}

function check(spec: CalendarSpec): readonly Problem[] {
  const problems = problemsOf(spec, SHAPE)
  if (problems.some(({ severity }) => severity === 'error')) return problems
  const attempt = (path: string, call: () => unknown) => {
    try {
      call()
    } catch (thrown) {
      problems.push({ path, message: asError(thrown).message, severity: 'error' })
    }
  }
  attempt(spec.schedule ? 'schedule' : 'interval', () => calendarSchedule(spec))
  attempt('persistence.catchup.maxDuration', () => longestCatchUp(spec))
  return problems
}

/** The last time that was published, and of which schedule. */
interface Last {
  schedule: string
  time: number
}

async function run(spec: CalendarSpec, host: SourceHost, stopped: AbortSignal): Promise<void> {
  const schedule = calendarSchedule(spec)
  const name = JSON.stringify([spec.schedule ?? '', spec.interval ?? '', spec.timezone ?? ''])
  const { clock } = host.env
  let last = await begin(spec, name, host)
  host.report({ state: 'active' })
  while (!stopped.aborted) {
    const due = schedule.next(last)
    if (due === undefined) {
      host.report({ state: 'waiting', reason: 'NeverDue', message: 'The schedule has no time in the next five years' })
      return
    }
    const waitMs = due - clock.now()
    if (waitMs > 0) {
      await pause(host, Math.min(waitMs, LONGEST_WAIT_MS), stopped)
      continue
    }
    if (!(await publish(spec, due, host, stopped))) return
    await host.memory.set(LAST, JSON.stringify({ schedule: name, time: due } satisfies Last))
    last = due
  }
}

/** The time after which times count. */
async function begin(spec: CalendarSpec, name: string, host: SourceHost): Promise<number> {
  const now = host.env.clock.now()
  const text = await host.memory.get(LAST)
  const last = text === undefined ? undefined : (JSON.parse(text) as Last)
  // Times of a schedule that did not exist then were not missed.
  if (last?.schedule === name) return Math.max(last.time, now - longestCatchUp(spec))
  await host.memory.set(LAST, JSON.stringify({ schedule: name, time: now } satisfies Last))
  return now
}

function longestCatchUp({ persistence }: CalendarSpec): number {
  const { enabled = false, maxDuration = '' } = persistence?.catchup ?? {}
  if (!enabled) return GRACE_MS
  return maxDuration === '' ? Number.POSITIVE_INFINITY : Number(parseDuration(maxDuration) / 1_000_000n)
}

/** Whether it was published before the source was stopped. */
function publish(spec: CalendarSpec, due: number, host: SourceHost, stopped: AbortSignal): Promise<boolean> {
  const { env, eventSource, entry } = host
  const { metadata = {} } = spec
  const event = {
    id: eventId(eventSource.uid, entry, 'calendar', String(due)),
    time: new Date(env.clock.now()).toISOString(),
    data: JSON.stringify({ eventTime: goTime(due), ...(Object.keys(metadata).length > 0 && { metadata }) }),
  }
  return publishUntilTaken(host, event, stopped)
}

/** As Go prints a time in UTC. */
function goTime(time: number): string {
  const [day, clock = ''] = new Date(time).toISOString().split('T')
  return `${day} ${clock.replace(/\.?0*Z$/, '')} +0000 UTC`
}
