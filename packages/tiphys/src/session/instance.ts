import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Archive } from '@tiphys/archive'
import { systemClock, TerminalFailure } from '@tiphys/env'
import type { RunReference } from '@tiphys/journal/records'
import {
  type Client,
  ConnectionFailure,
  createClient,
  createHttpTransport,
  findConnection,
  isNotFound,
  type KubeObject,
  kindRef,
} from '@tiphys/kube'
import { type Invocation, textOf } from '../command.ts'
import { callInstance, instanceGone, streamInstance } from './control-client.ts'
import { checkDataFolder, type DataFolder, dataFolder, prepareDataFolder } from './data-folder.ts'
import { environment } from './environment.ts'
import { linesOf } from './import-file.ts'
import { type FoundInstance, findInstance, type ServerFile, silentInstance } from './server-file.ts'

/** After so long somebody who waits for an answer is told that nothing else is wrong. */
const PATIENCE_MS = 10_000

export const WORKFLOW = kindRef('argoproj.io/v1alpha1', 'Workflow')

/** What a command that asks about the past may call. All of it is JSON, so that it can be asked of another process. */
export type History = Pick<Archive, (typeof HISTORY_CALLS)[number] | 'follow' | 'export'>

export const HISTORY_CALLS = [
  'events',
  'event',
  'trace',
  'runs',
  'run',
  'log',
  'object',
  'objects',
  'parked',
  'parkedItems',
  'health',
  'search',
  'status',
  'caughtUp',
] as const

/** What the everyday commands work with: the instance that runs on the data folder, or its files when none does. */
export class Instance {
  readonly folder: DataFolder
  readonly running: ServerFile | undefined
  readonly #silent: ServerFile | undefined
  readonly #invocation: Invocation
  #client: { client: Client; namespace: string } | undefined
  #isOfFolder = false
  readonly #told = new Set<string>()
  #closing: (() => Promise<void>)[] = []

  private constructor(folder: DataFolder, { running, silent }: FoundInstance, invocation: Invocation) {
    this.folder = folder
    this.running = running
    this.#silent = silent
    this.#invocation = invocation
  }

  static async open(invocation: Invocation, dataFlag = 'data'): Promise<Instance> {
    const { flags } = invocation
    const folder = dataFolder(textOf(flags, dataFlag) ?? '.tiphys')
    return new Instance(folder, await findInstance(folder), invocation)
  }

