import { setMaxListeners } from 'node:events'
import { asError, delay, RetryableFailure } from '@tiphys/env'
import type { Event } from '../event.ts'
import { type Action, actionKey, orderKeys, type Parked } from './action.ts'
import { isMetByEach } from './condition.ts'
import type { Attempt, Dispatcher, DispatcherOptions, Evaluation } from './dispatcher.ts'
import { type Join, offer } from './join.ts'
import { KeyLines } from './key-lines.ts'
import type { Attempts } from './retry-policy.ts'

const JOIN = 'join'
const PENDING = 'pending/'
const PARKED = 'parked/'
const READ_AGAIN_MS = 1000
/** However few events there are, so much of them is held at most, give or take one. */
const MOST_HELD_BYTES = 32 * 2 ** 20

/** `given up`: it was stopped, and comes again. */
type Outcome = 'done' | 'parked' | 'given up'

interface Waiting {
  events: Join
  /** When the first of them came. */
  since: number
}

interface Work {
  action: Action
  /** Known before its turn comes; an event of a trigger without joins is evaluated at its turn. */
  evaluated: boolean
  /** A person has asked for it, and is told of its end. */
  askedFor?: (result: 'done' | 'parked') => void
  /** How much of what is held it counts for. */
  bytes: number
}

/** See `dispatcher.ts` for what can be relied on. */
export class TriggerDispatcher implements Dispatcher {
  readonly #options: Required<Omit<DispatcherOptions, 'deadLetter'>> & Pick<DispatcherOptions, 'deadLetter'>
  /** Nothing more is begun, and nothing more is waited for. */
  readonly #stopped = new AbortController()
  /** What is being tried is given up. */
  readonly #abort = new AbortController()
  readonly #lines: KeyLines<Work>
  readonly #ready: Work[] = []
  readonly #isJoin: boolean
  /** Actions that hold their keys while they are parked. */
  readonly #blocking = new Map<string, Work>()
  readonly #parkedKeys = new Set<string>()
  /** Parked actions that are tried again. */
  readonly #retrying = new Map<string, Promise<'done' | 'parked'>>()
  #join: Waiting = { events: {}, since: 0 }
  #heldBytes = 0
  /** Actions that are being tried, and those that could go on if there were fewer. */
  #running = 0
  readonly #resuming: (() => void)[] = []
  #isReading = false
  #isPaused = false
  /** What is remembered of a join changes in one order. */
  #joining: Promise<void> = Promise.resolve()
  #room = () => {}
  readonly #underWay = new Set<Promise<void>>()

  constructor(options: DispatcherOptions) {
    const defaults = {
      coalesces: false,
      blocksOnParked: false,
      concurrency: 16,
      maxHeld: 1000,
      tell: () => {},
      pace: () => 0,
      isOver: () => false,
    }
    this.#options = { ...defaults, ...options }
    this.#isJoin = !isMetByEach(options.condition)
    // As many listen as there are actions under way.
    for (const { signal } of [this.#stopped, this.#abort]) setMaxListeners(0, signal)
    this.#lines = new KeyLines(work => {
      this.#ready.push(work)
      this.#startReady()
    })
  }

  async begin(): Promise<void> {
    const { memory, blocksOnParked } = this.#options
    for (const key of memory.keys(PARKED)) this.#parkedKeys.add(key.slice(PARKED.length))
    const join = await memory.get(JOIN)
    if (join !== undefined) this.#join = JSON.parse(join) as Waiting
    await this.reset()
    if (blocksOnParked) for (const parked of await this.parked()) this.#block(parked.action)
    for (const key of memory.keys(PENDING)) {
      const stored = await memory.get(key)
      if (stored !== undefined) this.#add(JSON.parse(stored) as Action, true)
    }
    this.#keep(this.#read())
  }

