import type { StepDetail } from '@tiphys/archive'
import { expect, it } from 'vitest'
import { timesOf } from './step-times.ts'

const step = (more: Partial<StepDetail>) => ({ phase: 'Running', at: 10, changedAt: 90, ...more }) as StepDetail

it('a step waits until it starts, and runs until it ends', () => {
  expect(timesOf(step({}), false)).toEqual({ waited: { from: 10, to: undefined } })
  expect(timesOf(step({ startedAt: 20 }), false)).toEqual({
    waited: { from: 10, to: 20 },
    ran: { from: 20, to: undefined },
  })
  expect(timesOf(step({ startedAt: 20, finishedAt: 50 }), true).ran).toEqual({ from: 20, to: 50 })
  // The run ended without telling of it.
  expect(timesOf(step({ startedAt: 20 }), true).ran).toEqual({ from: 20, to: 90 })
})

it('a step that was left out took no time, not even less than a millisecond', () => {
  for (const phase of ['Omitted', 'Skipped'])
    expect(timesOf(step({ phase, startedAt: 20, finishedAt: 20 }), true)).toEqual({})
})