  /** Runs `task` and closes what it opened. */
  static async use<T>(invocation: Invocation, task: (instance: Instance) => Promise<T>, dataFlag?: string): Promise<T> {
    const instance = await Instance.open(invocation, dataFlag)
    try {
      return await task(instance)
    } catch (thrown) {
      if (!(thrown instanceof ConnectionFailure) || !instance.#isOfFolder) throw thrown
      // The folder tells where a cluster was that is not there any more.
      if (!instance.running) throw instance.#nothingRuns()
      throw instance.running.command === 'up' ? instanceGone(thrown) : thrown
    } finally {
      await instance.close()
    }
  }

  /** The cluster: the one the flags name, else the running instance's, else that of the folder, else the usual one. */
  async cluster(): Promise<{ client: Client; namespace: string }> {
    if (this.#client) return this.#client
    const { flags, terminal } = this.#invocation
    const given = textOf(flags, 'kubeconfig')
    const own = this.running?.kubeconfig ?? (existsSync(this.folder.kubeconfig) ? this.folder.kubeconfig : undefined)
    const kubeconfig = given ?? own
    this.#isOfFolder = given === undefined && own !== undefined
    if (kubeconfig === undefined && process.env.KUBECONFIG === undefined && textOf(flags, 'context') === undefined)
      throw this.#nothingRuns()
    if (this.#isOfFolder && this.#silent) throw silentInstance(this.folder, this.#silent)
    const context = textOf(flags, 'context') ?? (given === undefined ? this.running?.context : undefined)
    const namespace = textOf(flags, 'namespace')
    const found = await findConnection({
      ...(kubeconfig !== undefined && { kubeconfig }),
      ...(context !== undefined && { context }),
      ...(namespace !== undefined && { namespace }),
    })
    const client = createClient(createHttpTransport(found.transport), {
      namespace: found.namespace,
      ...(found.impersonate && { impersonate: found.impersonate }),
      onWarning: text => terminal.err.print(`warning: ${text}`),
    })
    this.#closing.push(() => client.close())
    this.#client = { client, namespace: found.namespace }
    return this.#client
  }

  /** What happens on the cluster is in the history. */
  get isOwnCluster(): boolean {
    const { flags } = this.#invocation
    return this.running !== undefined && flags.kubeconfig === undefined && flags.context === undefined
  }

  /** What a workflow of its cluster has to carry to be run by it. */
  get instanceId(): string | undefined {
    return this.isOwnCluster ? this.running?.instanceId : undefined
  }

  /** The cluster is that of the folder, and nobody runs workflows there. */
  get isWithoutEngine(): boolean {
    return this.#isOfFolder && this.running === undefined
  }

  /** Everything that was recorded. */
  async history(): Promise<History> {
    const { running } = this
    if (running) return remoteHistory(running, (method, ...args) => this.call(method, ...args))
    if (!existsSync(this.folder.records)) throw this.#nothingRuns('')
    checkDataFolder(this.folder)
    if (this.#silent) {
      const { command, pid } = this.#silent
      const { err } = this.#invocation.terminal
      err.print(
        `note: tiphys ${command} (process ${pid}) does not answer: this is as far as its history is written down`,
      )
    }
    return await this.#openArchive()
  }

  /** Takes a file of exported history, also where there is none yet. */
  async import(file: string): Promise<Awaited<ReturnType<Archive['import']>>> {
    const { running } = this
    // The answer to this call is what the archive answers there.
    if (running) return (await this.call('import', resolve(file))) as Awaited<ReturnType<Archive['import']>>
    await prepareDataFolder(this.folder)
    return await (await this.#openArchive()).import(linesOf(file))
  }

  async #openArchive(): Promise<Archive> {
    const { openHistory } = await import('./history.ts')
    const history = await openHistory(this.folder, environment(this.#invocation, 'warn'))
    this.#closing.push(() => history.close())
    return history.archive
  }

  /** For what makes no sense when nothing happens. */
  mustRun(): ServerFile {
    if (!this.running) throw this.#nothingRuns('')
    return this.running
  }

  /** Asks the running instance for something that only it can do. */
  async call(method: string, ...args: readonly unknown[]): Promise<unknown> {
    const running = this.mustRun()
    const patience = systemClock.schedule(PATIENCE_MS, () =>
      this.#invocation.terminal.err.print(
        `note: tiphys ${running.command} (process ${running.pid}) takes its time to answer; Ctrl-C ends the waiting`,
      ),
    )
    try {
      return await callInstance(running, method, args, note => {
        if (!this.#told.has(note)) this.#invocation.terminal.err.print(`note: ${note}`)
        this.#told.add(note)
      })
    } finally {
      patience.cancel()
    }
  }

  /** The Workflow of a run as its cluster has it; undefined when it has been deleted. */
  async workflow({ namespace, name, uid }: RunReference): Promise<KubeObject | undefined> {
    const { client } = await this.cluster()
    const found = await client.get<KubeObject>({ ...WORKFLOW, namespace, name }).catch(thrown => {
      if (!isNotFound(thrown)) throw thrown
    })
    return found?.metadata.uid === uid ? found : undefined
  }

  /** Whether a run of its cluster has been deleted. */
  async isGone(run: RunReference): Promise<boolean> {
    return (await this.workflow(run)) === undefined
  }

  #nothingRuns(orElse = ' or a cluster with --kubeconfig'): TerminalFailure {
    if (this.#silent) return silentInstance(this.folder, this.#silent)
    // What cannot be read looks as if nothing were there.
    checkDataFolder(this.folder)
    return new TerminalFailure('cli-nothing-runs', {
      what: `nothing runs on ${this.folder.path}`,
      todo: `Start it with tiphys up DIR, or name another folder with --data${orElse}`,
    })
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close()
  }
}

function remoteHistory(running: ServerFile, call: Instance['call']): History {
  const calls = HISTORY_CALLS.map(name => [name, (...args: unknown[]) => call(name, ...args)] as const)
  const follow = (topics: unknown, cursor: string | undefined, signal: AbortSignal) =>
    streamInstance(running, 'follow', [topics, cursor ?? null], signal)
  const exported = (selection: unknown) =>
    streamInstance(running, 'export', [selection ?? null], new AbortController().signal)
  // The other side has the same interface; what travels between is JSON.
  return { ...Object.fromEntries(calls), follow, export: exported } as unknown as History
}
