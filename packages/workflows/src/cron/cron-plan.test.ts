import { describe, expect, test } from 'vitest'
import type { CronWorkflow, CronWorkflowSpec, CronWorkflowStatus, Workflow } from '../spec/workflow.ts'
import { type CronPlanInput, nextStart, planCron } from './cron-plan.ts'

const START = Date.parse('2026-03-02T10:00:30Z')
const HOUR = 3_600_000

const cronOf = (spec: Partial<CronWorkflowSpec>, status: CronWorkflowStatus = {}): CronWorkflow => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'CronWorkflow',
  metadata: { name: 'tick', namespace: 'default', creationTimestamp: new Date(START).toISOString() },
  spec: { workflowSpec: {}, schedules: ['0 * * * *'], ...spec },
  status,
})

function due(cron: CronWorkflow, now: number, more: Partial<CronPlanInput> = {}): string | undefined {
  const { start } = planCron({ cron, runs: [], now, ...more })
  return start && new Date(start.time).toISOString().slice(0, 16)
}

describe('a CronWorkflow', () => {
  test('is due at the first of its schedules, in either form', () => {
    expect(due(cronOf({ schedules: ['0 12 * * *', '0 11 * * *'] }), START + HOUR)).toBe('2026-03-02T11:00')
    const { schedules: _, ...spec } = cronOf({ schedule: '0 11 * * *' }).spec
    expect(due({ ...cronOf({}), spec }, START + HOUR)).toBe('2026-03-02T11:00')
    expect(planCron({ cron: cronOf({}), runs: [], now: START }).wakeAt).toBe(Date.parse('2026-03-02T11:00:00Z'))
  })

  test('counts in the time of its place', () => {
    const morning = cronOf({ schedules: ['30 7 * * *'], timezone: 'America/New_York' })
    expect(due(morning, Date.parse('2026-03-02T12:31:00Z'))).toBe('2026-03-02T12:30')
    // Summer time begins on the 8th.
    const later = { ...morning, status: { lastScheduledTime: '2026-03-07T12:30:00Z' } }
    expect(due(later, Date.parse('2026-03-08T11:31:00Z'))).toBe('2026-03-08T11:30')
  })

  test('makes up for a time that was missed, as long as it is not too late', () => {
    const status = { lastScheduledTime: '2026-03-02T10:00:00Z' }
    const now = Date.parse('2026-03-02T13:20:00Z')
    expect(due(cronOf({}, status), now), 'the last one alone').toBe('2026-03-02T13:00')
    expect(due(cronOf({ startingDeadlineSeconds: 1800 }, status), now)).toBe('2026-03-02T13:00')
    expect(due(cronOf({ startingDeadlineSeconds: 600 }, status), now)).toBeUndefined()
  })

  test('that is resumed, or gets other schedules, has missed nothing', () => {
    const status = { lastScheduledTime: '2026-03-02T10:00:00Z' }
    const now = Date.parse('2026-03-02T13:20:00Z')
    const resumed = { changed: { at: now - 1000, what: 'resumed' } } as const
    expect(due(cronOf({}, status), now, resumed)).toBeUndefined()
    expect(due(cronOf({ startingDeadlineSeconds: 1800 }, status), now, resumed)).toBe('2026-03-02T13:00')
    const edited = { changed: { at: now - 1000, what: 'schedules' } } as const
    expect(due(cronOf({ startingDeadlineSeconds: 1800 }, status), now, edited)).toBeUndefined()
    expect(due(cronOf({}, status), now + HOUR, edited), 'the next one').toBe('2026-03-02T14:00')
  })

  test('knows the run that was made before its time was stored, also where runs are not to overlap', () => {
    const made: Workflow = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Workflow',
      metadata: { name: `tick-${Date.parse('2026-03-02T11:00:00Z') / 1000}`, namespace: 'default' },
      spec: {},
    }
    for (const concurrencyPolicy of ['Allow', 'Forbid', 'Replace'] as const) {
      const plan = planCron({ cron: cronOf({ concurrencyPolicy }), runs: [made], now: START + HOUR })
      expect(plan).toMatchObject({ terminate: [], status: { lastScheduledTime: '2026-03-02T11:00:00Z' } })
      expect(plan.start).toBeUndefined()
    }
  })

  test('starts nothing while it is suspended', () => {
    const plan = planCron({ cron: cronOf({ suspend: true }), runs: [], now: START + 2 * HOUR })
    expect(plan.start).toBeUndefined()
    expect(plan.wakeAt).toBeUndefined()
  })

  test('asks its condition each time', () => {
    const rare = (text: string, status: CronWorkflowStatus = {}) => due(cronOf({ when: text }, status), START + HOUR)
    expect(rare('{{= cronworkflow.lastScheduledTime == nil }}')).toBe('2026-03-02T11:00')
    expect(rare('{{cronworkflow.failed}} < 2', { failed: 1 })).toBe('2026-03-02T11:00')
    expect(rare('{{cronworkflow.failed}} < 2', { failed: 2 })).toBeUndefined()
    expect(rare("{{= cronworkflow.name == 'tock' }}")).toBeUndefined()
    expect(planCron({ cron: cronOf({ when: '{{= nonsense( }}' }), runs: [], now: START + HOUR }).status).toMatchObject({
      conditions: [{ type: 'SpecError' }],
    })
  })

  test('stops for ever when its condition holds, in either form', () => {
    for (const stopStrategy of [{ expression: 'cronworkflow.failed >= 2' }, { condition: 'failed >= 2' }]) {
      const plan = planCron({ cron: cronOf({ stopStrategy }, { failed: 2 }), runs: [], now: START + HOUR })
      expect(plan).toMatchObject({ isStopped: true, status: { phase: 'Stopped' } })
      expect(plan.start).toBeUndefined()
    }
  })
})

test('tells when the next run is due, in its own time zone, and of one that starts none that there is none', () => {
  const schedules = ['30 3 * * *', '0 5 * * *']
  const next = (spec: Partial<CronWorkflowSpec>, status: CronWorkflowStatus = {}) =>
    nextStart(cronOf({ schedules, ...spec }, status), START)
  expect(next({})).toBe(Date.parse('2026-03-03T03:30:00Z'))
  expect(next({ timezone: 'America/New_York' })).toBe(Date.parse('2026-03-03T08:30:00Z'))
  expect(next({ suspend: true })).toBeUndefined()
  expect(next({}, { phase: 'Stopped' })).toBeUndefined()
  expect(next({ schedules: ['often'] })).toBeUndefined()
})
