import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiServer } from '@tiphys/apiserver'
import { createSimulatedRuntime, type PodRuntime, startCluster } from '@tiphys/cluster'
import { type Env, systemEnv } from '@tiphys/env'
import type { JournalRecord } from '@tiphys/journal'
import {
  createLogStore,
  createRecorder,
  decodeRecord,
  type LogStore,
  type Recorder,
  type TraceRecord,
} from '@tiphys/journal/records'
import { type Client, type KubeObject, kindRef, readYaml } from '@tiphys/kube'
import {
  createFileArtifacts,
  startWorkflows,
  type WorkflowEngine,
  type WorkflowEngineOptions,
  workflowDefinitions,
} from '@tiphys/workflows'

export const WORKFLOW = kindRef<RunObject>('argoproj.io/v1alpha1', 'Workflow')

/** A Workflow as tests look at it. */
export interface RunObject extends KubeObject {
  spec: Record<string, unknown>
  status?: {
    phase?: string
    message?: string
    progress?: string
    nodes?: Record<string, RunNode>
    outputs?: { parameters?: { name: string; value: string }[] }
    compressedNodes?: string
    [field: string]: unknown
  }
}

export interface RunNode {
  id: string
  name: string
  displayName: string
  type: string
  phase: string
  message?: string
  templateName?: string
  children?: string[]
  inputs?: { parameters?: { name: string; value: string }[] }
  outputs?: {
    parameters?: { name: string; value: string }[]
    result?: string
    exitCode?: string
    artifacts?: unknown[]
  }
  [field: string]: unknown
}

export interface WorkflowsSceneOptions {
  env?: Partial<Env>
  nodes?: number
  engine?: Partial<WorkflowEngineOptions>
  /** What runs pods; simulated ones by default. */
  runtime?: (env: Env) => PodRuntime
}

/** A cluster with simulated pods, and an engine that runs Workflows in it, for one test. */
export class WorkflowsScene {
  readonly env: Env
  readonly client: Client
  readonly records: TraceRecord[] = []
  readonly logs: LogStore
  readonly folder: string
  readonly settledCluster: () => Promise<void>
  engine: WorkflowEngine | undefined
  recorder: Recorder | undefined
  readonly #options: WorkflowsSceneOptions
  readonly #close: () => Promise<void>

  private constructor(
    options: WorkflowsSceneOptions,
    parts: { env: Env; client: Client; folder: string; settled: () => Promise<void>; close: () => Promise<void> },
  ) {
    this.#options = options
    this.env = parts.env
    this.client = parts.client
    this.folder = parts.folder
    this.settledCluster = parts.settled
    this.#close = parts.close
    this.logs = createLogStore({ place: { directory: join(parts.folder, 'logs') }, env: parts.env })
  }

  static async create(options: WorkflowsSceneOptions = {}): Promise<WorkflowsScene> {
    const env = { ...systemEnv, ...options.env }
    const folder = await mkdtemp(join(tmpdir(), 'tiphys-workflows-'))
    const server = await createApiServer({ env, clusterDefaults: true })
    const nodeNames = Array.from({ length: options.nodes ?? 1 }, (_, index) => `node-${index + 1}`)
    const runtime = options.runtime?.(env) ?? createSimulatedRuntime({ env })
    const cluster = await startCluster({ server, env, runtime, nodeNames, servesNodes: true, directory: folder })
    await cluster.ready
    const client = server.client()
    await defineWorkflows(client)
    const scene = new WorkflowsScene(options, {
      env,
      client,
      folder,
      settled: () => cluster.settled(),
      async close() {
        await cluster.stop()
        await server.close()
        await rm(folder, { recursive: true, force: true })
      },
    })
    await scene.startEngine()
    return scene
  }

  async startEngine(options: Partial<WorkflowEngineOptions> = {}): Promise<void> {
    const append = async ({ data }: JournalRecord) => {
      this.records.push(decodeRecord(data) as TraceRecord)
      return this.records.length
    }
    this.recorder = createRecorder({ append }, { env: this.env })
    this.engine = await startWorkflows({
      env: this.env,
      client: this.client,
      recorder: this.recorder,
      logs: this.logs,
      artifacts: createFileArtifacts({ directory: join(this.folder, 'artifacts') }),
      ...this.#options.engine,
      ...options,
    })
    await this.engine.ready()
  }

  async stopEngine(): Promise<void> {
    await this.engine?.stop()
    this.engine = undefined
  }

  /** Resolves when nothing is to be done, and everything is recorded. */
  async settled(): Promise<void> {
    await this.engine?.settled()
    await this.recorder?.settled()
  }

  async create(manifest: string): Promise<KubeObject[]> {
    const documents = await readYaml(manifest)
    const created: KubeObject[] = []
    for (const { value } of documents) {
      const object = value as KubeObject
      const metadata = { namespace: 'default', ...object.metadata }
      created.push(await this.client.create({ ...object, metadata }, { fieldValidation: 'Strict' }))
    }
    return created
  }

  get(name: string): Promise<RunObject> {
    return this.client.get({ ...WORKFLOW, namespace: 'default', name })
  }

  /** The pods of a run that are there. */
  async podsOf(name: string) {
    const labelSelector = `workflows.argoproj.io/workflow=${name}`
    return (await this.client.list({ ...POD, namespace: 'default', labelSelector })).items
  }

  /** The Workflow as soon as it is as asked for. */
  async until(name: string, isSo: (workflow: RunObject) => boolean): Promise<RunObject> {
    const fieldSelector = `metadata.name=${name}`
    for await (const event of this.client.watch({ ...WORKFLOW, namespace: 'default', fieldSelector })) {
      if ((event.type === 'ADDED' || event.type === 'MODIFIED') && isSo(event.object)) return event.object
    }
    throw new Error(`the watch of ${name} ended`)
  }

  untilOver(name: string): Promise<RunObject> {
    return this.until(name, ({ metadata }) => metadata.labels?.['workflows.argoproj.io/completed'] === 'true')
  }

  async close(): Promise<void> {
    await this.stopEngine()
    await this.#close()
  }
}

/** Whatever a resource template asks for is allowed. */
export async function letStepsDoEverything(client: Client): Promise<void> {
  await client.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'steps-may-do-everything' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:serviceaccounts' }],
  })
}

const POD = kindRef('v1', 'Pod')
const DEFINITION = kindRef('apiextensions.k8s.io/v1', 'CustomResourceDefinition')

/** Makes the kinds of workflows known, and waits until they are served. */
export async function defineWorkflows(client: Client): Promise<void> {
  const missing = new Set(workflowDefinitions.map(({ metadata }) => metadata.name))
  await Promise.all(workflowDefinitions.map(definition => client.create(definition)))
  for await (const event of client.watch(DEFINITION)) {
    if (event.type === 'ERROR') continue
    const { status } = event.object as { status?: { conditions?: { type: string; status: string }[] | null } }
    if (status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True'))
      missing.delete(event.object.metadata.name)
    if (missing.size === 0) return
  }
}

export const nodeNamed = ({ status }: RunObject, displayName: string): RunNode => {
  const node = Object.values(status?.nodes ?? {}).find(is => is.displayName === displayName)
  if (!node) throw new Error(`there is no node ${displayName}`)
  return node
}
