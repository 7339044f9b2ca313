import { describe, expect, test } from 'vitest'
import type { Template, Workflow, WorkflowSpec, WorkflowTemplate } from '../spec/workflow.ts'
import type { Action, CreatePod } from './action.ts'
import type { Observed, ObservedPod } from './observed.ts'
import { type Plan, plan, type TemplateSource } from './plan.ts'
import { simulate } from './testing/simulation.ts'

const start = Date.parse('2026-03-29T12:00:00Z')
const nothing: TemplateSource = { get: () => undefined }
const leaf: Template = { name: 'leaf', container: { image: 'x', command: ['true'] } }

function workflowOf(spec: WorkflowSpec, metadata: Workflow['metadata'] = {}): Workflow {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'run', namespace: 'team', uid: 'u1', creationTimestamp: '2026-03-29T12:00:00Z', ...metadata },
    spec,
  }
}

interface Step {
  observed?: Observed
  now?: number
  templates?: TemplateSource
  hold?: string
}

/** Plans on from a plan: the status is stored as JSON in between. */
function next(
  workflow: Workflow,
  { observed = {}, now = start, templates = nothing, hold }: Step = {},
): { plan: Plan; workflow: Workflow } {
  const planned = plan({ workflow, templates, observed, now, ...(hold === undefined ? {} : { hold }) })
  const status = JSON.parse(JSON.stringify(planned.status)) as NonNullable<Workflow['status']>
  return { plan: planned, workflow: { ...workflow, status } }
}

const kinds = ({ actions }: Plan) => actions.map(action => action.do)
const pods = ({ actions }: Plan) => actions.filter((action): action is CreatePod => action.do === 'createPod')
const ended = (name: string, phase: ObservedPod['phase'] = 'Succeeded'): ObservedPod => ({
  name,
  phase,
  outcome: { exitCode: phase === 'Succeeded' ? 0 : 1 },
})

const single = workflowOf({ entrypoint: 'leaf', templates: [leaf] })

