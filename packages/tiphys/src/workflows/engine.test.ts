import { gunzipSync } from 'node:zlib'
import { ApiError, type Client, isNotFound, kindRef } from '@tiphys/kube'
import type { ConfigMap } from '@tiphys/kube/kinds'
import { createWorkflowControl, type WorkflowControl } from '@tiphys/workflows'
import { afterEach, describe, expect, it } from 'vitest'
import { pretend, single, workflow } from './manifests.ts'
import { Mortality, mortalClient } from './mortal-client.ts'
import { nodeNamed, type RunObject, WORKFLOW, WorkflowsScene, type WorkflowsSceneOptions } from './scene.ts'

const POD = kindRef('v1', 'Pod')

let scene: WorkflowsScene
let control: WorkflowControl
afterEach(() => scene?.close())

async function open(options: WorkflowsSceneOptions = {}): Promise<void> {
  scene = await WorkflowsScene.create(options)
  control = createWorkflowControl({ env: scene.env })
}

const ref = (name: string) => ({ namespace: 'default', name })
const nodeOf = (status: RunObject['status']) => Object.values(status?.nodes ?? {})[0]
const isRunning = ({ status }: RunObject) => status?.phase === 'Running'

describe('a run', () => {
  it('goes from step to step in pods, and its status is laid out as upstream does it', async () => {
    await open()
    await scene.create(`
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: hello }
spec:
  entrypoint: main
  templates:
    - name: main
      steps:
        - - { name: first, template: say, arguments: { parameters: [{ name: text, value: one }] } }
        - - { name: second, template: say, arguments: { parameters: [{ name: text, value: two }] } }
          - { name: third, template: say, arguments: { parameters: [{ name: text, value: three }] } }
    - name: say
      inputs: { parameters: [{ name: text }] }
      container: { image: alpine, command: [echo, "{{inputs.parameters.text}}"] }
`)
    const run = await scene.untilOver('hello')
    expect(run.status).toMatchObject({ phase: 'Succeeded', progress: '3/3' })
    expect(run.metadata.labels).toMatchObject({
      'workflows.argoproj.io/completed': 'true',
      'workflows.argoproj.io/phase': 'Succeeded',
    })
    expect(nodeNamed(run, 'first')).toMatchObject({ name: 'hello[0].first', type: 'Pod', outputs: { exitCode: '0' } })
    await scene.settled()
    const pods = await scene.podsOf('hello')
    expect(pods.map(({ metadata }) => metadata.finalizers ?? [])).toEqual([[], [], []])
    expect(pods.map(({ metadata }) => metadata.labels?.['workflows.argoproj.io/completed'])).toEqual([
      'true',
      'true',
      'true',
    ])
    expect(pods.map(({ spec }) => spec?.containers[0]?.command?.join(' ') ?? '').toSorted()).toEqual([
      'echo one',
      'echo three',
      'echo two',
    ])
    const runs = scene.records.flatMap(record => (record.kind === 'run' ? [record.phase] : []))
    expect(new Set(runs)).toEqual(new Set(['Running', 'Succeeded']))
    const steps = scene.records.flatMap(record =>
      record.kind === 'step' && record.name === 'hello[0].first' ? [record.phase] : [],
    )
    expect(steps.at(0)).toBe('Pending')
    expect(steps.at(-1)).toBe('Succeeded')
  })

  it('is recorded with the step that it failed because of, unless it was told to end', async () => {
    await open()
    await scene.create(`
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: failing }
spec:
  entrypoint: main
  templates:
    - { name: main, steps: [[{ name: inner, template: inner }]] }
    - { name: inner, dag: { tasks: [{ name: well, template: well }, { name: badly, template: badly, depends: well }] } }
    - { name: well, container: { image: alpine, command: ['true'] } }
    - name: badly
      metadata: { annotations: { tiphys.dev/simulate: '{"exitCode": 3}' } }
      container: { image: alpine, command: ['false'] }
---
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: stopped }
spec:
  entrypoint: main
  shutdown: Terminate
  templates:
    - { name: main, steps: [[{ name: inner, template: inner }]] }
    - { name: inner, container: { image: alpine, command: ['true'] } }
`)
    for (const name of ['failing', 'stopped']) await scene.untilOver(name)
    await scene.settled()
    const causes = scene.records.flatMap(record =>
      record.kind === 'run' && record.phase === 'Failed' ? [[record.run.name, record.cause]] : [],
    )
    expect(Object.fromEntries(causes)).toEqual({
      failing: { step: 'badly', message: 'main: Error (exit code 3)' },
      stopped: undefined,
    })
  })

  it('is refused when a field is spelled wrong, and the field is named', async () => {
    await open()
    const typo = scene.create(
      '{apiVersion: argoproj.io/v1alpha1, kind: Workflow, metadata: {name: typo}, spec: {entrypoint: a, templates: [{name: a, contaner: {image: x}}]}}',
    )
    await expect(typo).rejects.toThrow('unknown field "spec.templates[0].contaner"')
  })

  it('whose pod somebody deletes says so, and nothing holds the pod', async () => {
    await open()
    await scene.client.create(workflow('robbed', single({ runFor: '1h', stopAfter: 'never' })))
    await scene.until('robbed', isRunning)
    await scene.until('robbed', run => nodeNamed(run, 'robbed').phase === 'Running')
    const [pod] = await scene.podsOf('robbed')
    await scene.client.delete(
      { ...POD, namespace: 'default', name: pod?.metadata.name ?? '' },
      { gracePeriodSeconds: 1 },
    )
    const run = await scene.untilOver('robbed')
    expect(nodeNamed(run, 'robbed')).toMatchObject({
      phase: 'Error',
      message: expect.stringContaining('deleted') as string,
    })
    await scene.settled()
    expect(await scene.podsOf('robbed')).toEqual([])
  })

  it('whose pod cannot start says why while it waits, also in the history', async () => {
    await open()
    await scene.client.create(workflow('homeless', single({}, { nodeSelector: { disk: 'golden' } })))
    const told = () =>
      scene.records.flatMap(record => (record.kind === 'step' && record.message !== undefined ? [record.message] : []))
    await expect.poll(told).toContainEqual(expect.stringMatching(/^Unschedulable: .*node/))
  })

  it('whose pod is deleted before it got a node makes it anew', async () => {
    await open()
    await scene.client.create(workflow('robbed', single({}, { nodeSelector: { disk: 'golden' } })))
    await scene.until('robbed', run => nodeOf(run.status)?.message?.startsWith('Unschedulable') === true)
    const uids = async () => (await scene.podsOf('robbed')).map(({ metadata }) => metadata.uid)
    const [first] = await uids()
    await scene.client.delete({ ...POD, namespace: 'default', name: 'robbed' })
    await expect.poll(uids).toEqual([expect.not.stringMatching(first ?? '')])
    const node = { ...kindRef('v1', 'Node'), name: 'node-1' }
    await scene.client.patch(node, { type: 'merge', patch: { metadata: { labels: { disk: 'golden' } } } })
    const run = await scene.untilOver('robbed')
    expect(nodeNamed(run, 'robbed')).toMatchObject({ phase: 'Succeeded' })
    expect(await uids()).toHaveLength(1)
  })

  it('that is deleted takes its pods with it', async () => {
    await open()
    await scene.client.create(workflow('dropped', single({ runFor: '1h' })))
    await scene.until('dropped', run => run.status?.nodes?.dropped?.phase === 'Running')
    await scene.client.delete({ ...WORKFLOW, ...ref('dropped') }, { propagationPolicy: 'Foreground' })
    await expect.poll(() => scene.podsOf('dropped'), { timeout: 20_000 }).toEqual([])
    await expect.poll(() => scene.get('dropped').catch(isNotFound), { timeout: 20_000 }).toBe(true)
  })

  it('with a template that nobody has, or a pod that cannot be made, fails in words', async () => {
    await open()
    await scene.client.create(workflow('lost', { entrypoint: 'nowhere', templates: [pretend('main')] }))
    expect((await scene.untilOver('lost')).status).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('nowhere') as string,
    })
    await scene.client.create(
      workflow(
        'unmade',
        single(
          {},
          { container: { image: 'secret-image' }, outputs: { parameters: [{ name: 'x', valueFrom: { path: '/x' } }] } },
        ),
      ),
    )
    const unmade = await scene.untilOver('unmade')
    expect(nodeNamed(unmade, 'unmade').message).toContain('The container main of the image secret-image has no command')
    await scene.client.create(
      workflow(
        'invalid',
        single({}, { container: { image: 'x', command: ['true'], volumeMounts: [{ name: 'no', mountPath: '/x' }] } }),
      ),
    )
    expect(nodeNamed(await scene.untilOver('invalid'), 'invalid').message).toContain('The volume no is mounted')
  })

  it('with much to remember stores its nodes compressed, as upstream does', async () => {
    await open()
    const log = 'x'.repeat(200_000)
    const steps = ['a', 'b', 'c', 'd'].map(name => [{ name, template: 'say' }])
    const used = [
      {
        name: 'use',
        template: 'use',
        arguments: {
          parameters: ['a', 'b', 'c', 'd'].map(name => ({ name, value: `{{=len(steps.${name}.outputs.result)}}` })),
        },
      },
    ]
    const use = pretend('use', {}, { inputs: { parameters: ['a', 'b', 'c', 'd'].map(name => ({ name })) } })
    await scene.client.create(
      workflow('big', {
        entrypoint: 'main',
        templates: [{ name: 'main', steps: [...steps, used] }, pretend('say', { log }), use],
      }),
    )
    const run = await scene.untilOver('big')
    expect(run.status?.phase).toBe('Succeeded')
    expect(run.status?.nodes).toBeUndefined()
    const json = gunzipSync(Buffer.from(run.status?.compressedNodes ?? '', 'base64')).toString()
    const nodes = Object.values(JSON.parse(json) as NonNullable<NonNullable<RunObject['status']>['nodes']>)
    expect(nodes.find(({ displayName }) => displayName === 'd')?.outputs?.result).toBe(log)
  })

  it('is left alone when another engine is meant', async () => {
    await open({ engine: { instanceId: 'mine' } })
    await scene.client.create(workflow('other', single()))
    await scene.client.create(
      workflow('own', single(), { labels: { 'workflows.argoproj.io/controller-instanceid': 'mine' } }),
    )
    expect((await scene.untilOver('own')).status?.phase).toBe('Succeeded')
    await scene.settled()
    expect((await scene.get('other')).status).toBeUndefined()
  })

  it('waits for room, and the more urgent one goes first', async () => {
    await open({ engine: { parallelism: { engine: 1 } } })
    await scene.client.create(workflow('first', { ...single({ runFor: '500ms' }) }))
    await scene.until('first', isRunning)
    await scene.client.create(workflow('second', { ...single(), priority: 1 }))
    await scene.client.create(workflow('urgent', { ...single(), priority: 5 }))
    await scene.until('second', ({ status }) => (status?.message ?? '').includes('too many workflows'))
    const [second, urgent] = await Promise.all([scene.untilOver('second'), scene.untilOver('urgent')])
    await scene.settled()
    const order = scene.records.flatMap(record =>
      record.kind === 'run' && record.phase === 'Succeeded' ? [record.run.name] : [],
    )
    expect([...new Set(order)]).toEqual(['first', 'urgent', 'second'])
    expect([second.status?.phase, urgent.status?.phase]).toEqual(['Succeeded', 'Succeeded'])
  })
})

