import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

export interface Created {
  count: number
  seconds: number
  rate: number
  median: number
  p99: number
}

export interface Watched {
  changes: number
  watchers: number
  seconds: number
  events: number
  wrong: number
  /** How often a server ended the watch of a client that was too slow for it. */
  resumed: number
}

const execute = promisify(execFile)

/** The program in `go/load`, one call a measurement. */
export class LoadGenerator {
  readonly #program: string

  constructor(program: string) {
    this.#program = program
  }

  /** Waits for a server that `start` starts. Returns the milliseconds from there to the first authenticated 200, and to the
   *  moment when the server said that it is ready. */
  async timeStart(kubeconfig: string, start: () => void): Promise<{ answered: number; ready: number }> {
    const waiting = spawn(this.#program, ['start', '-kubeconfig', kubeconfig], { stdio: ['ignore', 'pipe', 'pipe'] })
    await once(createInterface({ input: waiting.stderr }), 'line')
    const answer = once(createInterface({ input: waiting.stdout }), 'line')
    const begin = performance.timeOrigin + performance.now()
    start()
    const ended = once(waiting, 'exit').then(([code]) => {
      if (code !== 0) throw new Error('the server did not answer in time')
      return answer
    })
    const [line] = (await ended) as [string]
    const { answeredAt, readyAt } = JSON.parse(line) as { answeredAt: number; readyAt: number }
    return { answered: answeredAt - begin, ready: readyAt - begin }
  }

  /** Makes a user with rights in one namespace, as an administrator. */
  async setUp(administrator: string, out: string): Promise<void> {
    await this.#run('setup', { kubeconfig: administrator, out })
  }

  create(options: {
    kubeconfig: string
    count: number
    first: number
    resource?: 'configmaps' | 'pods'
  }): Promise<Created> {
    return this.#run('create', options)
  }

  async list(options: { kubeconfig: string; count: number; repeats: number; gzip: boolean }): Promise<number[]> {
    return (await this.#run<{ milliseconds: number[] }>('list', options)).milliseconds
  }

  watch(options: { kubeconfig: string; changes: number; watchers: number }): Promise<Watched> {
    return this.#run('watch', options)
  }

  async #run<Result>(command: string, options: Record<string, string | number | boolean>): Promise<Result> {
    const flags = Object.entries(options).map(([name, value]) => `-${name}=${value}`)
    const { stdout } = await execute(this.#program, [command, ...flags])
    return JSON.parse(stdout) as Result
  }
}
