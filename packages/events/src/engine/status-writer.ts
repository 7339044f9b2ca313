import { asError, type Env, type Timer } from '@tiphys/env'
import type { Recorder } from '@tiphys/journal/records'
import { type Client, isNotFound, type KubeObject } from '@tiphys/kube'
import { createAnnouncer } from './announcer.ts'
import { isSameCondition, mergeConditions, type StoredCondition, type WantedCondition } from './condition.ts'

/** What an object's status is to say. */
export interface WantedStatus {
  conditions: readonly WantedCondition[]
  /** What the conditions are about, but for their words: when it changes they are written, when it does not they are not. */
  identity: string
  /** More is about to be known: it is waited for a little. */
  isSettling?: boolean
}

/** Writes conditions: on transitions only, at most one write for an object in ten seconds, nothing when nothing changes. */
export interface StatusWriter {
  set(object: KubeObject, wanted: WantedStatus): void
  forget(object: KubeObject): void
  isIdle(): boolean
  /** Writes what waits, and nothing afterwards. */
  stop(): Promise<void>
}

const BETWEEN_WRITES_MS = 10_000
const SETTLING_MS = 1000
const MANAGER = 'tiphys'

interface Kept {
  object: KubeObject
  wanted: WantedStatus
  /** What was last wanted, for the records. */
  told: ReadonlyMap<string, WantedCondition>
  stored: readonly StoredCondition[]
  storedGeneration: unknown
  storedIdentity: string | undefined
  writtenAt: number
  timer: Timer | undefined
  /** When the timer is due. */
  due: number
  isWriting: boolean
}

export function createStatusWriter(client: Client, env: Env, recorder: Recorder): StatusWriter {
  return new ThrottledWriter(client, env, recorder)
}

class ThrottledWriter implements StatusWriter {
  readonly #client: Client
  readonly #env: Env
  readonly #recorder: Recorder
  readonly #announcer
  readonly #kept = new Map<string, Kept>()
  #writing = new Set<Promise<void>>()
  #isStopped = false

  constructor(client: Client, env: Env, recorder: Recorder) {
    this.#client = client
    this.#env = env
    this.#recorder = recorder
    this.#announcer = createAnnouncer(client, env)
  }

  set(object: KubeObject, wanted: WantedStatus): void {
    const uid = object.metadata.uid ?? ''
    const known = this.#kept.get(uid)
    const kept: Kept = known ?? this.#keep(object, wanted)
    kept.object = object
    kept.wanted = wanted
    if (!wanted.isSettling) this.#record(kept)
    if (this.#isStopped || kept.isWriting) return
    this.#plan(kept)
  }

  forget({ metadata: { uid = '' } }: KubeObject): void {
    this.#kept.get(uid)?.timer?.cancel()
    this.#kept.delete(uid)
  }

  isIdle(): boolean {
    return this.#writing.size === 0 && this.#announcer.isIdle()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    for (const kept of this.#kept.values()) {
      kept.timer?.cancel()
      if (this.#isDifferent(kept) && !kept.wanted.isSettling && !kept.isWriting) this.#begin(kept)
    }
    await Promise.all(this.#writing)
    await this.#announcer.settled()
  }

  #keep(object: KubeObject, wanted: WantedStatus): Kept {
    const { conditions = [], observedGeneration } = (object.status ?? {}) as {
      conditions?: StoredCondition[]
      observedGeneration?: unknown
    }
    const stored = Array.isArray(conditions) ? conditions : []
    const told = new Map(stored.map(condition => [condition.type, condition as WantedCondition]))
    const kept: Kept = {
      object,
      wanted,
      told,
      stored,
      storedGeneration: observedGeneration,
      storedIdentity: undefined,
      writtenAt: Number.NEGATIVE_INFINITY,
      timer: undefined,
      due: 0,
      isWriting: false,
    }
    this.#kept.set(object.metadata.uid ?? '', kept)
    return kept
  }

  #isDifferent({ wanted, stored, storedGeneration, storedIdentity, object }: Kept): boolean {
    if (storedGeneration !== object.metadata.generation) return true
    if (storedIdentity !== undefined && storedIdentity !== wanted.identity) return true
    return wanted.conditions.some(condition => {
      const before = stored.find(({ type }) => type === condition.type)
      // What an earlier process has written is known by its words alone.
      const isReworded = storedIdentity === undefined && before?.message !== condition.message
      return !isSameCondition(before, condition) || isReworded
    })
  }

