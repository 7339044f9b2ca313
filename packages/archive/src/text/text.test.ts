import { afterEach, describe, expect, it } from 'vitest'
import { eventsToReplay, replaySelection } from '../replay.ts'
import { type ArchiveScene, openScene } from '../testing/scene.ts'
import { drawTrace } from './draw-trace.ts'
import { explain } from './explain.ts'

const source = { namespace: 'default', name: 'memcached', part: 'changes' }
const trigger = { namespace: 'default', name: 'memcached', part: 'reconcile' }
const object = {
  apiVersion: 'cache.example.com/v1',
  kind: 'Memcached',
  namespace: 'default',
  name: 'sample',
  uid: 'm1',
}
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'sample' }
const run = { namespace: 'default', name: 'reconcile-1', uid: 'r1' }
const body = (version: string) => ({ type: 'UPDATE', body: { metadata: { uid: 'd1', resourceVersion: version } } })

let scene: ArchiveScene
afterEach(() => scene.close())

async function tell(): Promise<void> {
  const step = {
    kind: 'step',
    trace: 'e1',
    run,
    step: 's1',
    name: 'reconcile-1.apply',
    displayName: 'apply',
    type: 'Pod',
    attempt: 1,
  } as const
  await scene.record(
    { kind: 'event', trace: 'e1', source, type: 'resource', object, body: { type: 'ADD', body: {} } },
    { kind: 'decision', trace: 'e1', trigger, dependency: 'changed', verdict: 'passed', events: ['e1'] },
    { kind: 'delivery', trace: 'e1', trigger, action: 'a1', events: ['e1'], outcome: 'started', attempt: 1 },
    {
      kind: 'delivery',
      trace: 'e1',
      trigger,
      action: 'a1',
      events: ['e1'],
      outcome: 'succeeded',
      attempt: 1,
      durationMs: 12,
    },
    { kind: 'run', trace: 'e1', run, phase: 'Running', action: 'a1', object, startedAt: Date.UTC(2026, 0, 5, 8) },
    { ...step, phase: 'Running' },
  )
  await scene.log(
    { kind: 'log', trace: 'e1', run, step: 's1', container: 'main' },
    'working\nError: \u001b[31mno\u001b[0m such host\n',
  )
  await scene.record(
    {
      kind: 'write',
      trace: 'e1',
      object: deployment,
      verb: 'apply',
      uid: 'd1',
      resourceVersion: '7',
      outcome: 'changed',
      run,
      step: 's1',
      as: 'system:serviceaccount:default:operator',
      diff: [{ path: 'spec.replicas', from: 1, to: 3 }],
    },
    { ...step, phase: 'Failed', message: 'Error (exit code 1)' },
    {
      kind: 'run',
      trace: 'e1',
      run,
      phase: 'Failed',
      message: 'child failed',
      finishedAt: Date.UTC(2026, 0, 5, 8, 0, 2),
    },
    {
      kind: 'event',
      trace: 'e2',
      source: { ...source, name: 'deployments' },
      type: 'resource',
      object: { ...deployment, uid: 'd1' },
      body: body('7'),
    },
    {
      kind: 'decision',
      trace: 'e2',
      trigger: { ...trigger, name: 'report' },
      dependency: 'changed',
      verdict: 'filtered',
      events: ['e2'],
      by: 'data',
      inputs: [{ path: 'body.spec.size', value: 1 }],
      filters: [
        { by: 'data', paths: ['body.spec.size'], says: '>= 3', passed: false },
        { by: 'time', says: '08:00:00 – 09:00:00 UTC', passed: true },
        { by: 'script', says: 'return\ntrue' },
      ],
    },
  )
}

