import { afterEach, expect, it } from 'vitest'
import { type ArchiveScene, openScene } from '../testing/scene.ts'

let scene: ArchiveScene
afterEach(() => scene.close())

it('counts every attempt of a run in the flow: no more can have failed than there were', async () => {
  scene = await openScene()
  const trigger = { namespace: 'default', name: 'memcached', part: 'reconcile' }
  const delivery = { kind: 'delivery', trace: 'e1', trigger, action: 'a1', events: ['e1'], attempt: 1 } as const
  const run = { namespace: 'default', name: 'reconcile-1', uid: 'r1' }
  const told = { kind: 'run', trace: 'e1', run, action: 'a1', template: 'WorkflowTemplate/reconcile' } as const
  await scene.record({ ...delivery, outcome: 'succeeded' })
  const begin = Date.UTC(2026, 0, 5, 8)
  for (const attempt of [0, 1, 2]) {
    const startedAt = begin + attempt * 60_000
    await scene.record(
      { ...told, phase: 'Running', startedAt },
      { ...told, phase: attempt === 2 ? 'Succeeded' : 'Failed', startedAt, finishedAt: startedAt + 1000 },
    )
  }
  const { edges } = await scene.archive.flow({ windowMs: Date.now() })
  const edge = edges.find(({ to }) => to.startsWith('template:'))
  expect(edge).toMatchObject({ count: 3, errors: 2 })
  expect(edge?.errorShare).toBeCloseTo(2 / 3)
})
