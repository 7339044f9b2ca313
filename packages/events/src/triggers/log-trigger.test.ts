import { createLog, type LogLine, systemRandom, VirtualClock } from '@tiphys/env'
import { expect, it } from 'vitest'
import { createLogTrigger } from './log-trigger.ts'
import { triggerHost } from './trigger-scene.ts'

function scene() {
  const clock = new VirtualClock()
  const lines: LogLine[] = []
  const log = createLog({ now: () => clock.now(), write: line => lines.push(line) })
  const trigger = createLogTrigger()
  const run = (intervalSeconds: number, name = 'tell') =>
    trigger.execute({ intervalSeconds }, triggerHost({ trigger: name, env: { clock, random: systemRandom, log } }))
  return { clock, lines, run }
}

it('logs every event with its dependency, context and data', async () => {
  const { lines, run } = scene()
  await run(0)
  await run(0)
  expect(lines).toHaveLength(2)
  expect(lines[0]).toMatchObject({
    level: 'info',
    fields: { dependencyName: 'dep', eventContext: { id: 'event-id' }, data: '{"body":{"value":"seven","count":7}}' },
  })
})

it('is quiet for the interval after a line, each trigger for itself', async () => {
  const { clock, lines, run } = scene()
  await run(10)
  await run(10)
  await run(10, 'other')
  expect(lines).toHaveLength(2)
  await clock.advance(10_000)
  await run(10)
  expect(lines).toHaveLength(3)
})
