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
