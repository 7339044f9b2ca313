import { describe, expect, test } from 'vitest'
import type { Action } from './action.ts'
import { ended, kinds, leaf, next, single, workflowOf } from './testing/planning.ts'

describe('locks', () => {
  const locked = workflowOf({
    entrypoint: 'main',
    templates: [
      {
        name: 'main',
        steps: [
          [
            { name: 'a', template: 'alone' },
            { name: 'b', template: 'alone' },
          ],
        ],
      },
      {
        ...leaf,
        name: 'alone',
        synchronization: { mutex: { name: 'm' }, semaphores: [{ configMapKeyRef: { name: 'limits', key: 'n' } }] },
      },
    ],
  })

  test('are asked for together, waited for, noted and given back', () => {
    const first = next(locked)
    const locks = [
      { kind: 'Semaphore', configMap: 'limits', key: 'n', namespace: 'team' },
      { kind: 'Mutex', name: 'm', namespace: 'team', database: false },
    ]
    const [a, b] = first.plan.actions as Extract<Action, { do: 'acquireLock' }>[]
    expect(first.plan.actions).toEqual([
      { do: 'acquireLock', holder: a?.holder, locks },
      { do: 'acquireLock', holder: b?.holder, locks },
    ])
    const held = a?.holder ?? ''
    const waiting = b?.holder ?? ''
    const observedLocks = {
      [held]: { held: true },
      [waiting]: { held: false, waitingFor: 'team/Mutex/m', holders: [`team/run/${held}`] },
    }
    const second = next(first.workflow, { observed: { locks: observedLocks } })
    expect(kinds(second.plan)).toEqual(['createPod', 'acquireLock'])
    expect(second.workflow.status?.nodes?.[waiting]).toMatchObject({
      phase: 'Pending',
      message: `Waiting for team/Mutex/m lock. Held by team/run/${held}`,
      synchronizationStatus: { waiting: 'team/Mutex/m' },
    })
    expect(second.workflow.status?.nodes?.[held]?.synchronizationStatus).toBeUndefined()
    expect(second.workflow.status?.synchronization).toEqual({
      semaphore: {
        holding: [{ semaphore: 'team/ConfigMap/limits/n', holders: [`team/run/${held}`] }],
        waiting: [{ semaphore: 'team/ConfigMap/limits/n', holders: [`team/run/${waiting}`] }],
      },
      mutex: {
        holding: [{ mutex: 'team/Mutex/m', holder: `team/run/${held}` }],
        waiting: [{ mutex: 'team/Mutex/m', holder: `team/run/${waiting}` }],
      },
    })
    const third = next(second.workflow, { observed: { locks: observedLocks, pods: { [held]: ended('p') } } })
    expect(third.plan.actions).toContainEqual({ do: 'releaseLock', holder: held })
    expect(third.workflow.status?.synchronization?.mutex?.holding).toBeUndefined()
  })

  test('of the Workflow and of its entrypoint have holders of their own', () => {
    const both = workflowOf({
      entrypoint: 'alone',
      synchronization: { mutexes: [{ name: 'whole' }] },
      templates: [{ ...leaf, name: 'alone', synchronization: { mutexes: [{ name: 'part' }] } }],
    })
    const first = next(both)
    expect(first.plan.actions).toMatchObject([{ do: 'acquireLock', holder: 'run' }])
    expect(first.workflow.status).toMatchObject({ phase: 'Pending', message: 'Waiting for team/Mutex/whole lock.' })
    const second = next(first.workflow, { observed: { locks: { run: { held: true } } } })
    expect(second.plan.actions).toMatchObject([{ do: 'acquireLock', holder: 'run/template' }])
    const third = next(second.workflow, {
      observed: { locks: { run: { held: true }, 'run/template': { held: true } } },
    })
    expect(kinds(third.plan)).toEqual(['createPod'])
    const last = next(third.workflow, {
      observed: { locks: { run: { held: true }, 'run/template': { held: true } }, pods: { run: ended('run') } },
    })
    expect(last.plan.actions).toEqual([
      { do: 'releaseLock', holder: 'run' },
      { do: 'releaseLock', holder: 'run/template' },
    ])
  })

  test.each(['Stop', 'Terminate'] as const)('of the Workflow are waited for no longer after %s', shutdown => {
    const { workflow } = next(workflowOf({ ...single.spec, synchronization: { mutexes: [{ name: 'whole' }] } }))
    const stopped = next(
      { ...workflow, spec: { ...workflow.spec, shutdown } },
      { observed: { locks: { run: { held: false } } } },
    )
    expect(stopped.workflow.status).toMatchObject({
      phase: 'Failed',
      message: `Stopped with strategy '${shutdown}'`,
    })
    expect(kinds(stopped.plan)).toEqual(['releaseLock'])
  })
})