describe('a pod', () => {
  test('that ended by itself is not removed while it is read again after a restart', () => {
    const done = next(next(single).workflow, { observed: { pods: { run: ended('run') } } })
    expect(done.workflow.status?.phase).toBe('Succeeded')
    const after = (pod: ObservedPod) => next(done.workflow, { observed: { pods: { run: pod } } }).plan
    expect(kinds(after({ name: 'run', phase: 'Running', isBeingRead: true }))).toEqual([])
    expect(kinds(after({ name: 'run', phase: 'Running' }))).toEqual(['stopPod'])
  })

  test('is asked for until it is seen, and never again', () => {
    const first = next(single)
    expect(pods(first.plan).map(({ podName }) => podName)).toEqual(['run'])
    const again = next(first.workflow)
    expect(again.plan.changed).toBe(false)
    expect(again.plan.actions).toEqual(first.plan.actions)
    const seen = next(first.workflow, {
      observed: { pods: { run: { name: 'run', phase: 'Pending', message: 'ErrImageNeverPull: install it' } } },
    })
    expect(seen.plan.actions).toEqual([])
    expect(seen.workflow.status?.nodes?.run).toMatchObject({
      phase: 'Pending',
      message: 'ErrImageNeverPull: install it',
    })
    const lost = next(next(first.workflow, { observed: { pods: { run: { name: 'run', phase: 'Running' } } } }).workflow)
    expect(lost.plan.actions, 'a running pod that is not known after a restart').toEqual([])
  })

  test('has the least of all deadlines, the volumes, and what the spec says of all pods', () => {
    const spec: WorkflowSpec = {
      entrypoint: 'leaf',
      activeDeadlineSeconds: 100,
      arguments: { parameters: [{ name: 'zone', value: 'a' }] },
      volumes: [{ name: 'v', configMap: { name: 'config-{{workflow.parameters.zone}}' } }],
      nodeSelector: { zone: '{{workflow.parameters.zone}}' },
      podMetadata: { labels: { run: '{{workflow.name}}' } },
      templates: [{ ...leaf, activeDeadlineSeconds: '30', timeout: '20s', daemon: true }],
    }
    const [pod] = pods(next(workflowOf(spec)).plan)
    expect(pod).toMatchObject({
      deadline: 20,
      daemon: true,
      needsResult: false,
      volumes: [{ name: 'v', configMap: { name: 'config-a' } }],
      shared: { nodeSelector: { zone: 'a' }, podMetadata: { labels: { run: 'run' } } },
    })
  })

  test('keeps its log as a value only where somebody reads it', () => {
    const steps = workflowOf({
      entrypoint: 'main',
      templates: [
        leaf,
        {
          name: 'main',
          steps: [
            [
              { name: 'read', template: 'leaf' },
              { name: 'read-too', template: 'leaf' },
              { name: 'unread', template: 'leaf' },
            ],
            [
              {
                name: 'last',
                template: 'leaf',
                when: "{{steps.read.outputs.result}} == {{=steps['read-too'].outputs.result}}",
              },
            ],
          ],
        },
      ],
    })
    expect(pods(next(steps).plan).map(({ nodeName, needsResult }) => [nodeName, needsResult])).toEqual([
      ['run[0].read', true],
      ['run[0].read-too', true],
      ['run[0].unread', false],
    ])
  })

  test('that somebody deleted ends its node with an error', () => {
    const { workflow } = next(next(single).workflow, { observed: { pods: { run: { name: 'run', phase: 'Gone' } } } })
    expect(workflow.status).toMatchObject({ phase: 'Error', message: 'pod deleted' })
  })

  test('is ended when its node is over', () => {
    const running = next(next(single).workflow, {
      observed: { pods: { run: { name: 'run', phase: 'Running' } } },
    }).workflow
    const stopped = next(
      { ...running, spec: { ...running.spec, shutdown: 'Terminate' } },
      { observed: { pods: { run: { name: 'run', phase: 'Running' } } } },
    )
    expect(stopped.plan.actions).toEqual([
      { do: 'stopPod', nodeId: 'run', podName: 'run', why: "Stopped with strategy 'Terminate'", now: true },
    ])
  })
})