describe('locks', () => {
  it('let one run through at a time, and survive the engine', async () => {
    await open()
    const spec = { ...single({ runFor: '300ms' }), synchronization: { mutexes: [{ name: 'door' }] } }
    await Promise.all(['a', 'b', 'c'].map(name => scene.client.create(workflow(name, spec))))
    const held = await Promise.race(['a', 'b', 'c'].map(name => scene.until(name, isRunning)))
    await scene.stopEngine()
    await scene.startEngine()
    const over = await Promise.all(['a', 'b', 'c'].map(name => scene.untilOver(name)))
    expect(over.map(({ status }) => status?.phase)).toEqual(['Succeeded', 'Succeeded', 'Succeeded'])
    const times = over
      .flatMap(run => Object.values(run.status?.nodes ?? {}))
      .map(({ startedAt, finishedAt }) => `${String(startedAt)} ${String(finishedAt)}`)
      .toSorted()
      .map(time => time.split(' '))
    expect(times).toHaveLength(3)
    for (const [at, [startedAt = '']] of times.entries())
      if (at > 0) expect(startedAt >= (times[at - 1]?.[1] ?? '')).toBe(true)
    expect(held.status?.synchronization).toMatchObject({ mutex: { holding: [{ mutex: 'default/Mutex/door' }] } })
  })

  it('go on to the next in line when a run is deleted, whether it holds one or waits', async () => {
    await open()
    await scene.client.create<ConfigMap>({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'limits', namespace: 'default' },
      data: { one: '1' },
    })
    const synchronization = { semaphores: [{ configMapKeyRef: { name: 'limits', key: 'one' } }] }
    const gate = (suspend: object) => ({ entrypoint: 'main', templates: [{ name: 'main', synchronization, suspend }] })
    const isWaiting = ({ status }: RunObject) =>
      Object.values(status?.nodes ?? {}).some(({ message }) => message?.includes('Waiting for') === true)
    await scene.client.create(workflow('holder', gate({})))
    await scene.until(
      'holder',
      ({ status }) => nodeOf(status)?.type === 'Suspend' && nodeOf(status)?.phase === 'Running',
    )
    await scene.client.create(workflow('impatient', gate({})))
    await scene.until('impatient', isWaiting)
    await scene.client.create(workflow('patient', gate({ duration: '0' })))
    await scene.until('patient', isWaiting)
    await scene.client.delete({ ...WORKFLOW, ...ref('impatient') })
    await scene.client.delete({ ...WORKFLOW, ...ref('holder') })
    expect((await scene.untilOver('patient')).status?.phase).toBe('Succeeded')
  })

  it('of a semaphore without its ConfigMap are an error that names it', async () => {
    await open()
    const synchronization = { semaphores: [{ configMapKeyRef: { name: 'limits', key: 'two' } }] }
    await scene.client.create(workflow('nolimit', { ...single(), synchronization }))
    expect((await scene.untilOver('nolimit')).status?.message).toContain('default/limits')
    await scene.client.create<ConfigMap>({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'limits', namespace: 'default' },
      data: { two: '2' },
    })
    await scene.client.create(workflow('limited', { ...single(), synchronization }))
    expect((await scene.untilOver('limited')).status?.phase).toBe('Succeeded')
  })
})

