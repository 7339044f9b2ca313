import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const builtCommand = fileURLToPath(new URL('../bin/tiphys.js', import.meta.url))

export interface Ended {
  code: number | null
  out: string
  err: string
}

export interface ProcessOptions {
  cwd?: string
  env?: Readonly<Record<string, string>>
  command?: string
  uid?: number
  /** A program and its arguments that become tiphys. */
  prefix?: readonly string[]
}

/** The built `tiphys`, started as a user starts it. Only for tests. */
export class TiphysProcess {
  out = ''
  err = ''
  readonly #child: ChildProcess
  readonly #ended: Promise<Ended>

  constructor(args: readonly string[], { cwd, env, command = builtCommand, uid, prefix = [] }: ProcessOptions = {}) {
    const [program = '', ...rest] = [...prefix, process.execPath, command, ...args]
    this.#child = spawn(program, rest, {
      ...(cwd === undefined ? {} : { cwd }),
      ...(uid === undefined ? {} : { uid }),
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.out += text))
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.err += text))
    this.#ended = once(this.#child, 'close').then(([code]) => ({ code, out: this.out, err: this.err }))
  }

  get pid(): number {
    return this.#child.pid as number
  }

  get ended(): Promise<Ended> {
    return this.#ended
  }

  /** Resolves when the standard output shows `text`; rejects when the process ends before. */
  async shows(text: string): Promise<void> {
    while (!this.out.includes(text)) {
      const end = await Promise.race([
        once(this.#child.stdout as NodeJS.EventEmitter, 'data').then(() => undefined),
        this.#ended,
      ])
      if (end && !this.out.includes(text)) throw new Error(`tiphys ended with ${end.code}: ${end.out}${end.err}`)
    }
  }

  signal(signal: NodeJS.Signals): Promise<Ended> {
    this.#child.kill(signal)
    return this.#ended
  }
}

export const runTiphys = (args: readonly string[], options?: ProcessOptions): Promise<Ended> =>
  new TiphysProcess(args, options).ended
