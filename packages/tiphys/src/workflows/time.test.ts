import { VirtualClock } from '@tiphys/env'
import { kindRef } from '@tiphys/kube'
import { createWorkflowControl } from '@tiphys/workflows'
import { afterEach, describe, expect, it } from 'vitest'
import { single, workflow } from './manifests.ts'
import { Mortality, mortalClient } from './mortal-client.ts'
import { WORKFLOW, WorkflowsScene, type WorkflowsSceneOptions } from './scene.ts'

const NODE = kindRef('v1', 'Node')
const POD = kindRef('v1', 'Pod')

let scene: WorkflowsScene
afterEach(() => scene?.close())

async function open(options: WorkflowsSceneOptions = {}): Promise<void> {
  scene = await WorkflowsScene.create(options)
}

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
    expect(await scene.podsOf('brief')).toEqual([])
    await pass(50_000)
    expect(await names()).toEqual(['brief'])
    await pass(20_000)
    expect(await names()).toEqual([])
  })

  it('ends a run that is terminated while the node of its step is lost, and nothing holds the pod', async () => {
    await open({ env: { clock: new VirtualClock(START) } })
    // Nobody acts for it, and nobody says that it is gone.
    await scene.client.create({ ...NODE, metadata: { name: 'lost' } })
    await scene.client.create(workflow('stray', { ...single(), podSpecPatch: 'nodeName: lost' }))
    await settle()
    const [pod] = await scene.podsOf('stray')
    const at = new Date(START).toISOString().replace('.000', '')
    const state = { running: { startedAt: at } }
    const main = {
      name: 'main',
      state,
      containerID: 'runtime://1',
      image: '',
      imageID: '',
      ready: true,
      restartCount: 0,
    }
    await scene.client.patch(
      { ...POD, namespace: 'default', name: pod?.metadata.name ?? '' },
      { type: 'merge', patch: { status: { phase: 'Running', startTime: at, containerStatuses: [main] } } },
      { subresource: 'status' },
    )
    await pass(1000)
    expect((await scene.get('stray')).status?.nodes).toMatchObject({ stray: { phase: 'Running' } })
    await createWorkflowControl({ env: scene.env }).terminate(scene.client, { namespace: 'default', name: 'stray' })
    await settle()
    await pass(20_000)
    expect(await scene.podsOf('stray')).toHaveLength(1)
    await pass(15_000)
    expect((await scene.get('stray')).status).toMatchObject({
      phase: 'Failed',
      nodes: { stray: { phase: 'Failed', message: 'workflow shutdown with strategy: Terminate' } },
    })
    await pass(120_000)
    expect(await scene.podsOf('stray')).toEqual([])
  })

  it('keeps all that a step prints when the server ends its log while it runs', async () => {
    await open({ env: { clock: new VirtualClock(START) } })
    await scene.stopEngine()
    let asked = 0
    await scene.startEngine({
      client: {
        ...mortalClient(scene.client, new Mortality(0, 'before')),
        async *logs(...of) {
          if (++asked > 1) yield* scene.client.logs(...of)
        },
      },
    })
    await scene.client.create(workflow('cut', single({ log: ['one', 'two'], runFor: '10s' })))
    await settle()
    await pass(12_000)
    expect((await scene.get('cut')).status?.phase).toBe('Succeeded')
    await scene.settled()
    const chunks = scene.records.flatMap(record => (record.kind === 'log' ? [record.chunk] : []))
    const texts = await Promise.all(chunks.map(async chunk => Buffer.from(await scene.logs.read(chunk)).toString()))
    expect(texts.join('')).toBe('one\ntwo\n')
  })

  it('removes only the pods that it selects', async () => {
    await open({ env: { clock: new VirtualClock(START) } })
    const step = (name: string, labels: object) => ({
      name,
      metadata: { labels },
      container: { image: 'alpine', command: ['true'] },
    })
    await scene.client.create(
      workflow('choosy', {
        entrypoint: 'main',
        podGC: {
          strategy: 'OnPodCompletion',
          deleteDelayDuration: '1s',
          labelSelector: { matchLabels: { kept: 'no' } },
        },
        templates: [
          { name: 'main', steps: [['gone', 'kept'].map(name => ({ name, template: name }))] },
          step('gone', { kept: 'no' }),
          step('kept', { kept: 'yes' }),
        ],
      }),
    )
    await settle()
    await pass(10_000)
    expect((await scene.get('choosy')).status?.phase).toBe('Succeeded')
    expect((await scene.podsOf('choosy')).map(({ metadata }) => metadata.labels?.kept)).toEqual(['yes'])
  })

  it('makes room under a quota: a step waits for it, says so, and goes on', async () => {
    await open({ env: { clock: new VirtualClock(START) } })
    const QUOTA = kindRef('v1', 'ResourceQuota')
    const hard = (count: string) => ({ spec: { hard: { pods: count, persistentvolumeclaims: count } } })
    await scene.client.create({ ...QUOTA, metadata: { name: 'little', namespace: 'default' }, ...hard('0') })
    await settle()
    const claim = {
      metadata: { name: 'work' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
    }
    await scene.client.create(workflow('claims', { ...single(), volumeClaimTemplates: [claim] }))
    await scene.client.create(workflow('tight', single()))
    await settle()
    await pass(30_000)
    const waiting = await scene.get('tight')
    expect(waiting.status?.phase).toBe('Running')
    expect(Object.values(waiting.status?.nodes ?? {})).toMatchObject([
      { phase: 'Pending', message: expect.stringContaining('exceeded quota: little') as string },
    ])
    expect((await scene.get('claims')).status).toMatchObject({
      phase: 'Running',
      message: expect.stringContaining('Waiting for a PVC to be created.') as string,
    })
    await scene.client.patch({ ...QUOTA, namespace: 'default', name: 'little' }, { type: 'merge', patch: hard('1') })
    await pass(60_000)
    expect(await scene.podsOf('tight')).toHaveLength(1)
    const over = await Promise.all(['tight', 'claims'].map(name => scene.get(name)))
    expect(over.map(({ status }) => [status?.phase, status?.message])).toEqual([
      ['Succeeded', undefined],
      ['Succeeded', undefined],
    ])
    expect(Object.values(over[0]?.status?.nodes ?? {})).toMatchObject([{ phase: 'Succeeded' }])
  })

  it('says of a pod that does not start what only its Events tell, until it starts', async () => {
    await open({ env: { clock: new VirtualClock(START) } })
    const container = { image: 'alpine', command: ['true'], volumeMounts: [{ name: 'keys', mountPath: '/keys' }] }
    const volumes = [{ name: 'keys', secret: { secretName: 'later' } }]
    await scene.client.create(workflow('locked', { ...single({ runFor: '10s' }, { container }), volumes }))
    await settle()
    const node = async () => {
      const [only] = Object.values((await scene.get('locked')).status?.nodes ?? {})
      return [only?.phase, only?.message]
    }
    await pass(3000)
    expect(await node()).toEqual(['Pending', undefined])
    await pass(5000)
    expect(await node()).toEqual([
      'Pending',
      'FailedMount: MountVolume.SetUp failed for volume "keys" : secret "later" not found',
    ])
    await scene.client.create({ ...kindRef('v1', 'Secret'), metadata: { name: 'later', namespace: 'default' } })
    await pass(30_000)
    expect(await node()).toEqual(['Succeeded', undefined])
    const told = scene.records.flatMap(record => (record.kind === 'step' ? [[record.phase, record.message]] : []))
    expect(told).toContainEqual(['Running', undefined])
  })

  const cron = (spec: Record<string, unknown>) =>
    scene.client.create({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'CronWorkflow',
      metadata: { name: 'tick', namespace: 'default' },
      spec: { schedules: ['* * * * *'], ...spec },
    })
  const cronStatus = async () =>
    (await scene.client.get({ ...kindRef('argoproj.io/v1alpha1', 'CronWorkflow'), namespace: 'default', name: 'tick' }))
      .status

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

  it('lets a run of a CronWorkflow give way to the next one', async () => {
    await open({ env: { clock: new VirtualClock(START) } })
    await cron({ workflowSpec: single({ runFor: '150s' }), concurrencyPolicy: 'Replace', failedJobsHistoryLimit: 5 })
    await settle()
    await pass(61_000)
    await pass(60_000)
    const [first = '', second = ''] = await names()
    expect((await scene.get(first)).status?.phase).toBe('Failed')
    expect((await scene.get(second)).status?.phase).toBe('Running')
    expect(await cronStatus()).toMatchObject({ active: [{ name: second }], failed: 1 })
  })

  it('keeps runs of a CronWorkflow from overlapping, and stops when it has run enough', async () => {
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

  it('does not make up for a time that a CronWorkflow was to let pass, also with another engine', async () => {
    await open({ env: { clock: new VirtualClock(START) } })
    await cron({ workflowSpec: single({ runFor: '80s' }), concurrencyPolicy: 'Forbid' })
    await settle()
    await pass(61_000)
    await pass(60_000)
    await pass(40_000)
    expect((await scene.get((await names())[0] ?? '')).status?.phase).toBe('Succeeded')
    await scene.stopEngine()
    await scene.startEngine()
    await settle()
    await pass(10_000)
    expect(await names()).toHaveLength(1)
    await pass(20_000)
    expect(await names()).toHaveLength(2)
  })

  it('says what is wrong with a CronWorkflow', async () => {
    await open({ env: { clock: new VirtualClock(START) } })
    await cron({ schedules: ['61 * * * *'], workflowSpec: single() })
    await settle()
    expect(await cronStatus()).toMatchObject({ conditions: [{ type: 'SpecError', status: 'True' }] })
  })
})
