import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Makes one plain file of the engine's program, so that a process starts without a TypeScript loader. */
export async function buildEngineProgram(outfile: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL('../testing/engine-program.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Some of what is bundled asks for Node's own modules in the old way.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  })
}

/** For tests: an event engine in a process of its own. */
export class EngineProcess {
  readonly child: ChildProcess
  readonly #exited: Promise<unknown>
  readonly #said: string[] = []
  readonly #listeners = new Set<() => void>()

  constructor(program: string, args: readonly string[]) {
    this.child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#exited = once(this.child, 'exit')
    createInterface({ input: this.child.stdout as NonNullable<ChildProcess['stdout']> }).on('line', line => {
      this.#said.push(line)
      for (const listen of this.#listeners) listen()
    })
  }

  /** How many lines it has said that begin so. */
  count(start: string): number {
    return this.#said.filter(line => line.startsWith(start)).length
  }

  /** Resolves when it has said a line that begins so, more often than `times`. Rejects when it ends before. */
  says(start: string, times = 0): Promise<void> {
    const said = new Promise<void>((resolve, reject) => {
      const listen = () => {
        if (this.count(start) <= times) return
        this.#listeners.delete(listen)
        resolve()
      }
      this.#listeners.add(listen)
      listen()
      void this.#exited.then(() => reject(new Error(`the engine ended after: ${this.#said.join('\n')}`)))
    })
    // Whoever waits is told; one that nobody waits for any more is ended by the test itself.
    said.catch(() => {})
    return said
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal)
  }

  /** Resolves with its exit code when it is gone; nothing when a signal ended it. */
  async end(signal: NodeJS.Signals): Promise<number | undefined> {
    this.signal(signal)
    await this.#exited
    return this.child.exitCode ?? undefined
  }
}
