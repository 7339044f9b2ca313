import { describe, expect, it } from 'vitest'
import { healthCondition, mergeConditions, problemCondition } from './condition.ts'

describe('conditions', () => {
  it('say what does not work, part by part', () => {
    expect(healthCondition([])).toMatchObject({ status: 'True', reason: 'Working' })
    const troubles = [
      { part: 'a', reason: 'Forbidden', message: 'may not' },
      { part: '', reason: 'BusFull', message: 'is full' },
    ]
    expect(healthCondition(troubles)).toEqual({
      type: 'Healthy',
      status: 'False',
      reason: 'Forbidden',
      message: 'a: may not; is full',
    })
  })

  it('do not become endless', () => {
    const problems = Array.from({ length: 8 }, (_, i) => ({ path: `p${i}`, message: 'no' }))
    const { message } = problemCondition('FieldsKnown', problems, { good: 'AllKnown', bad: 'UnknownFields' })
    expect(message).toBe('p0: no; p1: no; p2: no; p3: no; p4: no; and 3 more')
  })

  it('keep the time of their last transition, and those of others', () => {
    const before = [
      { type: 'Theirs', status: 'True' as const },
      { type: 'Same', status: 'True' as const, lastTransitionTime: 'then' },
      { type: 'Turned', status: 'True' as const, lastTransitionTime: 'then' },
    ]
    const wanted = [
      { type: 'Same', status: 'True' as const, reason: 'r', message: 'm' },
      { type: 'Turned', status: 'False' as const, reason: 'r', message: 'm' },
    ]
    expect(mergeConditions(before, wanted, 'now')).toMatchObject([
      { type: 'Theirs' },
      { type: 'Same', reason: 'r', lastTransitionTime: 'then' },
      { type: 'Turned', lastTransitionTime: 'now' },
    ])
  })
})