describe('a run', () => {
  test('waits while the engine has no room for it', () => {
    const held = next(single, { hold: 'the namespace runs 3 of 3' })
    expect(held.workflow.status).toMatchObject({ phase: 'Pending', message: 'the namespace runs 3 of 3' })
    expect(held.workflow.status?.startedAt).toBeUndefined()
    expect(held.plan.actions).toEqual([])
    const begun = next(held.workflow)
    expect(begun.workflow.status).toMatchObject({ phase: 'Running', startedAt: '2026-03-29T12:00:00Z' })
    expect(begun.workflow.status?.message).toBeUndefined()
    expect(next(begun.workflow, { hold: 'full' }).plan.changed, 'once it has begun').toBe(false)
  })

  test('labels its Workflow, and says when it is over', () => {
    const first = next(
      workflowOf({
        ...single.spec,
        workflowMetadata: { labels: { a: 'b' }, labelsFrom: { c: { expression: "workflow.name + '-x'" } } },
      }),
    )
    expect(first.plan.labels).toEqual({
      a: 'b',
      c: 'run-x',
      'workflows.argoproj.io/phase': 'Running',
      'workflows.argoproj.io/completed': 'false',
    })
    const last = next(first.workflow, { observed: { pods: { run: ended('run') } }, now: start + 5000 })
    expect(last.plan.labels).toMatchObject({
      'workflows.argoproj.io/phase': 'Succeeded',
      'workflows.argoproj.io/completed': 'true',
    })
    expect(last.workflow.status).toMatchObject({
      phase: 'Succeeded',
      finishedAt: '2026-03-29T12:00:05Z',
      progress: '1/1',
    })
    expect(last.workflow.status?.conditions).toContainEqual({ type: 'Completed', status: 'True' })
    expect(last.plan.transitions.map(({ node, from }) => [node.id, from, node.phase])).toEqual([
      ['run', 'Pending', 'Succeeded'],
    ])
    expect(next(last.workflow).plan).toMatchObject({ changed: false, actions: [] })
  })

  test('tells of a step that has ended what comes after it, when that is known', () => {
    const first = next(
      workflowOf({
        entrypoint: 'main',
        templates: [
          leaf,
          {
            name: 'main',
            steps: [
              [
                { name: 'fast', template: 'leaf' },
                { name: 'slow', template: 'leaf' },
              ],
              [{ name: 'last', template: 'leaf' }],
            ],
          },
        ],
      }),
    )
    const [fast, slow] = pods(first.plan)
    const children = ({ transitions }: Plan) =>
      transitions.map(({ node, from }) => [node.displayName, from, node.phase, node.children?.length ?? 0])
    const seen = { [fast?.nodeId ?? '']: ended(fast?.podName ?? '') }
    const second = next(first.workflow, { observed: { pods: seen } })
    expect(children(second.plan)).toEqual([['fast', 'Pending', 'Succeeded', 0]])
    const third = next(second.workflow, {
      observed: { pods: { ...seen, [slow?.nodeId ?? '']: ended(slow?.podName ?? '') } },
    })
    expect(children(third.plan)).toEqual([
      ['slow', 'Pending', 'Succeeded', 1],
      ['[0]', 'Running', 'Succeeded', 2],
      ['[1]', undefined, 'Running', 1],
      ['last', undefined, 'Pending', 0],
      ['fast', 'Succeeded', 'Succeeded', 1],
    ])
  })

  test('is planned for the time at which something is due', () => {
    const waiting = workflowOf({
      entrypoint: 'wait',
      activeDeadlineSeconds: 60,
      templates: [{ name: 'wait', suspend: { duration: '10' } }],
    })
    const first = next(waiting)
    expect(first.plan.wakeAt).toBe(start + 10_000)
    expect(next(first.workflow, { now: start + 9_999 }).plan.changed).toBe(false)
    expect(next(first.workflow, { now: start + 10_000 }).workflow.status?.phase).toBe('Succeeded')
    const unlimited = next(workflowOf({ entrypoint: 'wait', templates: [{ name: 'wait', suspend: {} }] }))
    expect(unlimited.plan.wakeAt).toBeUndefined()
  })

  test('goes on with the templates it began with', () => {
    const library = (command: string): WorkflowTemplate => ({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'WorkflowTemplate',
      metadata: { name: 'lib' },
      spec: {
        templates: [
          { name: 'two', steps: [[{ name: 'a', template: 'inner' }], [{ name: 'b', template: 'inner' }]] },
          { name: 'inner', container: { image: 'x', command: [command] } },
        ],
      },
    })
    const workflow = workflowOf({
      entrypoint: 'main',
      templates: [{ name: 'main', steps: [[{ name: 'call', templateRef: { name: 'lib', template: 'two' } }]] }],
    })
    const first = next(workflow, { templates: { get: () => library('old') } })
    expect(Object.keys(first.workflow.status?.storedTemplates ?? {})).toEqual([
      'namespaced/lib/two',
      'namespaced/lib/inner',
    ])
    const [pod] = pods(first.plan)
    const observed = { pods: { [pod?.nodeId ?? '']: ended(pod?.podName ?? '') } }
    for (const templates of [nothing, { get: () => library('new') }]) {
      expect(
        pods(next(first.workflow, { observed, templates }).plan).map(({ template }) => template.container?.command),
      ).toEqual([['old']])
    }
  })

  test('keeps the spec of its WorkflowTemplate, but for what people do with the Workflow', () => {
    const template: WorkflowTemplate = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'WorkflowTemplate',
      metadata: { name: 'lib' },
      spec: { ...single.spec, parallelism: 5 },
    }
    const first = next(workflowOf({ workflowTemplateRef: { name: 'lib' } }), { templates: { get: () => template } })
    expect(first.workflow.status?.storedWorkflowTemplateSpec).toMatchObject({ entrypoint: 'leaf', parallelism: 5 })
    expect(first.plan.labels).toMatchObject({ 'workflows.argoproj.io/workflow-template': 'lib' })
    const stopped = { ...first.workflow, spec: { ...first.workflow.spec, shutdown: 'Terminate' as const } }
    expect(next(stopped).workflow.status?.phase).toBe('Failed')
  })

  test('takes defaults where it says nothing', () => {
    const planned = plan({
      workflow: single,
      templates: nothing,
      observed: {},
      now: start,
      defaults: { parallelism: 1, nodeSelector: { a: 'b' } },
    })
    expect(pods(planned)[0]?.shared).toEqual({ nodeSelector: { a: 'b' } })
  })

  test('reads the ConfigMaps of its arguments first', () => {
    const workflow = workflowOf({
      ...single.spec,
      arguments: { parameters: [{ name: 'x', valueFrom: { configMapKeyRef: { name: 'settings', key: 'x' } } }] },
    })
    const first = next(workflow)
    expect(first.plan.actions).toEqual([{ do: 'readConfigMap', name: 'settings', namespace: 'team' }])
    expect(next(workflow, { observed: { configMaps: { settings: null } } }).workflow.status).toMatchObject({
      phase: 'Failed',
      message: 'failed to set global parameters: parameter x: ConfigMap team/settings does not exist',
    })
  })

  test('makes its volume claims before its first pod, and removes them after its success', () => {
    const claim = { metadata: { name: 'work' }, spec: { accessModes: ['ReadWriteOnce'] } } as never
    const workflow = workflowOf({ ...single.spec, volumeClaimTemplates: [claim] })
    const first = next(workflow)
    expect(kinds(first.plan)).toEqual(['createVolumeClaim'])
    const claims = { 'run-work': { exists: true } }
    const second = next(first.workflow, { observed: { volumeClaims: claims } })
    expect(pods(second.plan)[0]?.volumes).toEqual([{ name: 'work', persistentVolumeClaim: { claimName: 'run-work' } }])
    const third = next(second.workflow, { observed: { volumeClaims: claims, pods: { run: ended('run') } } })
    expect(third.plan.actions).toEqual([{ do: 'deleteVolumeClaim', name: 'run-work' }])
    const last = next(third.workflow, { observed: { volumeClaims: { 'run-work': { exists: false } } } })
    expect(last.workflow.status?.persistentVolumeClaims).toBeUndefined()
    expect(last.plan.actions).toEqual([])
  })
})

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
})

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

