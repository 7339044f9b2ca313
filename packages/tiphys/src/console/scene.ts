import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type ApiServer, createApiServer } from '@tiphys/apiserver'
import { type Archive, openArchive } from '@tiphys/archive'
import { type Authentication, type Console, type ConsoleOptions, startConsole } from '@tiphys/console'
import { type ApiDocument, artifactStory, readApiDocument, STORED_ARTIFACTS, story } from '@tiphys/console/testing'
import { type Env, systemEnv } from '@tiphys/env'
import { eventDefinitions, rehearse } from '@tiphys/events'
import { type FileJournal, openFileJournal } from '@tiphys/journal'
import { createLogStore, createRecorder, type LogStore, type NewRecord, type Recorder } from '@tiphys/journal/records'
import type { Client, KubeObject } from '@tiphys/kube'
import { type ArtifactStore, createFileArtifacts, openArtifact, workflowDefinitions } from '@tiphys/workflows'
import { lintText } from '../manifests/manifest-text.ts'

export const RBAC = 'rbac.authorization.k8s.io/v1'
export const TOKEN = 'b'.repeat(32)

export interface ConsoleSceneOptions {
  /** The folder with the built pages. */
  assets: string
  authentication?: 'local' | 'cluster'
  /** Without it there is nothing in the archive. */
  withStory?: boolean
  more?: Partial<ConsoleOptions>
}

/** A console on an archive with a story in it and a real API server behind it. Only for tests. */
export class ConsoleScene {
  readonly env: Env = systemEnv
  readonly #options: ConsoleSceneOptions
  #folder = ''
  #journal: FileJournal | undefined
  #port = 0
  #document: ApiDocument | undefined
  server!: ApiServer
  client!: Client
  archive!: Archive
  recorder!: Recorder
  logs!: LogStore
  artifacts!: ArtifactStore
  console!: Console

  private constructor(options: ConsoleSceneOptions) {
    this.#options = options
  }

  static async start(options: ConsoleSceneOptions): Promise<ConsoleScene> {
    const scene = new ConsoleScene(options)
    await scene.#open()
    return scene
  }

  async #open(): Promise<void> {
    const { env } = this
    this.#folder = await mkdtemp(join(tmpdir(), 'tiphys-console-'))
    this.server = await createApiServer({ env, clusterDefaults: true })
    this.client = this.server.client()
    for (const object of [...eventDefinitions, ...workflowDefinitions, ...MANIFESTS]) {
      await this.client.create(structuredClone(object))
      if (object.kind === 'CustomResourceDefinition') await this.served(object.metadata.name ?? '')
    }
    this.#journal = await openFileJournal({ directory: join(this.#folder, 'records'), env, sync: 'none' })
    this.recorder = createRecorder(this.#journal, { env, maxRecordBytes: 4 * 2 ** 20 })
    this.logs = createLogStore({ place: { directory: join(this.#folder, 'logs') }, env })
    this.artifacts = createFileArtifacts({ directory: this.artifactFolder })
    if (this.#options.withStory !== false) await this.#tell()
    this.archive = await openArchive({
      env,
      database: { file: join(this.#folder, 'archive.db') },
      journal: this.#journal,
      logs: this.logs,
    })
    await this.settled()
    await this.startConsole()
  }

  /** Resolves when the API server answers for a CustomResourceDefinition's kind. */
  async served(name: string): Promise<void> {
    const definitions = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }
    const isServed = (condition: { type: string; status: string }) =>
      condition.type === 'Established' && condition.status === 'True'
    for await (const { object } of this.client.watch({ ...definitions, fieldSelector: `metadata.name=${name}` })) {
      const { status } = object as KubeObject
      const { conditions } = (status ?? {}) as { conditions?: { type: string; status: string }[] | null }
      if (conditions?.some(isServed)) return
    }
  }

  async #tell(): Promise<void> {
    for (const { record, output } of story(Date.now())) {
      if (record.kind === 'log' && output !== undefined) await this.log(record, output)
      else this.recorder.record(record)
    }
  }

  /** A token of a new ServiceAccount in the namespace shop. */
  async tokenOf(name: string): Promise<string> {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'shop', name }
    await this.client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'shop', name } })
    const spec = { audiences: [] }
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec }
    const { status } = await this.client.subresource<KubeObject>('create', account, 'token', review)
    return (status as { token: string }).token
  }

  /** A token of somebody who may do everything. */
  async tokenOfAdmin(): Promise<string> {
    await this.client.create({
      apiVersion: RBAC,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'console-admin' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'shop', name: 'admin' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    })
    return this.tokenOf('admin')
  }

