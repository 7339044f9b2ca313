import type { RunItem } from '@tiphys/archive'
import { describe, expect, it } from 'vitest'
import { attemptTitle, attemptWords, originOf, queueTime } from './origin.ts'

const run = (more: Partial<RunItem>): RunItem => ({
  run: { namespace: 'shop', name: 'a', uid: 'u1' },
  trace: '',
  phase: 'Running',
  attempt: 1,
  at: 1000,
  steps: { total: 0, byPhase: {} },
  ...more,
})

describe('why there is a run', () => {
  it('is an event, a schedule or a person', () => {
    expect(originOf(run({ trace: 'e1' }))).toEqual({ event: 'e1' })
    expect(originOf(run({}))).toEqual({ words: 'by hand' })
    expect(originOf(run({ trace: 'u1' }))).toEqual({ words: 'by hand' })
    const made = run({
      template: 'CronWorkflow/nightly',
      run: { namespace: 'shop', name: 'nightly-1795022400', uid: 'u1' },
    })
    expect(originOf({ ...made, scheduledAt: 1_795_022_400_000 })).toEqual({ words: 'by schedule' })
    expect(originOf(made)).toEqual({ words: 'by hand' })
  })
})

describe('a run that was begun again', () => {
  const repeats = { namespace: 'shop', name: 'first', uid: '' }

  it('says so, and how', () => {
    expect([attemptWords(run({})), attemptTitle(run({}))]).toEqual(['1', undefined])
    expect(attemptWords(run({ attempt: 2 }))).toBe('2 · retried')
    expect(attemptTitle(run({ attempt: 2 }))).toContain('Retried once')
    expect(attemptWords(run({ repeats }))).toBe('1 · resubmitted')
    expect(attemptTitle(run({ attempt: 3, repeats }))).toBe(
      'Retried 2 times: steps that had succeeded were kept. Resubmitted from shop/first.',
    )
  })

  it('has waited an unknown time', () => {
    expect(queueTime(run({ startedAt: 1200 }))).toEqual({ from: 1000, to: 1200 })
    expect(queueTime(run({ startedAt: 90_000, attempt: 2 }))).toBeUndefined()
    expect(queueTime(run({}))).toBeUndefined()
  })
})
