import { type ApiServer, createApiServer } from '@tiphys/apiserver'
import { type Cluster, createSimulatedRuntime, startCluster } from '@tiphys/cluster'
import { delay, type Env, systemClock, systemEnv, untilQuiet, VirtualClock } from '@tiphys/env'
import type { NewRecord } from '@tiphys/journal/records'
import {
  type Client,
  type DeleteOptions,
  isNotFound,
  type KubeObject,
  kindRef,
  type ObjectRef,
  readYaml,
} from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import { applyManifests, FIELD_MANAGER } from './manifests/apply-manifests.ts'
import { ManifestFailure } from './manifests/manifest-failure.ts'
import { readManifests } from './manifests/manifest-folder.ts'
import { installDefinitions } from './session/definitions.ts'
import { ENGINE_USER, engineGroups, installEngineRole } from './session/engine-role.ts'
import { type Engines, startEngines } from './session/engines.ts'
import { chainsOf, isFailure } from './session/record-chain.ts'
import { createMemoryStore, type Store } from './session/store.ts'
import { createTerminal } from './terminal.ts'

export interface OperatorClusterOptions {
  /** The operator: folders or files of manifests. */
  manifests?: string | readonly string[]
  /** Time, randomness and log. Time stands still until `advance`, unless another clock is given. */
  env?: Partial<Env>
  /** How many nodes run the pods. */
  nodes?: number
  /** `simulated`: pods become ready or complete as the annotation `tiphys.dev/simulate` says, at once without it.
   *  `process`: they are processes of this machine, time is the machine's, and what steps print counts. */
  runtime?: 'simulated' | 'process'
}

/** A cluster of one test's own with an operator that is active, in memory. */
export interface OperatorCluster {
  /** Speaks to the cluster as its administrator. */
  readonly client: Client
  /** Everything that was recorded so far. */
  readonly records: readonly NewRecord[]
  /** Applies objects, YAML, or what a path leads to, and settles. Resolves with what the cluster has then. */
  apply(...what: readonly (KubeObject | string)[]): Promise<KubeObject[]>
  /** The object, or undefined. Without a namespace it is in `default`, if its kind has namespaces. */
  get<T extends KubeObject = KubeObject>(ref: ObjectRef<T>): Promise<T | undefined>
  /** Deletes an object, and settles. */
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<void>
  /** Resolves when nothing is queued, no trigger and no step is running. What waits for time does not count. */
  settle(): Promise<void>
  /** Lets time pass, and everything happen that falls due. */
  advance(ms: number): Promise<void>
  /** What every event has set off, or one, in lines. */
  trace(event?: string): string
  close(): Promise<void>
}

/** Gives a test a fresh cluster with the operator active. */
export function testCluster(options: OperatorClusterOptions = {}): Promise<OperatorCluster> {
  return awake(start(options))
}

/** The timers of Tiphys do not keep a process alive, but a test that waits is not done. */
async function awake<T>(task: Promise<T>): Promise<T> {
  const working = setInterval(() => {}, 2 ** 30)
  try {
    return await task
  } finally {
    clearInterval(working)
  }
}

async function start(options: OperatorClusterOptions): Promise<OperatorCluster> {
  const { manifests = [], env: given = {}, nodes = 1, runtime = 'simulated' } = options
  const isReal = runtime === 'process'
  const clock = isReal ? systemClock : new VirtualClock(systemClock.now())
  const env: Env = { ...systemEnv, clock, ...given }
  const server = await createApiServer({ env, clusterDefaults: true })
  const pods = isReal ? await startProcesses(server, env, nodes) : await startSimulated(server, env, nodes)
  const store = createMemoryStore(env)
  const records: NewRecord[] = []
  const parts = { server, pods, store, env, records, isReal }
  const made = new TestOperator({ ...parts, engines: await startOperatorEngines(parts) })
  try {
    await made.start(typeof manifests === 'string' ? [manifests] : manifests)
    return made
  } catch (thrown) {
    await made.close()
    throw thrown
  }
}