describe('podGC', () => {
  const two = (podGC: NonNullable<WorkflowSpec['podGC']>) =>
    workflowOf({
      entrypoint: 'main',
      podGC,
      templates: [
        leaf,
        {
          name: 'main',
          steps: [
            [
              { name: 'good', template: 'leaf' },
              { name: 'bad', template: 'leaf' },
            ],
          ],
        },
      ],
    })

  function collected(podGC: NonNullable<WorkflowSpec['podGC']>, now: number) {
    const first = next(two(podGC))
    const observed: Observed = {
      pods: Object.fromEntries(
        pods(first.plan).map(({ nodeId, nodeName, podName }) => [
          nodeId,
          { ...ended(podName, nodeName.endsWith('bad') ? 'Failed' : 'Succeeded'), labels: { name: nodeName.slice(7) } },
        ]),
      ),
    }
    const over = next(first.workflow, { observed })
    const later = next(over.workflow, { observed, now })
    const names = Object.fromEntries(pods(first.plan).map(({ nodeId, nodeName }) => [nodeId, nodeName.slice(7)]))
    const gone = later.plan.actions.flatMap(action => (action.do === 'deletePod' ? [names[action.nodeId]] : []))
    return { gone, wakeAt: over.plan.wakeAt }
  }

  test.each([
    ['OnPodCompletion', ['good', 'bad']],
    ['OnPodSuccess', ['good']],
    ['OnWorkflowCompletion', ['good', 'bad']],
    ['OnWorkflowSuccess', []],
  ] as const)('%s', (strategy, expected) => {
    expect(collected({ strategy }, start + 5000).gone).toEqual(expected)
    expect(collected({ strategy }, start + 4999).gone).toEqual([])
  })

  test('waits as long as it is told, and looks at labels', () => {
    const { gone, wakeAt } = collected(
      { strategy: 'OnPodCompletion', deleteDelayDuration: '1m', labelSelector: { matchLabels: { name: 'bad' } } },
      start + 60_000,
    )
    expect(gone).toEqual(['bad'])
    expect(wakeAt).toBe(start + 60_000)
  })
})

