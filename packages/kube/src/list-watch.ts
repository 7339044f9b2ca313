import { asError, type Env, type Fields, systemEnv, type Timer } from '@tiphys/env'
import type { Client, Selection, WatchEvent } from './client.ts'
import { type LabelSelector, parseLabelSelector } from './label-selector.ts'
import type { KubeObject } from './object.ts'
import type { IndexFunction, ObjectIndex } from './object-index.ts'
import { type CacheBudget, keyOf, type ObjectChange, ObjectStore, objectKey } from './object-store.ts'
import { createProjection, type Projection } from './projection.ts'
import { describeWatch, isFresh, type WatchHealth } from './watch-health.ts'
import {
  DEFAULT_WATCH_TIMES,
  initialWatch,
  stepWatch,
  type WatchCore,
  type WatchEffect,
  type WatchObservation,
  type WatchState,
  type WatchTimes,
} from './watch-state.ts'
import { troubleOf, troubleOfStatus } from './watch-trouble.ts'

/** The objects of a selection as the cluster has them, kept up to date.
 *
 *  - What it returns is shared by everybody who reads, and frozen: copy an object before changing it.
 *  - Before `whenSynced` it knows nothing yet, which reads like an empty cluster.
 *  - Subscribers are told every change of one object in order, one at a time, after reads show it. Versions that came and
 *    went while the connection was down are skipped; deletions never are.
 *  - It is a moment behind the cluster, except for what was handed to `recordWrite` and `recordDeletion`. */
export interface ObjectCache<T extends KubeObject = KubeObject> {
  readonly selection: Selection<T>
  get(name: string, namespace?: string): T | undefined
  list(namespace?: string): readonly T[]
  /** Objects with an ownerReference to this uid. */
  ownedBy(uid: string): readonly T[]
  /** An index by any value of the objects. The same function gives the same index. */
  indexBy(valuesOf: IndexFunction<T>): ObjectIndex<T>

  /** Tells of every object that is there already, at once, then of every change. What `handler` throws is logged and
   *  stops nothing. Returns how to unsubscribe. */
  subscribe(handler: (change: ObjectChange<T>) => void): () => void
  hasSynced(): boolean
  /** Resolves when the first list is complete. Rejects when the cache failed or was stopped before. A kind that does not
   *  exist, or that may not be read, is waited for: `health` and `onState` tell. */
  whenSynced(): Promise<void>
  /** Tells of every change of state. What `listener` throws is logged and stops nothing. */
  onState(listener: (state: WatchState) => void): () => void
  health(): WatchHealth
  /** Looks for a kind that was missing, or tries a permission that was missing, now instead of at the next turn. */
  lookAgain(): void

  /** Makes the answer to a write visible to the next read. A change from the stream that is older does not undo it. An
   *  object of another kind, namespace or labels than the selection's is not taken in; a field selector is not checked. What is
   *  taken in is not copied but frozen, as everything is that is read from here. */
  recordWrite(object: T): void
  /** Hides an object that was deleted until the stream says so too. `resourceVersion`: that of the deletion itself, where
   *  the server told it. */
  recordDeletion(deleted: { name: string; namespace?: string; uid?: string; resourceVersion?: string }): void
}

export interface ListWatch<T extends KubeObject = KubeObject> extends ObjectCache<T> {
  /** Ends the stream; reads keep answering what was known. */
  stop(): void
}

export interface ListWatchOptions<T extends KubeObject = KubeObject> {
  env?: Env
  /** Read and keep metadata alone. */
  metadataOnly?: boolean
  project?: Projection<T>
  /** What stays in the cache once subscribers were told of an object, where they need more of it than who reads later: reads,
   *  the `old` of a change and a deletion whose final state is unknown have this alone. By default all of it stays. */
  keep?: Projection<T>
  /** What the cache may hold; more makes it fail, with a word to the log, to `whenSynced` and to every read. */
  budget?: CacheBudget
  pageSize?: number
  times?: Partial<WatchTimes>
}