describe('a drawn trace', () => {
  it('shows the chain from the event to every effect', async () => {
    scene = await openScene()
    await tell()
    const trace = await scene.archive.trace('e1', { depth: 1 })
    expect(
      drawTrace(trace as never),
    ).toBe(`✘ event e1  ADD Memcached default/sample  from memcached/changes  2026-01-05 08:00:01.000  failed
├─ ✔ decision memcached/reconcile  passed (changed)
├─ ✔ delivery memcached/reconcile  attempt 1 succeeded  12 ms
└─ ✘ run default/reconcile-1  Failed  2.0 s  child failed
   └─ ✘ apply  Failed  Error (exit code 1)
      ├─ ✎ apply Deployment default/sample  changed as system:serviceaccount:default:operator  spec.replicas 1 → 3
      │  └─ ◌ event e2  UPDATE Deployment default/sample  from deployments/changes  2026-01-05 08:00:11.000  filtered
      │     └─ ◌ decision report/reconcile  filtered (changed)  data
      │        ├─ ✘ body.spec.size >= 3  (body.spec.size = 1)
      │        ├─ ✔ between 08:00:00 – 09:00:00 UTC
      │        └─ · script: return·true  (no answer)
      ├─ | working
      └─ | Error: ·[31mno·[0m such host
`)
  })

  const filters = [
    { by: 'data', paths: ['body.size'], says: '>= 3', passed: true },
    { by: 'exprs', paths: ['body.size', 'body.kind'], says: 'a < b', passed: true },
  ] as const
  const inputs = [{ path: 'body.size', value: 4 }, { path: 'body.kind' }]
  const common = { kind: 'decision', trace: 'e1', trigger, events: ['e1'] } as const

  it('tells what filters said of what was let through only when it is asked', async () => {
    scene = await openScene()
    await scene.record(
      { kind: 'event', trace: 'e1', source, type: 'resource', object, body: {} },
      { ...common, dependency: 'changed', verdict: 'passed', filters, inputs },
    )
    const trace = (await scene.archive.trace('e1')) as never
    expect(drawTrace(trace).split('\n').slice(1)).toEqual(['└─ ✔ decision memcached/reconcile  passed (changed)', ''])
    expect(drawTrace(trace, { isWhy: true }).split('\n').slice(1)).toEqual([
      '└─ ✔ decision memcached/reconcile  passed (changed)',
      '   ├─ ✔ body.size >= 3  (body.size = 4)',
      '   └─ ✔ a < b  (body.size = 4, body.kind = nothing)',
      '',
    ])
  })

  it('says of an event that its own source turned away that it was, and why', async () => {
    scene = await openScene()
    await scene.record({
      ...common,
      trigger: { ...source, name: 'hook' },
      dependency: '',
      verdict: 'filtered',
      by: 'filter.expression',
      filters: [{ by: 'expression', says: 'body.n > 1', paths: ['body.n'], passed: false }],
      inputs: [{ path: 'body.n', value: 1 }],
    })
    expect((await scene.archive.flow()).nodes).toEqual([])
    expect(drawTrace((await scene.archive.trace('e1')) as never)).toBe(`event e1, which its source did not publish
└─ ◌ decision hook/changes  filtered  filter.expression
   └─ ✘ body.n > 1  (body.n = 1)
`)
  })

  it('says that no Sensor listens to an event, and what one would have to depend on', async () => {
    scene = await openScene()
    const event = { kind: 'event', source, type: 'webhook', body: {} } as const
    await scene.record({ ...event, trace: 'e1', isUnheard: true }, { ...event, trace: 'e2' })
    const linesOf = async (id: string) => drawTrace((await scene.archive.trace(id)) as never).split('\n')
    expect((await linesOf('e1'))[1]).toBe(
      '└─ no Sensor listened when it came. One with the dependency eventSourceName: memcached, eventName: changes gets what comes from then on, and this one by tiphys replay e1',
    )
    expect((await linesOf('e2'))[1]).toMatch(/^└─ no Sensor has looked at it yet: /)
  })

  it('says that an event came again, which changes nothing of what became of it', async () => {
    scene = await openScene()
    const message = 'it came again under its id, and was dropped'
    await scene.record(
      { kind: 'event', trace: 'e1', source, type: 'webhook', body: {} },
      { ...common, trigger: source, dependency: '', verdict: 'repeated', by: 'id', message },
    )
    const trace = await scene.archive.trace('e1')
    expect(trace).toMatchObject({ event: { verdict: 'pending' }, outcomes: [] })
    expect(drawTrace(trace as never).split('\n')[1]).toBe(`└─ ◌ decision memcached/changes  repeated  id: ${message}`)
    expect((await scene.archive.flow()).nodes.map(({ column }) => column)).not.toContain('sensor')
  })

  it('says how long the rate limit held an attempt back', async () => {
    scene = await openScene()
    await scene.record(
      { kind: 'event', trace: 'e1', source, type: 'resource', object, body: {} },
      {
        kind: 'delivery',
        trace: 'e1',
        trigger,
        action: 'a1',
        events: ['e1'],
        outcome: 'succeeded',
        attempt: 1,
        durationMs: 12,
        heldBackMs: 1500,
      },
    )
    expect(drawTrace((await scene.archive.trace('e1')) as never)).toContain(
      '✔ delivery memcached/reconcile  attempt 1 succeeded  12 ms, held back 1.5 s by the rate limit',
    )
  })

  it('says of a run that no event led to that somebody started it', async () => {
    scene = await openScene()
    await scene.record({ kind: 'run', trace: 'r1', run, phase: 'Succeeded' })
    expect(drawTrace((await scene.archive.trace('r1')) as never)).toBe(
      'no event: somebody started it\n└─ ✔ run default/reconcile-1  Succeeded\n',
    )
  })

  it('draws steps as their author wrote them', async () => {
    scene = await openScene()
    const node = (step: string, type: string, more: object = {}) =>
      ({
        kind: 'step',
        trace: 'e1',
        run,
        step,
        name: step,
        displayName: step,
        type,
        attempt: 1,
        phase: 'Succeeded',
        ...more,
      }) as const
    const startedAt = Date.UTC(2026, 0, 5, 8)
    await scene.record(
      { kind: 'event', trace: 'e1', source, type: 'resource', object, body: { type: 'ADD', body: {} } },
      { kind: 'run', trace: 'e1', run, phase: 'Succeeded', startedAt, finishedAt: startedAt + 340 },
      node('reconcile-1', 'Steps', { children: ['[0]'] }),
      node('[0]', 'StepGroup', { parent: 'reconcile-1', children: ['flaky'] }),
      node('flaky', 'Retry', { parent: 'reconcile-1', children: ['flaky(0)', 'flaky(1)'] }),
      node('flaky(0)', 'Pod', { parent: 'reconcile-1', phase: 'Failed', message: 'exit code 1' }),
      node('flaky(1)', 'Pod', { parent: 'reconcile-1', attempt: 2, startedAt, finishedAt: startedAt + 12 }),
      node('[1]', 'StepGroup', { parent: 'reconcile-1', children: ['graph'] }),
      node('graph', 'DAG', { parent: 'reconcile-1', children: ['each'] }),
      node('each', 'TaskGroup', { parent: 'graph', children: ['each(0:a)'] }),
      node('each(0:a)', 'Pod', { parent: 'graph', children: ['after'] }),
      node('after', 'Pod', { parent: 'graph' }),
    )
    // Those that consist of others are not counted.
    const steps = { total: 4, byPhase: { Failed: 1, Succeeded: 3 } }
    expect((await scene.archive.runs()).items).toMatchObject([{ steps }])
    const drawn = drawTrace((await scene.archive.trace('e1')) as never)
    expect(drawn.slice(drawn.indexOf('\n') + 1)).toBe(`└─ ✔ run default/reconcile-1  Succeeded  340 ms
   ├─ ✔ flaky  Succeeded
   │  ├─ ✘ flaky(0)  Failed  exit code 1
   │  └─ ✔ flaky(1)  Succeeded  12 ms
   └─ ✔ graph  Succeeded
      ├─ ✔ each  Succeeded
      │  └─ ✔ each(0:a)  Succeeded
      └─ ✔ after  Succeeded
`)
  })

  it('says how to go on where a pipeline that wakes itself goes further than is drawn', async () => {
    scene = await openScene()
    const about = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'counter', uid: 'u' }
    for (const number of [1, 2, 3, 4]) {
      const of = { trace: `e${number}`, trigger, action: `a${number}`, events: [`e${number}`], attempt: 1 } as const
      await scene.record(
        {
          kind: 'event',
          trace: `e${number}`,
          source,
          type: 'resource',
          object: about,
          resourceVersion: `${number}`,
        },
        { kind: 'delivery', ...of, outcome: 'succeeded' },
        {
          kind: 'write',
          trace: `e${number}`,
          action: `a${number}`,
          object: about,
          uid: 'u',
          resourceVersion: `${number + 1}`,
          verb: 'apply',
          outcome: 'changed',
        },
      )
    }
    const drawn = async (id: string) => drawTrace((await scene.archive.trace(id, { depth: 1 })) as never).split('\n')
    expect((await drawn('e1')).filter(line => line.includes('e3') || line.includes('e4'))).toEqual([
      expect.stringMatching(/✔ event e3 .* ran$/),
      '            └─ … tiphys trace e3 shows what came of it',
    ])
    expect((await drawn('e3')).join('\n')).not.toContain('tiphys trace')
    const { nodes, isCut } = await scene.archive.ancestors({ object: about })
    expect([nodes.length, isCut]).toEqual([9, false])
  })

  it('says what led to the event', async () => {
    scene = await openScene()
    await tell()
    const drawn = drawTrace((await scene.archive.trace('e2')) as never)
    expect(drawn.split('\n')[0]).toBe(
      'caused by ✎ apply Deployment default/sample  changed as system:serviceaccount:default:operator  spec.replicas 1 → 3 in run reconcile-1, event e1',
    )
  })
})

