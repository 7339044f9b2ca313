import { asError, type Env, Heap, systemEnv, type Timer } from '@tiphys/env'
import { WaitingLine } from './waiting-line.ts'

/** Two classes share a queue: what just changed, and the backlog of a start or a resync. */
export type WorkClass = 'fresh' | 'backlog'

/** What a processor is told about the work it does. */
export interface Work<R> {
  /** Everything that asked for this processing since the last successful one began, in order, repeats once; of very
   *  many the last hundred. */
  reasons: readonly R[]
  /** 1, or more after failures in a row. */
  attempt: number
  workClass: WorkClass
  /** How long the key has been ready and waiting. */
  waitedMs: number
  /** Aborts when the queue is shut down. */
  signal: AbortSignal
}

/** A queue of keys, each of which is to be brought up to date.
 *
 *  - A key is never processed concurrently with itself. Added twice before it is processed, it is processed once; added
 *    while it is processed, it is processed once more afterwards.
 *  - No key is dropped: a failed processing comes again, after a backoff that doubles with every failure in a row, with
 *    its reasons; what a shutdown leaves undone is returned.
 *  - Of two delays for one key the earlier wins; an add without a delay beats both.
 *  - While both classes wait, of any n starts at least ⌊n / (freshWeight + 1)⌋ − 1 are of the backlog, and at least
 *    ⌊n / 2⌋ − 1 are fresh: the backlog's share grows with the age of its oldest key, up to half. Within its class a key is
 *    served in the order it became ready. So neither class starves, whatever the other one does. */
export interface WorkQueue<K, R = string> {
  /** False when the queue was shut down, and the key not taken. A key that waits in the backlog and is added as fresh
   *  becomes fresh. */
  add(key: K, options?: { reason?: R; delayMs?: number; workClass?: WorkClass }): boolean
  /** Forgets the key's failures, so that the next backoff is a short one. It stays in the queue. */
  forget(key: K): void
  /** Begins nothing new until `resume`. */
  pause(): void
  resume(): void
  /** Pauses, and resolves when nothing is being processed. */
  drain(): Promise<void>
  /** Resolves when nothing is ready or being processed. (Keys may wait for a delay.) */
  whenIdle(): Promise<void>
  /** Takes no more keys, aborts what is being processed, waits for its end, and returns the keys left undone. */
  shutdown(): Promise<readonly K[]>
  metrics(): WorkQueueMetrics
}

export interface WorkQueueMetrics {
  /** Ready and waiting, by class. */
  waiting: Readonly<Record<WorkClass, number>>
  oldestWaitMs: Readonly<Record<WorkClass, number>>
  delayed: number
  processing: number
  processed: number
  /** Failed processings, each of which comes again. */
  retries: number
  /** When what waits now will be done, at the pace so far. Undefined before the first processing. */
  etaMs: number | undefined
}

export interface WorkQueueOptions<K, R = string> {
  process: (key: K, work: Work<R>) => Promise<void>
  /** Told of every failed processing, before the retry is scheduled. */
  onError?: (key: K, error: Error, retry: { attempt: number; inMs: number }) => void
  env?: Env
  concurrency?: number
  /** What makes two keys the same; by default being equal as Map keys are. */
  identify?: (key: K) => unknown
  backoff?: { initialMs: number; maxMs: number }
  /** How many fresh keys are begun for one of a young backlog. */
  freshWeight?: number
  /** A backlog whose oldest key has waited this long counts twice, three times after twice that, and so on. */
  ageingMs?: number
}

interface Item<K, R> {
  readonly key: K
  place: 'waiting' | 'delayed' | 'processing'
  workClass: WorkClass
  reasons: Set<R>
  /** When it becomes, or became, ready. */
  due: number
  failures: number
  /** Asked for while it was processed: when to do it again. */
  againAt: number | undefined
  heapIndex: number
  before: Item<K, R> | undefined
  after: Item<K, R> | undefined
}

export function createWorkQueue<K, R = string>(options: WorkQueueOptions<K, R>): WorkQueue<K, R> {
  return new FairWorkQueue(options)
}

const NEVER = Number.POSITIVE_INFINITY
const MOST_REASONS = 100

function addReason<R>(reasons: Set<R> | undefined, reason: R): void {
  if (!reasons) return
  reasons.delete(reason)
  reasons.add(reason)
  if (reasons.size <= MOST_REASONS) return
  for (const oldest of reasons) return void reasons.delete(oldest)
}

