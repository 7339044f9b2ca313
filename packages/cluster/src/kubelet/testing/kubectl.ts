import { type ChildProcess, spawn } from 'node:child_process'
import { findTool } from '@tiphys/kube/testing'

const KUBECTL = findTool('kubectl')

/** What the name of a test that needs kubectl ends with. */
export const noKubectl = KUBECTL ? '' : ' (skipped: kubectl is not built: node conformance/build.mjs kubectl)'

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

/** One run of kubectl. */
export class Kubectl {
  readonly process: ChildProcess
  stdout = ''
  stderr = ''
  readonly #closed: Promise<number | null>
  readonly #waiting = new Set<() => void>()

  constructor(
    kubeconfig: string,
    words: readonly string[],
    options: { env?: Record<string, string>; tty?: boolean } = {},
  ) {
    const argv = [KUBECTL as string, `--kubeconfig=${kubeconfig}`, ...words]
    const [program = '', ...rest] = options.tty
      ? ['script', '-qec', `stty rows 40 cols 100; ${argv.map(quoted).join(' ')}`, '/dev/null']
      : argv
    this.process = spawn(program, rest, { env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...options.env } })
    this.process.stdin?.on('error', () => {}) // it may end without reading all of its input
    this.process.stdout?.on('data', chunk => this.#hear('stdout', chunk))
    this.process.stderr?.on('data', chunk => this.#hear('stderr', chunk))
    this.#closed = new Promise(resolve => this.process.once('close', code => resolve(code)))
  }

  #hear(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    this[stream] += chunk.toString()
    for (const wake of this.#waiting) wake()
  }

  type(text: string): void {
    this.process.stdin?.write(text)
  }

  /** Waits for a text in what it writes. */
  async says(text: string | RegExp): Promise<void> {
    const isSaid = () => (typeof text === 'string' ? this.stdout.includes(text) : text.test(this.stdout))
    while (!isSaid()) {
      if (this.process.exitCode !== null) throw new Error(`kubectl ended: ${this.stdout}${this.stderr}`)
      await new Promise<void>(resolve => {
        this.#waiting.add(resolve)
        this.process.once('close', () => resolve())
      })
    }
  }

  async outcome(): Promise<Outcome> {
    const code = await this.#closed
    return { code, stdout: this.stdout, stderr: this.stderr }
  }

  async stop(): Promise<void> {
    this.process.kill()
    await this.#closed
  }
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