describe('an explanation', () => {
  const now = Date.UTC(2026, 0, 5, 8, 5)

  it('says what last happened to an object, why, and what comes next', async () => {
    scene = await openScene()
    await tell()
    const history = await scene.archive.object(deployment)
    const trace = await scene.archive.trace(history?.lastEvent?.id ?? '')
    expect(
      explain(history as never, now, trace && [trace]),
    ).toBe(`Deployment default/sample has been known for 4 min: 1 event about it, 1 write to it.
It was last changed 4 min ago by apply as system:serviceaccount:default:operator, setting spec.replicas from 1 to 3, in step apply of run reconcile-1, because of event e1 (ADD about Memcached default/sample).
The last event about it was e2 (UPDATE from deployments/changes), 4 min ago: report/reconcile turned it away (data: body.spec.size >= 3 is false, with body.spec.size = 1).
Next: nothing, until it changes.
`)
  })

  it('says what it waits for', async () => {
    scene = await openScene()
    const delivery = { kind: 'delivery', trace: 'e1', trigger, action: 'a1', events: ['e1'], attempt: 1 } as const
    await scene.record(
      { kind: 'event', trace: 'e1', source, type: 'resource', object },
      { kind: 'run', trace: 'e0', run, phase: 'Running', object, progress: '1/3' },
      {
        kind: 'health',
        trace: '',
        object,
        condition: 'Ready',
        status: 'False',
        reason: 'NoDeployment',
        message: 'there is none',
      },
      { ...delivery, outcome: 'parked', reason: 'Forbidden', message: 'cannot patch' },
    )
    const text = explain((await scene.archive.object(object)) as never, now)
    expect(text).toContain('It waits for run reconcile-1 (Running, 1/3 steps), which began 4 min ago.')
    expect(text).toContain('Its condition Ready is False since 4 min ago: NoDeployment, there is none.')
    expect(text).toContain('memcached/reconcile gave up and waits for a person (Forbidden: cannot patch)')
    expect(text).toContain(
      'Next: nothing happens until somebody retries or discards the delivery of memcached/reconcile',
    )
  })

  it('says what came of the last event of every source, not only of the one that spoke last', async () => {
    scene = await openScene()
    const decision = { kind: 'decision', dependency: 'd', verdict: 'filtered', by: 'data', trigger } as const
    const filters = [{ by: 'data', paths: ['body.n'], says: '> 1', passed: false }] as const
    const event = { kind: 'event', type: 'resource', object } as const
    const other = { ...source, name: 'audit' }
    await scene.record(
      { ...event, trace: 'e1', source },
      { ...event, trace: 'e2', source },
      { ...decision, trace: 'e2', events: ['e2'], filters, inputs: [{ path: 'body.n', value: 1 }] },
      { ...event, trace: 'e3', source: other, isUnheard: true },
    )
    const history = await scene.archive.object(object)
    expect(history).toMatchObject({ lastEvent: { id: 'e3' }, otherEvents: [{ id: 'e2' }] })
    const trace = await scene.archive.trace('e2')
    const lines = explain(history as never, now, trace && [trace]).split('\n')
    expect(lines[2]).toMatch(/^The last event about it was e3 .*: no Sensor listened when it came\. /)
    expect(lines[3]).toBe(
      'The last from memcached/changes was e2 (resource), 4 min ago: memcached/reconcile turned it away (data: body.n > 1 is false, with body.n = 1).',
    )
    expect(lines[4]).toBe('Next: nothing, until it changes.')
  })

  it('says of what no Sensor listens to that nothing comes of its changes', async () => {
    scene = await openScene()
    await scene.record({ kind: 'event', trace: 'e1', source, type: 'resource', object, isUnheard: true })
    expect(explain((await scene.archive.object(object)) as never, now)).toContain(
      'Next: nothing, also when it changes, until a Sensor listens.',
    )
  })

  it('says that its last run failed, and how to try it again', async () => {
    scene = await openScene()
    const ended = { kind: 'run', trace: 'e1', object, finishedAt: Date.UTC(2026, 0, 5, 8, 3) } as const
    await scene.record(
      { kind: 'event', trace: 'e1', source, type: 'resource', object },
      { ...ended, run, phase: 'Failed', message: 'apply: exit code 1' },
    )
    const text = explain((await scene.archive.object(object)) as never, now)
    expect(text).toContain('Its last run reconcile-1 ended 2 min ago as Failed: apply: exit code 1.')
    expect(text).toContain('Next: nothing, until it changes or somebody retries the run (tiphys retry reconcile-1).')
    await scene.record({ ...ended, run: { ...run, name: 'reconcile-2', uid: 'later' }, phase: 'Succeeded' })
    expect(explain((await scene.archive.object(object)) as never, now)).not.toContain('reconcile-1')
  })
})

