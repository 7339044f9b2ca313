import { describe, expect, test } from 'vitest'
import { ended, kinds, leaf, next, start, workflowOf } from './testing/planning.ts'

describe('the cache of memoize', () => {
  const cached = workflowOf({
    entrypoint: 'main',
    templates: [
      { ...leaf, name: 'main', memoize: { key: 'k', maxAge: '1h', cache: { configMap: { name: 'cache' } } } },
    ],
  })
  const entry = (age: number) => ({
    entry: { nodeID: 'other', outputs: { result: 'kept' }, creationTimestamp: new Date(start - age).toISOString() },
  })

  test('is read first; what it has is not done again', () => {
    const first = next(cached)
    expect(first.plan.actions).toEqual([{ do: 'readMemo', nodeId: 'run', configMap: 'cache', key: 'k' }])
    const hit = next(first.workflow, { observed: { memos: { run: entry(60_000) } } })
    expect(hit.plan.actions).toEqual([])
    expect(hit.workflow.status?.nodes?.run).toMatchObject({
      phase: 'Succeeded',
      outputs: { result: 'kept' },
      memoizationStatus: { hit: true, key: 'k', cacheName: 'cache' },
    })
  })

  test.each([
    ['has nothing', {}],
    ['is too old', entry(2 * 3600_000)],
  ])('is written when it %s', (_, memo) => {
    const first = next(cached)
    const missed = next(first.workflow, { observed: { memos: { run: memo } } })
    expect(kinds(missed.plan)).toEqual(['createPod'])
    const forgotten = next(missed.workflow, { observed: { memos: { run: entry(0) } } })
    expect(kinds(forgotten.plan), 'somebody else wrote meanwhile').toEqual(['createPod'])
    const done = next(missed.workflow, { observed: { memos: { run: memo }, pods: { run: ended('run') } } })
    expect(done.plan.actions).toEqual([
      { do: 'saveMemo', nodeId: 'run', configMap: 'cache', key: 'k', outputs: { exitCode: '0' } },
    ])
  })
})
