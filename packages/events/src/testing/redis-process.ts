import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '@tiphys/env/testing'

const isInstalled = spawnSync('redis-server', ['--version']).status === 0

/** What the name of a test that needs a Redis server ends with. */
export const noRedisServer = isInstalled
  ? ''
  : ' (skipped: redis-server is not installed: apt-get install redis-server)'

/** A real Redis server with a folder of its own, that can be killed, paused and started again on the same port. */
export class RedisProcess {
  readonly #directory: string
  readonly #options: readonly string[]
  readonly port: number
  #process: ChildProcess | undefined
  #exited: Promise<unknown> = Promise.resolve()

  private constructor(directory: string, port: number, options: readonly string[]) {
    this.#directory = directory
    this.port = port
    this.#options = options
  }

  /** Keeps every write on disk, so that it survives being killed. */
  static async start({
    options = [],
    tls = false,
  }: {
    options?: readonly string[]
    tls?: boolean
  } = {}): Promise<RedisProcess> {
    const port = await freePort()
    const ports = tls ? ['--port', '0', '--tls-port', String(port)] : ['--port', String(port)]
    const redis = new RedisProcess(await mkdtemp(join(tmpdir(), 'redis-')), port, [...ports, ...options])
    await redis.start()
    return redis
  }

  get address(): string {
    return `127.0.0.1:${this.port}`
  }

  async start(): Promise<void> {
    const child = spawn(
      'redis-server',
      ['--bind', '127.0.0.1', '--dir', this.#directory, '--save', '', '--appendonly', 'yes', ...this.#options],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    )
    this.#process = child
    this.#exited = once(child, 'exit')
    const lines: string[] = []
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', line => {
        if (lines.length < 200) lines.push(line)
        if (/ready to accept connections/i.test(line)) resolve()
      })
      child.once('exit', () => reject(new Error(`redis-server ended:\n${lines.join('\n')}`)))
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
