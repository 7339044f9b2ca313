import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const CACHE = process.env.TIPHYS_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tiphys', 'bin')

/** The newest that was built; undefined when there is none. */
export const KUBECTL = findKubectl()

/** What the name of a test that needs kubectl ends with. */
export const noKubectl = KUBECTL ? '' : ' (skipped: kubectl is not built: node conformance/build.mjs kubectl)'

function findKubectl(): string | undefined {
  try {
    const newest = readdirSync(CACHE)
      .filter(name => name.startsWith('kubectl-'))
      .sort()
      .at(-1)
    return newest && join(CACHE, newest)
  } catch {
    return undefined
  }
}

export interface KubectlOptions {
  kubeconfig: string
  cwd?: string
  /** Runs it on a terminal of 40 rows and 100 columns. */
  tty?: boolean
  input?: string
}

/** kubectl, as a user runs it. Only for tests. */
export class KubectlProcess {
  out = ''
  err = ''
  readonly #child: ChildProcess
  readonly ended: Promise<{ code: number | null; out: string; err: string }>

  constructor(words: readonly string[], { kubeconfig, cwd, tty = false, input }: KubectlOptions) {
    const argv = [KUBECTL as string, '--kubeconfig', kubeconfig, ...words]
    const [program = '', ...rest] = tty
      ? ['script', '-qec', `stty rows 40 cols 100; ${argv.map(quoted).join(' ')}`, '/dev/null']
      : argv
    this.#child = spawn(program, rest, { ...(cwd === undefined ? {} : { cwd }), stdio: 'pipe' })
    // It may end without reading all of its input.
    this.#child.stdin?.on('error', () => {})
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.out += text))
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.err += text))
    this.ended = once(this.#child, 'close').then(([code]) => ({ code, out: this.out, err: this.err }))
    if (input !== undefined) this.#child.stdin?.end(input)
  }

  type(text: string): void {
    this.#child.stdin?.write(text)
  }

  /** Resolves when it has printed `text`; rejects when it ends before. */
  async shows(text: string): Promise<void> {
    while (!this.out.includes(text)) {
      const next = once(this.#child.stdout as NodeJS.EventEmitter, 'data').then(() => undefined)
      const end = await Promise.race([next, this.ended])
      if (end && !this.out.includes(text)) throw new Error(`kubectl ended with ${end.code}: ${end.out}${end.err}`)
    }
  }

  async stop(): Promise<void> {
    this.#child.kill()
    await this.ended
  }
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