it('a podDisruptionBudget is there as long as its run goes on', async () => {
  await open()
  const spec = { entrypoint: 'main', templates: [{ name: 'main', suspend: {} }] }
  await scene.client.create(workflow('guarded', { ...spec, podDisruptionBudget: { minAvailable: 9999 } }))
  await scene.until('guarded', isRunning)
  await scene.settled()
  const budgets = async () =>
    (await scene.client.list({ ...kindRef('policy/v1', 'PodDisruptionBudget'), namespace: 'default' })).items
  expect(await budgets()).toMatchObject([
    {
      metadata: { name: 'guarded', ownerReferences: [{ kind: 'Workflow', name: 'guarded' }] },
      spec: { minAvailable: 9999, selector: { matchLabels: { 'workflows.argoproj.io/workflow': 'guarded' } } },
    },
  ])
  await control.resume(scene.client, ref('guarded'))
  await scene.untilOver('guarded')
  await scene.settled()
  expect(await budgets()).toEqual([])
})

it('a podDisruptionBudget that cannot be made fails its run in words', async () => {
  await open()
  const podDisruptionBudget = { minAvailable: 1, maxUnavailable: 1 }
  const { metadata } = await scene.client.create(workflow('greedy', { ...single(), podDisruptionBudget }))
  const { status } = await scene.untilOver('greedy')
  const message = expect.stringMatching(/^spec\.podDisruptionBudget: it cannot be made: .*maxUnavailable/) as string
  expect(status).toMatchObject({ phase: 'Failed', message, nodes: { greedy: { phase: 'Failed', message } } })
  await scene.settled()
  expect(await scene.podsOf('greedy')).toEqual([])
  const ends = scene.records.filter(record => record.kind === 'run' && record.run.uid === metadata.uid)
  expect(ends.at(-1)).toMatchObject({ phase: 'Failed', message })
})

