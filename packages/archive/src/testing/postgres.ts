import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)
const INSTALLED = '/usr/lib/postgresql'

/** Why there is no PostgreSQL here, in words for a test's name; undefined when there is one. */
export function noPostgres(): string | undefined {
  return programs() === undefined ? 'PostgreSQL is not installed' : undefined
}

function programs(): string | undefined {
  if (!existsSync(INSTALLED)) return undefined
  const versions = readdirSync(INSTALLED).filter(version => existsSync(join(INSTALLED, version, 'bin/initdb')))
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0]
  return newest === undefined ? undefined : join(INSTALLED, newest, 'bin')
}

export interface PostgresOptions {
  /** Whether a commit waits for the disk. Off unless told: what a test kills is the server, not the machine. */
  fsync?: boolean
  /** Where its data is and stays. Otherwise it goes with the server. */
  folder?: string
}

/** A real server with a folder of its own, reached by a socket in it. */
export class PostgresServer {
  readonly #programs: string
  readonly #folder: string
  readonly #identity: { uid?: number; gid?: number }
  readonly #settings: readonly string[]
  readonly #isKept: boolean
  #process: ChildProcess | undefined
  #databases = 0

  private constructor(
    folder: string,
    binaries: string,
    identity: { uid?: number; gid?: number },
    settings: readonly string[],
    isKept: boolean,
  ) {
    this.#isKept = isKept
    this.#folder = folder
    this.#programs = binaries
    this.#identity = identity
    this.#settings = settings
  }

  static async start({ fsync = false, folder: kept }: PostgresOptions = {}): Promise<PostgresServer> {
    const binaries = programs()
    if (binaries === undefined) throw new Error('PostgreSQL is not installed')
    // The path of a socket has at most 107 bytes.
    const folder = kept ?? mkdtempSync(join(tmpdir(), 'tiphys-pg-'))
    const isThere = existsSync(join(folder, 'data/PG_VERSION'))
    const identity = unprivileged()
    mkdirSync(join(folder, 'data'), { mode: 0o700, recursive: true })
    chmodSync(folder, 0o755)
    if (identity.uid !== undefined)
      for (const path of [folder, join(folder, 'data')]) chownSync(path, identity.uid, identity.gid as number)
    const settings = [
      '-c',
      'listen_addresses=',
      '-c',
      `unix_socket_directories=${folder}`,
      '-c',
      `fsync=${fsync ? 'on' : 'off'}`,
      '-c',
      'max_connections=50',
      '-c',
      'shared_buffers=128MB',
    ]
    if (!isThere)
      await run(
        join(binaries, 'initdb'),
        ['-D', join(folder, 'data'), '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'],
        {
          ...identity,
          cwd: '/',
        },
      )
    const server = new PostgresServer(folder, binaries, identity, settings, kept !== undefined)
    await server.start()
    return server
  }

  /** After `stop`: the same server again. */
  async start(): Promise<void> {
    const child = spawn(join(this.#programs, 'postgres'), ['-D', join(this.#folder, 'data'), ...this.#settings], {
      ...this.#identity,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#process = child
    let said = ''
    child.stderr?.on('data', chunk => (said = (said + chunk).slice(-4000)))
    while (!(await this.#answers())) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended with ${child.exitCode}: ${said}`)
    }
  }

  /** An empty database; its connection string. */
  async createDatabase(name = `archive${++this.#databases}`): Promise<string> {
    await this.query('postgres', `CREATE DATABASE ${name}`)
    return this.url(name)
  }

  /** The database of that name, empty if it was not there. */
  async keptDatabase(name: string): Promise<string> {
    const { rows } = await this.query('postgres', `SELECT 1 FROM pg_database WHERE datname = '${name}'`)
    return rows.length > 0 ? this.url(name) : this.createDatabase(name)
  }

  url(database: string): string {
    return `postgres://postgres@localhost/${database}?host=${encodeURIComponent(this.#folder)}`
  }

  async query(database: string, sql: string): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: this.url(database) })
    client.on('error', () => {})
    await client.connect()
    try {
      return await client.query(sql)
    } finally {
      await client.end()
    }
  }

  /** At once: as if it had crashed. */
  async kill(): Promise<void> {
    // What `pg_ctl stop -m immediate` sends: no checkpoint, recovery at the next start.
    await this.#end('SIGQUIT')
  }

  async #end(signal: 'SIGQUIT' | 'SIGINT'): Promise<void> {
    const child = this.#process
    if (!child || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
    this.#process = undefined
  }

  async stop(): Promise<void> {
    // What is kept is left as it should be found.
    await this.#end(this.#isKept ? 'SIGINT' : 'SIGQUIT')
    if (!this.#isKept) rmSync(this.#folder, { recursive: true, force: true })
  }

  async #answers(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.url('postgres') })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return true
    } catch {
      // Not yet; the one who waits looks whether it still runs.
      await new Promise(resolve => setTimeout(resolve, 20))
      return false
    }
  }
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  const line = lines.find(one => one.startsWith('postgres:')) ?? lines.find(one => one.startsWith('nobody:'))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid === undefined ? {} : { uid: Number(uid), gid: Number(gid) }
}
