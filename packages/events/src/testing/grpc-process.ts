import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const SOURCE = fileURLToPath(new URL('../../oracle/grpc-server', import.meta.url))
const CACHE = process.env.TIPHYS_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tiphys', 'bin')

const isInstalled = spawnSync('go', ['version']).status === 0

/** What the name of a test that needs the gRPC server ends with. */
export const noGrpcServer = isInstalled ? '' : ' (skipped: Go is not installed)'

/** Builds the server unless it is cached; the name says from which sources. */
function program(): string {
  const hash = createHash('sha256')
  for (const file of readdirSync(SOURCE).sort()) hash.update(file).update(readFileSync(join(SOURCE, file)))
  const path = join(CACHE, `grpc-server-${hash.digest('hex').slice(0, 12)}`)
  if (existsSync(path)) return path
  mkdirSync(CACHE, { recursive: true })
  const unfinished = `${path}.${process.pid}`
  execFileSync('go', ['build', '-trimpath', '-buildvcs=false', '-o', unfinished, '.'], {
    cwd: SOURCE,
    stdio: 'inherit',
  })
  renameSync(unfinished, path)
  return path
}

export interface GrpcCall {
  call: string
  headers: Record<string, string>
  [field: string]: unknown
}

/** A gRPC server written in Go, with Argo Events' services. It notes the calls that it gets. */
export class GrpcProcess {
  readonly calls: GrpcCall[] = []
  readonly #options: readonly string[]
  #process: ChildProcess | undefined
  #exited: Promise<unknown> = Promise.resolve()
  port = 0

  private constructor(options: readonly string[]) {
    this.#options = options
  }

  static async start(options: readonly string[] = []): Promise<GrpcProcess> {
    const server = new GrpcProcess(options)
    await server.start()
    return server
  }

  get address(): string {
    return `127.0.0.1:${this.port}`
  }

  async start(): Promise<void> {
    const child = spawn(program(), ['-port', String(this.port), ...this.#options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#process = child
    this.#exited = once(child, 'exit')
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', line => {
        const said = JSON.parse(line) as GrpcCall | { port: number }
        if ('call' in said) this.calls.push(said)
        else {
          this.port = said.port
          resolve()
        }
      })
      child.once('exit', () => reject(new Error('the gRPC server ended')))
    })
  }

  /** Waits until it has told of so many calls, which is a moment after it has answered them. */
  async called(count: number): Promise<readonly GrpcCall[]> {
    while (this.calls.length < count) await new Promise<void>(resolve => setImmediate(resolve))
    return this.calls
  }

  async kill(): Promise<void> {
    this.#process?.kill('SIGKILL')
    await this.#exited
  }
}