it('a run whose parameters the engine may not read fails in words', async () => {
  await open()
  await scene.stopEngine()
  const refusal = { reason: 'Forbidden', code: 403, message: 'configmaps "limits" is forbidden' }
  const get = (async (...of: Parameters<Client['get']>) => {
    if (of[0].kind === 'ConfigMap') throw new ApiError({ apiVersion: 'v1', kind: 'Status', metadata: {}, ...refusal })
    return scene.client.get(...of)
  }) as Client['get']
  await scene.startEngine({ client: { ...mortalClient(scene.client, new Mortality(0, 'before')), get } })
  const parameters = [{ name: 'limit', valueFrom: { configMapKeyRef: { name: 'limits', key: 'one' } } }]
  await scene.client.create(workflow('blind', { ...single(), arguments: { parameters } }))
  const message = 'the ConfigMap limits, which has parameters, cannot be read: configmaps "limits" is forbidden'
  expect((await scene.untilOver('blind')).status).toMatchObject({ phase: 'Failed', message })
})

it('a memoized step is not done again', async () => {
  await open()
  const memoize = { key: 'same', maxAge: '1h', cache: { configMap: { name: 'memos' } } }
  const spec = (name: string) => workflow(name, single({ log: 'computed' }, { memoize }))
  await scene.client.create(spec('first'))
  await scene.untilOver('first')
  await scene.client.create(spec('second'))
  const second = await scene.untilOver('second')
  expect(nodeNamed(second, 'second')).toMatchObject({ phase: 'Succeeded', memoizationStatus: { hit: true } })
  expect(await scene.podsOf('second')).toEqual([])
})