describe('daemons', () => {
  test('go on until the template that they are a step of is over', () => {
    const workflow = workflowOf({
      entrypoint: 'main',
      templates: [
        leaf,
        { ...leaf, name: 'server', daemon: true },
        { name: 'main', steps: [[{ name: 'server', template: 'server' }], [{ name: 'work', template: 'leaf' }]] },
      ],
    })
    const run = simulate(workflow, {
      endings: nodeName => ({ phase: nodeName.endsWith('server') ? 'Running' : 'Succeeded' }),
    })
    expect(run.status.phase).toBe('Succeeded')
    expect(run.world.stopped).toEqual(['run[0].server'])
    const crashed = simulate(workflow, {
      endings: nodeName => ({ phase: nodeName.endsWith('server') ? 'Failed' : 'Running' }),
    })
    expect(crashed.status.phase, 'a daemon that ends before its time').toBe('Running')
    expect(crashed.node('[0].server')?.phase).toBe('Failed')
  })
})

test('backoff grows, up to its cap', () => {
  const strategy = { limit: 4, backoff: { duration: '10s', factor: 3, cap: '1m' } }
  let workflow = workflowOf({ entrypoint: 'main', templates: [{ ...leaf, name: 'main', retryStrategy: strategy }] })
  const seen: Record<string, ObservedPod> = {}
  const waits: number[] = []
  let now = start
  for (let attempt = 0; attempt <= 4; attempt++) {
    const asked = next(workflow, { observed: { pods: seen }, now })
    const [pod] = pods(asked.plan)
    seen[pod?.nodeId ?? ''] = ended(pod?.podName ?? '', 'Failed')
    const failed = next(asked.workflow, { observed: { pods: seen }, now })
    workflow = failed.workflow
    if (failed.plan.wakeAt === undefined) break
    waits.push((failed.plan.wakeAt - now) / 1000)
    now = failed.plan.wakeAt
  }
  expect(waits).toEqual([10, 30, 60, 60])
  expect(workflow.status).toMatchObject({ phase: 'Failed', message: 'No more retries left' })
})

test('what a person supplied must be complete before a suspended step goes on', () => {
  const workflow = workflowOf({
    entrypoint: 'ask',
    templates: [
      { name: 'ask', suspend: {}, outputs: { parameters: [{ name: 'answer', valueFrom: { supplied: {} } }] } },
    ],
  })
  const first = next(workflow)
  const refused = next(first.workflow, { observed: { resumes: { run: { phase: 'Succeeded' } } } })
  expect(refused.workflow.status?.nodes?.run).toMatchObject({
    phase: 'Running',
    message: 'cannot be resumed: the output parameter answer was not supplied and has no default',
  })
  const given = next(refused.workflow, {
    observed: { resumes: { run: { phase: 'Succeeded', outputs: { answer: '42' } } } },
  })
  expect(given.workflow.status?.nodes?.run).toMatchObject({
    phase: 'Succeeded',
    outputs: { parameters: [{ name: 'answer', value: '42' }] },
  })
  const failed = next(first.workflow, {
    observed: { resumes: { run: { phase: 'Failed', message: 'refused by ann' } } },
  })
  expect(failed.workflow.status).toMatchObject({ phase: 'Failed', message: 'refused by ann' })
})
