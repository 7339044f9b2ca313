import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, connect, kindRef } from '@tiphys/kube'
import type { Event, Pod } from '@tiphys/kube/kinds'
import { KubectlProcess } from './kubectl-process.ts'
import { type Ended, type ProcessOptions, TiphysProcess } from './tiphys-process.ts'

/** Containers see what is there, other than in /tmp, which each has for itself. */
const FOLDER = '/var/tmp'

const POD = kindRef('v1', 'Pod')
const EVENT = kindRef('v1', 'Event')

/** A cluster in a folder of its own, started and used as a user does it. Only for tests. */
export class TestCluster {
  readonly folder: string
  readonly #following: KubectlProcess[] = []
  #process: TiphysProcess | undefined
  #client: Client | undefined

  private constructor(folder: string) {
    this.folder = folder
  }

  static async start(args: readonly string[] = [], options: ProcessOptions = {}): Promise<TestCluster> {
    const folder = await mkdtemp(join(FOLDER, 'tiphys-pods-'))
    // Tests may run it as somebody else.
    await chmod(folder, 0o777)
    const cluster = new TestCluster(folder)
    await cluster.start(args, options)
    return cluster
  }

  /** Starts on the folder's data, which may be there from a run before. */
  async start(args: readonly string[] = [], options: ProcessOptions = {}): Promise<void> {
    const given = ['--port', '0', '--kubeconfig-out', this.kubeconfig]
    this.#process = new TiphysProcess(['cluster', ...given, ...args], { cwd: this.folder, ...options })
    await this.#process.shows('tiphys is ready\n')
    this.#client = await connect({ kubeconfig: this.kubeconfig })
  }

  get process(): TiphysProcess {
    return this.#process as TiphysProcess
  }

  get client(): Client {
    return this.#client as Client
  }

  get kubeconfig(): string {
    return join(this.folder, 'kubeconfig')
  }

  /** Ends tiphys alone; the folder stays. */
  async signal(signal: NodeJS.Signals): Promise<Ended> {
    await this.#client?.close()
    return this.process.signal(signal)
  }

  async close(): Promise<void> {
    await Promise.all(this.#following.map(process => process.stop()))
    await this.signal('SIGKILL')
    await rm(this.folder, { recursive: true, force: true })
  }

  /** kubectl, while it runs. */
  follow(words: readonly string[], options: { tty?: boolean; input?: string } = {}): KubectlProcess {
    const process = new KubectlProcess(words, { kubeconfig: this.kubeconfig, cwd: this.folder, ...options })
    this.#following.push(process)
    return process
  }

  /** What kubectl prints. Rejects when it fails. */
  async kubectl(...words: string[]): Promise<string> {
    const { code, out, err } = await this.follow(words, { input: '' }).ended
    if (code !== 0) throw new Error(`kubectl ${words.join(' ')} ended with ${code}: ${out}${err}`)
    return out
  }

  async apply(manifest: string): Promise<void> {
    const { code, err } = await this.follow(['apply', '-f', '-'], { input: manifest }).ended
    if (code !== 0) throw new Error(err)
  }

  run(pod: string, ...command: string[]): Promise<string> {
    return this.kubectl('exec', pod, '--', ...command)
  }

  /** The pod as soon as it is as asked for. */
  async untilPod(name: string, isSo: (pod: Pod) => boolean): Promise<Pod> {
    const fieldSelector = `metadata.name=${name}`
    for await (const event of this.client.watch({ ...POD, namespace: 'default', fieldSelector })) {
      if ((event.type === 'ADDED' || event.type === 'MODIFIED') && isSo(event.object)) return event.object
    }
    throw new Error(`the watch of ${name} ended`)
  }

  /** The first Event about a pod with this reason and in its message this text. */
  async untilEvent(pod: string, reason: string, text = ''): Promise<Event> {
    for await (const { type, object } of this.client.watch({ ...EVENT, namespace: 'default' })) {
      const event = object as Event
      if (type === 'DELETED' || type === 'BOOKMARK' || type === 'ERROR') continue
      if (event.involvedObject.name === pod && event.reason === reason && event.message?.includes(text)) return event
    }
    throw new Error(`the watch of Events ended before ${reason} of ${pod}`)
  }
}

export const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false
