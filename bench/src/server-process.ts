import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'

/** A server under measurement, in processes of its own. */
export interface ServerProcess {
  /** Where an administrator's kubeconfig is, as soon as the server has come so far. */
  kubeconfig: string
  /** Bytes in memory, of all its processes together. */
  residentBytes(): Promise<number>
  stop(): Promise<void>
}

/** One way to run a server. `launch` starts it and does not wait for it; the kubeconfig appears at the given path. */
export interface Side {
  name: string
  launch(directory: string): Promise<Launch>
}

/** Everything is prepared; `start` only starts processes, so that the time from there on is the server's own. */
export interface Launch {
  kubeconfig: string
  start(): ServerProcess
}

/** What programs under measurement find in their environment, on all sides. What a machine's owner has set for other
 *  reasons costs some of them time: with NODE_EXTRA_CA_CERTS every Node reads a few hundred certificates first. */
const PLAIN_ENVIRONMENT = Object.fromEntries(
  ['PATH', 'HOME', 'TMPDIR'].flatMap(name => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
)

/** A program whose last words are kept for the message when it fails. */
export class Program {
  readonly #child: ChildProcess
  readonly #name: string
  #lastWords = ''

  constructor(path: string, args: readonly string[]) {
    this.#name = path
    this.#child = spawn(path, args, { stdio: ['ignore', 'ignore', 'pipe'], env: PLAIN_ENVIRONMENT })
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString()).slice(-2000)
    })
    this.#child.on('error', error => {
      this.#lastWords += error.message
    })
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null && this.#child.pid !== undefined
  }

  get pid(): number {
    return this.#child.pid as number
  }

  requireRunning(): void {
    if (!this.isRunning) throw new Error(`${this.#name} has ended: ${this.#lastWords}`)
  }

  async residentBytes(): Promise<number> {
    this.requireRunning()
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    const impatience = setTimeout(() => this.#child.kill('SIGKILL'), 10_000)
    await gone
    clearTimeout(impatience)
  }
}
