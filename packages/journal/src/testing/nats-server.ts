import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePorts } from '@tiphys/env/testing'

const CACHE = process.env.TIPHYS_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tiphys', 'bin')

function findProgram(): string | undefined {
  try {
    const newest = readdirSync(CACHE)
      .filter(name => name.startsWith('nats-server-'))
      .sort()
      .at(-1)
    return newest && join(CACHE, newest)
  } catch {
    return undefined
  }
}

const PROGRAM = findProgram()

/** What the name of a test that needs a NATS server ends with. */
export const noNatsServer = PROGRAM
  ? ''
  : ' (skipped: nats-server is not built: node conformance/build.mjs nats-server)'

export interface NatsServerOptions {
  /** What stands in the `jetstream` block beside the folder. */
  jetstream?: string
  /** What stands at the top. */
  config?: string
}

/** A real NATS server with a folder of its own, that can be killed, paused and started again on the same port. */
export class NatsServer {
  readonly #directory: string
  readonly #options: NatsServerOptions
  #process: ChildProcess | undefined
  #exited: Promise<unknown> = Promise.resolve()
  port = -1
  monitorPort = -1

  private constructor(directory: string, options: NatsServerOptions) {
    this.#directory = directory
    this.#options = options
  }

  static async start(options: NatsServerOptions = {}): Promise<NatsServer> {
    const server = new NatsServer(await mkdtemp(join(tmpdir(), 'nats-')), options)
    await server.start()
    return server
  }

  /** Starts servers that keep copies of each other's streams. */
  static async startCluster(size: number): Promise<NatsServer[]> {
    const ports = await freePorts(size)
    const routes = ports.map(port => `"nats://127.0.0.1:${port}"`).join(', ')
    const configs = ports.map(
      (port, i) => `server_name: n${i}\ncluster { name: test, listen: "127.0.0.1:${port}", routes: [${routes}] }`,
    )
    return await Promise.all(configs.map(config => NatsServer.start({ config })))
  }

  get address(): string {
    return `127.0.0.1:${this.port}`
  }

  get monitor(): string {
    return `http://127.0.0.1:${this.monitorPort}`
  }

  async start(): Promise<void> {
    const { jetstream = 'sync_interval: always', config = '' } = this.#options
    const file = join(this.#directory, 'server.conf')
    const store = join(this.#directory, 'store')
    await writeFile(
      file,
      `listen: "127.0.0.1:${this.port}"\nhttp: "127.0.0.1:${this.monitorPort}"\n${config}\njetstream { store_dir: "${store}"\n${jetstream} }\n`,
    )
    const child = spawn(PROGRAM as string, ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
    this.#process = child
    this.#exited = once(child, 'exit')
    const lines: string[] = []
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stderr }).on('line', line => {
        if (lines.length < 200) lines.push(line)
        const port = (start: string) => new RegExp(`${start} on (?:nats://)?127\\.0\\.0\\.1:(\\d+)`).exec(line)?.[1]
        this.monitorPort = Number(port('Starting http monitor') ?? this.monitorPort)
        this.port = Number(port('Listening for client connections') ?? this.port)
        if (line.includes('Server is ready')) resolve()
      })
      child.once('exit', () => reject(new Error(`nats-server ended:\n${lines.join('\n')}`)))
    })
  }

  async kill(): Promise<void> {
    this.#process?.kill('SIGKILL')
    await this.#exited
  }

  pause(): void {
    this.#process?.kill('SIGSTOP')
  }

  resume(): void {
    this.#process?.kill('SIGCONT')
  }

  async dispose(): Promise<void> {
    await this.kill()
    await rm(this.#directory, { recursive: true })
  }
}
