import type { Archive, Retention } from '@tiphys/archive'
import { asError, type Env, type Timer, utilization } from '@tiphys/env'
import type { EventEngine, WorkflowControl } from '@tiphys/events'
import type { ScriptPool } from '@tiphys/expressions/script-pool'
import { createMask, createRecorder, type NewRecord, type Recorder } from '@tiphys/journal/records'
import type { Client } from '@tiphys/kube'
import type {
  ArtifactFile,
  WorkflowEngine,
  WorkflowEngineOptions,
  WorkflowControl as WorkflowRunControl,
} from '@tiphys/workflows'
import { archivePlace } from './archive-place.ts'
import { archivedEvents } from './past-events.ts'
import { programPath } from './programs.ts'
import type { Store } from './store.ts'

export interface EnginesOptions {
  env: Env
  /** As who the engines act for themselves. */
  client: Client
  store: Store
  /** The namespaces that are served; all, when they are left out. */
  namespaces?: readonly string[]
  instanceId?: string
  /** What images run that a manifest gives no command for. */
  entrypoints?: NonNullable<WorkflowEngineOptions['entrypoints']>
  /** What brings input artifacts into pods. */
  artifactImage?: string
  /** How much history is kept; everything when it is left out. */
  retention?: Retention
  /** Fields whose values are not recorded, beside those of Secrets. */
  masked?: readonly string[]
  /** Sees every record as it is stored. */
  onRecord?: (record: NewRecord) => void
  /** Told when the archive cannot store what happens, and why; with nothing, when it can again. */
  onArchiveTrouble?: (problem: Error | undefined) => void
}

/** The engines of one instance, and what they have in common. */
export interface Engines {
  readonly events: EventEngine
  readonly workflows: WorkflowEngine
  readonly workflowControl: WorkflowControl
  /** Gives an event to WorkflowEventBindings. */
  readonly dispatchEvent: WorkflowRunControl['dispatch']
  /** Opens what steps of a namespace have left in the artifact store. */
  openArtifact(namespace: string, key: string): Promise<ArtifactFile>
  readonly recorder: Recorder
  /** Runs jq and Lua. */
  readonly scripts: Pick<ScriptPool, 'run'>
  /** Everything that was recorded; it may lag, and it may not be open yet (`opened`). */
  archive(): Promise<Archive>
  ready(): Promise<void>
  /** Nothing is queued and nothing is running. What waits for time to pass does not count. */
  isIdle(): boolean
  metrics(): string
  stop(): Promise<void>
}

/** Acts as a ServiceAccount. The groups are left to the server, which adds them: whoever may name groups could name those
 *  of an administrator, so that the engines must not be allowed to. */
export const actAs =
  (client: Client) =>
  ({ namespace, name }: { namespace: string; name: string }): Client =>
    client.as({ user: `system:serviceaccount:${namespace}:${name}` })

