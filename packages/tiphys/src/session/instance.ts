import { existsSync } from 'node:fs'
import type { Archive } from '@tiphys/archive'
import { TerminalFailure } from '@tiphys/env'
import { type Client, createClient, createHttpTransport, findConnection } from '@tiphys/kube'
import { type Invocation, textOf } from '../command.ts'
import { callInstance, streamInstance } from './control-client.ts'
import { type DataFolder, dataFolder } from './data-folder.ts'
import { environment } from './environment.ts'
import { findInstance, type ServerFile } from './server-file.ts'

/** What a command that asks about the past may call. All of it is JSON, so that it can be asked of another process. */
export type History = Pick<Archive, (typeof HISTORY_CALLS)[number] | 'follow'>

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
  readonly #invocation: Invocation
  #client: { client: Client; namespace: string } | undefined
  #closing: (() => Promise<void>)[] = []

  private constructor(folder: DataFolder, running: ServerFile | undefined, invocation: Invocation) {
    this.folder = folder
    this.running = running
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
    if (kubeconfig === undefined && process.env.KUBECONFIG === undefined && textOf(flags, 'context') === undefined)
      throw nothingRuns(this.folder)
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

  /** Everything that was recorded. */
  async history(): Promise<History> {
    const { running } = this
    if (running) return remoteHistory(running)
    if (!existsSync(this.folder.records)) throw nothingRuns(this.folder)
    const { openHistory } = await import('./history.ts')
    const history = await openHistory(this.folder, environment(this.#invocation, 'warn'))
    this.#closing.push(() => history.close())
    return history.archive
  }

  /** Asks the running instance for something that only it can do. */
  async call(method: string, ...args: readonly unknown[]): Promise<unknown> {
    if (!this.running) throw nothingRuns(this.folder)
    return await callInstance(this.running, method, args)
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close()
  }
}

function remoteHistory(running: ServerFile): History {
  const calls = HISTORY_CALLS.map(name => [name, (...args: unknown[]) => callInstance(running, name, args)] as const)
  const follow = (topics: unknown, cursor: string | undefined, signal: AbortSignal) =>
    streamInstance(running, 'follow', [topics, cursor ?? null], signal)
  // The other side has the same interface; what travels between is JSON.
  return { ...Object.fromEntries(calls), follow } as unknown as History
}

function nothingRuns({ path }: DataFolder): TerminalFailure {
  return new TerminalFailure('cli-nothing-runs', {
    what: `nothing runs on ${path}`,
    todo: 'Start it with tiphys up DIR, or name another folder with --data or a cluster with --kubeconfig',
  })
}
