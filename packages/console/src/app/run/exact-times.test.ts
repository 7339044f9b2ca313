import type { RunDetail, StepDetail } from '@tiphys/archive'
import { describe, expect, it } from 'vitest'
import { withExactTimes } from './exact-times.ts'

const run = (step: Partial<StepDetail>, more: Partial<RunDetail> = {}) =>
  ({ history: [], steps: { total: 1, byPhase: {}, items: [step] }, ...more }) as unknown as RunDetail

describe('times', () => {
  it('of a status are as exact as its records', () => {
    const step = { at: 10_240, startedAt: 10_000, finishedAt: 11_000, changedAt: 11_730 }
    const history = [
      { at: 10_100, phase: 'Running' },
      { at: 11_900, phase: 'Succeeded' },
    ]
    const found = withExactTimes(run(step, { history, startedAt: 10_000, finishedAt: 11_000 }))
    expect(found.steps.items[0]).toMatchObject({ startedAt: 10_240, finishedAt: 11_730 })
    expect(found).toMatchObject({ startedAt: 10_100, finishedAt: 11_900 })
  })

  it('that a record contradicts, or that are exact already, stay', () => {
    const late = { at: 14_000, startedAt: 10_000, finishedAt: 11_250, changedAt: 11_730 }
    expect(withExactTimes(run(late)).steps.items[0]).toMatchObject({ startedAt: 10_000, finishedAt: 11_250 })
    expect(withExactTimes(run({ at: 14_000, changedAt: 14_000 })).steps.items[0]).not.toHaveProperty('startedAt')
  })
})