  async parked(): Promise<readonly Parked[]> {
    const { memory } = this.#options
    const stored = await Promise.all([...this.#parkedKeys].map(key => memory.get(PARKED + key)))
    return stored.flatMap(text => (text === undefined ? [] : [JSON.parse(text) as Parked]))
  }

  async lastParked(): Promise<Parked | undefined> {
    const key = [...this.#parkedKeys].at(-1)
    return key === undefined ? undefined : this.#findParked(key)
  }

  get held(): number {
    return this.#lines.size - this.#blocking.size
  }

  get parkedCount(): number {
    return this.#parkedKeys.size
  }

  async retry(key: string): Promise<'done' | 'parked' | 'unknown'> {
    const underWay = this.#retrying.get(key)
    if (underWay) return underWay
    const parked = await this.#findParked(key)
    if (!parked) return 'unknown'
    const retrying = this.#retrying.get(key) ?? this.#tryAgain(key, parked)
    this.#retrying.set(key, retrying)
    return retrying.finally(() => this.#retrying.delete(key))
  }

  #tryAgain(key: string, parked: Parked): Promise<'done' | 'parked'> {
    const blocked = this.#blocking.get(key)
    this.#blocking.delete(key)
    // It stands in line again in front of what waited for it: the line is left only after the place is taken.
    return new Promise(resolve => {
      if (!blocked) return this.#add(parked.action, true, resolve)
      blocked.askedFor = resolve
      this.#ready.unshift(blocked)
      this.#startReady()
    })
  }

  async discard(key: string, reason: string): Promise<boolean> {
    const parked = await this.#findParked(key)
    if (!parked) return false
    await this.#options.memory.delete(PARKED + key)
    this.#parkedKeys.delete(key)
    this.#options.tell({ type: 'discarded', parked, reason })
    const blocked = this.#blocking.get(key)
    if (blocked) {
      this.#blocking.delete(key)
      this.#leave(blocked)
    }
    return true
  }

  reset(): Promise<void> {
    return this.#changeJoin(async () => {
      const { isOver, memory, tell } = this.#options
      const { events, since } = this.#join
      if (Object.keys(events).length === 0 || !isOver(since)) return
      await memory.delete(JOIN)
      this.#join = { events: {}, since: 0 }
      for (const [dependency, event] of Object.entries(events)) tell({ type: 'reset', event, dependency })
    })
  }

  isIdle(): boolean {
    const isAllRead = this.#isPaused || this.#options.consumer.unread === 0
    const isNothingToBegin = this.#ready.length === 0 && this.#resuming.length === 0
    return this.#running === 0 && isNothingToBegin && !this.#isReading && isAllRead
  }

  async stop({ graceMs = 0 }: { graceMs?: number } = {}): Promise<void> {
    const { env, consumer } = this.#options
    this.#stopped.abort()
    this.#room()
    if (graceMs <= 0) this.#abort.abort()
    const timer = env.clock.schedule(graceMs, () => this.#abort.abort())
    await Promise.all(this.#underWay)
    timer.cancel()
    await consumer.close()
  }

  async #read(): Promise<void> {
    const { consumer, env } = this.#options
    const { signal } = this.#stopped
    while (!signal.aborted) {
      try {
        for await (const { position, event } of consumer.deliveries(signal)) await this.#take(position, event)
      } catch (thrown) {
        if (signal.aborted) return
        env.log.error(`${consumer.name} cannot read its events, and tries again`, { error: asError(thrown) })
        await delay(env.clock, READ_AGAIN_MS, signal).catch(() => {})
      } finally {
        this.#isReading = false
      }
    }
  }

  async #take(position: number, event: Event): Promise<void> {
    const { maxHeld } = this.#options
    this.#isReading = true
    if (this.#isJoin) await this.#changeJoin(() => this.#offer(position, event))
    else this.#queue(position, event)
    this.#isReading = false
    this.#isPaused = true
    while (this.#isEnoughHeld(maxHeld) && !this.#stopped.signal.aborted)
      await new Promise<void>(resolve => {
        this.#room = resolve
      })
    this.#isPaused = false
  }

  #isEnoughHeld(maxHeld: number): boolean {
    return this.held >= maxHeld || (this.held > 0 && this.#heldBytes >= MOST_HELD_BYTES)
  }

  /** An event that is enough by itself stands in the line of its key before anything else is known of it. */
  #queue(position: number, event: Event): void {
    const { coalesces, consumer, tell } = this.#options
    if (coalesces && event.key !== undefined) {
      for (const waiting of this.#lines.waiting(event.key)) {
        if (waiting.evaluated) continue
        for (const old of Object.values(waiting.action.events)) tell({ type: 'superseded', event: old, by: event.id })
        for (const oldPosition of waiting.action.positions) consumer.done(oldPosition)
        this.#leave(waiting)
      }
    }
    this.#add({ key: '', events: { '': event }, positions: [position] }, false)
  }

  /** Events that wait for others are evaluated in the order of the bus, and remembered before they are done there. */
  async #offer(position: number, event: Event): Promise<void> {
    const { consumer, memory, condition, tell, env } = this.#options
    for (const evaluation of await this.#evaluate(event)) {
      if (evaluation.outcome !== 'passed') continue
      const { dependency } = evaluation
      const { join, superseded, fire } = offer(condition, this.#join.events, dependency, evaluation.event)
      if (superseded) tell({ type: 'superseded', event: superseded, by: event.id })
      if (fire) {
        const action: Action = { key: this.#keyOf(Object.values(fire)), events: fire, positions: [] }
        await memory.set(PENDING + action.key, JSON.stringify(action))
        this.#add(action, true)
      } else tell({ type: 'waits for others', event, dependency, present: Object.keys(join) })
      const since = Object.keys(this.#join.events).length === 0 ? env.clock.now() : this.#join.since
      this.#join = { events: join, since }
      await (fire ? memory.delete(JOIN) : memory.set(JOIN, JSON.stringify(this.#join)))
    }
    consumer.done(position)
  }

  #changeJoin(change: () => Promise<void>): Promise<void> {
    const changed = this.#joining.then(change)
    // Whoever asked for it is told; the next change only waits for its end.
    this.#joining = changed.catch(() => {})
    return changed
  }

  async #evaluate(event: Event): Promise<readonly Evaluation[]> {
    const { evaluate, tell } = this.#options
    const evaluations = await evaluate(event, this.#abort.signal).catch((thrown): Evaluation[] => {
      if (this.#abort.signal.aborted) throw thrown
      return [{ dependency: '', outcome: 'failed', error: asError(thrown) }]
    })
    for (const evaluation of evaluations) {
      const { dependency } = evaluation
      if (evaluation.outcome === 'filtered') tell({ type: 'filtered', event, dependency, by: evaluation.by })
      if (evaluation.outcome === 'failed')
        tell({ type: 'evaluation failed', event, dependency, error: evaluation.error })
    }
    return evaluations
  }

  #keep(work: Promise<void>): void {
    this.#underWay.add(work)
    void work.finally(() => this.#underWay.delete(work))
  }

  #add(action: Action, evaluated: boolean, askedFor?: Work['askedFor']): void {
    this.#stand({ action, evaluated, bytes: bytesOf(action), ...(askedFor && { askedFor }) })
  }

  #stand(work: Work): void {
    this.#heldBytes += work.bytes
    this.#lines.add(work, orderKeys(work.action))
  }

  #leave(work: Work): void {
    this.#heldBytes -= work.bytes
    this.#lines.end(work)
  }

  #block(action: Action): void {
    const work: Work = { action, evaluated: true, bytes: 0 }
    this.#blocking.set(action.key, work)
    this.#stand(work)
  }

  #startReady(): void {
    while (this.#running < this.#options.concurrency) {
      const resume = this.#resuming.shift()
      if (resume) {
        this.#running++
        resume()
        continue
      }
      if (this.#stopped.signal.aborted) return
      const work = this.#ready.shift()
      if (!work) return
      if (this.#blocking.has(work.action.key)) continue
      this.#running++
      this.#keep(this.#handle(work))
    }
  }

  async #handle(work: Work): Promise<void> {
    const { env, consumer } = this.#options
    let result: Outcome = 'given up'
    try {
      result = await (work.evaluated ? this.#carryOut(work) : this.#handleAlone(work))
      if (result !== 'given up') for (const position of work.action.positions) consumer.done(position)
    } catch (thrown) {
      // What happened is not known to be stored: it comes again with the next dispatcher.
      env.log.error(`${consumer.name} could not store what it did`, { error: asError(thrown) })
    }
    this.#running--
    if (result === 'parked' && this.#options.blocksOnParked) this.#blocking.set(work.action.key, work)
    else this.#leave(work)
    work.askedFor?.(result === 'done' ? 'done' : 'parked')
    this.#room()
    this.#startReady()
  }

  /** Evaluates an event at its turn. One that passes at several dependencies is still one event, and fires once. */
  async #handleAlone(work: Work): Promise<Outcome> {
    const [event] = Object.values(work.action.events) as [Event]
    const passed = (await this.#evaluate(event)).find(evaluation => evaluation.outcome === 'passed')
    if (!passed) return 'done'
    work.action = {
      ...work.action,
      key: this.#keyOf([event]),
      events: { [passed.dependency]: passed.event },
    }
    work.evaluated = true
    return this.#carryOut(work)
  }

  async #carryOut({ action, askedFor }: Work): Promise<Outcome> {
    const { execute, retry, memory, deadLetter, tell } = this.#options
    const isAskedFor = askedFor !== undefined
    tell({ type: 'fires', action })
    const tried = await this.#try(action, { execute, retry }, { isDeadLetter: false, isAskedFor })
    if (tried === 'given up') return 'given up'
    let { failure } = tried
    if (failure && deadLetter) {
      const key = actionKey(this.#options.sensorUid, deadLetter.trigger, Object.values(action.events))
      const last = await this.#try({ ...action, key }, deadLetter, { isDeadLetter: true, isAskedFor })
      if (last === 'given up') return 'given up'
      failure = last.failure && new Error(`${failure.message} / dead letter: ${last.failure.message}`)
    }
    if (failure) return this.#park(action, tried.attempts, failure)
    await Promise.all([memory.delete(PENDING + action.key), memory.delete(PARKED + action.key)])
    this.#parkedKeys.delete(action.key)
    tell({ type: 'ended', action })
    return 'done'
  }

  /** Until it succeeds, or has been tried often enough. */
  async #try(
    action: Action,
    { execute, retry }: Attempt,
    { isDeadLetter, isAskedFor }: { isDeadLetter: boolean; isAskedFor: boolean },
  ): Promise<{ attempts: number; failure: Error | undefined } | 'given up'> {
    const { env, tell, pace } = this.#options
    const attempts: Attempts = { counted: 0, all: 0 }
    for (;;) {
      const pauseMs = pace()
      if (pauseMs > 0 && !(await this.#wait(stopped => delay(env.clock, pauseMs, stopped)))) return 'given up'
      attempts.all++
      tell({ type: 'attempt', action, attempt: attempts.all, heldBackMs: pauseMs, isDeadLetter })
      try {
        const completion = await execute(action, this.#abort.signal, isAskedFor)
        tell({ type: 'done', action, attempts: attempts.all, isDeadLetter })
        if (completion && !(await this.#wait(completion))) return 'given up'
        return { attempts: attempts.all, failure: undefined }
      } catch (thrown) {
        if (this.#abort.signal.aborted) return 'given up'
        const error = asError(thrown)
        if (!(error instanceof RetryableFailure)) attempts.counted++
        const againInMs = retry.delayAfter(error, attempts, env.random.next())
        tell({ type: 'failed', action, attempt: attempts.all, error, againInMs, isDeadLetter })
        if (againInMs === undefined) return { attempts: attempts.all, failure: error }
        if (!(await this.#wait(stopped => delay(env.clock, againInMs, stopped)))) return 'given up'
      }
    }
  }

  /** Waits, and lets others be tried meanwhile. False when it was stopped before. */
  async #wait(wait: (stopped: AbortSignal) => Promise<void>): Promise<boolean> {
    const { signal } = this.#stopped
    this.#running--
    this.#startReady()
    const isStopped = await wait(signal).then(
      () => signal.aborted,
      thrown => {
        if (signal.aborted) return true
        throw thrown
      },
    )
    if (isStopped || this.#running < this.#options.concurrency) this.#running++
    else await new Promise<void>(resolve => this.#resuming.push(resolve))
    return !isStopped
  }

  async #park(action: Action, attempts: number, error: Error): Promise<'parked'> {
    const { env, memory, tell } = this.#options
    const since = new Date(env.clock.now()).toISOString()
    const parked: Parked = { action: { ...action, positions: [] }, attempts, error: error.message, since }
    await memory.set(PARKED + action.key, JSON.stringify(parked))
    this.#parkedKeys.add(action.key)
    await memory.delete(PENDING + action.key)
    tell({ type: 'parked', parked })
    return 'parked'
  }

  async #findParked(key: string): Promise<Parked | undefined> {
    const stored = await this.#options.memory.get(PARKED + key)
    return stored === undefined ? undefined : (JSON.parse(stored) as Parked)
  }

  #keyOf(events: readonly Event[]): string {
    return actionKey(this.#options.sensorUid, this.#options.trigger, events)
  }
}

const bytesOf = ({ events }: Action): number => Object.values(events).reduce((sum, { data }) => sum + data.length, 0)