const byNamespace = (object: KubeObject): readonly string[] => [object.metadata.namespace ?? '']
const byOwner = (object: KubeObject): readonly string[] => object.metadata.ownerReferences?.map(({ uid }) => uid) ?? []

/** Lists and follows the objects of a selection. It needs the right to list and to watch, and nothing else.
 *
 *  The list is streamed where the server can, read in pages where it cannot. After a broken or silent connection it goes on
 *  from the last version it has seen; it lists anew only when the server has forgotten that version, or has gone back
 *  behind it. It starts at once and goes on until it is stopped. */
export function createListWatch<T extends KubeObject>(
  client: Client,
  selection: Selection<T>,
  options: ListWatchOptions<T> = {},
): ListWatch<T> {
  const driver = new ListWatchDriver(client, selection, options)
  driver.observe({ type: 'start' })
  return driver
}

class ListWatchDriver<T extends KubeObject> implements ListWatch<T> {
  readonly selection: Selection<T>
  readonly #client: Client
  readonly #env: Env
  readonly #options: ListWatchOptions<T>
  readonly #times: WatchTimes
  readonly #store: ObjectStore<T>
  readonly #project: (object: T) => T
  readonly #labels: LabelSelector
  readonly #handlers = new Set<(change: ObjectChange<T>) => void>()
  readonly #stateListeners = new Set<(state: WatchState) => void>()
  readonly #syncWaiters: { resolve: () => void; reject: (why: Error) => void }[] = []
  readonly #observations: WatchObservation<T>[] = []
  #isStepping = false
  #core: WatchCore
  #request: AbortController | undefined
  #alarm: Timer | undefined
  /** The last trouble that was logged, so that one that lasts is said once. */
  #told: string | undefined

