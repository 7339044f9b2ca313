import type { NewRecord } from '@tiphys/journal/records'
import { afterEach, describe, expect, it } from 'vitest'
import type { RunItem } from '../archive.ts'
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

describe('the steps of a run', () => {
  const run = { namespace: 'default', name: 'reconcile-1', uid: 'r1' }
  const told = { kind: 'run', trace: 'r1', run } as const
  const step = (id: string, phase: string, type = 'Pod', replaces?: string[]): NewRecord => ({
    kind: 'step',
    trace: 'r1',
    run,
    step: id,
    name: id,
    type,
    phase,
    attempt: 1,
    ...(replaces && { replaces }),
  })
  const item = async (query = ''): Promise<RunItem | undefined> => (await scene.archive.runs({ query })).items[0]

  it('that failed and were tried again are no failures of a run that succeeded', async () => {
    scene = await openScene()
    await scene.record(
      { ...told, phase: 'Running' },
      step('fetch', 'Running', 'Retry'),
      step('fetch(0)', 'Failed'),
      step('fetch(1)', 'Running', 'Pod', ['fetch(0)']),
      // An engine that starts anew tells it again.
      step('fetch(0)', 'Failed'),
      step('fetch(1)', 'Succeeded', 'Pod', ['fetch(0)']),
      step('fetch', 'Succeeded', 'Retry'),
      { ...told, phase: 'Succeeded', progress: '1/2' },
    )
    expect((await item())?.steps).toEqual({ total: 2, byPhase: { Retried: 1, Succeeded: 1 } })
  })

  it('that a retried run does not do again are no failures of it', async () => {
    scene = await openScene()
    await scene.record(
      { ...told, phase: 'Running' },
      step('first', 'Succeeded'),
      step('fetch(0)', 'Failed'),
      step('fetch(1)', 'Failed', 'Pod', ['fetch(0)']),
      { ...told, phase: 'Failed', progress: '1/3' },
      { ...told, phase: 'Running', progress: '1/1' },
    )
    expect((await item())?.steps).toEqual({ total: 1, byPhase: { Succeeded: 1 } })
    await scene.record(step('fetch(0)', 'Running'), step('fetch(0)', 'Succeeded'))
    await scene.record({ ...told, phase: 'Succeeded', progress: '2/2' })
    expect((await item())?.steps).toEqual({ total: 2, byPhase: { Succeeded: 2 } })
  })

  it('are counted as its progress counts them: not what was never begun', async () => {
    scene = await openScene()
    await scene.record(
      { ...told, phase: 'Running' },
      step('all', 'Running', 'DAG'),
      step('a', 'Succeeded'),
      step('b', 'Omitted', 'Skipped'),
      { ...told, phase: 'Succeeded', progress: '1/1' },
    )
    expect((await item())?.steps).toEqual({ total: 1, byPhase: { Succeeded: 1 } })
  })

  it('that wait make a suspended run, until they go on', async () => {
    scene = await openScene()
    await scene.record({ ...told, phase: 'Running' }, step('approve', 'Running', 'Suspend'))
    expect(await item('status:suspended')).toMatchObject({ phase: 'Suspended', steps: { byPhase: { Suspended: 1 } } })
    expect((await scene.archive.counters()).runsByPhase).toEqual({ Suspended: 1 })
    // That it has come further somewhere else does not end that.
    await scene.record({ ...told, phase: 'Running', progress: '1/2' })
    expect((await item())?.phase).toBe('Suspended')
    await scene.record(step('approve', 'Succeeded', 'Suspend'))
    expect(await item('status:suspended')).toBeUndefined()
    expect((await item('status:running'))?.phase).toBe('Running')
    expect((await scene.archive.counters()).runsByPhase).toEqual({ Running: 1 })
  })

  it('go on while the run is suspended as a whole, which changes nothing of that', async () => {
    scene = await openScene()
    await scene.record({ ...told, phase: 'Running' }, step('a', 'Pending'))
    await scene.record({ ...told, phase: 'Running', isSuspended: true }, step('a', 'Running'))
    expect((await item('status:suspended'))?.run).toEqual(run)
    await scene.record({ ...told, phase: 'Running' })
    expect((await item())?.phase).toBe('Running')
    await scene.record(
      { ...told, phase: 'Running', isSuspended: true },
      { ...told, phase: 'Failed', isSuspended: true },
    )
    expect((await item())?.phase).toBe('Failed')
  })
})