it('a step waits for its lock and its cache while the server cannot tell of them', async () => {
  await open()
  await scene.stopEngine()
  const refusals = new Map([
    ['limits', 1],
    ['memos', 4],
  ])
  const get = (async (...of: Parameters<Client['get']>) => {
    const [{ name }] = of
    const left = refusals.get(name) ?? 0
    refusals.set(name, left - 1)
    if (left > 0) throw new ApiError({ apiVersion: 'v1', kind: 'Status', metadata: {}, code: 503, message: 'not now' })
    return scene.client.get(...of)
  }) as Client['get']
  await scene.startEngine({ client: { ...mortalClient(scene.client, new Mortality(0, 'before')), get } })
  await scene.client.create<ConfigMap>({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'limits', namespace: 'default' },
    data: { one: '1' },
  })
  const synchronization = { semaphores: [{ configMapKeyRef: { name: 'limits', key: 'one' } }] }
  const memoize = { key: 'same', cache: { configMap: { name: 'memos' } } }
  await scene.client.create(workflow('patient', single({}, { memoize, synchronization })))
  expect((await scene.untilOver('patient')).status).toMatchObject({ phase: 'Succeeded' })
  expect([...refusals.values()].every(left => left < 0)).toBe(true)
})

it('a cache that is full loses nothing but the memo, and says so', async () => {
  await open()
  const labels = { 'workflows.argoproj.io/configmap-type': 'Cache' }
  await scene.client.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'full', namespace: 'default', labels },
    data: { old: 'x'.repeat(999_900) },
  })
  const memoize = { key: 'new', cache: { configMap: { name: 'full' } } }
  await scene.client.create(workflow('forgotten', single({ log: 'computed' }, { memoize })))
  const message = expect.stringContaining(
    'not memoized: the cache full is full, a ConfigMap has at most 1 MiB',
  ) as string
  const over = await scene.until('forgotten', ({ status }) => Boolean(status?.nodes?.forgotten?.message))
  expect(over.status?.phase).toBe('Succeeded')
  expect(nodeNamed(over, 'forgotten')).toMatchObject({ phase: 'Succeeded', message })
  expect(over.status?.conditions).toContainEqual({ type: 'MemoizationError', status: 'True', message })
})

