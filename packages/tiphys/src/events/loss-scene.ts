import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createApiServer } from '@tiphys/apiserver'
import { type Random, seededRandom, systemEnv } from '@tiphys/env'
import { eventDefinitions } from '@tiphys/events'
import {
  ApiError,
  type Client,
  isNotFound,
  type KubeObject,
  kubeconfigFor,
  readYaml,
  writeKubeconfig,
} from '@tiphys/kube'
import { buildEngineProgram, EngineProcess } from './engine-process.ts'
import { EVERYTHING_ALLOWED } from './engine-scene.ts'
import { Ledger } from './ledger.ts'

/** An API server that an engine in another process can reach. */
export interface ReachableServer {
  client: Client
  kubeconfig: string
  stop(): Promise<void>
}

export async function embeddedServer(): Promise<ReachableServer> {
  const server = await createApiServer({ env: systemEnv, clusterDefaults: true })
  const { url, caCertificate } = await server.listen()
  const { certificate, key } = server.issueClientCertificate({ name: 'admin', groups: ['system:masters'] })
  return {
    client: server.client(),
    kubeconfig: kubeconfigFor({ name: 'test', server: url, ca: caCertificate, user: { cert: certificate, key } }),
    stop: () => server.close(),
  }
}

const PACE_MS = 4
const EMBEDDED_BUS = '{nats: {native: {}}}'

/** For tests: an API server, an engine in a process that can be killed, somebody who writes all the time, and a receiver that
 *  writes down what comes. */
export class LossScene {
  readonly folder: string
  readonly server: ReachableServer
  readonly ledger: Ledger
  readonly random: Random
  readonly #program: string
  readonly #versions = new Map<string, number>()
  readonly #engines: EngineProcess[] = []
  /** The API server may be away: what it does not answer is written another time. */
  isTolerant = false
  writes = 0

  private constructor(folder: string, server: ReachableServer, ledger: Ledger, program: string, seed: number) {
    this.folder = folder
    this.server = server
    this.ledger = ledger
    this.random = seededRandom(seed)
    this.#program = program
  }

  static async open(server: ReachableServer, { bus = EMBEDDED_BUS, seed = 1 } = {}): Promise<LossScene> {
    const folder = await mkdtemp('/var/tmp/tiphys-loss-')
    const program = join(folder, 'engine.mjs')
    await buildEngineProgram(program)
    const ledger = await Ledger.open()
    const scene = new LossScene(folder, server, ledger, program, seed)
    await writeKubeconfig(scene.kubeconfig, server.kubeconfig)
    await scene.#prepare(bus)
    return scene
  }

  get kubeconfig(): string {
    return join(this.folder, 'kubeconfig')
  }

  /** Starts an engine; does not wait until it is ready. */
  start(mode = 'honest', name = 'engine'): EngineProcess {
    const engine = new EngineProcess(this.#program, [this.kubeconfig, this.folder, mode, name])
    this.#engines.push(engine)
    return engine
  }

  /** Creates, changes or deletes one of `names` objects. */
  async write(names = 40): Promise<void> {
    if (!this.isTolerant) return await this.#write(names)
    try {
      await this.#write(names)
    } catch (error) {
      const isRefused = error instanceof ApiError && error.statusCode < 500 && error.statusCode !== 429
      if (isRefused) throw error
      // It is away or busy. Another turn, so that it can come back.
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }

  async #write(names: number): Promise<void> {
    const name = `in-${Math.floor(this.random.next() * names)}`
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name }
    this.writes++
    if (this.random.next() < 0.25) {
      await this.server.client.delete(ref).catch(error => {
        if (!isNotFound(error)) throw error
      })
      return
    }
    const value = (this.#versions.get(name) ?? 0) + 1
    this.#versions.set(name, value)
    const { apiVersion, kind, ...metadata } = ref
    await this.server.client.apply(
      { apiVersion, kind, metadata, data: { value: String(value) } },
      { fieldManager: 'writer', force: true },
    )
  }

  /** Writes until the promise resolves, at a pace that an engine can follow. */
  async writeUntil(end: Promise<unknown>): Promise<void> {
    let isOver = false
    const over = end.finally(() => {
      isOver = true
    })
    while (!isOver) {
      await this.write()
      await new Promise(resolve => setTimeout(resolve, PACE_MS))
    }
    await over
  }

  async present(): Promise<KubeObject[]> {
    const { items } = await this.server.client.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' })
    return items.filter(({ metadata }) => metadata.name?.startsWith('in-'))
  }

  /** Resolves when everything has come, or with what is missing when nothing has come for a while. */
  async missing(patienceMs = 20_000): Promise<string[]> {
    const present = await this.present()
    let [came, since] = [this.ledger.deliveries.length, Date.now()]
    for (;;) {
      const missing = this.ledger.missing(present)
      if (missing.length === 0 || Date.now() > since + patienceMs) return missing
      if (this.ledger.deliveries.length > came) [came, since] = [this.ledger.deliveries.length, Date.now()]
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }

  async close(): Promise<void> {
    for (const engine of this.#engines) await engine.end('SIGKILL')
    await this.ledger.close()
    await this.server.stop()
    await rm(this.folder, { recursive: true, force: true })
  }

  async #prepare(bus: string): Promise<void> {
    const { client } = this.server
    for (const definition of eventDefinitions) await client.create(definition)
    const manifests = [EVERYTHING_ALLOWED, pipeline(bus, this.ledger.url)].join('---')
    for (const { value } of await readYaml(manifests)) {
      const object = value as KubeObject
      // The kinds are served a moment after they were defined.
      for (let attempt = 0; ; attempt++) {
        try {
          await client.create(object)
          break
        } catch (error) {
          if (!(isNotFound(error) || (error as { code?: string }).code === 'kube-unknown-kind') || attempt > 100)
            throw error
          await new Promise(resolve => setTimeout(resolve, 50))
        }
      }
    }
  }
}

const payload = Object.entries({
  type: 'type',
  name: 'body.metadata.name',
  uid: 'body.metadata.uid',
  resourceVersion: 'body.metadata.resourceVersion',
}).map(([dest, dataKey]) => `{src: {dependencyName: map, dataKey: ${dataKey}}, dest: ${dest}}`)

const pipeline = (bus: string, url: string) => `
apiVersion: argoproj.io/v1alpha1
kind: EventBus
metadata: {name: default, namespace: default}
spec: ${bus}
---
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: tell, namespace: default}
spec:
  dependencies: [{name: map, eventSourceName: maps, eventName: changed}]
  triggers:
    - template:
        name: post
        http:
          url: ${url}
          method: POST
          payload: [${payload.join(', ')}, {src: {dependencyName: map, contextKey: id}, dest: id}]
      retryStrategy: {steps: 20, duration: 100ms}
---
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: maps, namespace: default}
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