export async function startEngines(options: EnginesOptions): Promise<Engines> {
  const { env, client, store, namespaces, instanceId, entrypoints, artifactImage, masked = [], onRecord } = options
  const recorder = createRecorder(store.records, {
    env,
    mask: createMask({ fields: masked }),
    ...(onRecord && { onRecord }),
  })
  const scripts = lazyScripts()
  const common = { env, client, actAs: actAs(client), recorder, ...(namespaces && { namespaces }) }
  const [{ startEvents, openFlights }, { startWorkflows, createFileArtifacts, createWorkflowControl, openArtifact }] =
    await Promise.all([import('@tiphys/events'), import('@tiphys/workflows')])
  const { artifacts } = await store.files()
  const artifactStore = createFileArtifacts({ directory: artifacts })
  const workflowControl = createWorkflowControl({
    env,
    artifacts: artifactStore,
    ...(instanceId !== undefined && { instanceId }),
  })
  const workflows = await startWorkflows({
    ...common,
    records: store.records,
    logs: store.logs,
    artifacts: artifactStore,
    ...(instanceId !== undefined && { instanceId }),
    ...(entrypoints && { entrypoints }),
    ...(artifactImage !== undefined && { artifactImage }),
  })
  const archive = lazyArchive(options)
  const events = await startEvents({
    ...common,
    openJournal: name => store.openBus(name),
    scripts,
    workflowControl,
    pastEvents: archivedEvents(async () => {
      const opened = await archive.open()
      await opened.opened()
      return opened
    }),
    ...(store.inFlight !== undefined && { flights: openFlights({ env, path: store.inFlight }) }),
  })
  return {
    events,
    workflows,
    workflowControl,
    dispatchEvent: workflowControl.dispatch,
    openArtifact: (namespace, key) => openArtifact(artifactStore, namespace, key),
    recorder,
    scripts,
    archive: () => archive.open(),
    async ready() {
      await Promise.all([events.ready(), workflows.ready()])
    },
    isIdle: () => events.isIdle() && workflows.isIdle(),
    metrics: () => `${events.metrics()}${workflows.metrics()}`,
    async stop() {
      // What has been triggered may still be submitted; then nobody makes new steps.
      await events.stop()
      await workflows.stop()
      await scripts.close()
      await recorder.close()
      await archive.close()
    },
  }
}

/** Workers are started by the first manifest that has a script. */
function lazyScripts(): Pick<ScriptPool, 'run'> & { close(): Promise<void> } {
  let pool: Promise<ScriptPool> | undefined
  const start = async () => {
    const { createScriptPool } = await import('@tiphys/expressions/script-pool')
    return createScriptPool({ workerProgram: programPath('script-worker.js') })
  }
  return {
    async run(script) {
      pool ??= start()
      return await (await pool).run(script)
    },
    async close() {
      await (await pool)?.close()
    },
  }
}

const TIDY_EVERY_MS = 60_000
/** A thread that works more than this has a queue. */
const MOST_BUSY = 0.9
const RECORDS_KEPT = 20_000
const LOG_BYTES_KEPT = 256 * 2 ** 20

/** The archive, and the end of what it has taken over from journal and log store. */
function lazyArchive({ env, store, retention, onArchiveTrouble }: EnginesOptions) {
  let opened: Promise<Archive> | undefined
  let timer: Timer | undefined
  let isClosed = false

  const tidy = async (archive: Archive) => {
    const { head, horizon } = store.records
    if (head - horizon > RECORDS_KEPT) {
      // Not by asking for its status: to answer a question the archive starts a thread, which takes some 20 MB from then on.
      await archive.caughtUp()
      await store.records.compact({ before: head })
    }
    await store.logs.trim(LOG_BYTES_KEPT)
  }
  const planTidying = (archive: Archive) => {
    timer = env.clock.schedule(TIDY_EVERY_MS, () => {
      tidy(archive)
        .catch(thrown => {
          // An archive that is closed catches up no more.
          if (!isClosed) env.log.warn('old records could not be removed', { error: asError(thrown) })
        })
        .finally(() => isClosed || planTidying(archive))
    })
  }
  const busy = utilization()
  const start = async () => {
    const { openArchive } = await import('@tiphys/archive')
    const { archive: file } = await store.files()
    const archive = await openArchive({
      env,
      database: archivePlace(file),
      journal: store.records,
      logs: store.logs,
      ...(retention && { retention }),
      isBusy: () => busy() > MOST_BUSY,
      // The engines do not depend on it.
      isPatient: true,
      ...(onArchiveTrouble && { onTrouble: onArchiveTrouble }),
      workerProgram: programPath('archive-worker.js'),
    })
    if (!isClosed) planTidying(archive)
    return archive
  }
  return {
    open: () => (opened ??= start()),
    async close() {
      isClosed = true
      timer?.cancel()
      await (await opened?.catch(() => undefined))?.close() // Whoever opened it was told why it could not be.
    },
  }
}