  constructor(client: Client, selection: Selection<T>, options: ListWatchOptions<T>) {
    this.selection = selection
    this.#client = client
    this.#options = options
    this.#env = options.env ?? systemEnv
    this.#times = { ...DEFAULT_WATCH_TIMES, ...options.times }
    this.#store = new ObjectStore(`${selection.kind} (${selection.apiVersion})`, {
      ...(options.budget && { budget: options.budget }),
      ...(options.keep && { keep: createProjection(options.keep) }),
    })
    this.#project = createProjection(options.project)
    this.#labels = parseLabelSelector(selection.labelSelector ?? '')
    this.#core = initialWatch(this.#env.clock.monotonic())
  }

  get(name: string, namespace?: string): T | undefined {
    return this.#readable().get(objectKey(namespace, name))
  }

  list(namespace?: string): readonly T[] {
    const store = this.#readable()
    return namespace === undefined ? [...store.all()] : store.indexBy(byNamespace).get(namespace)
  }

  ownedBy(uid: string): readonly T[] {
    return this.#readable().indexBy(byOwner).get(uid)
  }

  indexBy(valuesOf: IndexFunction<T>): ObjectIndex<T> {
    return this.#readable().indexBy(valuesOf)
  }

  subscribe(handler: (change: ObjectChange<T>) => void): () => void {
    this.#handlers.add(handler)
    for (const object of this.#store.seen()) this.#tell(handler, { type: 'added', object, initial: true })
    return () => this.#handlers.delete(handler)
  }

  hasSynced(): boolean {
    return this.#core.hasSynced
  }

  whenSynced(): Promise<void> {
    const { at, hasSynced } = this.#core
    if (at.state === 'failed') return Promise.reject(at.why)
    if (hasSynced) return Promise.resolve()
    if (at.state === 'stopped') return Promise.reject(stoppedEarly())
    return new Promise((resolve, reject) => this.#syncWaiters.push({ resolve, reject }))
  }

  onState(listener: (state: WatchState) => void): () => void {
    this.#stateListeners.add(listener)
    return () => this.#stateListeners.delete(listener)
  }

  health(): WatchHealth {
    const { at, hasSynced, resourceVersion, lastSign, lists, resumes } = this.#core
    const ageMs = this.#env.clock.monotonic() - lastSign
    return {
      state: at,
      summary: describeWatch(at, this.selection),
      isFresh: isFresh(at, hasSynced, ageMs, this.#times),
      ageMs,
      hasSynced,
      resourceVersion,
      objects: this.#store.objects,
      bytes: this.#store.bytes,
      lists,
      resumes,
    }
  }

  lookAgain(): void {
    this.observe({ type: 'nudge' })
  }

  recordWrite(object: T): void {
    if (!this.#isOfKind(object)) return
    const { metadata } = object
    const now = this.#env.clock.monotonic()
    // Its own write took it out of the selection: as good as deleted, from this version on.
    if (!this.#labels.matches(metadata.labels))
      this.#store.recordDeletion(keyOf(object), metadata.uid, metadata.resourceVersion, now)
    else this.#store.recordWrite(this.#prepare(object), now)
  }

  recordDeletion({ name, namespace, uid, resourceVersion }: Parameters<ListWatch<T>['recordDeletion']>[0]): void {
    this.#store.recordDeletion(objectKey(namespace, name), uid, resourceVersion, this.#env.clock.monotonic())
  }

  stop(): void {
    this.observe({ type: 'stop' })
  }

  /** Handlers may call back (stop, for one): what they cause is decided after the step that called them is done. */
  observe(observation: WatchObservation<T>): void {
    this.#observations.push(observation)
    if (this.#isStepping) return
    this.#isStepping = true
    try {
      for (let next = this.#observations.shift(); next; next = this.#observations.shift()) this.#step(next)
    } finally {
      this.#isStepping = false
    }
  }

  #step(observation: WatchObservation<T>): void {
    const before = this.#core
    const { clock, random } = this.#env
    const moment = { now: clock.monotonic(), jitter: random.next(), times: this.#times }
    const { core, effects } = stepWatch(before, observation, moment)
    this.#core = core
    try {
      for (const effect of effects) this.#perform(effect, before.hasSynced)
    } catch (thrown) {
      this.observe({ type: 'broken', why: asError(thrown) })
      return
    }
    if (core.hasSynced && !before.hasSynced) for (const { resolve } of this.#syncWaiters.splice(0)) resolve()
    if (core.at !== before.at) this.#changedState(core.at)
    // Only what the server says proves that it answers again; a request that was just sent does not.
    if (this.#told !== undefined && core.at.state === 'watching' && core.lastSign > before.lastSign) {
      this.#told = undefined
      this.#env.log.info('a watch recovered', this.#fields())
    }
  }

  #perform(effect: WatchEffect<T>, wasSynced: boolean): void {
    switch (effect.type) {
      case 'list':
        void this.#list(effect)
        break
      case 'watch':
        void this.#watch(effect)
        break
      case 'abort':
        this.#request?.abort(ABANDONED)
        break
      case 'alarm':
        this.#alarm?.cancel()
        this.#alarm = this.#env.clock.schedule(effect.afterMs, () => this.observe({ type: 'alarm' }))
        break
      case 'begin':
        this.#store.beginList()
        break
      case 'collect':
        this.#store.collect(this.#prepare(effect.object))
        break
      case 'uncollect':
        this.#store.uncollect(effect.object)
        break
      case 'replace':
        this.#dispatch(this.#store.finishList(effect.resourceVersion, !wasSynced))
        break
      case 'apply':
        this.#dispatch(this.#store.apply(effect.change, this.#prepare(effect.object)))
        break
      case 'pass':
        this.#store.pass(effect.resourceVersion, this.#env.clock.monotonic())
        break
    }
  }

  async #list({ attempt, continue: from }: Extract<WatchEffect<T>, { type: 'list' }>): Promise<void> {
    const { signal } = this.#newRequest()
    const { metadataOnly = false, pageSize = 500 } = this.#options
    try {
      const page = await this.#client.list(this.selection, {
        signal,
        limit: pageSize,
        ...(from !== undefined && { continue: from }),
        ...(metadataOnly && { metadataOnly }),
      })
      const { resourceVersion = '', continue: next } = page.metadata
      const more = next === '' ? undefined : next
      this.observe({ type: 'page', attempt, items: page.items, resourceVersion, continue: more })
    } catch (thrown) {
      this.observe({ type: 'trouble', attempt, trouble: troubleOf(thrown, 'list', this.selection) })
    }
  }

  async #watch(effect: Extract<WatchEffect<T>, { type: 'watch' }>): Promise<void> {
    const { attempt, resourceVersion, timeoutSeconds } = effect
    const { signal } = this.#newRequest()
    const from =
      resourceVersion === undefined
        ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' as const }
        : { resourceVersion }
    const { metadataOnly = false } = this.#options
    try {
      const events: AsyncIterable<WatchEvent<T>> = this.#client.watch(this.selection, {
        ...from,
        signal,
        allowWatchBookmarks: true,
        timeoutSeconds,
        readsOnly: true,
        ...(metadataOnly && { metadataOnly }),
      })
      for await (const event of events) {
        if (signal.aborted) return
        if (event.type === 'ERROR') {
          const error = new Error(event.object.message ?? event.object.reason ?? 'the server ended the stream')
          const trouble = troubleOfStatus(event.object, error, 'watch', this.selection)
          return this.observe({ type: 'trouble', attempt, trouble })
        }
        this.observe({ type: 'event', attempt, event })
      }
      this.observe({ type: 'ended', attempt })
    } catch (thrown) {
      this.observe({ type: 'trouble', attempt, trouble: troubleOf(thrown, 'watch', this.selection) })
    }
  }

  #newRequest(): AbortController {
    const request = new AbortController()
    this.#request = request
    return request
  }

  #dispatch(changes: readonly ObjectChange<T>[]): void {
    // Who subscribes meanwhile has been told all of this already; who unsubscribes is told no more.
    const handlers = [...this.#handlers]
    for (const change of changes) {
      for (const handler of handlers) if (this.#handlers.has(handler)) this.#tell(handler, change)
    }
  }

  #tell(handler: (change: ObjectChange<T>) => void, change: ObjectChange<T>): void {
    this.#guard(() => handler(change), { change: change.type, object: keyOf(change.object) })
  }

  #guard(call: () => void, about: Fields): void {
    try {
      call()
    } catch (thrown) {
      this.#env.log.error('a subscriber of a cache threw', { ...this.#fields(), ...about, error: asError(thrown) })
    }
  }

  #changedState(state: WatchState): void {
    if (state.state === 'failed' || state.state === 'stopped') {
      this.#alarm?.cancel()
      for (const { reject } of this.#syncWaiters.splice(0)) reject('why' in state ? state.why : stoppedEarly())
    }
    this.#logState(state)
    for (const listener of this.#stateListeners) this.#guard(() => listener(state), { state: state.state })
  }

  #logState(state: WatchState): void {
    if (!('why' in state)) return
    const trouble = `${state.state}: ${state.why.message}`
    if (trouble === this.#told) return
    this.#told = trouble
    const fields = { ...this.#fields(), state: state.state, error: state.why }
    if (state.state === 'failed') this.#env.log.error('a watch failed', fields)
    else this.#env.log.warn('a watch is interrupted', fields)
  }

  #fields() {
    return { ...this.selection }
  }

  #readable(): ObjectStore<T> {
    if (this.#core.at.state === 'failed') throw this.#core.at.why
    return this.#store
  }

  #isOfKind({ apiVersion, kind, metadata }: T): boolean {
    const { selection } = this
    if (apiVersion !== selection.apiVersion || kind !== selection.kind) return false
    return selection.namespace === undefined || selection.namespace === metadata.namespace
  }

  /** Items of built-in lists carry no kind, and metadata-only objects one of their own. */
  #prepare(object: T): T {
    const { apiVersion, kind } = this.selection
    return this.#project({ ...object, apiVersion, kind })
  }
}

/** Why a request is aborted; nobody reads it. Made once, since an abort without a reason makes an error each time. */
const ABANDONED = new Error('the cache no longer waits for this request')

function stoppedEarly(): Error {
  return new Error('the cache was stopped before its first list was complete')
}