async function startSimulated(server: ApiServer, env: Env, nodes: number): Promise<Pods> {
  const cluster = await startCluster({
    server,
    env,
    runtime: createSimulatedRuntime({ env }),
    nodeNames: Array.from({ length: nodes }, (_, index) => `node-${index + 1}`),
  })
  await cluster.ready
  return cluster
}

async function startProcesses(server: ApiServer, env: Env, nodes: number): Promise<Pods> {
  const { startPods } = await import('./session/pods.ts')
  const listening = await server.listen()
  return await startPods({
    server,
    env,
    listening,
    nodes,
    runtime: 'process',
    images: {},
    directory: undefined,
    secretPaths: [],
  })
}

/** What runs the pods. */
type Pods = Pick<Cluster, 'isIdle' | 'stop'>

interface Parts {
  server: ApiServer
  pods: Pods
  store: Store
  env: Env
  records: NewRecord[]
  engines: Engines
  /** Pods are processes that take their time. */
  isReal: boolean
}

async function startOperatorEngines({ server, env, store, records }: Omit<Parts, 'engines'>): Promise<Engines> {
  const administrator = server.client()
  const [{ eventDefinitions }, { workflowDefinitions }] = await Promise.all([
    import('@tiphys/events'),
    import('@tiphys/workflows'),
  ])
  await installDefinitions([...eventDefinitions, ...workflowDefinitions], { client: administrator, env: realTime(env) })
  await installEngineRole(administrator)
  return await startEngines({
    env,
    client: server.client({ name: ENGINE_USER, groups: engineGroups() }),
    store,
    onRecord: record => records.push(record),
  })
}

/** What the test waits for itself must not wait for the time that the test owns. */
const realTime = (env: Env): Env => ({ ...env, clock: systemClock })

/** A change reaches whoever watches in a few turns of the event loop. */
const QUIET_TURNS = 6
const LOOK_EVERY_MS = 20
const POD = kindRef<Pod>('v1', 'Pod')

class TestOperator implements OperatorCluster {
  readonly #parts: Parts
  readonly client: Client

  constructor(parts: Parts) {
    this.#parts = parts
    this.client = parts.server.client()
    if (process.env.TIPHYS_TEST_TRACES !== undefined) printFailuresAtExit(parts.records)
  }

  get records(): readonly NewRecord[] {
    return this.#parts.records
  }

  async start(paths: readonly string[]): Promise<void> {
    await this.#parts.engines.ready()
    if (paths.length > 0) await this.#applyPaths(paths)
    await this.settle()
  }

