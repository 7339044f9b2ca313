import type { Archive, Retention } from '@tiphys/archive'
import { type Env, RetryableFailure, spareMemory } from '@tiphys/env'
import type { Client } from '@tiphys/kube'
import { type Invocation, textOf } from '../command.ts'
import { formatNote } from '../manifests/manifest.ts'
import { ManifestFailure } from '../manifests/manifest-failure.ts'
import { createManifestSync, describeRemoval, type ManifestSync, type SyncReport } from '../manifests/manifest-sync.ts'
import { waitUntilActive } from '../manifests/wait-until-active.ts'
import { packageVersion } from '../version.ts'
import type { ActivityLine } from './activity.ts'
import { archivePlace } from './archive-place.ts'
import type { ConsoleChoice } from './console.ts'
import { startControlServer } from './control-server.ts'
import { type DataFolder, prepareDataFolder } from './data-folder.ts'
import { installDefinitions } from './definitions.ts'
import { type Engines, type EnginesOptions, startEngines } from './engines.ts'
import { createFeed, type Feed } from './feed.ts'
import { historyCalls } from './history-calls.ts'
import { linesOf } from './import-file.ts'
import { portOf } from './port.ts'
import { refuseSecondInstance, removeServerFile, writeServerFile } from './server-file.ts'
import { createMemoryStore, openFileStore } from './store.ts'
import { actOnRun } from './workflow-control.ts'

/** What `tiphys up` and `tiphys run` have in common: engines, console, manifests, and the door for other commands. */
export interface ServingOptions {
  invocation: Invocation
  command: 'up' | 'run'
  env: Env
  folder: DataFolder
  /** Keeps nothing on disk, but for what other commands find it by. */
  inMemory: boolean
  /** As who the engines act for themselves. */
  engineClient: Client
  /** As who manifests are applied and kinds are defined: the person who started it. */
  ownClient: Client
  /** Who that is. */
  user: string
  /** The cluster as somebody else, who has signed in to the console. */
  clientFor: ConsoleChoice['clientFor']
  kubeconfig: string
  context?: string
  namespaces?: readonly string[]
  namespace: string
  instanceId?: string
  entrypoints?: EnginesOptions['entrypoints']
  artifactImage?: string
  /** Takes over fields of others when manifests are applied. */
  force: boolean
  /** How much history is kept; everything when it is left out. */
  retention?: Retention
  /** Fields whose values are not kept, beside those of Secrets. */
  masked: readonly string[]
}

export interface Serving {
  readonly engines: Engines
  readonly feed: Feed
  readonly console: string | undefined
  /** Applies the manifests, and goes on doing so when they change. Throws when they cannot be. */
  applyManifests(): Promise<SyncReport>
  stop(): Promise<void>
}

/** Refuses what cannot work before anything is started. */
export async function prepareServing(folder: DataFolder, inMemory: boolean): Promise<void> {
  archivePlace(folder.archive)
  await refuseSecondInstance(folder)
  if (!inMemory) await prepareDataFolder(folder)
}

export async function startServing(options: ServingOptions): Promise<Serving> {
  const { invocation, command, env, folder, inMemory, kubeconfig, context } = options
  const { terminal, operands } = invocation
  const closing: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await close()
  }
  try {
    const feed = createFeed(terminal, env.clock)
    await defineKinds(options, feed)
    const store = inMemory ? createMemoryStore(env) : await openFileStore(folder, env)
    closing.push(() => store.close())
    const engines = await startEngines({
      env,
      client: options.engineClient,
      store,
      ...(options.namespaces && { namespaces: options.namespaces }),
      ...(options.instanceId !== undefined && { instanceId: options.instanceId }),
      ...(options.entrypoints && { entrypoints: options.entrypoints }),
      ...(options.artifactImage !== undefined && { artifactImage: options.artifactImage }),
      ...(options.retention && { retention: options.retention }),
      masked: options.masked,
      onRecord: record => feed.show(record),
      onArchiveTrouble: problem => feed.say(aboutArchive(problem)),
    })
    closing.push(() => engines.stop())
    const memory = spareMemory({ clock: env.clock, isIdle: () => engines.isIdle() })
    closing.push(async () => memory.stop())
    const control = await startControlServer(env, controlMethods(engines, options, env.clock))
    closing.push(() => control.close())
    await engines.ready()
    const console = await openConsole(options, engines)
    if (console) closing.push(() => console.close())
    await writeServerFile(folder, {
      command,
      pid: process.pid,
      version: packageVersion(),
      url: control.url,
      token: control.token,
      kubeconfig,
      ...(context !== undefined && { context }),
      ...(options.instanceId !== undefined && { instanceId: options.instanceId }),
      ...(console && { console: console.url }),
      manifests: operands,
    })
    closing.push(() => removeServerFile(folder))
    const sync = manifestSync(options)
    if (sync) closing.push(() => sync.close())
    return {
      engines,
      feed,
      console: console?.url,
      applyManifests: () => apply(options, sync, feed),
      stop,
    }
  } catch (thrown) {
    await stop()
    throw thrown
  }
}