  #plan(kept: Kept): void {
    if (!this.#isDifferent(kept)) {
      kept.timer?.cancel()
      kept.timer = undefined
      kept.storedIdentity = kept.wanted.identity
      return
    }
    const now = this.#env.clock.monotonic()
    const settlesAt = kept.wanted.isSettling ? now + SETTLING_MS : now
    const due = Math.max(kept.writtenAt + BETWEEN_WRITES_MS, settlesAt)
    if (kept.timer && kept.due <= due) return
    kept.timer?.cancel()
    kept.timer = undefined
    if (due <= now) return this.#begin(kept)
    kept.due = due
    kept.timer = this.#env.clock.schedule(due - now, () => {
      kept.timer = undefined
      if (this.#isDifferent(kept)) this.#begin(kept)
    })
  }

  #begin(kept: Kept): void {
    kept.isWriting = true
    const writing = this.#write(kept).finally(() => {
      this.#writing.delete(writing)
      kept.isWriting = false
      if (!this.#isStopped && this.#kept.get(kept.object.metadata.uid ?? '') === kept) this.#plan(kept)
    })
    this.#writing.add(writing)
  }

  async #write(kept: Kept): Promise<void> {
    const { object, wanted } = kept
    const { apiVersion, kind, metadata } = object
    const now = new Date(this.#env.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
    const conditions = mergeConditions(kept.stored, wanted.conditions, now)
    const { generation } = metadata
    kept.writtenAt = this.#env.clock.monotonic()
    try {
      const { subresources } = await this.#client.resourceFor(object)
      const ref = { apiVersion, kind, name: metadata.name ?? '', ...namespaceOf(object) }
      const status = { conditions, ...(generation !== undefined && { observedGeneration: generation }) }
      await this.#client.patch(
        ref,
        { type: 'merge', patch: { status } },
        { fieldManager: MANAGER, ...(subresources.includes('status') && { subresource: 'status' }) },
      )
    } catch (thrown) {
      if (isNotFound(thrown)) {
        this.forget(object)
        return
      }
      this.#env.log.warn('the status of an object could not be written, and is written later', {
        object: `${kind} ${metadata.namespace}/${metadata.name}`,
        error: asError(thrown),
      })
      return
    }
    this.#announce(object, kept.stored, wanted.conditions)
    kept.stored = conditions
    kept.storedGeneration = generation
    kept.storedIdentity = wanted.identity
  }

  /** Failures and recoveries are told as Events; everything else is in the status. */
  #announce(object: KubeObject, before: readonly StoredCondition[], now: readonly WantedCondition[]): void {
    for (const { type, status, reason, message } of now) {
      const was = before.find(condition => condition.type === type)
      if (status === 'False' && (was?.status !== 'False' || was.reason !== reason))
        this.#announcer.warning(object, reason, message)
      if (status === 'True' && was?.status === 'False')
        this.#announcer.normal(object, 'Recovered', `${type}: ${message || reason}`)
    }
  }

  #record(kept: Kept): void {
    const { apiVersion, kind, metadata } = kept.object
    const { name = '', uid } = metadata
    const object = { apiVersion, kind, name, ...namespaceOf(kept.object), ...(uid !== undefined && { uid }) }
    for (const condition of kept.wanted.conditions) {
      const before = kept.told.get(condition.type)
      if (isSameCondition(before, condition)) continue
      const { type, status, reason, message } = condition
      this.#recorder.record({
        kind: 'health',
        trace: '',
        object,
        condition: type,
        status,
        ...(before && { was: before.status }),
        reason,
        ...(message !== '' && { message }),
      })
    }
    kept.told = new Map(kept.wanted.conditions.map(condition => [condition.type, condition]))
  }
}

const namespaceOf = ({ metadata: { namespace } }: KubeObject) => (namespace === undefined ? {} : { namespace })
