import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Client, connect } from '@tiphys/kube'
import { type Ended, runTiphys, TiphysProcess } from './tiphys-process.ts'

const PATIENCE_MS = 25_000
const LOOK_EVERY_MS = 25

/** A folder in which a user works with the built `tiphys`. Only for tests. */
export class TiphysFolder {
  readonly path: string
  readonly #running: TiphysProcess[] = []
  readonly #clients: Client[] = []

  private constructor(path: string) {
    this.path = path
  }

  static async make(): Promise<TiphysFolder> {
    // Containers see what is there, other than in /tmp, which each has for itself.
    const path = await mkdtemp('/var/tmp/tiphys-folder-')
    await chmod(path, 0o755)
    return new TiphysFolder(path)
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(this.path, name)), { recursive: true })
      await writeFile(join(this.path, name), text)
    }
  }

  read(name: string): Promise<string> {
    return readFile(join(this.path, name), 'utf8')
  }

  /** Runs a command to its end. */
  tiphys(...args: string[]): Promise<Ended> {
    return runTiphys(args, { cwd: this.path, env: QUIET })
  }

  /** Starts a command that goes on, and waits until it is ready. */
  async start(...args: string[]): Promise<TiphysProcess> {
    const process = this.begin(...args)
    await process.shows('tiphys is ready\n')
    return process
  }

  begin(...args: string[]): TiphysProcess {
    const process = new TiphysProcess(args, { cwd: this.path, env: QUIET })
    this.#running.push(process)
    return process
  }

  async client(kubeconfig = '.tiphys/kubeconfig'): Promise<Client> {
    const client = await connect({ kubeconfig: join(this.path, kubeconfig) })
    this.#clients.push(client)
    return client
  }

  async remove(): Promise<void> {
    await Promise.all(this.#clients.map(client => client.close()))
    await Promise.all(this.#running.map(process => process.signal('SIGKILL')))
    await rm(this.path, { recursive: true, force: true })
  }
}

/** The environment of whoever runs the tests must not lead to a cluster of theirs. */
const QUIET = { KUBECONFIG: '', HOME: '/nonexistent', npm_lifecycle_event: '' }

/** Resolves with the first answer that is not undefined; rejects with `what` when there is none for long. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; ) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS))
  }
  throw new Error(`waited in vain for ${what}`)
}
