import { describe, expect, it } from 'vitest'
import { failedStep, type StepOutcome } from './failed-step.ts'

/** What a step that makes attempts has, beside its place. */
const attempts = (...children: string[]) => ({ children })

const step = (
  id: string,
  type: string,
  phase: string,
  at: number,
  parent?: string,
  more: Partial<StepOutcome> = {},
): StepOutcome => ({ id, type, phase, begun: at, ended: at + 1, parent, ...more })

const culpritOf = (steps: readonly StepOutcome[]) => failedStep(steps, is => is)

describe('the step that a failure is due to', () => {
  it('is the first that failed, below those that failed because of it', () => {
    const steps = [
      step('all', 'DAG', 'Failed', 0),
      step('b', 'Pod', 'Failed', 5, 'all'),
      step('a', 'Pod', 'Failed', 2, 'all'),
    ]
    expect(culpritOf(steps)?.id).toBe('a')
  })

  it('is the last attempt of those that were made', () => {
    const steps = [
      step('all', 'Steps', 'Failed', 0),
      step('retry', 'Retry', 'Failed', 0, 'all', attempts('try-0', 'try-1', 'try-2')),
      step('try-0', 'Pod', 'Failed', 1, 'all'),
      step('try-1', 'Pod', 'Failed', 3, 'all'),
      step('try-2', 'Pod', 'Failed', 5, 'all'),
    ]
    expect(culpritOf(steps)?.id).toBe('try-2')
  })

  it('is in the last attempt when an attempt has steps of its own', () => {
    const steps = [
      step('retry', 'Retry', 'Failed', 0, undefined, attempts('try-0', 'try-1')),
      step('try-0', 'Steps', 'Failed', 1),
      step('pod-0', 'Pod', 'Failed', 2, 'try-0'),
      step('try-1', 'Steps', 'Failed', 5),
      step('pod-1', 'Pod', 'Failed', 6, 'try-1'),
    ]
    expect(culpritOf(steps)?.id).toBe('pod-1')
  })

  it('is no attempt after which another succeeded', () => {
    const retried = [
      step('retry', 'Retry', 'Succeeded', 0, 'all', attempts('try-0', 'try-1')),
      step('try-0', 'Pod', 'Failed', 1, 'all'),
      step('try-1', 'Pod', 'Succeeded', 3, 'all'),
    ]
    expect(culpritOf(retried)).toBeUndefined()
    expect(culpritOf([...retried, step('later', 'Pod', 'Failed', 9)])?.id).toBe('later')
  })

  it('is the failed attempt when a retry was stopped before the next one ended', () => {
    const steps = [
      step('retry', 'Retry', 'Failed', 0, 'all', attempts('try-0', 'try-1')),
      step('try-0', 'Pod', 'Failed', 1, 'all'),
      step('try-1', 'Pod', 'Running', 3, 'all'),
    ]
    expect(culpritOf(steps)?.id).toBe('try-0')
  })

  it('ends where records make a ring', () => {
    const steps = [step('a', 'Retry', 'Failed', 0, 'b'), step('b', 'Retry', 'Failed', 1, 'a')]
    expect(() => culpritOf(steps)).not.toThrow()
  })
})
