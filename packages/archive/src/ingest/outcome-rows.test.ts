import { afterEach, expect, it } from 'vitest'
import { type ArchiveScene, openScene } from '../testing/scene.ts'

let scene: ArchiveScene
afterEach(() => scene.close())

it('an event that a sensor could not decide about has ended: it does not wait', async () => {
  scene = await openScene()
  const trigger = { namespace: 'default', name: 'web', part: 'greet' }
  const decision = { kind: 'decision', trace: 'e1', trigger, dependency: 'asked', events: ['e1'] } as const
  const delivery = { kind: 'delivery', trace: 'e2', trigger, action: 'a2', events: ['e2'], attempt: 1 } as const
  const waiting = async () => {
    const { nodes } = await scene.archive.flow({ windowMs: Date.now() })
    return nodes.find(({ column }) => column === 'sensor')?.backlog
  }
  await scene.record({ ...decision, verdict: 'failed', by: 'exprs', message: 'no such field' })
  expect(await waiting()).toBe(0)
  // Of a delivery another attempt is to come.
  await scene.record(
    { ...decision, trace: 'e2', events: ['e2'], verdict: 'passed' },
    { ...delivery, outcome: 'failed' },
  )
  expect(await waiting()).toBe(1)
  await scene.record({ ...delivery, attempt: 2, outcome: 'succeeded' })
  expect(await waiting()).toBe(0)
  await scene.record({ ...decision, verdict: 'waiting' })
  expect(await waiting()).toBe(1)
})
