import { expect, it } from 'vitest'
import { stateOf } from './object-state.ts'

it('reads phase, conditions, what lags and what waits', () => {
  expect(
    stateOf({
      metadata: { generation: 4, deletionTimestamp: '2026-01-05T08:00:00Z', finalizers: ['example.com/keep'] },
      spec: { activeDeadlineSeconds: 60 },
      status: {
        phase: 'Running',
        observedGeneration: 3,
        startedAt: '2026-01-05T08:00:00Z',
        conditions: [
          { type: 'Ready', status: 'False', reason: 'Waiting', lastTransitionTime: '2026-01-05T08:00:01Z' },
          { type: 7 },
          'nonsense',
        ],
      },
    }),
  ).toEqual({
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'False', reason: 'Waiting', since: Date.parse('2026-01-05T08:00:01Z') }],
    notes: ['Its controller has seen generation 3 of 4.', 'It is being deleted, and waits for example.com/keep.'],
    wakesUp: { at: Date.parse('2026-01-05T08:01:00Z'), why: 'its deadline ends it' },
  })
})

it('makes nothing of a status that is none; what is over has no deadline, but a time to live', () => {
  for (const status of [undefined, null, 'text', [], { conditions: {} }, { phase: {} }])
    expect(stateOf({ status })).toEqual({ conditions: [], notes: [] })
  const over = { startedAt: '2026-01-05T08:00:00Z', finishedAt: '2026-01-05T08:00:02Z' }
  expect(stateOf({ spec: { activeDeadlineSeconds: 60 }, status: over })).not.toHaveProperty('wakesUp')
  expect(stateOf({ spec: { ttlStrategy: { secondsAfterCompletion: 8 } }, status: over })).toMatchObject({
    wakesUp: { at: Date.parse('2026-01-05T08:00:10Z'), why: 'it is deleted' },
  })
})
