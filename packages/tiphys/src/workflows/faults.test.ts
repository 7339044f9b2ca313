import { join } from 'node:path'
import { systemEnv } from '@tiphys/env'
import { type Client, ConnectionFailure, createCaches, type KubeObject, kindRef } from '@tiphys/kube'
import type { ConfigMap } from '@tiphys/kube/kinds'
import { createFileArtifacts, startWorkflows } from '@tiphys/workflows'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Fault, faultyClient } from '../events/faulty-client.ts'
import { whyNoNamespaces } from '../machine.ts'
import { PodLedger } from './pod-ledger.ts'
import { WorkflowProcesses } from './processes.ts'
import { letStepsDoEverything, nodeNamed, WORKFLOW, WorkflowsScene } from './scene.ts'

vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 120_000 })

const POD = kindRef('v1', 'Pod')
const CONFIG_MAP = kindRef<ConfigMap>('v1', 'ConfigMap')
const ACCOUNT = kindRef<KubeObject & { secrets?: { name: string }[] }>('v1', 'ServiceAccount')
const CLAIM = kindRef('v1', 'PersistentVolumeClaim')
const BUDGET = kindRef('policy/v1', 'PodDisruptionBudget')
const isFull = process.env.TIPHYS_FULL !== undefined

const FAULTS: Fault[] = [
  { type: 'answer', code: 409 },
  { type: 'answer', code: 429 },
  { type: 'answer', code: 500 },
  { type: 'answer', code: 503 },
  { type: 'unsent' },
  { type: 'done, and not answered' },
]
const nameOf = (fault: Fault) => (fault.type === 'answer' ? `the answer ${fault.code}` : fault.type)

const resource = (name: string, fields: Record<string, unknown>, manifest: unknown) => ({
  name,
  resource: { ...fields, manifest: JSON.stringify(manifest) },
})

