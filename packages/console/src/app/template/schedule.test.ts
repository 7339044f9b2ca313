import { expect, it } from 'vitest'
import { scheduleOf } from './schedule.ts'

const metadata = { namespace: 'default', name: 'nightly' }

it('a CronWorkflow says when it starts, when it last did, and that it is suspended', () => {
  const spec = { schedule: '0 3 * * *', timezone: 'Europe/Berlin', suspend: true }
  const status = { phase: 'Active', lastScheduledTime: '2026-11-18T02:00:00Z' }
  expect(scheduleOf({ kind: 'CronWorkflow', metadata, spec, status })).toEqual({
    times: ['0 3 * * * Europe/Berlin'],
    state: 'suspended',
    lastAt: Date.parse('2026-11-18T02:00:00Z'),
  })
})

it('says when it starts next, as a clock shows it in its own time zone', () => {
  const manifest = { kind: 'CronWorkflow', metadata, spec: { schedule: '0 3 * * *' } }
  const at = Date.parse('2026-11-19T02:00:00Z')
  const berlin = { ...manifest, spec: { ...manifest.spec, timezone: 'Europe/Berlin' } }
  expect(scheduleOf(berlin, at)?.next).toEqual({ at, wall: 'Thu 19 Nov, 03:00 Europe/Berlin' })
  expect(scheduleOf(manifest, at + 3_600_000)?.next?.wall).toBe('Thu 19 Nov, 03:00 UTC')
  expect(scheduleOf(manifest)?.next).toBeUndefined()
})

it('says why it does not start: it was stopped, or its last Workflow could not be made', () => {
  const conditions = [{ type: 'SubmissionError', status: 'True', message: 'quota exceeded' }]
  const manifest = { kind: 'CronWorkflow', metadata, spec: { schedules: ['* * * * *', '@daily'] } }
  expect(scheduleOf({ ...manifest, status: { phase: 'Stopped', conditions } })).toEqual({
    times: ['* * * * *', '@daily'],
    state: 'stopped',
    trouble: 'quota exceeded',
  })
})

it('a template has none', () => {
  expect(scheduleOf({ kind: 'WorkflowTemplate', metadata })).toBeUndefined()
})