/** Engines and console do not depend on the archive: when it cannot be opened they run without, until it can. */
async function openConsole(options: ServingOptions, engines: Engines) {
  const { invocation, env, ownClient, folder, inMemory, user } = options
  const { flags, terminal } = invocation
  const port = portOf(flags, 'console-port')
  const archive = await engines.archive()
  await archive.opened().catch(() => {
    // Told already, and tried again.
  })
  if (flags['no-console'] === true) return undefined
  const { startOwnConsole } = await import('./console.ts')
  return await startOwnConsole({
    env,
    engines,
    client: ownClient,
    clientFor: options.clientFor,
    user,
    folder: inMemory ? undefined : folder,
    port,
    flags,
    say: line => terminal.err.print(line),
  })
}

/** A failure that may pass says itself what becomes of it. */
function aboutArchive(problem: Error | undefined): ActivityLine {
  const label = 'archive'
  if (!problem)
    return {
      tone: 'good',
      label,
      text: 'it takes part again; what happened meanwhile is stored now',
      endsTrouble: true,
    }
  const meanwhile = 'It is tried again; until then everything else goes on, and what happens is kept in the journal'
  const text = problem instanceof RetryableFailure ? problem.message : `${problem.message}. ${meanwhile}`
  return { tone: 'bad', label, text }
}

async function defineKinds({ ownClient: client, env, invocation }: ServingOptions, feed: Feed): Promise<void> {
  const [{ eventDefinitions }, { workflowDefinitions }] = await Promise.all([
    import('@tiphys/events'),
    import('@tiphys/workflows'),
  ])
  const definitions = [...eventDefinitions, ...workflowDefinitions]
  const { problems } = await installDefinitions(definitions, { client, env, signal: invocation.interrupted })
  for (const text of problems) feed.say({ tone: 'bad', label: 'kinds', text })
}

function controlMethods(engines: Engines, { ownClient, user: who }: ServingOptions, clock: Env['clock']) {
  return {
    calls: {
      ...historyCalls(engines, clock),
      ping: async () => process.pid,
      metrics: async () => engines.metrics(),
      import: async (file: string) => await (await engines.archive()).import(linesOf(file)),
      actOnRun: actOnRun(engines.workflowControl, ownClient),
      fire: async (event: { namespace: string; source: string; entry: string; data: string }) =>
        await engines.events.fire({ ...event, who }),
    },
    streams: {
      async *follow(signal: AbortSignal, topics: never, cursor: string | null) {
        const archive = await engines.archive()
        await archive.opened()
        yield* archive.follow(topics, cursor ?? undefined, signal)
      },
      async *export(signal: AbortSignal, selection: Parameters<Archive['export']>[0] | null) {
        const archive = await engines.archive()
        for await (const line of archive.export(selection ?? undefined)) {
          if (signal.aborted) return
          yield line
        }
      },
    },
  }
}

function manifestSync({ invocation, ownClient, env, namespace, force }: ServingOptions): ManifestSync | undefined {
  const { operands, flags, interrupted } = invocation
  if (operands.length === 0) return undefined
  return createManifestSync({
    paths: operands,
    client: ownClient,
    env,
    namespace: textOf(flags, 'namespace') ?? namespace,
    force,
    prune: flags.prune === true,
    untilActive: applied => waitUntilActive(applied, { client: ownClient, env, signal: interrupted }),
    signal: interrupted,
  })
}

async function apply({ invocation }: ServingOptions, sync: ManifestSync | undefined, feed: Feed): Promise<SyncReport> {
  if (!sync) return { applied: [], problems: [], notes: [], removed: [] }
  const { terminal, flags } = invocation
  const report = await sync.sync()
  for (const note of report.notes) terminal.err.print(`note: ${formatNote(note)}`)
  if (report.problems.length > 0) {
    if (report.problems.length > 1) for (const problem of report.problems) terminal.err.print(formatNote(problem))
    throw new ManifestFailure(report.problems)
  }
  if (flags['no-watch'] !== true) sync.follow(outcome => tellChange(feed, outcome))
  return report
}

function tellChange(feed: Feed, outcome: SyncReport | Error): void {
  if (outcome instanceof ManifestFailure) {
    for (const note of outcome.notes) feed.say({ tone: 'bad', label: 'manifest', text: formatNote(note) })
    return
  }
  if (outcome instanceof Error) return feed.say({ tone: 'bad', label: 'manifest', text: outcome.message })
  for (const note of outcome.problems) feed.say({ tone: 'bad', label: 'manifest', text: formatNote(note) })
  for (const note of outcome.notes) feed.say({ tone: 'plain', label: 'manifest', text: formatNote(note) })
  for (const removal of outcome.removed) feed.say({ tone: 'plain', label: 'manifest', text: describeRemoval(removal) })
  const changed = outcome.applied.filter(({ outcome }) => outcome !== 'unchanged')
  for (const { object, outcome } of changed)
    feed.say({ tone: 'good', label: 'manifest', text: `${object.kind} ${object.metadata.name} ${outcome}` })
}
