import { TerminalFailure } from '@tiphys/env'
import type { KubeObject } from './object.ts'
import { type IndexFunction, MaintainedIndex, type ObjectIndex } from './object-index.ts'
import { compareVersions } from './resource-version.ts'

/** What happened to one object of a cache, in the order it happened to that object. */
export type ObjectChange<T extends KubeObject = KubeObject> =
  /** `initial`: it was there when the cache, or this subscriber, started. */
  | { type: 'added'; object: T; initial: boolean }
  | { type: 'updated'; object: T; old: T }
  /** `finalStateUnknown`: the deletion was missed and found by a list; `object` is the last state that was seen. */
  | { type: 'deleted'; object: T; finalStateUnknown: boolean }

export interface CacheBudget {
  maxBytes?: number
  maxObjects?: number
}

/** A cache outgrew its budget. It stops and refuses to answer: a part of the truth would be mistaken for all of it. */
export class CacheBudgetFailure extends TerminalFailure {}

export interface ObjectStoreOptions<T> {
  budget?: CacheBudget
  /** What stays of an object once its change was reported. */
  keep?: (object: T) => T
}

interface Cached<T> {
  object: T
  bytes: number
}

/** A write of our own that the stream has not shown yet. */
type OwnWrite<T> =
  | { type: 'write'; object: T; bytes: number; version: string; at: number; listsBegun: number }
  | { type: 'deletion'; uid: string; version: string | undefined; at: number; listsBegun: number }

/** How long a recorded write without a comparable version hides what the stream says, at most: until the first bookmark
 *  after this time, which proves that the stream is alive and has had every chance to show the write. */
const OWN_WRITE_SETTLES_MS = 120_000

/** The objects of one list-watch: what the stream said, and over it the caller's own writes that the stream has yet to show.
 *  Reads and indexes see both; changes are reported for what the stream said alone, so that they stay in its order. */
export class ObjectStore<T extends KubeObject> {
  readonly #name: string
  readonly #budget: CacheBudget
  readonly #keep: ((object: T) => T) | undefined
  readonly #seen = new Map<string, Cached<T>>()
  readonly #own = new Map<string, OwnWrite<T>>()
  readonly #indexes = new Map<IndexFunction<T>, MaintainedIndex<T>>()
  #incoming = new Map<string, Cached<T>>()
  #incomingBytes = 0
  #bytes = 0
  /** Every change up to this version has been seen. */
  #position: string | undefined
  #listsBegun = 0

  constructor(name: string, { budget = {}, keep }: ObjectStoreOptions<T> = {}) {
    this.#name = name
    this.#budget = budget
    this.#keep = keep
  }

  get bytes(): number {
    return this.#bytes
  }

  get objects(): number {
    return this.#seen.size
  }

  get ownWrites(): number {
    return this.#own.size
  }

  get(key: string): T | undefined {
    const own = this.#own.get(key)
    if (own?.type === 'write') return own.object
    const seen = this.#seen.get(key)?.object
    return own && seen?.metadata.uid === own.uid ? undefined : seen
  }

