import { Worker } from 'node:worker_threads'
import { type Clock, systemClock, type Timer } from '@tiphys/env'
import { ScriptFailure, type ScriptRequest, type WorkerAnswer, type WorkerRequest } from './script.ts'

export interface ScriptPoolOptions {
  /** The program of the workers as JavaScript, bundled: `worker-program.ts`, or one that serves other languages. */
  workerProgram: string | URL
  /** How many scripts run at the same time. */
  size?: number
  /** How long a script may run. */
  timeMs?: number
  /** How much memory a worker may take, its libraries included. */
  memoryMb?: number
  /** How many characters a result may have. */
  outputBytes?: number
  clock?: Clock
}

/** Runs untrusted scripts apart from the process's own thread.
 *  A script that takes too much is ended together with its worker; the others go on, and a new worker takes its place. */
export interface ScriptPool {
  /** The result as JSON text. Scripts wait for a free worker in order; waiting does not count as running.
   *  Rejects with ScriptFailure. */
  run(request: ScriptRequest): Promise<string>
  /** Ends all workers; what runs or waits is rejected. */
  close(): Promise<void>
}

interface Job {
  readonly request: ScriptRequest
  resolve(output: string): void
  reject(failure: ScriptFailure): void
}

export function createScriptPool(options: ScriptPoolOptions): ScriptPool {
  return new WorkerPool(options)
}

const defaults = { size: 2, timeMs: 1000, memoryMb: 64, outputBytes: 1024 * 1024 }

/** The share of the memory that new values may take; they are cleared away more often than old ones. */
const youngShare = 1 / 4

type Settings = Required<Omit<ScriptPoolOptions, 'workerProgram'>> & Pick<ScriptPoolOptions, 'workerProgram'>

class WorkerPool implements ScriptPool {
  readonly #settings: Settings
  readonly #slots: Slot[]
  readonly #waiting: Job[] = []
  #isClosed = false

  constructor(options: ScriptPoolOptions) {
    this.#settings = { ...defaults, clock: systemClock, ...options }
    // Started beforehand: the first script finds a warm worker.
    this.#slots = Array.from({ length: this.#settings.size }, () => new Slot(this.#settings, () => this.#dispatch()))
  }

  run(request: ScriptRequest): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(closed())
      this.#waiting.push({ request, resolve, reject })
      this.#dispatch()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waiting.splice(0)) reject(closed())
    await Promise.all(this.#slots.map(slot => slot.close()))
  }

  #dispatch(): void {
    const broken = this.#slots.map(slot => slot.brokenBy)
    if (broken.every(why => why !== undefined))
      for (const { reject } of this.#waiting.splice(0)) reject(new ScriptFailure('failed', broken[0] as string))
    for (const slot of this.#slots) {
      if (!slot.isIdle) continue
      const job = this.#waiting.shift()
      if (job === undefined) return
      slot.start(job)
    }
  }
}

function closed(): ScriptFailure {
  return new ScriptFailure('failed', 'the pool of scripts is closed')
}

/** One place in the pool: a worker, replaced when it had to be ended, and the job it has. */
class Slot {
  readonly #settings: Settings
  readonly #onIdle: () => void
  #worker: Worker
  #isReady = false
  #isClosed = false
  /** Why no worker could be started here. */
  brokenBy: string | undefined
  #job: { id: number; job: Job; timer: Timer } | undefined
  #lastId = 0

  constructor(settings: Settings, onIdle: () => void) {
    this.#settings = settings
    this.#onIdle = onIdle
    this.#worker = this.#startWorker()
  }

  get isIdle(): boolean {
    return this.#isReady && this.#job === undefined
  }

  start(job: Job): void {
    const { clock, timeMs, outputBytes } = this.#settings
    const id = ++this.#lastId
    const timer = clock.schedule(timeMs, () => this.#replace(`it ran for more than ${timeMs} ms`))
    this.#job = { id, job, timer }
    this.#worker.ref()
    const { language, program, input } = job.request
    this.#worker.postMessage({ id, language, program, input, outputBytes, now: clock.now() } satisfies WorkerRequest)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#fail('the pool of scripts is closed')
    await this.#worker.terminate()
  }

  #startWorker(): Worker {
    const { workerProgram, memoryMb } = this.#settings
    const young = Math.max(1, Math.floor(memoryMb * youngShare))
    const worker = new Worker(workerProgram, {
      // A script has no environment to read, and nothing of what the process was started with.
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb - young, maxYoungGenerationSizeMb: young },
    })
    this.#isReady = false
    worker.on('message', (answer: WorkerAnswer) => {
      if (worker === this.#worker) this.#receive(answer)
    })
    // A worker says why it ends by an error, and then that it has ended.
    let why = 'its worker ended'
    worker.on('error', (error: Error & { code?: string }) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      why = isMemory ? `it took more than ${memoryMb} MB of memory` : `its worker failed: ${error.message}`
    })
    worker.on('exit', () => {
      if (worker === this.#worker && !this.#isClosed) this.#replace(why)
    })
    // Idle workers do not keep the process alive.
    worker.unref()
    return worker
  }

  #receive(answer: WorkerAnswer): void {
    if (answer.kind === 'ready') this.#isReady = true
    else {
      const current = this.#job
      if (current === undefined || current.id !== answer.id) return
      this.#job = undefined
      this.#worker.unref()
      current.timer.cancel()
      if (answer.kind === 'result') current.job.resolve(answer.output)
      else current.job.reject(new ScriptFailure(answer.problem, answer.message))
    }
    this.#onIdle()
  }

  #replace(why: string): void {
    const ended = this.#worker
    const wasReady = this.#isReady
    this.#fail(why)
    // A program that cannot even start would be started for ever.
    if (wasReady) this.#worker = this.#startWorker()
    else {
      this.brokenBy = why
      this.#isClosed = true
      this.#onIdle()
    }
    void ended.terminate()
  }

  #fail(why: string): void {
    const current = this.#job
    this.#job = undefined
    this.#isReady = false
    current?.timer.cancel()
    current?.job.reject(new ScriptFailure('limit', why))
  }
}