describe('the events to replay', () => {
  it('are the chosen ones, oldest first, and never those that a replay makes', async () => {
    scene = await openScene()
    await tell()
    const ids: string[] = []
    for await (const { id } of eventsToReplay(scene.archive, {}, 'all')) {
      ids.push(id)
      await scene.record({ kind: 'event', trace: `replay-of-${id}`, source, type: 'resource', object, replayOf: id })
    }
    expect(ids).toEqual(['e1', 'e2'])
    expect((await scene.archive.trace('e1'))?.replays.map(({ id }) => id)).toEqual(['replay-of-e1'])
  })

  it('can be those that started no run, or those that failed', async () => {
    scene = await openScene()
    await tell()
    const all = async (mode: 'without-run' | 'failed') => {
      const ids: string[] = []
      for await (const { id } of eventsToReplay(scene.archive, {}, mode)) ids.push(id)
      return ids
    }
    expect(await all('without-run')).toEqual(['e2'])
    expect(await all('failed')).toEqual(['e1'])
    expect(replaySelection({ query: 'source:mem* "a b"' }, 'failed').query).toBe(
      'source:mem* "a b" status:failed,parked -replayof:*',
    )
    // Sent again a second time, they are as many as the first time, unless those are asked for.
    await scene.record({ kind: 'event', trace: 'again', source, type: 'resource', object, replayOf: 'e2' })
    expect(await all('without-run')).toEqual(['e2'])
    expect(replaySelection({ query: 'replayof:e2' }, 'all').query).toBe('replayof:e2')
  })
})