  *all(): IterableIterator<T> {
    for (const key of this.#seen.keys()) {
      const object = this.get(key)
      if (object) yield object
    }
    for (const [key, own] of this.#own) if (own.type === 'write' && !this.#seen.has(key)) yield own.object
  }

  /** What the stream said, without own writes: what a new subscriber has to be told. */
  *seen(): IterableIterator<T> {
    for (const { object } of this.#seen.values()) yield object
  }

  /** The index of this function; built when it is first asked for, maintained from then on. */
  indexBy(valuesOf: IndexFunction<T>): ObjectIndex<T> {
    let index = this.#indexes.get(valuesOf)
    if (!index) {
      index = new MaintainedIndex(valuesOf)
      for (const object of this.all()) index.replace(keyOf(object), undefined, object)
      this.#indexes.set(valuesOf, index)
    }
    return index
  }

  beginList(): void {
    this.#listsBegun++
    this.#incoming = new Map()
    this.#incomingBytes = 0
  }

  collect(object: T): void {
    const key = keyOf(object)
    const bytes = freezeAndMeasure(object)
    this.#incomingBytes += bytes - (this.#incoming.get(key)?.bytes ?? 0)
    this.#incoming.set(key, { object, bytes })
    this.#checkBudget(this.#incomingBytes, this.#incoming.size)
  }

  /** An object of a list that is being streamed was deleted before the list was complete. */
  uncollect(object: T): void {
    const key = keyOf(object)
    this.#incomingBytes -= this.#incoming.get(key)?.bytes ?? 0
    this.#incoming.delete(key)
  }

  /** Makes the collected list the truth and tells what that changed, deletions first. */
  finishList(version: string, initial: boolean): ObjectChange<T>[] {
    const gone: ObjectChange<T>[] = []
    const changes: ObjectChange<T>[] = []
    const incoming = this.#incoming
    this.#incoming = new Map()
    for (const [key, { object }] of this.#seen) {
      const now = incoming.get(key)?.object
      if (now && now.metadata.uid === object.metadata.uid) continue
      gone.push({ type: 'deleted', object, finalStateUnknown: true })
      this.#setSeen(key, undefined)
    }
    for (const [key, cached] of incoming) {
      const old = this.#seen.get(key)?.object
      if (old && old.metadata.resourceVersion === cached.object.metadata.resourceVersion) continue
      changes.push(
        old ? { type: 'updated', object: cached.object, old } : { type: 'added', object: cached.object, initial },
      )
      this.#setSeen(key, this.#kept(cached))
    }
    this.#position = version
    for (const [key, own] of this.#own) {
      const order = own.version === undefined ? undefined : compareVersions(version, own.version)
      const isCovered = order === undefined ? own.listsBegun < this.#listsBegun : order >= 0
      if (isCovered) this.#setOwn(key, undefined)
    }
    return [...gone, ...changes]
  }

  /** A change from the stream. Repeats and versions older than what is known change nothing. */
  apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', told: T): ObjectChange<T>[] {
    const key = keyOf(told)
    const version = told.metadata.resourceVersion ?? ''
    const known = this.#seen.get(key)?.object
    const order = known ? compareVersions(version, known.metadata.resourceVersion ?? '') : undefined
    const isStale = order !== undefined && (type === 'DELETED' ? order < 0 : order <= 0)
    if (isStale) return []
    const echoed = type === 'DELETED' ? undefined : this.#ownWrite(key, version)
    const { object, bytes } = echoed ?? { object: told, bytes: freezeAndMeasure(told) }
    this.#advance(version)
    if (type === 'DELETED') {
      this.#settleOwn(key, type, object, version)
      if (!known) return []
      this.#setSeen(key, undefined)
      return [{ type: 'deleted', object, finalStateUnknown: false }]
    }
    // Before the own write goes: what is read, and what indexes have, changes once then, or not at all.
    this.#setSeen(key, echoed ?? this.#kept({ object, bytes }))
    this.#settleOwn(key, type, object, version)
    this.#checkBudget(this.#bytes, this.#seen.size)
    if (!known) return [{ type: 'added', object, initial: false }]
    if (known.metadata.uid === object.metadata.uid) return [{ type: 'updated', object, old: known }]
    return [
      { type: 'deleted', object: known, finalStateUnknown: true },
      { type: 'added', object, initial: false },
    ]
  }

  /** The stream has shown every change up to this version. */
  pass(version: string, now: number): void {
    this.#advance(version)
    for (const [key, own] of this.#own) {
      const order = own.version === undefined ? undefined : compareVersions(version, own.version)
      const isShown = order === undefined ? now - own.at > OWN_WRITE_SETTLES_MS : order >= 0
      if (isShown) this.#setOwn(key, undefined)
    }
  }

  recordWrite(object: T, now: number): void {
    const version = object.metadata.resourceVersion
    if (version === undefined) return
    const key = keyOf(object)
    if (this.#isShown(version) || this.#seen.get(key)?.object.metadata.resourceVersion === version) return
    const own = this.#own.get(key)
    if (own?.type === 'write' && (compareVersions(version, own.version) ?? 1) <= 0) return
    const kept = this.#kept({ object, bytes: freezeAndMeasure(object) })
    this.#setOwn(key, { type: 'write', ...kept, version, at: now, listsBegun: this.#listsBegun })
  }

  /** `version`: the deletion's own resourceVersion, where the server told it; that of the object's last state is older. */
  recordDeletion(key: string, uid: string | undefined, version: string | undefined, now: number): void {
    const deleted = uid ?? this.get(key)?.metadata.uid
    if (deleted === undefined || (version !== undefined && this.#isShown(version))) return
    this.#setOwn(key, { type: 'deletion', uid: deleted, version, at: now, listsBegun: this.#listsBegun })
  }

  /** What was written, where that is the very version and all of it was kept. */
  #ownWrite(key: string, version: string): Cached<T> | undefined {
    const own = this.#own.get(key)
    if (this.#keep || own?.type !== 'write' || own.version !== version) return undefined
    return { object: own.object, bytes: own.bytes }
  }

  #kept(cached: Cached<T>): Cached<T> {
    if (!this.#keep) return cached
    const object = this.#keep(cached.object)
    return { object, bytes: freezeAndMeasure(object) }
  }

  #isShown(version: string): boolean {
    return this.#position !== undefined && (compareVersions(this.#position, version) ?? -1) >= 0
  }

  #advance(version: string): void {
    if (this.#position === undefined || (compareVersions(version, this.#position) ?? 1) > 0) this.#position = version
  }

  #settleOwn(key: string, type: string, object: T, version: string): void {
    const own = this.#own.get(key)
    if (!own) return
    const isShown =
      (own.version !== undefined && (compareVersions(version, own.version) ?? -1) >= 0) ||
      (own.type === 'deletion' && type === 'DELETED' && object.metadata.uid === own.uid)
    if (isShown) this.#setOwn(key, undefined)
  }

  #setSeen(key: string, cached: Cached<T> | undefined): void {
    const before = this.get(key)
    this.#bytes += (cached?.bytes ?? 0) - (this.#seen.get(key)?.bytes ?? 0)
    if (cached) this.#seen.set(key, cached)
    else this.#seen.delete(key)
    this.#reindex(key, before)
  }

  #setOwn(key: string, own: OwnWrite<T> | undefined): void {
    const before = this.get(key)
    const replaced = this.#own.get(key)
    this.#bytes += bytesOf(own) - bytesOf(replaced)
    if (own) this.#own.set(key, own)
    else this.#own.delete(key)
    this.#reindex(key, before)
  }

