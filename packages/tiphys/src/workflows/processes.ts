import { join } from 'node:path'
import { systemEnv } from '@tiphys/env'
import type { JournalRecord } from '@tiphys/journal'
import {
  createLogStore,
  createRecorder,
  decodeRecord,
  type LogStore,
  type Recorder,
  type TraceRecord,
} from '@tiphys/journal/records'
import type { Client, KubeObject } from '@tiphys/kube'
import { createFileArtifacts, startWorkflows, type WorkflowEngine, type WorkflowEngineOptions } from '@tiphys/workflows'
import { TestCluster } from '../test-cluster.ts'
import { defineWorkflows, type RunObject, WORKFLOW } from './scene.ts'

/** `tiphys cluster` with processes as pods, and an engine in this process that runs Workflows there. Only for tests. */
export class WorkflowProcesses {
  readonly cluster: TestCluster
  readonly engine: WorkflowEngine
  readonly records: TraceRecord[]
  readonly logs: LogStore
  readonly recorder: Recorder

  private constructor(parts: {
    cluster: TestCluster
    engine: WorkflowEngine
    records: TraceRecord[]
    logs: LogStore
    recorder: Recorder
  }) {
    this.cluster = parts.cluster
    this.engine = parts.engine
    this.records = parts.records
    this.logs = parts.logs
    this.recorder = parts.recorder
  }

  static async start(
    options: Partial<WorkflowEngineOptions> = {},
    args: readonly string[] = [],
    engineClient: (client: Client) => Client = client => client,
  ): Promise<WorkflowProcesses> {
    const cluster = await TestCluster.start(args)
    await defineWorkflows(cluster.client)
    const records: TraceRecord[] = []
    const logs = createLogStore({ place: { directory: join(cluster.folder, 'logs') }, env: systemEnv })
    const append = async ({ data }: JournalRecord) => {
      records.push(decodeRecord(data) as TraceRecord)
      return records.length
    }
    const recorder = createRecorder({ append }, { env: systemEnv })
    const engine = await startWorkflows({
      env: systemEnv,
      client: engineClient(cluster.client),
      recorder,
      logs,
      artifacts: createFileArtifacts({ directory: join(cluster.folder, 'artifacts') }),
      ...options,
    })
    await engine.ready()
    return new WorkflowProcesses({ cluster, engine, records, logs, recorder })
  }

  get client(): Client {
    return this.cluster.client
  }

  async close(): Promise<void> {
    await this.engine.stop()
    await this.cluster.close()
  }

  create(object: KubeObject): Promise<KubeObject> {
    return this.client.create(
      { ...object, metadata: { namespace: 'default', ...object.metadata } },
      { fieldValidation: 'Strict' },
    )
  }

  /** @param since A version of the run, for what may be over before anybody looks; without one, what is there now comes first. */
  async until(
    name: string,
    isSo: (workflow: RunObject) => boolean,
    namespace = 'default',
    since?: string,
  ): Promise<RunObject> {
    const selection = { ...WORKFLOW, namespace, fieldSelector: `metadata.name=${name}` }
    for await (const event of this.client.watch(selection, since === undefined ? {} : { resourceVersion: since })) {
      if ((event.type === 'ADDED' || event.type === 'MODIFIED') && isSo(event.object)) return event.object
    }
    throw new Error(`the watch of ${name} ended`)
  }

  untilOver(name: string, namespace = 'default'): Promise<RunObject> {
    return this.until(
      name,
      ({ metadata }) => metadata.labels?.['workflows.argoproj.io/completed'] === 'true',
      namespace,
    )
  }

  /** What a step's container printed, as it was kept. */
  async logOf(run: RunObject, step: string, container = 'main'): Promise<string> {
    await this.engine.settled()
    await this.recorder.settled()
    const chunks = this.records.flatMap(record =>
      record.kind === 'log' &&
      record.run.uid === run.metadata.uid &&
      record.step === step &&
      record.container === container
        ? [record]
        : [],
    )
    const parts = await Promise.all(chunks.map(({ chunk }) => this.logs.read(chunk)))
    return Buffer.concat(parts).toString()
  }
}
