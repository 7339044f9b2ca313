import { Worker } from 'node:worker_threads'
import { databaseAway } from '../failures.ts'
import { type Answer, type Request, receiveFailure, type WorkerTask } from './protocol.ts'

/** Scavenges of a heap that is too small took a tenth of the time of storing. */
const YOUNG_MB = 96
/** A thread that is needed again within so many times its rest was ended too early, and stays twice as long the next time, up to a
 *  limit: to start one takes a tenth of a second, and each leaves some kilobytes behind. */
const [SOON, LONGEST_REST_MS] = [10, 300_000]

interface Waiting {
  resolve(result: unknown): void
  reject(error: Error): void
}

/** A thread that works on the database, and calls to it. The first call starts it, and starts it again if it has died or was ended
 *  because nobody had asked for a while: the database is opened anew. */
export class WorkerThread {
  readonly #program: string | URL
  readonly #task: WorkerTask
  readonly #restMs: number | undefined
  #restsMs = 0
  #endedAt = Number.NEGATIVE_INFINITY
  readonly #calls = new Map<number, Waiting>()
  #rest: NodeJS.Timeout | undefined
  #isHeld = false
  /** It died while it was held. */
  #isBroken = false
  #worker: Worker | undefined
  /** Told to end, and not gone yet. */
  #ending: { worker: Worker; gone: Promise<void> } | undefined
  #lastId = 0
  #isClosed = false

  /** `restMs`: so long after the last answer the thread is ended, because it takes memory, unless it is held. */
  constructor(program: string | URL, task: WorkerTask, { restMs }: { restMs?: number } = {}) {
    this.#program = program
    this.#task = task
    this.#restMs = restMs
    this.#restsMs = restMs ?? 0
  }

  /** How many calls have no answer yet. */
  get waiting(): number {
    return this.#calls.size
  }

  /** What is begun with one call is ended with another: until `release` the thread does not rest, and if it dies, no other takes
   *  its place: it would know nothing of what was begun. */
  hold(): void {
    this.#isHeld = true
    clearTimeout(this.#rest)
  }

  release(): void {
    this.#isHeld = false
    this.#isBroken = false
    this.#planRest()
  }

  call<T>(method: string, ...args: readonly unknown[]): Promise<T> {
    return this.send(method, args, [])
  }

  /** A call whose `moved` memory belongs to the thread afterwards. */
  send<T>(method: string, args: readonly unknown[], moved: readonly ArrayBuffer[]): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed || this.#isBroken)
        return reject(databaseAway('of this process', new Error('its thread was ended')))
      clearTimeout(this.#rest)
      const id = ++this.#lastId
      this.#calls.set(id, { resolve: resolve, reject })
      this.#whenGone(() => {
        const worker = (this.#worker ??= this.#start())
        worker.ref()
        worker.postMessage({ id, method, args } satisfies Request, moved)
      })
    })
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    try {
      if (this.#worker) await this.call('close')
    } catch {
      // It was not open, or is gone: closed either way.
    }
    this.#isClosed = true
    clearTimeout(this.#rest)
    await this.#worker?.terminate()
    await new Promise<void>(resolve => this.#whenGone(resolve))
  }

  #start(): Worker {
    if (this.#restMs !== undefined) {
      const isSoon = performance.now() - this.#endedAt < SOON * this.#restsMs
      this.#restsMs = isSoon ? Math.min(2 * this.#restsMs, LONGEST_REST_MS) : this.#restMs
    }
    const worker = new Worker(this.#program, {
      workerData: this.#task,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    })
    worker.unref()
    worker.on('message', (answer: Answer) => this.#receive(answer))
    worker.on('error', error => this.#lose(worker, error))
    worker.on('exit', code => this.#lose(worker, new Error(`its thread ended with ${code}`)))
    return worker
  }

  #receive(answer: Answer): void {
    const call = this.#calls.get(answer.id)
    this.#calls.delete(answer.id)
    if (this.#calls.size === 0) this.#worker?.unref()
    this.#planRest()
    if ('failure' in answer) call?.reject(receiveFailure(answer.failure))
    else call?.resolve(answer.result)
  }

  #planRest(): void {
    if (this.#restMs === undefined || this.#isHeld || this.#calls.size > 0) return
    clearTimeout(this.#rest)
    this.#rest = setTimeout(() => this.#endForNow(), this.#restsMs)
    this.#rest.unref()
  }

  /** Lets the thread close its connection. */
  #endForNow(): void {
    const worker = this.#worker
    this.#worker = undefined
    if (!worker) return
    this.#endedAt = performance.now()
    const gone = new Promise<void>(resolve => {
      worker.once('exit', () => {
        this.#ending = undefined
        resolve()
      })
    })
    this.#ending = { worker, gone }
    worker.removeAllListeners('message').once('message', () => void worker.terminate())
    worker.postMessage({ id: 0, method: 'close', args: [] } satisfies Request)
  }

  /** Now, or after the thread that was told to end: there are never two, as only one may write. */
  #whenGone(work: () => void): void {
    if (!this.#ending) return work()
    this.#ending.worker.ref()
    void this.#ending.gone.then(work)
  }

  #lose(worker: Worker, error: Error): void {
    if (worker !== this.#worker) return
    this.#worker = undefined
    this.#isBroken = this.#isHeld
    const failure = databaseAway('of this process', error)
    for (const { reject } of this.#calls.values()) reject(failure)
    this.#calls.clear()
  }
}