  #reindex(key: string, before: T | undefined): void {
    if (this.#indexes.size === 0) return
    const after = this.get(key)
    if (before === after) return
    for (const index of this.#indexes.values()) index.replace(key, before, after)
  }

  #checkBudget(bytes: number, objects: number): void {
    const { maxBytes = Number.POSITIVE_INFINITY, maxObjects = Number.POSITIVE_INFINITY } = this.#budget
    if (bytes <= maxBytes && objects <= maxObjects) return
    const limit = bytes > maxBytes ? `${maxBytes} bytes` : `${maxObjects} objects`
    throw new CacheBudgetFailure('kube-cache-budget-exceeded', {
      what: `The cache of ${this.#name} outgrew its budget of ${limit}`,
      why: `it has read ${objects} objects of about ${bytes} bytes`,
      todo: 'Select fewer objects, cache their metadata alone or project the fields that are needed, or raise the budget',
    })
  }
}

export function keyOf({ metadata }: KubeObject): string {
  return objectKey(metadata.namespace, metadata.name ?? '')
}

export function objectKey(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

function bytesOf(own: { type: 'write'; bytes: number } | { type: 'deletion' } | undefined): number {
  return own?.type === 'write' ? own.bytes : 0
}

/** What the parts of objects take that came frozen: they are shared with other caches, and measured once. */
const sharedSizes = new WeakMap<object, number>()

/** Freezes an object through and through and estimates the memory it takes. Property names are shared between objects of
 *  one kind and not counted. */
function freezeAndMeasure(object: KubeObject): number {
  let bytes = 24
  for (const name in object) bytes += 8 + sizeOfPart(object[name])
  Object.freeze(object)
  return bytes
}

function sizeOfPart(part: unknown): number {
  if (part === null || typeof part !== 'object' || !Object.isFrozen(part)) return freezeValue(part)
  let bytes = sharedSizes.get(part)
  if (bytes === undefined) {
    bytes = freezeValue(part)
    sharedSizes.set(part, bytes)
  }
  return bytes
}

function freezeValue(value: unknown): number {
  if (typeof value === 'string') return 16 + value.length
  if (value === null || typeof value !== 'object') return 8
  let bytes = 24
  if (Array.isArray(value)) for (const item of value) bytes += 8 + freezeValue(item)
  else for (const key in value) bytes += 8 + freezeValue((value as Record<string, unknown>)[key])
  Object.freeze(value)
  return bytes
}
