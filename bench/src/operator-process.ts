import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { usageOf } from './process-tree.ts'

/** A program that says in its output when it is ready. */
export class OperatorProcess {
  readonly #child: ChildProcess
  #output = ''
  #hasEnded = false

  constructor(path: string, args: readonly string[], options: { cwd: string; env?: Record<string, string> }) {
    const env = { ...process.env, ...options.env }
    this.#child = spawn(path, args, { cwd: options.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString()).slice(-20_000)
        this.#child.emit('said')
      })
    this.#child.on('error', error => {
      this.#output += error.message
      this.#child.emit('said')
    })
    this.#child.on('close', () => {
      this.#hasEnded = true
      this.#child.emit('said')
    })
  }

  /** What the pattern finds in its output, as soon as it does. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#output)
      if (found) return found
      if (this.#hasEnded) throw new Error(`the operator has ended: ${this.#output}`)
      await once(this.#child, 'said')
    }
  }

  async megabytes(): Promise<number> {
    return (await usageOf(this.#child.pid as number)).residentBytes / 1e6
  }

  async stop(): Promise<void> {
    if (this.#hasEnded) return
    const gone = once(this.#child, 'close')
    this.#child.kill('SIGTERM')
    const impatience = setTimeout(() => this.#child.kill('SIGKILL'), 15_000)
    await gone
    clearTimeout(impatience)
  }
}
