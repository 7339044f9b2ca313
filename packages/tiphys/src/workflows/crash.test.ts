import type { Clock } from '@tiphys/env'
import { createCaches, kindRef } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Mortality, mortalClient } from './mortal-client.ts'
import { PodLedger } from './pod-ledger.ts'
import { type RunObject, WORKFLOW, WorkflowsScene } from './scene.ts'
import { outcomeOf, THIRTY_NODES } from './thirty-nodes.ts'

vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 120_000 })

const POD = kindRef('v1', 'Pod')
const isFull = process.env.TIPHYS_FULL !== undefined

describe('an engine that is killed', () => {
  let scene: WorkflowsScene
  let ledger: PodLedger
  let expected: ReturnType<typeof outcomeOf>
  let writes = 0

  beforeAll(async () => {
    scene = await WorkflowsScene.create({ nodes: 5 })
    ledger = await PodLedger.follow(createCaches(scene.client))
    await scene.stopEngine()
    const life = new Mortality(0, 'before')
    await scene.startEngine({ client: mortalClient(scene.client, life) })
    expected = outcomeOf(await run('reference'))
    await scene.engine?.settled()
    writes = life.writes
    await scene.stopEngine()
  })
  afterAll(() => scene?.close())

  const run = async (name: string): Promise<RunObject> => {
    await scene.client.create({ ...WORKFLOW, metadata: { name, namespace: 'default' }, spec: THIRTY_NODES })
    return scene.untilOver(name)
  }

  it('leaves a run of thirty nodes that ends by itself, for comparison', () => {
    expect(expected.phase).toBe('Succeeded')
    expect(Object.keys(expected.nodes).length).toBeGreaterThanOrEqual(30)
    expect(expected.nodes['wf[1].graph.t6']).toEqual(['Pod', 'Succeeded', '123456'])
    expect(writes).toBeGreaterThan(40)
  })

  it(`at ${isFull ? 'every write' : 'some of its writes'}, before and after it, is replaced by one that ends the run the same way, and no step is started twice`, async () => {
    const points = Array.from({ length: writes }, (_, index) => index + 1)
    const chosen = isFull ? points : points.filter(point => point % 16 === 3)
    for (const at of chosen) {
      for (const when of ['before', 'after'] as const) {
        const name = `killed-${when}-${at}`
        const life = new Mortality(at, when)
        await scene.startEngine({ client: mortalClient(scene.client, life) })
        const done = run(name)
        // A run of its own has its writes in another order; one that comes out with fewer is not killed.
        await Promise.race([life.died, done])
        await scene.stopEngine()
        await scene.startEngine()
        expect(outcomeOf(await done), name).toEqual(expected)
        await scene.engine?.settled()
        await scene.stopEngine()
        expect(new Set(ledger.podsOf(`${name} `)), name).toEqual(new Set([1]))
        const { items } = await scene.client.list({
          ...POD,
          namespace: 'default',
          labelSelector: `workflows.argoproj.io/workflow=${name}`,
        })
        expect(
          items.filter(({ metadata }) => (metadata.finalizers ?? []).length > 0),
          name,
        ).toEqual([])
      }
    }
  })

  it('before it has stored what it did in many runs, is replaced by one that finds it done', async () => {
    const RUNS = 12
    const value = (text: string) => ({ arguments: { parameters: [{ name: 'text', value: text }] } })
    const spec = {
      entrypoint: 'main',
      templates: [
        {
          name: 'main',
          steps: [
            [{ name: 'a', template: 'say', ...value('a') }],
            [{ name: 'b', template: 'say', ...value('{{steps.a.outputs.result}}b') }],
            [{ name: 'c', template: 'say', ...value('{{steps.b.outputs.result}}c') }],
          ],
        },
        {
          name: 'say',
          inputs: { parameters: [{ name: 'text' }] },
          metadata: { annotations: { 'tiphys.dev/simulate': '{"log": "{{inputs.parameters.text}}"}' } },
          script: { image: 'alpine', command: ['sh'], source: 'echo "$TEXT"' },
        },
      ],
    }
    for (const at of [20, 35, 50]) {
      const names = Array.from({ length: RUNS }, (_, index) => `many-${at}-${index}`)
      for (const name of names)
        await scene.client.create({ ...WORKFLOW, metadata: { name, namespace: 'default' }, spec })
      const life = new Mortality(at, 'after')
      await scene.startEngine({
        client: mortalClient(scene.client, life),
        env: { ...scene.env, clock: standingClock() },
      })
      await life.died
      await scene.stopEngine()
      const unstored = await Promise.all(names.map(podsWithoutNode))
      expect(unstored.flat().length, `at ${at}`).toBeGreaterThan(0)
      await scene.startEngine()
      for (const name of names) {
        const { phase, nodes } = outcomeOf(await scene.untilOver(name))
        expect({ phase, b: nodes['wf[1].b'] }, name).toEqual({ phase: 'Succeeded', b: ['Pod', 'Succeeded', 'ab'] })
      }
      await scene.engine?.settled()
      await scene.stopEngine()
      expect(ledger.podsOf(`many-${at}-`)).toEqual(Array.from({ length: 3 * RUNS }, () => 1))
    }
  })

  it('before it has stored that a step began, is replaced by one that ends its pod if the run does without it by now', async () => {
    const pretend = (name: string, simulation: string) => ({
      name,
      metadata: { annotations: { 'tiphys.dev/simulate': simulation } },
      container: { image: 'alpine', command: ['true'] },
    })
    const steps = [[{ name: 'a', template: 'brief' }], [{ name: 'b', template: 'long' }]]
    const templates = [{ name: 'main', steps }, pretend('brief', '{}'), pretend('long', '{"runFor": "1h"}')]
    const names = Array.from({ length: 12 }, (_, index) => `ended-${index}`)
    for (const name of names) {
      const spec = { entrypoint: 'main', templates }
      await scene.client.create({ ...WORKFLOW, metadata: { name, namespace: 'default' }, spec })
    }
    await scene.startEngine({ env: { ...scene.env, clock: standingClock() } })
    await untilPods(pods => pods.filter(({ status }) => status?.phase === 'Running').length === names.length)
    await scene.stopEngine()
    const counts = await Promise.all(names.map(async name => (await podsWithoutNode(name)).length))
    const unstored = names.filter((_, index) => counts[index] !== 0)
    expect(unstored).not.toEqual([])

    const shorter = [{ name: 'main', steps: steps.slice(0, 1) }, ...templates.slice(1)]
    for (const name of names) {
      const patch = { type: 'merge', patch: { spec: { templates: shorter } } } as const
      await scene.client.patch({ ...WORKFLOW, namespace: 'default', name }, patch)
    }
    await scene.startEngine()
    for (const name of unstored)
      expect(Object.keys(outcomeOf(await scene.untilOver(name)).nodes), name).not.toContain('wf[1].b')
    await untilPods(pods => pods.every(({ status, metadata }) => status?.phase !== 'Running' && !metadata.finalizers))
    await scene.stopEngine()
  })

  /** No time passes: what can be stored later is not stored before the run is over. */
  const standingClock = () => {
    const now = scene.env.clock.now()
    return Object.assign(Object.create(scene.env.clock) as Clock, { now: () => now })
  }

  /** Resolves when the pods of the runs that are to be ended are as asked for. */
  const untilPods = async (areSo: (pods: Pod[]) => boolean) => {
    const caches = createCaches(scene.client)
    const pods = caches.acquire(POD)
    await pods.whenSynced()
    const isOne = ({ metadata }: Pod) => metadata.labels?.['workflows.argoproj.io/workflow']?.startsWith('ended-')
    await new Promise<void>(resolve => {
      const look = () => areSo(pods.list().filter(isOne)) && resolve()
      pods.subscribe(look)
      look()
    })
    caches.stop()
  }

  /** Pods of a run that its status does not tell of. */
  const podsWithoutNode = async (name: string) => {
    const { status } = await scene.get(name)
    const labelSelector = `workflows.argoproj.io/workflow=${name}`
    const { items } = await scene.client.list({ ...POD, namespace: 'default', labelSelector })
    return items.filter(({ metadata }) => {
      const node = metadata.annotations?.['workflows.argoproj.io/node-id'] ?? ''
      return status?.nodes?.[node] === undefined
    })
  }
})