  apply(...what: readonly (KubeObject | string)[]): Promise<KubeObject[]> {
    return awake(this.#apply(what))
  }

  async #apply(what: readonly (KubeObject | string)[]): Promise<KubeObject[]> {
    const stored: KubeObject[] = []
    for (const item of what) {
      if (typeof item !== 'string') stored.push(await this.#applyObject(item))
      else if (item.includes('\n'))
        for (const { value } of await readYaml(item)) stored.push(await this.#applyObject(value as KubeObject))
      else stored.push(...(await this.#applyPaths([item])))
    }
    await this.settle()
    return stored
  }

  async get<T extends KubeObject>(ref: ObjectRef<T>): Promise<T | undefined> {
    try {
      return await this.client.get(await this.#placed(ref))
    } catch (thrown) {
      if (isNotFound(thrown)) return undefined
      throw thrown
    }
  }

  async delete(ref: ObjectRef, options: DeleteOptions = {}): Promise<void> {
    await this.client.delete(await this.#placed(ref), options)
    await this.settle()
  }

  settle(): Promise<void> {
    return awake(this.#settle())
  }

  async #settle(): Promise<void> {
    const { isReal, env } = this.#parts
    await this.#quiet()
    while (isReal && (await this.#hasRunningSteps())) {
      await delay(env.clock, LOOK_EVERY_MS)
      await this.#quiet()
    }
  }

  #quiet(): Promise<void> {
    const { server, pods, engines } = this.#parts
    let before = server.storage.revision
    return untilQuiet(() => {
      const now = server.storage.revision
      const isQuiet = pods.isIdle() && engines.isIdle() && now === before
      before = now
      return isQuiet
    }, QUIET_TURNS)
  }

  /** Pods that run to an end and have not come to it. */
  async #hasRunningSteps(): Promise<boolean> {
    const { items } = await this.client.list(POD)
    return items.some(
      ({ spec, status }) =>
        spec?.restartPolicy !== undefined &&
        spec.restartPolicy !== 'Always' &&
        !['Succeeded', 'Failed'].includes(status?.phase ?? ''),
    )
  }

  async advance(ms: number): Promise<void> {
    const clock = this.#parts.env.clock as Partial<VirtualClock>
    if (!clock.advance) throw new Error('only a cluster with a VirtualClock can be told to let time pass')
    await awake(clock.advance(ms, () => this.settle()))
  }

  trace(event?: string): string {
    const { records } = this
    const own = event === undefined ? records : records.filter(({ trace }) => trace === event)
    return chainsOf(own, plain()).join('\n')
  }

  close(): Promise<void> {
    return awake(this.#close())
  }

  async #close(): Promise<void> {
    const { engines, pods, server, store } = this.#parts
    await engines.stop()
    await pods.stop()
    await server.close()
    await store.close()
  }

  async #applyObject(object: KubeObject): Promise<KubeObject> {
    const { namespaced } = await this.client.resourceFor(object)
    const metadata = namespaced ? { namespace: 'default', ...object.metadata } : object.metadata
    return await this.client.apply({ ...object, metadata }, { fieldManager: FIELD_MANAGER, force: true })
  }

  async #applyPaths(paths: readonly string[]): Promise<KubeObject[]> {
    const { manifests, problems } = await readManifests(paths)
    if (problems.length > 0) throw new ManifestFailure(problems)
    const report = await applyManifests(manifests, {
      client: this.client,
      env: realTime(this.#parts.env),
      namespace: 'default',
      force: true,
      untilActive: async () => {
        await this.settle()
        return []
      },
    })
    if (report.problems.length > 0) throw new ManifestFailure(report.problems)
    return report.applied.map(({ object }) => object)
  }

  async #placed<T extends KubeObject>(ref: ObjectRef<T>): Promise<ObjectRef<T>> {
    if (ref.namespace !== undefined) return ref
    const { namespaced } = await this.client.resourceFor(ref)
    return namespaced ? { ...ref, namespace: 'default' } : ref
  }
}

const plain = () => createTerminal({ stdout: { write: () => {} }, stderr: { write: () => {} } }, {}).out

/** `tiphys test` shows what went wrong inside the cluster of a test that failed. */
function printFailuresAtExit(records: readonly NewRecord[]): void {
  process.once('exit', code => {
    const lasting = records.filter(record => !isMended(record, records))
    const failed = new Set(lasting.filter(isFailure).map(({ trace }) => trace))
    if (code === 0 || failed.size === 0) return
    const lines = chainsOf(
      lasting.filter(({ trace }) => failed.has(trace)),
      plain(),
    )
    process.stdout.write(`\nWhat went wrong in the cluster of this file:\n${lines.join('\n')}\n`)
  })
}

/** What was only so for a moment, as of a Sensor that is applied before its source. */
function isMended(record: NewRecord, records: readonly NewRecord[]): boolean {
  if (record.kind !== 'health') return false
  const { object, condition } = record
  const isSame = (other: NewRecord): other is typeof record =>
    other.kind === 'health' &&
    other.condition === condition &&
    other.object.kind === object.kind &&
    other.object.namespace === object.namespace &&
    other.object.name === object.name
  return records.findLast(isSame)?.status === 'True'
}