/** A run that makes the engine write in every way that it knows. */
function specOf(name: string) {
  const map = { apiVersion: 'v1', kind: 'ConfigMap' }
  const step = (template: string) => ({ name: template, template })
  return {
    entrypoint: 'main',
    onExit: 'say',
    podGC: { strategy: 'OnPodCompletion', deleteDelayDuration: '0s' },
    podDisruptionBudget: { minAvailable: 1 },
    volumeClaimTemplates: [
      {
        metadata: { name: 'work' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
      },
    ],
    templates: [
      {
        name: 'main',
        steps: [
          [step('say'), step('memoized'), step('locked'), step('create'), step('apply'), step('append')],
          [step('patch'), step('replace')],
          [step('delete')],
        ],
      },
      { name: 'say', container: { image: 'alpine', command: ['true'] } },
      {
        name: 'memoized',
        memoize: { key: name, cache: { configMap: { name: `${name}-cache` } } },
        container: { image: 'alpine', command: ['true'] },
      },
      {
        name: 'locked',
        synchronization: { mutexes: [{ name }] },
        container: { image: 'alpine', command: ['true'] },
      },
      resource('create', { action: 'create' }, { ...map, metadata: { generateName: `${name}-made-` } }),
      resource('apply', { action: 'apply' }, { ...map, metadata: { name: `${name}-map` }, data: { a: '1' } }),
      // Done twice, it would do more.
      resource('append', { action: 'patch', mergeStrategy: 'json', flags: [`serviceaccount/${name}`] }, [
        { op: 'add', path: '/secrets/-', value: { name: 'two' } },
      ]),
      resource(
        'patch',
        { action: 'patch', mergeStrategy: 'merge' },
        { ...map, metadata: { name: `${name}-map` }, data: { b: '2' } },
      ),
      resource('replace', { action: 'replace' }, { ...map, metadata: { name: `${name}-old` }, data: { c: '3' } }),
      resource('delete', { action: 'delete' }, { ...map, metadata: { name: `${name}-old` } }),
    ],
  }
}

describe('a run whose engine has writes that fail', () => {
  let scene: WorkflowsScene
  let ledger: PodLedger

  beforeAll(async () => {
    scene = await WorkflowsScene.create()
    await scene.stopEngine()
    await letStepsDoEverything(scene.client)
    ledger = await PodLedger.follow(createCaches(scene.client))
  })
  afterAll(() => scene?.close())

  /** Starts an engine whose nth write goes wrong, and counts its writes. */
  async function startEngine(at: number, fault?: Fault): Promise<() => number> {
    let writes = 0
    await scene.startEngine({
      client: faultyClient(scene.client, { onWrite: () => (++writes === at ? fault : undefined) }),
    })
    return () => writes
  }

  /** Runs it, the nth write going wrong. Resolves with what came of it, and how many writes there were. */
  async function run(name: string, at: number, fault?: Fault) {
    const namespace = 'default'
    await scene.client.create({ ...CONFIG_MAP, metadata: { name: `${name}-old`, namespace } })
    await scene.client.create({ ...ACCOUNT, metadata: { name, namespace }, secrets: [{ name: 'one' }] })
    const writes = await startEngine(at, fault)
    await scene.client.create({ ...WORKFLOW, metadata: { name, namespace }, spec: specOf(name) })
    const { status } = await scene.untilOver(name)
    await scene.engine?.settled()
    await scene.stopEngine()
    const { items: maps } = await scene.client.list({ ...CONFIG_MAP, namespace })
    const own = maps.filter(({ metadata }) => metadata.name?.startsWith(`${name}-`))
    const { secrets } = await scene.client.get({ ...ACCOUNT, namespace, name })
    const outcome = {
      phase: status?.phase,
      messages: Object.values(status?.nodes ?? {}).flatMap(({ message }) => message ?? []),
      nodes: Object.values(status?.nodes ?? {})
        .map(node => `${node.name.slice(name.length)} ${node.phase}`)
        .toSorted(),
      maps: own.map(({ metadata, data }) => [
        metadata.name?.slice(name.length).replace(/(made-).*/, '$1'),
        metadata.name?.endsWith('-cache') ? Object.keys(data ?? {}).length : data,
      ]),
      secrets: secrets?.map(secret => secret.name),
      pods: ledger.podsOf(`${name} `),
      left: [...(await left(POD, name)), ...(await left(CLAIM, name)), ...(await left(BUDGET, name))],
    }
    return { outcome, writes: writes() }
  }

  const left = async (kind: { apiVersion: string; kind: string }, name: string): Promise<(string | undefined)[]> =>
    (await scene.client.list({ ...kind, namespace: 'default' })).items
      .map(({ metadata }) => metadata.name)
      .filter(is => is?.startsWith(name))

  it(`at ${isFull ? 'each' : 'some'} of them, ends as if they had not, and nothing happens twice`, async () => {
    const { outcome: expected, writes } = await run('reference', 0)
    expect(expected).toMatchObject({
      phase: 'Succeeded',
      messages: [],
      maps: [
        ['-cache', 1],
        ['-made-', undefined],
        ['-map', { a: '1', b: '2' }],
      ],
      secrets: ['one', 'two'],
      pods: [1, 1, 1, 1],
      left: [],
    })
    const failed: Record<string, unknown> = {}
    let turn = 0
    let hits = 0
    for (let at = 1; at <= writes; at++) {
      for (const [index, fault] of FAULTS.entries()) {
        if (!isFull && at % FAULTS.length !== index) continue
        const name = `faulty-${++turn}`
        const { outcome, writes: made } = await run(name, at, fault)
        if (made >= at) hits++
        if (JSON.stringify(outcome) !== JSON.stringify(expected)) failed[`write ${at}: ${nameOf(fault)}`] = outcome
      }
    }
    expect(failed).toEqual({})
    // A run of its own may come out with fewer writes.
    expect(hits).toBeGreaterThan(turn * 0.9)
  })

  it('waits for a condition as long as the server is away', async () => {
    let isDead = false
    let inVain = 0
    const client = faultyClient(scene.client, {
      isDead: () => {
        if (isDead) inVain++
        return isDead
      },
    })
    const patient = faultyClient(scene.client, { isDead: () => isDead })
    await scene.startEngine({ client: patient, actAs: () => client })
    const name = 'patient'
    const map = { ...CONFIG_MAP, metadata: { name, namespace: 'default' } }
    const template = resource(name, { action: 'create', successCondition: 'data.state == done' }, map)
    const spec = { entrypoint: name, templates: [template] }
    await scene.client.create({ ...WORKFLOW, metadata: { name, namespace: 'default' }, spec })
    await scene.until(name, ({ status }) => status?.nodes?.[name]?.phase === 'Running')
    await expect.poll(() => left(CONFIG_MAP, name)).toEqual([name])
    isDead = true
    const patch = { type: 'merge', patch: { data: { state: 'done' } } } as const
    await scene.client.patch({ ...CONFIG_MAP, namespace: 'default', name }, patch)
    await expect.poll(() => inVain).toBeGreaterThan(3)
    isDead = false
    expect((await scene.untilOver(name)).status).toMatchObject({ phase: 'Succeeded' })
    await scene.stopEngine()
  })

  it('is over then: another engine that begins writes nothing', async () => {
    const writes = await startEngine(0)
    await scene.engine?.settled()
    await scene.stopEngine()
    expect(writes()).toBe(0)
  })
})

const obstacle = whyNoNamespaces()

describe.skipIf(obstacle)(`artifacts${obstacle}`, () => {
  it.each(['before', 'after'])(
    'get into pods and out of them although connections break %s the programs there',
    async when => {
      let calls = 0
      const broken = new Set<string>()
      const breaking = (client: Client): Client =>
        new Proxy(client, {
          get(_, name: keyof Client) {
            if (name === 'as') return (...args: Parameters<Client['as']>) => breaking(client.as(...args))
            if (name !== 'exec') return (client[name] as (...args: unknown[]) => unknown).bind(client)
            return async (...args: Parameters<Client['exec']>) => {
              calls++
              // Each of them once.
              const call = args[1].command.join(' ')
              const isBroken = !broken.has(call)
              broken.add(call)
              const lost = () => new ConnectionFailure('the server', new Error('the connection was lost'))
              if (isBroken && when === 'before') throw lost()
              const answer = await client.exec(...args)
              if (isBroken) throw lost()
              return answer
            }
          },
        })
      const cluster = await WorkflowProcesses.start()
      const { client, recorder, logs } = cluster
      const engine = await startWorkflows({
        env: systemEnv,
        client: breaking(client),
        recorder,
        logs,
        artifacts: createFileArtifacts({ directory: join(cluster.cluster.folder, 'faulty-artifacts') }),
        instanceId: 'faulty',
      })
      try {
        const from = '{{steps.make.outputs.artifacts.file}}'
        const steps = [
          [{ name: 'make', template: 'make' }],
          [{ name: 'use', template: 'use', arguments: { artifacts: [{ name: 'file', from }] } }],
        ]
        const make = { image: 'alpine', command: ['sh', '-c', 'echo content > /tmp/file'] }
        const use = { image: 'alpine', command: ['cat', '/in'] }
        await cluster.create({
          ...WORKFLOW,
          metadata: { name: 'passing', labels: { 'workflows.argoproj.io/controller-instanceid': 'faulty' } },
          spec: {
            entrypoint: 'main',
            templates: [
              { name: 'main', steps },
              { name: 'make', outputs: { artifacts: [{ name: 'file', path: '/tmp/file' }] }, container: make },
              { name: 'use', inputs: { artifacts: [{ name: 'file', path: '/in' }] }, container: use },
            ],
          },
        })
        const run = await cluster.untilOver('passing')
        expect(run.status).toMatchObject({ phase: 'Succeeded' })
        await engine.settled()
        expect(await cluster.logOf(run, nodeNamed(run, 'use').id)).toBe('content\n')
        expect(calls).toBeGreaterThan(4)
      } finally {
        await engine.stop()
        await cluster.close()
      }
    },
  )
})