  get artifactFolder(): string {
    return join(this.#folder, 'artifacts')
  }

  /** Runs with artifacts, of which some are in the store. */
  async tellArtifacts(): Promise<void> {
    for (const [key, content] of Object.entries(STORED_ARTIFACTS))
      await this.artifacts.put(key, Readable.from([Buffer.from(content)]))
    for (const record of artifactStory(Date.now())) this.recorder.record(record)
    await this.settled()
  }

  /** Records a log, with what was written. */
  async log(record: Extract<NewRecord, { kind: 'log' }>, output: string): Promise<void> {
    const { run, step, container } = record
    const writer = this.logs.open(
      { run: run.uid, step, container },
      { onChunk: chunk => this.recorder.record({ ...record, chunk }) },
    )
    await writer.write(Buffer.from(output))
    await writer.end()
  }

  /** Everything that was recorded is in the archive. */
  async settled(): Promise<void> {
    await this.recorder.settled()
    await this.archive.caughtUp()
  }

  /** Starts the console, again on the port that it had. */
  async startConsole(): Promise<void> {
    const { env, archive, recorder, client, server } = this
    const { assets, authentication = 'local', more = {} } = this.#options
    const how: Authentication =
      authentication === 'local'
        ? { mode: 'local', token: TOKEN, caller: { user: 'local', groups: ['system:masters'] } }
        : { mode: 'cluster', reviewer: client }
    this.console = await startConsole({
      env,
      archive,
      recorder,
      assets,
      port: this.#port,
      version: 'test',
      authentication: how,
      clientFor: ({ user, groups }) => server.client().as({ user, groups }),
      openArtifact: (namespace, key) => openArtifact(this.artifacts, namespace, key),
      workshop: {
        rehearse: (sensor, event) => rehearse(sensor, event, { env, scripts: NO_SCRIPTS }),
        lint: lintText,
        buses: () => [{ namespace: 'shop', name: 'default', state: 'healthy', events: 69, bytes: 123_456, head: 4711 }],
        metrics: () => METRICS,
      },
      ...more,
    })
    this.#port = this.console.port
  }

  get origin(): string {
    return `http://127.0.0.1:${this.console.port}`
  }

  /** A request to the API; with a token of somebody, or nobody's. Throws when the answer is not as the API's document says. */
  async api(path: string, call: ApiCall = {}): Promise<ApiAnswer> {
    const answer = await this.#send(path, call)
    const { status, headers, text } = answer
    if (status !== 401 && path !== '/openapi.json') this.#document ??= await this.document(call.token)
    const contentType = headers.get('content-type') ?? ''
    const request = { method: call.method ?? 'GET', path }
    const problems = this.#document?.problemsOf(request, { status, contentType, text }) ?? []
    if (problems.length > 0) throw new Error(`${request.method} ${path}: ${problems.join('; ')}`)
    return answer
  }

  /** The API's own description, as somebody gets it. */
  async document(token: string | undefined): Promise<ApiDocument> {
    return readApiDocument((await this.#send('/openapi.json', token === undefined ? {} : { token })).text)
  }

  async #send(path: string, { token, method = 'GET', body, headers = {} }: ApiCall): Promise<ApiAnswer> {
    const response = await fetch(`${this.origin}/api/v1${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(method !== 'GET' && { 'content-type': 'application/json', 'x-tiphys': '1' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) as never }
  }

  async close(): Promise<void> {
    await this.console.close()
    await this.archive.close()
    await this.recorder.close()
    await this.#journal?.close()
    await this.server.close()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

interface ApiCall {
  token?: string
  method?: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'OPTIONS'
  /** As JSON; a text as it is. */
  body?: unknown
  headers?: Record<string, string>
}

interface ApiAnswer {
  status: number
  headers: Headers
  text: string
  json(): never
}

/** As the event engine would tell it of the story. */
const METRICS = `argo_events_event_service_running_total{namespace="shop",eventsource_name="memcached"} 1
argo_events_events_sent_total{namespace="shop",eventsource_name="memcached",event_name="changes"} 34
argo_events_event_processing_duration_milliseconds{namespace="shop",eventsource_name="memcached",event_name="changes",quantile="0.99"} 6.4
argo_events_action_triggered_total{namespace="shop",sensor_name="memcached",trigger_name="reconcile"} 19
argo_events_action_failed_total{namespace="shop",sensor_name="memcached",trigger_name="reconcile"} 9
argo_events_action_duration_milliseconds{namespace="shop",sensor_name="memcached",trigger_name="reconcile",quantile="0.99"} 41
tiphys_events_filtered_total{namespace="shop",sensor_name="memcached",trigger_name="reconcile"} 7
tiphys_consumer_backlog{namespace="shop",sensor_name="memcached",trigger_name="reconcile"} 0
tiphys_parked{namespace="shop",sensor_name="memcached",trigger_name="reconcile"} 3
tiphys_consumer_position{namespace="shop",sensor_name="memcached",trigger_name="reconcile"} 4711
tiphys_watch_silence_milliseconds{namespace="shop",eventsource_name="memcached",event_name="changes"} 4200
tiphys_source_waiting{namespace="shop",eventsource_name="memcached",event_name="changes"} 0
tiphys_checkpoint_objects{namespace="shop",eventsource_name="memcached",event_name="changes"} 9
tiphys_checkpoint_version{namespace="shop",eventsource_name="memcached",event_name="changes"} 81204
tiphys_bus_head{namespace="shop",eventbus_name="default"} 4711
tiphys_bus_events{namespace="shop",eventbus_name="default"} 69
tiphys_bus_bytes{namespace="shop",eventbus_name="default"} 123456
`
const NO_SCRIPTS = { run: () => Promise.reject(new Error('there are no scripts in this scene')) }

const ARGO = 'argoproj.io/v1alpha1'

/** What the story's operator is made of. */
const MANIFESTS: readonly KubeObject[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'memcacheds.cache.example.com' },
    spec: {
      group: 'cache.example.com',
      scope: 'Namespaced',
      names: { kind: 'Memcached', plural: 'memcacheds', singular: 'memcached', listKind: 'MemcachedList' },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  },
  { apiVersion: ARGO, kind: 'EventBus', metadata: { name: 'default', namespace: 'shop' }, spec: {} },
  {
    apiVersion: ARGO,
    kind: 'EventSource',
    metadata: { name: 'memcached', namespace: 'shop' },
    spec: { resource: { changes: { group: 'cache.example.com', version: 'v1alpha1', resource: 'memcacheds' } } },
  },
  {
    apiVersion: ARGO,
    kind: 'EventSource',
    metadata: { name: 'orders', namespace: 'shop' },
    spec: { webhook: { incoming: { port: '12000', endpoint: '/orders' } } },
  },
  {
    apiVersion: ARGO,
    kind: 'Sensor',
    metadata: { name: 'memcached', namespace: 'shop' },
    spec: {
      dependencies: [
        {
          name: 'changed',
          eventSourceName: 'memcached',
          eventName: 'changes',
          filters: { data: [{ path: 'body.spec.size', type: 'number', comparator: '<=', value: ['3'] }] },
        },
      ],
      triggers: [
        {
          template: {
            name: 'reconcile',
            conditions: 'changed',
            k8s: {
              operation: 'create',
              source: {
                resource: {
                  apiVersion: ARGO,
                  kind: 'Workflow',
                  metadata: { generateName: 'reconcile-' },
                  spec: { workflowTemplateRef: { name: 'reconcile' } },
                },
              },
            },
          },
        },
      ],
    },
  },
  {
    apiVersion: ARGO,
    kind: 'WorkflowTemplate',
    metadata: { name: 'reconcile', namespace: 'shop' },
    spec: {
      entrypoint: 'reconcile',
      arguments: {
        parameters: [
          { name: 'name', value: 'cache', description: 'The cache to bring up to date.' },
          { name: 'mode', enum: ['apply', 'dry-run'], value: 'apply' },
        ],
      },
      templates: [
        {
          name: 'reconcile',
          dag: {
            tasks: [
              { name: 'render', template: 'render' },
              { name: 'lint', template: 'lint' },
              { name: 'apply', template: 'apply', depends: 'render && lint' },
              { name: 'verify', template: 'verify', depends: 'apply.Succeeded' },
            ],
          },
        },
        ...['render', 'lint', 'apply', 'verify'].map(name => ({
          name,
          container: { image: 'alpine', command: ['sh', '-c', `echo ${name}`] },
        })),
      ],
    },
  },
  {
    apiVersion: ARGO,
    kind: 'CronWorkflow',
    metadata: { name: 'nightly', namespace: 'shop' },
    spec: {
      schedule: '0 3 * * *',
      timezone: 'Europe/Berlin',
      workflowSpec: {
        entrypoint: 'report',
        arguments: { parameters: [{ name: 'day', value: 'today' }] },
        templates: [{ name: 'report', container: { image: 'alpine', command: ['date'] } }],
      },
    },
    status: { phase: 'Active', lastScheduledTime: '2026-01-05T02:00:00Z' },
  },
  {
    apiVersion: ARGO,
    kind: 'Workflow',
    metadata: { name: 'reconcile-cache-7', namespace: 'shop' },
    spec: { workflowTemplateRef: { name: 'reconcile' } },
    status: { phase: 'Failed' },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'cache-1', namespace: 'default' },
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: 'cache-1' } },
      template: {
        metadata: { labels: { app: 'cache-1' } },
        spec: { containers: [{ name: 'memcached', image: 'memcached:1.6.26' }] },
      },
    },
  },
  {
    apiVersion: 'tiphys.dev/v1alpha1',
    kind: 'Replay',
    metadata: { name: 'morning', namespace: 'shop' },
    spec: { events: ['c'.repeat(32)], rate: 10 },
  },
]
