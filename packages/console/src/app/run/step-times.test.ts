import type { StepDetail } from '@tiphys/archive'
import { expect, it } from 'vitest'
import { sinceRetried, timesOf } from './step-times.ts'

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

it('a step that a retried run does again has not waited since the attempt before', () => {
  const history = [
    { at: 0, phase: 'Running' },
    { at: 100, phase: 'Failed' },
    { at: 90_000, phase: 'Running' },
    { at: 90_500, phase: 'Failed' },
  ]
  const kept = step({ startedAt: 20, finishedAt: 30 })
  const again = step({ startedAt: 90_100, changedAt: 90_400 })
  const waiting = step({ changedAt: 90_050 })
  expect(sinceRetried([kept, again, waiting], history)).toEqual([
    kept,
    { ...again, at: 90_000 },
    { ...waiting, at: 90_000 },
  ])
  // Reset by whoever asked for the retry, with a time in whole seconds.
  expect(sinceRetried([step({ startedAt: 89_900 })], history)[0]?.at).toBe(89_900)
  expect(sinceRetried([again], history.slice(0, 2))).toEqual([again])
})
