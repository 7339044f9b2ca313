import { kindRef } from '@tiphys/kube'
import { createWorkflowControl, type WorkflowControl } from '@tiphys/workflows'
import { afterEach, describe, expect, it } from 'vitest'
import { pretend, single, workflow } from './manifests.ts'
import { letStepsDoEverything, nodeNamed, type RunObject, WorkflowsScene, type WorkflowsSceneOptions } from './scene.ts'

let scene: WorkflowsScene
let control: WorkflowControl
afterEach(() => scene?.close())

async function open(options: WorkflowsSceneOptions = {}): Promise<void> {
  scene = await WorkflowsScene.create(options)
  control = createWorkflowControl({ env: scene.env })
}

const ref = (name: string) => ({ namespace: 'default', name })
const isRunning = ({ status }: RunObject) => status?.phase === 'Running'

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

  it('records that a run was suspended as a whole, and that it was resumed', async () => {
    await open()
    await scene.client.create(workflow('held', single({ runFor: '1h' })))
    await scene.until('held', isRunning)
    const told = () => scene.records.flatMap(record => (record.kind === 'run' ? [record.isSuspended === true] : []))
    await control.suspend(scene.client, ref('held'))
    await expect.poll(() => told().at(-1)).toBe(true)
    await control.resume(scene.client, ref('held'))
    await expect.poll(() => told().at(-1)).toBe(false)
    expect(told().filter(isSuspended => isSuspended)).toHaveLength(1)
  })

  it('resumes a gate with the outputs that a person gives', async () => {
    await open()
    await scene.client.create(workflow('gated', GATE))
    await scene.until('gated', run =>
      Object.values(run.status?.nodes ?? {}).some(({ type, phase }) => type === 'Suspend' && phase === 'Running'),
    )
    await expect(control.resume(scene.client, ref('gated'))).rejects.toThrow('nobody gives its output parameter word')
    const resume = (options: object) => control.resume(scene.client, ref('gated'), { mustWait: true, ...options })
    await expect(resume({ outputs: { words: 'go' } })).rejects.toThrow('asks for words: they ask for word')
    await expect(resume({ nodeFieldSelector: 'displayName=gates' })).rejects.toThrow('the steps that wait: gate')
    await resume({ nodeFieldSelector: 'displayName=gate', outputs: { word: 'go' } })
    const run = await scene.untilOver('gated')
    await expect(resume({})).rejects.toThrow('it is over: Succeeded')
    expect(nodeNamed(run, 'after').inputs?.parameters).toMatchObject([{ name: 'word', value: 'go' }])
    await scene.recorder?.settled()
    const gate = scene.records.flatMap(record =>
      record.kind === 'step' && record.displayName === 'gate' ? [[record.phase, record.outputs?.[0]?.value]] : [],
    )
    expect(gate).toEqual([
      ['Running', undefined],
      ['Succeeded', 'go'],
    ])
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

  it('terminates a run at once that was told to stop and takes its time', async () => {
    await open()
    await scene.client.create(workflow('slow', single({ runFor: '1h', stopAfter: 'never' })))
    await scene.until('slow', ({ status }) => status?.nodes?.slow?.phase === 'Running')
    await control.stop(scene.client, ref('slow'))
    await expect.poll(async () => (await scene.podsOf('slow'))[0]?.metadata.deletionTimestamp).toBeDefined()
    await control.terminate(scene.client, ref('slow'))
    expect((await scene.untilOver('slow')).status).toMatchObject({ phase: 'Failed' })
    await expect.poll(() => scene.podsOf('slow')).toEqual([])
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
    const before = (await scene.podsOf('again')).map(({ metadata }) => metadata.uid)
    const retried = await control.retry(scene.client, ref('again'), { parameters: { code: '0' } })
    expect(retried.metadata.labels?.['workflows.argoproj.io/completed']).toBe('false')
    const run = await scene.untilOver('again')
    expect(run.status?.phase).toBe('Succeeded')
    expect(nodeNamed(run, 'good').startedAt).toBe(nodeNamed(failed, 'good').startedAt)
    const after = (await scene.podsOf('again')).map(({ metadata }) => metadata.uid)
    expect(after.filter(uid => before.includes(uid))).toHaveLength(1)
    await scene.recorder?.settled()
    // Who watches is told that it runs again, not only how that ended: the run, and the step that has the others.
    for (const kind of ['run', 'step']) {
      const phases = scene.records.flatMap(record =>
        record.kind === kind &&
        'phase' in record &&
        record.run.name === 'again' &&
        (record.kind === 'run' || record.step === 'again')
          ? [record.phase]
          : [],
      )
      const changes = phases.filter((phase, i) => phase !== phases[i - 1])
      expect([kind, ...changes]).toEqual([kind, 'Running', 'Failed', 'Running', 'Succeeded'])
    }
    // What is kept was recorded when it was known to the millisecond how long it took; the status has whole seconds.
    const kept = scene.records.flatMap(record =>
      record.kind === 'step' && record.run.name === 'again' && record.displayName === '[0]' ? [record.phase] : [],
    )
    expect(kept).toEqual(['Running', 'Succeeded'])
    const fresh = await control.resubmit(scene.client, ref('again'), { name: 'fresh', parameters: { code: '0' } })
    expect(fresh.metadata.labels?.['workflows.argoproj.io/resubmitted-from-workflow']).toBe('again')
    expect((await scene.untilOver('fresh')).status?.phase).toBe('Succeeded')
  })

  it('retries a run of which something is still to be done, and does what failed anew', async () => {
    await open()
    await letStepsDoEverything(scene.client)
    const manifest =
      '{apiVersion: v1, kind: ConfigMap, metadata: {generateName: made-}, data: {state: "{{workflow.parameters.code}}"}}'
    const spec = {
      entrypoint: 'main',
      // Its pods are not removed yet when it is retried.
      podGC: { strategy: 'OnWorkflowCompletion', deleteDelayDuration: '1h' },
      arguments: { parameters: [{ name: 'code', value: '1' }] },
      templates: [
        {
          name: 'main',
          steps: [
            [
              { name: 'bad', template: 'bad' },
              { name: 'make', template: 'make' },
            ],
          ],
        },
        {
          ...pretend('bad'),
          metadata: { annotations: { 'tiphys.dev/simulate': '{"exitCode": {{workflow.parameters.code}}}' } },
        },
        { name: 'make', resource: { action: 'create', failureCondition: 'data.state == 1', manifest } },
      ],
    }
    await scene.client.create(workflow('unrested', spec))
    expect((await scene.untilOver('unrested')).status?.phase).toBe('Failed')
    await scene.settled()
    await control.retry(scene.client, ref('unrested'), { parameters: { code: '0' } })
    const run = await scene.untilOver('unrested')
    expect(nodeNamed(run, 'bad')).toMatchObject({ phase: 'Succeeded' })
    expect(nodeNamed(run, 'make')).toMatchObject({ phase: 'Succeeded' })
    const { items } = await scene.client.list({ ...kindRef('v1', 'ConfigMap'), namespace: 'default' })
    const made = items.filter(({ metadata }) => metadata.name?.startsWith('made-'))
    expect(new Set(made.map(({ data }) => data?.state))).toEqual(new Set(['0', '1']))
  })

  it('records what resource templates changed, and nothing of what a Secret holds', async () => {
    await open()
    await letStepsDoEverything(scene.client)
    const canary = 'canary8f3a1'
    const map = (data: object) => ({ ...kindRef('v1', 'ConfigMap'), metadata: { name: 'map' }, data })
    const secret = { ...kindRef('v1', 'Secret'), metadata: { name: 'secret' }, stringData: { key: canary } }
    const json = { action: 'patch', mergeStrategy: 'json', flags: ['configmap/map'] }
    const steps: [name: string, fields: object, manifest: unknown][] = [
      ['create', { action: 'create' }, map({ a: '1' })],
      ['apply', { action: 'apply' }, map({ a: '2' })],
      ['again', { action: 'apply' }, map({ a: '2' })],
      ['patch', { action: 'patch', mergeStrategy: 'merge' }, map({ 'b.c': 'x' })],
      ['json', json, [{ op: 'remove', path: '/data/a' }]],
      ['replace', { action: 'replace' }, map({})],
      ['make-secret', { action: 'create' }, { ...secret, stringData: { key: 'before' } }],
      ['apply-secret', { action: 'apply' }, secret],
    ]
    const templates = steps.map(([name, fields, manifest]) => ({
      name,
      resource: { ...fields, manifest: JSON.stringify(manifest) },
    }))
    const main = { name: 'main', steps: steps.map(([name]) => [{ name, template: name }]) }
    await scene.client.create(workflow('writes', { entrypoint: 'main', templates: [main, ...templates] }))
    expect((await scene.untilOver('writes')).status).toMatchObject({ phase: 'Succeeded' })
    await scene.settled()
    const writes = scene.records.flatMap(record => (record.kind === 'write' ? [record] : []))
    const isNote = (path: string) => path.startsWith('metadata.annotations["done.tiphys.dev/')
    expect(writes.map(({ outcome, diff }) => [outcome, diff?.filter(({ path }) => !isNote(path))])).toEqual([
      ['created', undefined],
      ['changed', [{ path: 'data.a', from: '1', to: '2' }]],
      ['unchanged', undefined],
      ['changed', [{ path: 'data["b.c"]', to: 'x' }]],
      ['changed', [{ path: 'data.a', from: '2' }]],
      ['changed', [{ path: 'data["b.c"]', from: 'x' }]],
      ['created', undefined],
      ['changed', [{ path: 'data.key', from: '(masked)', to: '(masked)' }]],
    ])
    for (const hidden of [canary, 'before'])
      for (const text of [hidden, Buffer.from(hidden).toString('base64')])
        expect(JSON.stringify(writes)).not.toContain(text)
  })

  it('submits from a CronWorkflow as if its time had come', async () => {
    await open()
    const spec = single()
    await scene.client.create({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'CronWorkflow',
      metadata: { name: 'nightly', namespace: 'default' },
      spec: { schedules: ['0 3 1 1 *'], suspend: true, workflowSpec: spec },
    })
    const made = await control.submitFrom(scene.client, { kind: 'CronWorkflow', ...ref('nightly') }, { name: 'now' })
    expect(made.metadata).toMatchObject({
      labels: { 'workflows.argoproj.io/cron-workflow': 'nightly' },
      annotations: { 'workflows.argoproj.io/scheduled-time': expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/) },
    })
    expect((await scene.untilOver('now')).status?.phase).toBe('Succeeded')
  })

  it('submits from a template, once for each action', async () => {
    await open()
    await scene.client.create({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'WorkflowTemplate',
      metadata: { name: 'tmpl', namespace: 'default' },
      spec: {
        ...single(),
        arguments: { parameters: [{ name: 'who', value: 'nobody' }] },
        workflowMetadata: { labels: { team: 'ours', for: '{{workflow.parameters.who}}' } },
      },
    })
    const options = { name: 'from-tmpl', parameters: { who: 'me' }, annotations: { 'tiphys.dev/action': 'key-1' } }
    const from = { kind: 'WorkflowTemplate', ...ref('tmpl') }
    const first = await control.submitFrom(scene.client, from, options)
    const again = await control.submitFrom(scene.client, from, options)
    expect(again.metadata.uid).toBe(first.metadata.uid)
    const other = control.submitFrom(scene.client, from, { ...options, annotations: { 'tiphys.dev/action': 'key-2' } })
    await expect(other).rejects.toThrow('already exists')
    const { metadata, status } = await scene.untilOver('from-tmpl')
    expect(status?.phase).toBe('Succeeded')
    expect(metadata.labels).toMatchObject({ team: 'ours', for: 'me' })
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
