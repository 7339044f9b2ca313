import type { KubeObject } from '@tiphys/kube'
import { Collection } from './collection.ts'
import type { Change, Stored } from './stored.ts'

/** Where writes go to survive the process. Records are handed over in order; a record is durable when `committed` resolves. */
export interface WriteAheadLog {
  submit(record: LogRecord): { committed: Promise<void> }
  close(): Promise<void>
}

export interface LogRecord {
  collection: string
  key: string
  revision: number
  /** Undefined for a deletion. */
  object: KubeObject | undefined
}

export interface StorageOptions {
  log?: WriteAheadLog
  /** How many changes each collection remembers for watches that resume; older ones answer 410. */
  historyLimit?: number
}

/** The objects of a server under one strictly growing revision.
 *
 *  - A write is checked and applied in one synchronous step, so no two writes interleave.
 *  - Watchers and history see a change only once it is durable. A reader may see it earlier; it must await `settled()`
 *    before it answers anybody, so that nobody outside ever sees what a crash could take back. */
export class Storage {
  readonly #collections = new Map<string, Collection>()
  readonly #log: WriteAheadLog | undefined
  readonly #historyLimit: number
  #revision = 0
  #committed = 0
  #lastCommit: Promise<void> | undefined
  #failure: Error | undefined

  constructor({ log, historyLimit = 10_000 }: StorageOptions = {}) {
    this.#log = log
    this.#historyLimit = historyLimit
  }

  /** The revision of the newest write. */
  get revision(): number {
    return this.#revision
  }

  /** The revision of the newest write that is durable: what watchers know. */
  get committedRevision(): number {
    return this.#committed
  }

  /** A collection that is new knows nothing of what happened before it: whoever asks for that gets 410. */
  collection(name: string): Collection {
    return this.#open(name, this.#revision)
  }

  /** The revision the next write will get; the object carries it as its resourceVersion. */
  get nextRevision(): number {
    return this.#revision + 1
  }

  /** Writes `object` (undefined deletes) if the current version is exactly `expected`. Returns undefined when it is not:
   *  the caller decides anew with what is there now. The object belongs to storage from here on. */
  write(
    collection: Collection,
    key: string,
    expected: Stored | undefined,
    object: KubeObject | undefined,
  ): Stored | undefined {
    if (this.#failure) throw this.#failure
    if (collection.get(key) !== expected) return undefined
    const revision = ++this.#revision
    const written: Stored = { key, revision, object: object ?? lastState(expected as Stored, revision) }
    const change: Change = object
      ? { revision, key, current: written, previous: expected, last: undefined }
      : { revision, key, current: undefined, previous: expected, last: written }
    collection.apply(change)
    if (expected) expected.tail = undefined
    if (this.#log) this.#commitLater(this.#log, collection, change, object)
    else {
      this.#committed = revision
      collection.publish(change)
    }
    return written
  }

  /** Resolves when everything written so far is durable; undefined when it already is. Rejects when the log failed. */
  settled(): Promise<void> | undefined {
    if (this.#failure) return Promise.reject(this.#failure)
    return this.#committed === this.#revision ? undefined : this.#lastCommit
  }

  /** Puts back what a log holds, in the log's order, before the first request. */
  restore(record: LogRecord): void {
    const collection = this.#open(record.collection, 0)
    const previous = collection.get(record.key)
    this.#revision = record.revision
    this.#committed = record.revision
    const { key, revision, object } = record
    if (!object && !previous) return
    const stored: Stored = { key, revision, object: object ?? lastState(previous as Stored, revision) }
    const change: Change = object
      ? { revision, key, current: stored, previous, last: undefined }
      : { revision, key, current: undefined, previous, last: stored }
    collection.apply(change)
    collection.publish(change)
  }

  /** Forgets history up to `revision`: a watch or list that asks for less gets 410. */
  compact(revision: number): void {
    for (const collection of this.#collections.values()) collection.forget({ revision })
  }

  async close(): Promise<void> {
    await this.#log?.close()
  }

  #open(name: string, forgotten: number): Collection {
    let collection = this.#collections.get(name)
    if (!collection) {
      collection = new Collection(name, this.#historyLimit, forgotten)
      this.#collections.set(name, collection)
    }
    return collection
  }

  #commitLater(log: WriteAheadLog, collection: Collection, change: Change, object: KubeObject | undefined): void {
    const { committed } = log.submit({
      collection: collection.name,
      key: change.key,
      revision: change.revision,
      object,
    })
    this.#lastCommit = committed.then(
      () => {
        this.#committed = change.revision
        collection.publish(change)
      },
      (error: Error) => {
        // What is in memory is ahead of the disk now; no answer may be given from it.
        this.#failure = error
        throw error
      },
    )
    // A rejection reaches everybody who awaits `settled()`; nobody may be waiting at this moment.
    this.#lastCommit.catch(() => {})
  }
}

/** A deleted object is shown with its last content under the revision of the deletion. */
function lastState(stored: Stored, revision: number): KubeObject {
  const { object } = stored
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}
