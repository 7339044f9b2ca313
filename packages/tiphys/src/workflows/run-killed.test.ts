import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { type Caches, createCaches, type ObjectChange } from '@tiphys/kube'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { whyNoNamespaces } from '../machine.ts'
import { TestCluster } from '../test-cluster.ts'
import { TiphysProcess } from '../tiphys-process.ts'
import { PodLedger } from './pod-ledger.ts'
import { type RunObject, WORKFLOW } from './scene.ts'
import { outcomeOf, THIRTY_NODES } from './thirty-nodes.ts'

vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 120_000 })

const isFull = process.env.TIPHYS_FULL !== undefined
const obstacle = whyNoNamespaces()

const WAYS = [
  { pods: 'simulated', way: 'simulated', why: '', every: isFull ? 1 : 40 },
  { pods: 'process', way: `process${obstacle}`, why: obstacle, every: isFull ? 12 : 60 },
]

/** `tiphys cluster`, which stays, and `tiphys run`, which is killed: what a run's Workflow and pods went through, as seen from outside. */
class Killing {
  readonly cluster: TestCluster
  readonly #caches: Caches
  #ledger: PodLedger | undefined
  #changed: (run: string | undefined) => void = () => {}
  #engine: TiphysProcess | undefined
  #data = ''

  private constructor(cluster: TestCluster) {
    this.cluster = cluster
    this.#caches = createCaches(cluster.client)
  }

  static async start(pods: string): Promise<Killing> {
    const killing = new Killing(await TestCluster.start(['--runtime', pods]))
    killing.#data = await mkdtemp(join(killing.cluster.folder, 'run-'))
    await killing.revive()
    await killing.#follow()
    return killing
  }

  async #follow(): Promise<void> {
    this.#ledger = await PodLedger.follow(this.#caches, run => this.#changed(run))
    const runs = this.#caches.acquire(WORKFLOW)
    runs.subscribe(({ object }: ObjectChange<RunObject>) => this.#changed(object.metadata.name))
    await runs.whenSynced()
  }

  async revive(): Promise<void> {
    const places = ['--kubeconfig', this.cluster.kubeconfig, '--data', this.#data, '--console-port', '0']
    this.#engine = new TiphysProcess(['run', ...places], { cwd: this.#data })
    await this.#engine.shows('tiphys is ready\n')
  }

  /** Has a run, and kills the engine at the nth change of its Workflow or its pods. */
  async run(
    name: string,
    at: number,
  ): Promise<{ outcome: ReturnType<typeof outcomeOf>; changes: number; kills: number }> {
    let [changes, kills] = [0, 0]
    let revived: Promise<void> | undefined
    this.#changed = run => {
      if (run !== name || ++changes !== at) return
      kills++
      revived = this.#engine?.signal('SIGKILL').then(() => this.revive())
    }
    await this.cluster.client.create({ ...WORKFLOW, metadata: { name, namespace: 'default' }, spec: THIRTY_NODES })
    const outcome = outcomeOf(await this.#untilOver(name))
    await revived
    return { outcome, changes, kills }
  }

  async #untilOver(name: string): Promise<RunObject> {
    const selection = { ...WORKFLOW, namespace: 'default', fieldSelector: `metadata.name=${name}` }
    for await (const event of this.cluster.client.watch(selection)) {
      if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue
      if (event.object.metadata.labels?.['workflows.argoproj.io/completed'] === 'true') return event.object
    }
    throw new Error(`the watch of ${name} ended`)
  }

  /** Nodes of a run, with how many pods each had. */
  podsOf(name: string): number[] {
    return this.#ledger?.podsOf(`${name} `) ?? []
  }

  async close(): Promise<void> {
    this.#caches.stop()
    await this.#engine?.signal('SIGKILL')
    await this.cluster.close()
  }
}

describe.each(WAYS)(
  '`tiphys run`, killed beside a `tiphys cluster` with pods by way of $way',
  ({ pods, why, every }) => {
    let killing: Killing
    beforeAll(async () => {
      if (why === '') killing = await Killing.start(pods)
    })
    afterAll(() => killing?.close())

    it.skipIf(why)(
      `at ${every === 1 ? 'every' : 'some'} change of a run of thirty nodes, ends it as if nothing had been, and every step has had one pod`,
      async () => {
        const expected = await killing.run('reference', 0)
        expect(expected.outcome.phase).toBe('Succeeded')
        expect(expected.outcome.nodes['wf[1].graph.t6']).toEqual(['Pod', 'Succeeded', '123456'])
        const steps = 23
        await expect.poll(() => killing.podsOf('reference')).toHaveLength(steps)
        let killed = 0
        // How many changes there are depends on the moment: the last points may find the run over.
        for (let at = 1; at <= expected.changes; at += every) {
          const name = `killed-${at}`
          const { outcome, kills } = await killing.run(name, at)
          expect(outcome, name).toEqual(expected.outcome)
          const oneEach = Array.from({ length: steps }, () => 1)
          // Pods are heard of by a watch of their own, which may lag behind the one that told of the end.
          await expect.poll(() => killing.podsOf(name), { message: name }).toEqual(oneEach)
          killed += kills
        }
        expect(killed).toBeGreaterThan(expected.changes / every / 2)
      },
    )
  },
)
