import type { Change, Stored } from './stored.ts'

/** The requested revision is older than what history still holds. */
export class RevisionExpired extends Error {
  readonly revision: number
  readonly oldest: number

  constructor(revision: number, oldest: number) {
    super(`too old resource version: ${revision} (${oldest})`)
    this.revision = revision
    this.oldest = oldest
  }
}

export interface Page {
  items: Stored[]
  /** The key behind which the next page starts; undefined on the last page. */
  next: string | undefined
  /** How many objects are behind this page; only counted without a selection. */
  remaining: number
}

export type ChangeListener = (change: Change) => void

/** The objects of one namespace, or all of them where there are none. */
interface Bucket {
  values: Map<string, Stored>
  /** Sorted; undefined when it has to be made anew. A burst of writes pays for one sort, not for one per write. */
  keys: string[] | undefined
}

/** All objects of one resource, in key order, with a bounded history of changes.
 *  Reading is synchronous; only `Storage` writes. */
export class Collection {
  readonly name: string
  /** By namespace with its slash. */
  readonly #buckets = new Map<string, Bucket>()
  #size = 0
  #history: Change[] = []
  /** Applied and not durable yet, oldest first. */
  readonly #pending: Change[] = []
  /** Changes up to and including this revision are forgotten. */
  #forgotten: number
  readonly #listeners = new Set<ChangeListener>()
  readonly #historyLimit: number

  constructor(name: string, historyLimit: number, forgotten = 0) {
    this.name = name
    this.#historyLimit = historyLimit
    this.#forgotten = forgotten
  }

  get size(): number {
    return this.#size
  }

  get(key: string): Stored | undefined {
    return this.#buckets.get(prefixOf(key))?.values.get(key)
  }

  /** Objects of one namespace (all without one) in key order, beginning at the key `from`. */
  *values(namespace?: string, from = ''): Iterable<Stored> {
    const prefixes = namespace === undefined ? [...this.#buckets.keys()].sort(byCodeUnit) : [`${namespace}/`]
    for (const prefix of prefixes) {
      const bucket = this.#buckets.get(prefix)
      if (!bucket) continue
      const keys = sortedKeys(bucket)
      for (let i = firstAtOrAfter(keys, from); i < keys.length; i++) {
        const stored = bucket.values.get(keys[i] as string)
        if (stored) yield stored
      }
    }
  }

  /** The objects as they are on stable storage: without the changes that a crash could still take back. */
  committedValues(namespace?: string): Iterable<Stored> {
    return this.#pending.length === 0 ? this.values(namespace) : this.#valuesWithout(this.#pending, namespace, '')
  }

  /** Up to `limit` objects that pass `accept`, from the key `from` on, as they were at `revision`. */
  page(options: {
    namespace?: string | undefined
    from?: string | undefined
    limit?: number | undefined
    revision?: number | undefined
    accept?: ((stored: Stored) => boolean) | undefined
  }): Page {
    const { namespace, from = '', limit, revision, accept } = options
    const source = revision === undefined ? this.values(namespace, from) : this.#valuesAt(revision, namespace, from)
    const items: Stored[] = []
    let next: string | undefined
    let remaining = 0
    for (const stored of source) {
      if (accept && !accept(stored)) continue
      if (limit === undefined || items.length < limit) {
        items.push(stored)
        continue
      }
      next ??= (items.at(-1) as Stored).key
      if (accept) break
      remaining++
    }
    return { items, next, remaining }
  }

  /** Calls `listener` for every later change, and returns the changes after `revision` that already happened. */
  subscribe(revision: number, listener: ChangeListener): { backlog: Change[]; unsubscribe: () => void } {
    const backlog = this.changesAfter(revision)
    this.#listeners.add(listener)
    return { backlog, unsubscribe: () => this.#listeners.delete(listener) }
  }

  /** Calls `listener` for every change from now on. */
  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  changesAfter(revision: number): Change[] {
    if (revision < this.#forgotten) throw new RevisionExpired(revision, this.#forgotten)
    let low = 0
    let high = this.#history.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#history[middle] as Change).revision <= revision) low = middle + 1
      else high = middle
    }
    return this.#history.slice(low)
  }

  /** Part of `Storage.write`: makes the change the current state. */
  apply(change: Change): void {
    this.#pending.push(change)
    const { key, current } = change
    const prefix = prefixOf(key)
    let bucket = this.#buckets.get(prefix)
    if (!bucket) {
      bucket = { values: new Map(), keys: [] }
      this.#buckets.set(prefix, bucket)
    }
    if (current) {
      if (!bucket.values.has(key)) {
        this.#size++
        addKey(bucket, key)
      }
      bucket.values.set(key, current)
    } else if (bucket.values.delete(key)) {
      this.#size--
      bucket.keys = undefined
      if (bucket.values.size === 0) this.#buckets.delete(prefix)
    }
  }

  /** Part of `Storage`: the change is durable, so history and watchers may know it. */
  publish(change: Change): void {
    this.#pending.shift()
    this.#history.push(change)
    // Trimmed by half, so that the cost of moving the array is paid once per `historyLimit / 2` changes.
    if (this.#history.length > this.#historyLimit) this.forget(this.#history[this.#history.length >>> 1] as Change)
    for (const listener of this.#listeners) listener(change)
    // Who watches now has them. History outlives them: with their texts it would be as large again as what is stored.
    change.events = undefined
  }

  /** Forgets history up to and including `upTo`. */
  forget(upTo: { revision: number }): void {
    if (upTo.revision <= this.#forgotten) return
    this.#forgotten = upTo.revision
    this.#history = this.#history.filter(change => change.revision > upTo.revision)
  }

  #valuesAt(revision: number, namespace: string | undefined, from: string): Iterable<Stored> {
    return this.#valuesWithout([...this.changesAfter(revision), ...this.#pending], namespace, from)
  }

  *#valuesWithout(changes: readonly Change[], namespace: string | undefined, from: string): Iterable<Stored> {
    const undone = new Map<string, Stored | undefined>()
    for (const change of changes.toReversed()) undone.set(change.key, change.previous)
    const kept: Stored[] = []
    for (const stored of this.values(namespace, from)) if (!undone.has(stored.key)) kept.push(stored)
    const prefix = namespace === undefined ? '' : `${namespace}/`
    for (const [key, previous] of undone) if (previous && key >= from && key.startsWith(prefix)) kept.push(previous)
    yield* kept.sort((a, b) => byCodeUnit(a.key, b.key))
  }
}

function firstAtOrAfter(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((keys[middle] as string) < key) low = middle + 1
    else high = middle
  }
  return low
}

const prefixOf = (key: string): string => key.slice(0, key.indexOf('/') + 1)

function sortedKeys(bucket: Bucket): string[] {
  bucket.keys ??= [...bucket.values.keys()].sort(byCodeUnit)
  return bucket.keys
}

/** Names are often made in order: then the keys stay sorted by themselves. */
function addKey(bucket: Bucket, key: string): void {
  const { keys } = bucket
  if (!keys) return
  const last = keys.at(-1)
  if (last === undefined || last < key) keys.push(key)
  else bucket.keys = undefined
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
