import { createLog, type LogLine, VirtualClock } from '@tiphys/env'
import { expect, test } from 'vitest'
import type { EventRecorder } from '../event-recorder.ts'
import { createEventBudget, limitEvents } from './limited-recorder.ts'

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'default', name: 'web' } }

function given(burst: number) {
  const clock = new VirtualClock()
  const logged: LogLine[] = []
  const log = createLog({ now: () => clock.now(), write: line => void logged.push(line) })
  const told: string[] = []
  const recorder: EventRecorder = {
    normal: (_pod, reason) => told.push(reason),
    warning: (_pod, reason) => told.push(reason),
    isIdle: () => true,
    settled: async () => {},
  }
  const budget = createEventBudget(clock, { perSecond: 1, burst })
  return { clock, logged, told, limited: limitEvents(recorder, budget, log) }
}

test('in a burst half of the budget is left to warnings', () => {
  const { told, limited } = given(4)
  for (let i = 0; i < 10; i++) limited.normal(pod, 'Started', '')
  limited.warning(pod, 'BackOff', '')
  expect(told).toEqual(['Started', 'Started', 'BackOff'])
})

test('warnings that are left out are told of in the log, once until there is room again', async () => {
  const { clock, logged, told, limited } = given(2)
  for (let i = 0; i < 5; i++) limited.warning(pod, `Failed${i}`, 'it broke')
  expect(told).toEqual(['Failed0', 'Failed1'])
  const first = { object: 'Pod default/web', reason: 'Failed2', message: 'it broke' }
  expect(logged.map(({ level, fields }) => [level, fields])).toEqual([['warn', { first }]])
  await clock.advance(1000)
  limited.warning(pod, 'Again', '')
  limited.warning(pod, 'TooMany', '')
  expect(told).toContain('Again')
  expect(logged).toHaveLength(2)
})