describe('metrics of templates', () => {
  const { name: _, ...pretended } = pretend('')
  const ownLines = () =>
    (scene.engine?.metrics() ?? '').split('\n').filter(line => line.startsWith('argo_workflows_step'))

  it('are counted once for each item that is executed, and not for the group that the items make', async () => {
    await open()
    const counter = { name: 'step_ended', help: 'Steps', counter: { value: '1' } }
    await scene.client.create(
      workflow('each', {
        entrypoint: 'main',
        templates: [
          {
            name: 'main',
            dag: { tasks: [{ name: 'item', template: 'item', withItems: [1, 2, 3], when: '{{item}} != 3' }] },
          },
          { name: 'item', ...pretended, metrics: { prometheus: [counter] } },
        ],
      }),
    )
    expect((await scene.untilOver('each')).status?.phase).toBe('Succeeded')
    await scene.settled()
    expect(ownLines()).toEqual(['argo_workflows_step_ended 2'])
  })

  it('of templates that are inline are counted too, by call, also where one is inside of another', async () => {
    await open()
    const counting = (of: string) => ({
      metrics: {
        prometheus: [
          {
            name: 'step_ended',
            help: 'Steps',
            labels: [
              { key: 'of', value: of },
              { key: 'n', value: '{{inputs.parameters.n}}' },
            ],
            counter: { value: '1' },
          },
        ],
      },
      inputs: { parameters: [{ name: 'n', value: '0' }] },
    })
    const given = { parameters: [{ name: 'n', value: '{{item}}' }] }
    await scene.client.create(
      workflow('inline', {
        entrypoint: 'main',
        templates: [
          {
            name: 'main',
            steps: [
              [{ name: 'one', inline: { ...counting('one'), ...pretended } }],
              [
                {
                  name: 'two',
                  inline: {
                    ...counting('two'),
                    dag: {
                      tasks: [
                        {
                          name: 'three',
                          arguments: given,
                          withItems: ['a(x)', 'b'],
                          inline: { ...counting('three'), ...pretended },
                        },
                      ],
                    },
                  },
                },
              ],
            ],
          },
        ],
      }),
    )
    expect((await scene.untilOver('inline')).status?.phase).toBe('Succeeded')
    await scene.settled()
    expect(ownLines().toSorted()).toEqual([
      'argo_workflows_step_ended{of="one",n="0"} 1',
      'argo_workflows_step_ended{of="three",n="a(x)"} 1',
      'argo_workflows_step_ended{of="three",n="b"} 1',
      'argo_workflows_step_ended{of="two",n="0"} 1',
    ])
  })
})