class FairWorkQueue<K, R> implements WorkQueue<K, R> {
  readonly #process: WorkQueueOptions<K, R>['process']
  readonly #onError: NonNullable<WorkQueueOptions<K, R>['onError']>
  readonly #env: Env
  readonly #concurrency: number
  readonly #identify: (key: K) => unknown
  readonly #backoff: { initialMs: number; maxMs: number }
  readonly #freshWeight: number
  readonly #ageingMs: number
  readonly #items = new Map<unknown, Item<K, R>>()
  readonly #lines = { fresh: new WaitingLine<Item<K, R>>(), backlog: new WaitingLine<Item<K, R>>() }
  readonly #delayed = new Heap<Item<K, R>>((a, b) => a.due < b.due)
  readonly #abort = new AbortController()
  #waiters: { isOver: () => boolean; resolve: () => void }[] = []
  #timer: Timer | undefined
  #timerDue = NEVER
  #processing = 0
  #isPaused = false
  #isPumpDue = false
  /** What the backlog is owed, in starts. */
  #backlogCredit = 0
  #processed = 0
  #retries = 0
  /** A moving average. */
  #durationMs: number | undefined

  constructor(options: WorkQueueOptions<K, R>) {
    this.#process = options.process
    this.#env = options.env ?? systemEnv
    this.#onError = options.onError ?? ((key, error) => this.#env.log.error('work failed', { key: String(key), error }))
    this.#concurrency = options.concurrency ?? 1
    this.#identify = options.identify ?? (key => key)
    this.#backoff = options.backoff ?? { initialMs: 100, maxMs: 300_000 }
    this.#freshWeight = Math.max(1, options.freshWeight ?? 4)
    this.#ageingMs = options.ageingMs ?? 30_000
  }

