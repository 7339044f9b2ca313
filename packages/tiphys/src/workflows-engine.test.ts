import { VirtualClock } from '@tiphys/env'
import { isNotFound, kindRef } from '@tiphys/kube'
import type { ConfigMap } from '@tiphys/kube/kinds'
import { createWorkflowControl, type WorkflowControl } from '@tiphys/workflows'
import { afterEach, describe, expect, it } from 'vitest'
import { nodeNamed, type RunObject, WORKFLOW, WorkflowsScene, type WorkflowsSceneOptions } from './workflows-scene.ts'

const POD = kindRef('v1', 'Pod')

let scene: WorkflowsScene
let control: WorkflowControl
afterEach(() => scene?.close())

async function open(options: WorkflowsSceneOptions = {}): Promise<void> {
  scene = await WorkflowsScene.create(options)
  control = createWorkflowControl({ env: scene.env })
}

const workflow = (name: string, spec: Record<string, unknown>, metadata: Record<string, unknown> = {}): RunObject => ({
  ...WORKFLOW,
  metadata: { name, namespace: 'default', ...metadata },
  spec,
})

/** A step that pretends. */
const pretend = (name: string, simulation: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => ({
  name,
  metadata: { annotations: { 'tiphys.dev/simulate': JSON.stringify(simulation) } },
  container: { image: 'alpine', command: ['true'] },
  ...more,
})

const single = (simulation: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => ({
  entrypoint: 'main',
  templates: [pretend('main', simulation, more)],
})

const ref = (name: string) => ({ namespace: 'default', name })
const nodeOf = (status: RunObject['status']) => Object.values(status?.nodes ?? {})[0]
const isRunning = ({ status }: RunObject) => status?.phase === 'Running'
const podsOf = async (name: string) =>
  (await scene.client.list({ ...POD, namespace: 'default', labelSelector: `workflows.argoproj.io/workflow=${name}` }))
    .items

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
    const pods = await podsOf('hello')
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
    const [pod] = await podsOf('robbed')
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
    expect(await podsOf('robbed')).toEqual([])
  })

  it('that is deleted takes its pods with it', async () => {
    await open()
    await scene.client.create(workflow('dropped', single({ runFor: '1h' })))
    await scene.until('dropped', run => run.status?.nodes?.dropped?.phase === 'Running')
    await scene.client.delete({ ...WORKFLOW, ...ref('dropped') }, { propagationPolicy: 'Foreground' })
    await expect.poll(() => podsOf('dropped'), { timeout: 20_000 }).toEqual([])
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
    expect(run.status?.compressedNodes?.length).toBeGreaterThan(100)
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

describe('a WorkflowEventBinding', () => {
  const binding = (name: string, spec: Record<string, unknown>) => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'WorkflowEventBinding',
    metadata: { name, namespace: 'default' },
    spec,
  })
  const greet = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'WorkflowTemplate',
    metadata: { name: 'greet', namespace: 'default' },
    spec: { ...single(), arguments: { parameters: [{ name: 'whom', value: 'nobody' }, { name: 'more' }] } },
  }
  const parameter = (name: string, event: string) => ({ name, valueFrom: { event } })

  it('submits its template with what the event says, when its selector is true', async () => {
    await open()
    await scene.client.create(greet)
    await scene.client.create(
      binding('bound', {
        event: {
          selector: 'payload.message != "" && metadata["x-team"] == ["a"] && discriminator == "hello"',
        },
        submit: {
          workflowTemplateRef: { name: 'greet' },
          metadata: { name: '"greet-" + payload.message', labels: { from: 'payload.message' } },
          arguments: { parameters: [parameter('whom', 'payload.message'), parameter('more', 'payload.list')] },
        },
      }),
    )
    const event = {
      namespace: 'default',
      discriminator: 'hello',
      payload: { message: 'you', list: [1, { a: 'b' }] },
      metadata: { 'x-team': ['a'] },
    }
    expect(await control.dispatch(scene.client, { ...event, discriminator: 'other' })).toEqual([])
    expect(await control.dispatch(scene.client, event)).toEqual([{ binding: 'bound', workflow: 'greet-you' }])
    const run = await scene.untilOver('greet-you')
    expect(run.status?.phase).toBe('Succeeded')
    expect(run.metadata.labels).toMatchObject({ from: 'you', 'workflows.argoproj.io/workflow-template': 'greet' })
    expect(run.spec.arguments).toEqual({
      parameters: [
        { name: 'whom', value: 'you' },
        { name: 'more', value: '[1,{"a":"b"}]' },
      ],
    })
  })

  it('that fails says why with the path of the field, and keeps the others from nothing', async () => {
    await open()
    await scene.client.create(greet)
    const submit = (path: string) => ({
      workflowTemplateRef: { name: 'greet' },
      arguments: { parameters: [parameter('more', path)] },
    })
    await scene.client.create(binding('a-wrong', { event: { selector: 'payload.n + 1' }, submit: submit('payload') }))
    await scene.client.create(binding('b-absent', { event: { selector: 'true' }, submit: submit('payload.no.way') }))
    await scene.client.create(binding('c-fine', { event: { selector: 'true' }, submit: submit('payload.n') }))
    const event = { namespace: 'default', discriminator: '', payload: { n: 1 }, metadata: {} }
    expect(await control.dispatch(scene.client, event)).toEqual([
      { binding: 'a-wrong', problem: 'spec.event.selector: payload.n + 1 is 2, neither true nor false' },
      {
        binding: 'b-absent',
        problem: expect.stringContaining(
          'spec.submit.arguments.parameters[0].valueFrom.event: failed to evaluate payload.no.way',
        ) as string,
      },
      { binding: 'c-fine', workflow: expect.stringMatching(/^greet-/) as string },
    ])
  })

  it('whose selector cannot be read is unhealthy until it was mended', async () => {
    await open()
    const broken = await scene.client.create(binding('broken', { event: { selector: 'payload.' }, submit: {} }))
    const told = () =>
      scene.records.flatMap(record =>
        record.kind === 'health' && record.object.name === 'broken' ? [[record.status, record.message]] : [],
      )
    await expect
      .poll(told)
      .toMatchObject([
        [
          'False',
          expect.stringMatching(/^spec.event.selector: [^]*; spec.submit.workflowTemplateRef.name is missing$/),
        ],
      ])
    await scene.client.update({ ...broken, spec: { event: { selector: 'true' } } })
    await expect.poll(told).toMatchObject([
      ['False', expect.anything()],
      ['True', ''],
    ])
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

it('a memoized step is not done again', async () => {
  await open()
  const memoize = { key: 'same', maxAge: '1h', cache: { configMap: { name: 'memos' } } }
  const spec = (name: string) => workflow(name, single({ log: 'computed' }, { memoize }))
  await scene.client.create(spec('first'))
  await scene.untilOver('first')
  await scene.client.create(spec('second'))
  const second = await scene.untilOver('second')
  expect(nodeNamed(second, 'second')).toMatchObject({ phase: 'Succeeded', memoizationStatus: { hit: true } })
  expect(await podsOf('second')).toEqual([])
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

describe('control', () => {
  const GATE = {
    entrypoint: 'main',
    templates: [
      {
        name: 'main',
        steps: [
          [{ name: 'gate', template: 'gate' }],
          [
            {
              name: 'after',
              template: 'after',
              arguments: { parameters: [{ name: 'word', value: '{{steps.gate.outputs.parameters.word}}' }] },
            },
          ],
        ],
      },
      { name: 'gate', suspend: {}, outputs: { parameters: [{ name: 'word', valueFrom: { supplied: {} } }] } },
      pretend('after', {}, { inputs: { parameters: [{ name: 'word' }] } }),
    ],
  }

  it('resumes a gate with the outputs that a person gives', async () => {
    await open()
    await scene.client.create(workflow('gated', GATE))
    await scene.until('gated', run =>
      Object.values(run.status?.nodes ?? {}).some(({ type, phase }) => type === 'Suspend' && phase === 'Running'),
    )
    await expect(control.resume(scene.client, ref('gated'))).rejects.toThrow('nobody gives its output parameter word')
    await control.resume(scene.client, ref('gated'), { nodeFieldSelector: 'displayName=gate', outputs: { word: 'go' } })
    const run = await scene.untilOver('gated')
    expect(nodeNamed(run, 'after').inputs?.parameters).toMatchObject([{ name: 'word', value: 'go' }])
  })

  it('stops with exit handlers, and terminates without', async () => {
    await open()
    const spec = {
      entrypoint: 'main',
      onExit: 'bye',
      templates: [
        pretend('main', { runFor: '1h', stopAfter: 'never' }, { podSpecPatch: 'terminationGracePeriodSeconds: 1' }),
        pretend('bye'),
      ],
    }
    for (const name of ['stopped', 'terminated']) await scene.client.create(workflow(name, spec))
    for (const name of ['stopped', 'terminated']) await scene.until(name, isRunning)
    await control.stop(scene.client, ref('stopped'))
    await control.terminate(scene.client, ref('terminated'))
    const [stopped, terminated] = [await scene.untilOver('stopped'), await scene.untilOver('terminated')]
    expect(stopped.status?.phase).toBe('Failed')
    expect(nodeNamed(stopped, 'stopped.onExit').phase).toBe('Succeeded')
    expect(terminated.status?.phase).toBe('Failed')
    expect(Object.values(terminated.status?.nodes ?? {}).map(({ displayName }) => displayName)).toEqual(['terminated'])
    await scene.settled()
    await expect(control.stop(scene.client, ref('stopped'))).rejects.toThrow('it is over')
  })

  it('retries what failed and keeps what succeeded; resubmits as a new run', async () => {
    await open()
    const parameters = [{ name: 'code', value: '1' }]
    const spec = {
      entrypoint: 'main',
      arguments: { parameters },
      templates: [
        { name: 'main', steps: [[{ name: 'good', template: 'good' }], [{ name: 'bad', template: 'bad' }]] },
        pretend('good'),
        {
          ...pretend('bad'),
          metadata: { annotations: { 'tiphys.dev/simulate': '{"exitCode": {{workflow.parameters.code}}}' } },
        },
      ],
    }
    await scene.client.create(workflow('again', spec))
    const failed = await scene.untilOver('again')
    expect(failed.status?.phase).toBe('Failed')
    await scene.settled()
    const before = (await podsOf('again')).map(({ metadata }) => metadata.uid)
    const retried = await control.retry(scene.client, ref('again'), { parameters: { code: '0' } })
    expect(retried.metadata.labels?.['workflows.argoproj.io/completed']).toBe('false')
    const run = await scene.untilOver('again')
    expect(run.status?.phase).toBe('Succeeded')
    expect(nodeNamed(run, 'good').startedAt).toBe(nodeNamed(failed, 'good').startedAt)
    const after = (await podsOf('again')).map(({ metadata }) => metadata.uid)
    expect(after.filter(uid => before.includes(uid))).toHaveLength(1)
    await scene.recorder?.settled()
    const phases = scene.records.flatMap(record =>
      record.kind === 'run' && record.run.name === 'again' ? [record.phase] : [],
    )
    // Who watches is told that it runs again, not only how that ended.
    expect(phases.filter((phase, i) => phase !== phases[i - 1])).toEqual(['Running', 'Failed', 'Running', 'Succeeded'])
    const fresh = await control.resubmit(scene.client, ref('again'), { name: 'fresh', parameters: { code: '0' } })
    expect(fresh.metadata.labels?.['workflows.argoproj.io/resubmitted-from-workflow']).toBe('again')
    expect((await scene.untilOver('fresh')).status?.phase).toBe('Succeeded')
  })

  it('submits from a template, once for each action', async () => {
    await open()
    await scene.client.create({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'WorkflowTemplate',
      metadata: { name: 'tmpl', namespace: 'default' },
      spec: { ...single(), arguments: { parameters: [{ name: 'who', value: 'nobody' }] } },
    })
    const options = { name: 'from-tmpl', parameters: { who: 'me' }, annotations: { 'tiphys.dev/action': 'key-1' } }
    const from = { kind: 'WorkflowTemplate', ...ref('tmpl') }
    const first = await control.submitFrom(scene.client, from, options)
    const again = await control.submitFrom(scene.client, from, options)
    expect(again.metadata.uid).toBe(first.metadata.uid)
    const other = control.submitFrom(scene.client, from, { ...options, annotations: { 'tiphys.dev/action': 'key-2' } })
    await expect(other).rejects.toThrow('already exists')
    expect((await scene.untilOver('from-tmpl')).status?.phase).toBe('Succeeded')
  })
})

describe('time', () => {
  /** This midnight: the machine's own clock judges certificates. */
  const START = Math.floor(Date.now() / 86_400_000) * 86_400_000
  const pass = async (ms: number) => {
    await (scene.env.clock as VirtualClock).advance(ms, settle)
  }
  const settle = async () => {
    await scene.settledCluster()
    await scene.settled()
    await scene.settledCluster()
  }
  const names = async () =>
    (await scene.client.list({ ...WORKFLOW, namespace: 'default' })).items
      .map(({ metadata }) => metadata.name ?? '')
      .toSorted()

  it('removes a run when its time to live is over, and its pods as it asks for', async () => {
    await open({ env: { clock: new VirtualClock(START) } })
    await scene.client.create(
      workflow('brief', {
        ...single(),
        ttlStrategy: { secondsAfterCompletion: 60 },
        podGC: { strategy: 'OnPodCompletion', deleteDelayDuration: '1s' },
      }),
    )
    await settle()
    await pass(2000)
    expect((await scene.get('brief')).status?.phase).toBe('Succeeded')
    await pass(5000)
    expect(await podsOf('brief')).toEqual([])
    await pass(50_000)
    expect(await names()).toEqual(['brief'])
    await pass(20_000)
    expect(await names()).toEqual([])
  })

  const cron = (spec: Record<string, unknown>) =>
    scene.client.create({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'CronWorkflow',
      metadata: { name: 'tick', namespace: 'default' },
      spec: { schedules: ['* * * * *'], ...spec },
    })
  const cronStatus = async () =>
    (await scene.client.get({ ...kindRef('argoproj.io/v1alpha1', 'CronWorkflow'), ...ref('tick') })).status

  it('starts a CronWorkflow once for each time, keeps its history short, and survives the engine', async () => {
    await open({ env: { clock: new VirtualClock(START) } })
    await cron({ workflowSpec: single(), successfulJobsHistoryLimit: 2 })
    await settle()
    await pass(61_000)
    const first = START / 1000 + 60
    expect(await names()).toEqual([`tick-${first}`])
    await scene.stopEngine()
    await scene.startEngine()
    await settle()
    expect(await names()).toEqual([`tick-${first}`])
    for (let minute = 0; minute < 4; minute++) await pass(60_000)
    expect(await names()).toEqual([`tick-${first + 180}`, `tick-${first + 240}`])
    expect(await cronStatus()).toMatchObject({
      phase: 'Active',
      succeeded: 5,
      lastScheduledTime: new Date(START + 300_000).toISOString().replace('.000Z', 'Z'),
    })
  })

  it('forbids, replaces and stops as a CronWorkflow asks for', async () => {
    await open({ env: { clock: new VirtualClock(START) } })
    await cron({
      workflowSpec: single({ runFor: '150s' }),
      concurrencyPolicy: 'Forbid',
      stopStrategy: { expression: 'cronworkflow.succeeded >= 1' },
    })
    await settle()
    await pass(61_000)
    await pass(60_000)
    expect(await names()).toHaveLength(1)
    for (let minute = 0; minute < 4; minute++) await pass(60_000)
    expect(await cronStatus()).toMatchObject({ phase: 'Stopped', succeeded: 1 })
    await pass(120_000)
    expect(await names()).toHaveLength(1)
  })

  it('says what is wrong with a CronWorkflow', async () => {
    await open({ env: { clock: new VirtualClock(START) } })
    await cron({ schedules: ['61 * * * *'], workflowSpec: single() })
    await settle()
    expect(await cronStatus()).toMatchObject({ conditions: [{ type: 'SpecError', status: 'True' }] })
  })
})
