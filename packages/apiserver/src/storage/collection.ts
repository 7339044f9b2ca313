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

/** All objects of one resource, in key order, with a bounded history of changes.
 *  Reading is synchronous; only `Storage` writes. */
export class Collection {
  readonly name: string
  readonly #values = new Map<string, Stored>()
  /** Kept sorted at all times, so that a page is a slice. */
  readonly #keys: string[] = []
  #history: Change[] = []
  /** Applied and not durable yet, oldest first. */
  readonly #pending: Change[] = []
  /** Changes up to and including this revision are forgotten. */
  #forgotten = 0
  readonly #listeners = new Set<ChangeListener>()
  readonly #historyLimit: number

  constructor(name: string, historyLimit: number) {
    this.name = name
    this.#historyLimit = historyLimit
  }

  get size(): number {
    return this.#values.size
  }

  get(key: string): Stored | undefined {
    return this.#values.get(key)
  }

  /** Objects of one namespace (all without one) in key order, beginning at the key `from`. */
  *values(namespace?: string, from = ''): Iterable<Stored> {
    const prefix = namespace === undefined ? '' : `${namespace}/`
    for (let i = this.#firstAtOrAfter(from > prefix ? from : prefix); i < this.#keys.length; i++) {
      const key = this.#keys[i] as string
      if (!key.startsWith(prefix)) return
      yield this.#values.get(key) as Stored
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
    const known = this.#values.has(change.key)
    if (change.current) {
      this.#values.set(change.key, change.current)
      if (!known) this.#keys.splice(this.#firstAtOrAfter(change.key), 0, change.key)
    } else if (known) {
      this.#values.delete(change.key)
      this.#keys.splice(this.#firstAtOrAfter(change.key), 1)
    }
  }

  /** Part of `Storage`: the change is durable, so history and watchers may know it. */
  publish(change: Change): void {
    this.#pending.shift()
    this.#history.push(change)
    // Trimmed by half, so that the cost of moving the array is paid once per `historyLimit / 2` changes.
    if (this.#history.length > this.#historyLimit) this.forget(this.#history[this.#history.length >>> 1] as Change)
    for (const listener of this.#listeners) listener(change)
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
    const keys = [...new Set([...this.#keys, ...undone.keys()])].sort(byCodeUnit)
    const prefix = namespace === undefined ? '' : `${namespace}/`
    for (const key of keys) {
      if (key < from || !key.startsWith(prefix)) continue
      const stored = undone.has(key) ? undone.get(key) : this.#values.get(key)
      if (stored) yield stored
    }
  }

  #firstAtOrAfter(key: string): number {
    let low = 0
    let high = this.#keys.length
    // Names are often created in order: the end is the likeliest place.
    if (high > 0 && (this.#keys[high - 1] as string) < key) return high
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#keys[middle] as string) < key) low = middle + 1
      else high = middle
    }
    return low
  }
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
