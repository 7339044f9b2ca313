import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** What appending processes of one journal have said. */
export class Ledger {
  acknowledged = 0
  horizon = 1
  failure: string | undefined
  acknowledgementsAfterFailure = 0

  note(line: string): void {
    const [what, value, ...rest] = line.split(' ')
    if (what === 'acknowledged') {
      this.acknowledged = Math.max(this.acknowledged, Number(value))
      if (this.failure !== undefined) this.acknowledgementsAfterFailure++
    } else if (what === 'compacting') this.horizon = Math.max(this.horizon, Number(value))
    else if (what === 'failed') this.failure ??= [value, ...rest].join(' ')
  }
}

/** Makes one plain file of the appending program, so that a process can start without a TypeScript loader. */
export async function buildAppender(directory: string): Promise<string> {
  const outfile = join(directory, 'appender.mjs')
  const entry = fileURLToPath(new URL('appender-program.ts', import.meta.url))
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' })
  return outfile
}

export interface AppenderOptions {
  program: string
  directory: string
  mode?: 'honest' | 'hasty' | 'idle'
  segmentBytes?: number
  /** What to start instead of the program itself, with the program behind it. */
  under?: string[]
  spawn?: SpawnOptions
}

/** A process that appends known records. */
export class Appender {
  readonly process: ChildProcess
  readonly #ledger: Ledger
  readonly #lines: AsyncIterableIterator<string>
  readonly exited: Promise<unknown[]>

  constructor(
    ledger: Ledger,
    { program, directory, mode = 'honest', segmentBytes = 16_384, under = [], spawn: options }: AppenderOptions,
  ) {
    const line = [...under, process.execPath, program, directory, mode, String(segmentBytes)]
    this.#ledger = ledger
    this.process = spawn(line[0] as string, line.slice(1), { stdio: ['ignore', 'pipe', 'inherit'], ...options })
    this.exited = once(this.process, 'exit')
    this.#lines = createInterface({ input: this.process.stdout as NonNullable<ChildProcess['stdout']> })[
      Symbol.asyncIterator
    ]()
  }

  /** Reads up to the line that starts like this, or to the end. */
  async readUntil(start: string, count = 1): Promise<string | undefined> {
    let left = count
    for (;;) {
      const { done, value } = await this.#lines.next()
      if (done) return undefined
      this.#ledger.note(value)
      if (value.startsWith(start) && --left === 0) return value
    }
  }

  /** Kills without warning; resolves when the process is gone and all that it said has been noted. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL')
    await this.readUntil('nothing more')
    await this.exited
  }
}
