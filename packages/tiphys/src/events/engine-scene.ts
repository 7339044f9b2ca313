import { type ApiServer, createApiServer } from '@tiphys/apiserver'
import { createLog, type Env, type LogLine, systemRandom, VirtualClock } from '@tiphys/env'
import { type EventEngine, type EventEngineOptions, eventDefinitions, startEvents } from '@tiphys/events'
import { openFileJournal } from '@tiphys/journal'
import { createRecorder, decodeRecord, type Recorder, type TraceRecord } from '@tiphys/journal/records'
import { SimulatedDisk } from '@tiphys/journal/testing'
import { type Client, type KubeObject, readYaml } from '@tiphys/kube'

export interface Condition {
  type: string
  status: string
  reason: string
  message: string
}

const START = Date.parse('2026-03-04T05:06:07.000Z')
const PATIENCE_MS = 20_000

/** For tests: a cluster with the event engine on it. Time stands still unless a test lets it pass. */
export class EngineScene {
  readonly clock = new VirtualClock(START)
  readonly logged: LogLine[] = []
  readonly env: Env = {
    clock: this.clock,
    random: systemRandom,
    log: createLog({ now: () => this.clock.now(), write: line => void this.logged.push(line) }),
  }
  readonly records: TraceRecord[] = []
  disk = new SimulatedDisk()
  server!: ApiServer
  client!: Client
  engine!: EventEngine
  readonly recorder: Recorder
  #options: Partial<EventEngineOptions> = {}

  private constructor() {
    const append = async ({ data }: { data: string | Uint8Array }) =>
      this.records.push(decodeRecord(data) as TraceRecord)
    this.recorder = createRecorder({ append }, { env: this.env })
  }

  static async start(
    options: Partial<EventEngineOptions> & { withDefinitions?: boolean; withEngine?: boolean } = {},
  ): Promise<EngineScene> {
    const { withDefinitions = true, withEngine = true, ...engine } = options
    const scene = new EngineScene()
    scene.server = await createApiServer({ env: scene.env, clusterDefaults: true })
    scene.client = scene.server.client()
    scene.#options = engine
    if (withDefinitions) await scene.define()
    await scene.apply(EVERYTHING_ALLOWED)
    if (withEngine) await scene.startEngine()
    return scene
  }

  /** The kinds of the engine. */
  async define(): Promise<void> {
    for (const definition of eventDefinitions) await this.client.create(definition)
    for (const { metadata } of eventDefinitions) await this.untilEstablished(metadata.name ?? '')
  }

  async untilEstablished(name: string): Promise<void> {
    const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name }
    await this.until(async () => conditionOf(await this.client.get(ref), 'Established')?.status === 'True')
  }

  async startEngine(options: Partial<EventEngineOptions> = {}): Promise<void> {
    this.engine = await startEvents({
      env: this.env,
      client: this.client,
      recorder: this.recorder,
      openJournal: name => openFileJournal({ directory: name, env: this.env, fileSystem: this.disk }),
      ...this.#options,
      ...options,
    })
    await this.engine.ready()
  }

  async close(): Promise<void> {
    await this.engine?.stop()
    await this.server.close()
  }

  /** Applies manifests one after the other, and waits until all that follows is done. */
  async apply(manifests: string): Promise<KubeObject[]> {
    const made: KubeObject[] = []
    for (const { value } of await readYaml(manifests)) {
      const object = value as KubeObject
      const { namespaced } = await this.client.resourceFor(object)
      const metadata = namespaced ? { namespace: 'default', ...object.metadata } : object.metadata
      made.push(await this.client.apply({ ...object, metadata }, { fieldManager: 'test', force: true }))
    }
    await this.settled()
    return made
  }

  async settled(): Promise<void> {
    if (!this.engine) return
    await this.engine.settled()
    await this.recorder.settled()
  }

  /** Lets time pass, and everything happen that falls due. */
  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms, () => this.engine.settled())
    await this.settled()
  }

  /** By the clock on the wall: what comes from disks and sockets takes as many turns as it likes. */
  async until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
    for (const begin = performance.now(); performance.now() - begin < PATIENCE_MS; ) {
      if (await isTrue()) return
      await new Promise<void>(resolve => setImmediate(resolve))
    }
    throw new Error('it did not come about')
  }

  get<T extends KubeObject = KubeObject>(kind: string, name: string, namespace = 'default'): Promise<T> {
    return this.client.get<T>({ apiVersion: apiVersionOf(kind), kind, namespace, name })
  }

  async list(kind: string, namespace = 'default'): Promise<KubeObject[]> {
    return (await this.client.list({ apiVersion: apiVersionOf(kind), kind, namespace })).items
  }

  /** Names of ConfigMaps, but for the cluster's own. */
  async configMaps(namespace = 'default'): Promise<string[]> {
    const found = await this.list('ConfigMap', namespace)
    return found.map(({ metadata }) => metadata.name ?? '').filter(name => name !== 'kube-root-ca.crt')
  }

  async condition(kind: string, name: string, type: string): Promise<Condition | undefined> {
    return conditionOf(await this.get(kind, name), type)
  }

  writeConfigMap(name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) {
    const metadata = { name, namespace: 'default', labels }
    return this.client.apply<KubeObject>(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, data },
      { fieldManager: 'test', force: true },
    )
  }

  recordsOf<K extends TraceRecord['kind']>(kind: K): Extract<TraceRecord, { kind: K }>[] {
    return this.records.filter(record => record.kind === kind) as Extract<TraceRecord, { kind: K }>[]
  }
}

export function conditionOf({ status }: KubeObject, type: string): Condition | undefined {
  const { conditions } = (status ?? {}) as { conditions?: Condition[] | null }
  return conditions?.find(condition => condition.type === type)
}

const API_VERSIONS: Readonly<Record<string, string>> = {
  EventBus: 'argoproj.io/v1alpha1',
  EventSource: 'argoproj.io/v1alpha1',
  Sensor: 'argoproj.io/v1alpha1',
  Workflow: 'argoproj.io/v1alpha1',
  Replay: 'tiphys.dev/v1alpha1',
  Retry: 'tiphys.dev/v1alpha1',
  Discard: 'tiphys.dev/v1alpha1',
  Deployment: 'apps/v1',
}

const apiVersionOf = (kind: string) => API_VERSIONS[kind] ?? 'v1'

/** Tests of rights take this away. */
export const EVERYTHING_ALLOWED = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: everything}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: Group, apiGroup: rbac.authorization.k8s.io, name: 'system:serviceaccounts'}]
`

export const BUS = `
apiVersion: argoproj.io/v1alpha1
kind: EventBus
metadata: {name: default}
spec: {nats: {native: {}}}
`

/** An EventSource on the ConfigMaps whose names begin with "in-". */
export const SOURCE = `
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: maps}
spec:
  resource:
    changed:
      namespace: default
      group: ""
      version: v1
      resource: configmaps
      eventTypes: [ADD, UPDATE, DELETE]
      filter: {prefix: in-}
`

/** A Sensor that makes a ConfigMap named out-… for every ConfigMap named in-…. */
export const SENSOR = `
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: copy}
spec:
  dependencies:
    - {name: map, eventSourceName: maps, eventName: changed, filters: {data: [{path: type, type: string, value: [ADD]}]}}
  triggers:
    - template:
        name: make
        k8s:
          operation: create
          source:
            resource:
              apiVersion: v1
              kind: ConfigMap
              metadata: {name: out-}
          parameters:
            - {src: {dependencyName: map, dataKey: body.metadata.name}, dest: metadata.name, operation: append}
`