  add(key: K, { reason, delayMs = 0, workClass = 'fresh' }: Parameters<WorkQueue<K, R>['add']>[1] = {}): boolean {
    if (this.#abort.signal.aborted) return false
    const due = this.#now() + Math.max(0, delayMs)
    const item = this.#items.get(this.#identify(key))
    if (item) this.#addAgain(item, due, workClass)
    else this.#addNew(key, due, workClass)
    if (reason !== undefined) addReason(this.#items.get(this.#identify(key))?.reasons, reason)
    this.#pumpSoon()
    return true
  }

  forget(key: K): void {
    const item = this.#items.get(this.#identify(key))
    if (item) item.failures = 0
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#pump()
  }

  drain(): Promise<void> {
    this.pause()
    return this.#when(() => this.#processing === 0)
  }

  whenIdle(): Promise<void> {
    return this.#when(() => this.#processing === 0 && this.#waitingCount() === 0)
  }

  async shutdown(): Promise<readonly K[]> {
    this.#abort.abort()
    this.#timer?.cancel()
    await this.drain()
    return [...this.#items.values()].map(({ key }) => key)
  }

  metrics(): WorkQueueMetrics {
    const { fresh, backlog } = this.#lines
    const now = this.#now()
    const ageOf = ({ first }: WaitingLine<Item<K, R>>) => (first ? now - first.due : 0)
    const turns = (this.#waitingCount() + this.#processing) / this.#concurrency
    return {
      waiting: { fresh: fresh.size, backlog: backlog.size },
      oldestWaitMs: { fresh: ageOf(fresh), backlog: ageOf(backlog) },
      delayed: this.#delayed.size,
      processing: this.#processing,
      processed: this.#processed,
      retries: this.#retries,
      etaMs: this.#durationMs === undefined ? undefined : turns * this.#durationMs,
    }
  }

  #addNew(key: K, due: number, workClass: WorkClass): void {
    const item: Item<K, R> = {
      key,
      place: 'waiting',
      workClass,
      reasons: new Set(),
      due,
      failures: 0,
      againAt: undefined,
      heapIndex: -1,
      before: undefined,
      after: undefined,
    }
    this.#items.set(this.#identify(key), item)
    this.#place(item)
  }

  #addAgain(item: Item<K, R>, due: number, workClass: WorkClass): void {
    const becomesFresh = workClass === 'fresh' && item.workClass === 'backlog'
    switch (item.place) {
      case 'processing':
        // The class of what comes next, not of what runs: a resync must not stay fresh because it once was.
        item.workClass = item.againAt !== undefined && !becomesFresh ? item.workClass : workClass
        item.againAt = Math.min(item.againAt ?? NEVER, due)
        break
      case 'delayed':
        if (becomesFresh) item.workClass = 'fresh'
        if (due >= item.due) break
        this.#delayed.remove(item)
        item.due = due
        this.#place(item)
        break
      case 'waiting':
        if (!becomesFresh) break
        this.#lines.backlog.remove(item)
        item.workClass = 'fresh'
        this.#lines.fresh.add(item)
        break
    }
  }

  #place(item: Item<K, R>): void {
    if (item.due > this.#now()) {
      item.place = 'delayed'
      this.#delayed.add(item)
      this.#armTimer()
    } else {
      item.place = 'waiting'
      this.#lines[item.workClass].add(item)
    }
  }

  #armTimer(): void {
    const due = this.#delayed.first?.due ?? NEVER
    if (due >= this.#timerDue || this.#abort.signal.aborted) return
    this.#timer?.cancel()
    this.#timerDue = due
    this.#timer = this.#env.clock.schedule(Math.ceil(due - this.#now()), () => {
      this.#timerDue = NEVER
      this.#releaseDue()
      this.#armTimer()
      this.#pump()
    })
  }

  #releaseDue(): void {
    const now = this.#now()
    for (let item = this.#delayed.first; item && item.due <= now; item = this.#delayed.first) {
      this.#delayed.remove(item)
      item.place = 'waiting'
      this.#lines[item.workClass].add(item)
    }
  }

  /** What is added in one go (a list, the changes of one event) is coalesced before any of it begins. */
  #pumpSoon(): void {
    if (this.#isPumpDue) return
    this.#isPumpDue = true
    queueMicrotask(() => {
      this.#isPumpDue = false
      this.#pump()
    })
  }

  #pump(): void {
    if (this.#isPaused || this.#abort.signal.aborted) return
    while (this.#processing < this.#concurrency) {
      const item = this.#next()
      if (!item) return
      this.#lines[item.workClass].remove(item)
      void this.#run(item)
    }
  }

  #next(): Item<K, R> | undefined {
    const fresh = this.#lines.fresh.first
    const backlog = this.#lines.backlog.first
    if (!fresh || !backlog) return fresh ?? backlog
    const weight = Math.min(this.#freshWeight, 1 + (this.#now() - backlog.due) / this.#ageingMs)
    this.#backlogCredit += weight / (this.#freshWeight + weight)
    if (this.#backlogCredit < 1) return fresh
    this.#backlogCredit -= 1
    return backlog
  }

  async #run(item: Item<K, R>): Promise<void> {
    const startedAt = this.#now()
    const reasons = item.reasons
    const work: Work<R> = {
      reasons: [...reasons],
      attempt: item.failures + 1,
      workClass: item.workClass,
      waitedMs: startedAt - item.due,
      signal: this.#abort.signal,
    }
    item.place = 'processing'
    item.reasons = new Set()
    this.#processing++
    let error: Error | undefined
    try {
      await this.#process(item.key, work)
    } catch (thrown) {
      error = asError(thrown)
    }
    this.#processing--
    this.#processed++
    const duration = this.#now() - startedAt
    this.#durationMs = this.#durationMs === undefined ? duration : this.#durationMs * 0.9 + duration * 0.1
    if (error) this.#failed(item, error, work.workClass, reasons)
    else item.failures = 0
    this.#finished(item)
    this.#pump()
    this.#settle()
  }

  #failed(item: Item<K, R>, error: Error, workClass: WorkClass, reasons: ReadonlySet<R>): void {
    const { initialMs, maxMs } = this.#backoff
    const full = Math.min(maxMs, initialMs * 2 ** Math.min(item.failures, 50))
    const inMs = full * (0.75 + this.#env.random.next() / 4)
    item.failures++
    const since = item.reasons
    item.reasons = new Set()
    for (const reason of [...reasons, ...since]) addReason(item.reasons, reason)
    if (workClass === 'fresh') item.workClass = 'fresh'
    item.againAt = Math.min(item.againAt ?? NEVER, this.#now() + inMs)
    this.#retries++
    try {
      this.#onError(item.key, error, { attempt: item.failures, inMs })
    } catch (thrown) {
      this.#env.log.error('the error handler of a work queue threw', { key: String(item.key), error: asError(thrown) })
    }
  }

  #finished(item: Item<K, R>): void {
    if (item.againAt === undefined) {
      this.#items.delete(this.#identify(item.key))
      return
    }
    item.due = item.againAt
    item.againAt = undefined
    this.#place(item)
  }

  #when(isOver: () => boolean): Promise<void> {
    if (isOver()) return Promise.resolve()
    return new Promise(resolve => this.#waiters.push({ isOver, resolve }))
  }

  #settle(): void {
    const over = this.#waiters.filter(({ isOver }) => isOver())
    this.#waiters = this.#waiters.filter(waiter => !over.includes(waiter))
    for (const { resolve } of over) resolve()
  }

  #waitingCount(): number {
    return this.#lines.fresh.size + this.#lines.backlog.size
  }

  #now(): number {
    return this.#env.clock.monotonic()
  }
}
