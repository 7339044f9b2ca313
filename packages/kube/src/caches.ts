import type { Env } from '@tiphys/env'
import type { Client, ObjectRef, Selection } from './client.ts'
import { createListWatch, type ListWatch, type ObjectCache } from './list-watch.ts'
import type { KubeObject } from './object.ts'
import type { CacheBudget } from './object-store.ts'
import type { Projection } from './projection.ts'
import type { WatchHealth } from './watch-health.ts'
import type { WatchTimes } from './watch-state.ts'

/** One user's share of a cache. Subscriptions made through it end with its release. */
export interface SharedCache<T extends KubeObject = KubeObject> extends ObjectCache<T> {
  /** The stream stops with the last release. Releasing twice does nothing. */
  release(): void
}

export interface SharedCacheOptions<T extends KubeObject = KubeObject> {
  metadataOnly?: boolean
  project?: Projection<T>
}

/** The caches of one connection. Users of the same selection, kept in the same form, share one stream. Who wants metadata
 *  alone is given whole objects where those are followed already. */
export interface Caches {
  acquire<T extends KubeObject>(selection: Selection<T>, options?: SharedCacheOptions<T>): SharedCache<T>
  /** Every stream that runs. */
  health(): readonly { selection: Selection; users: number; health: WatchHealth }[]
  /** Makes every cache that waits for its kind or for a permission look again now. */
  lookAgain(): void
  /** Hands a write's answer to every cache whose selection it belongs to. */
  recordWrite(object: KubeObject): void
  /** Hides a deleted object in every cache whose selection it belongs to. */
  recordDeletion(deleted: ObjectRef & { uid?: string; resourceVersion?: string }): void
  stop(): void
}

export interface CachesOptions {
  env?: Env
  /** For each cache. */
  budget?: CacheBudget
  times?: Partial<WatchTimes>
}

interface Stream {
  listWatch: ListWatch
  users: number
}

export function createCaches(client: Client, options: CachesOptions = {}): Caches {
  const streams = new Map<string, Stream>()
  const keyOfForm = createFormKeys()

  const keyOf = <T extends KubeObject>(selection: Selection<T>, form: SharedCacheOptions<T>) => {
    const { apiVersion, kind, namespace, labelSelector, fieldSelector } = selection
    return JSON.stringify([apiVersion, kind, namespace, labelSelector, fieldSelector, keyOfForm(form)])
  }

  const lookAgain = () => {
    for (const { listWatch } of streams.values()) listWatch.lookAgain()
  }

  const open = <T extends KubeObject>(selection: Selection<T>, form: SharedCacheOptions<T>): Stream => {
    const listWatch = createListWatch(client, selection, { ...options, ...form })
    let wasDormant = false
    listWatch.onState(({ state }) => {
      // Kinds tend to appear together: what shows one may show the others.
      if (wasDormant && state === 'watching') lookAgain()
      if (state === 'dormant') wasDormant = true
      if (state === 'watching') wasDormant = false
    })
    return { listWatch, users: 0 }
  }

  return {
    acquire<T extends KubeObject>(selection: Selection<T>, form: SharedCacheOptions<T> = {}): SharedCache<T> {
      const whole = keyOf(selection, {})
      const key = isMetadata(form) && streams.has(whole) ? whole : keyOf(selection, form)
      const stream = streams.get(key) ?? open(selection, form)
      streams.set(key, stream)
      stream.users++
      return share(stream.listWatch as unknown as ListWatch<T>, () => {
        stream.users--
        if (stream.users > 0) return
        if (streams.get(key) === stream) streams.delete(key)
        stream.listWatch.stop()
      })
    },
    health: () =>
      [...streams.values()].map(({ listWatch, users }) => ({
        selection: listWatch.selection,
        users,
        health: listWatch.health(),
      })),
    lookAgain,
    recordWrite(object) {
      for (const { listWatch } of streams.values()) listWatch.recordWrite(object)
    },
    recordDeletion({ apiVersion, kind, ...deleted }) {
      for (const { listWatch } of streams.values()) {
        const { selection } = listWatch
        if (selection.apiVersion === apiVersion && selection.kind === kind) listWatch.recordDeletion(deleted)
      }
    },
    stop() {
      for (const { listWatch } of streams.values()) listWatch.stop()
      streams.clear()
    },
  }
}

/** Nothing is asked for that metadata has not, and nothing is made of it that only the asker can. */
const isMetadata = <T extends KubeObject>({ metadataOnly = false, project = [] }: SharedCacheOptions<T>): boolean =>
  metadataOnly && typeof project !== 'function'

/** Projections are the same when they are the same function or name the same fields. */
function createFormKeys() {
  const functions = new WeakMap<object, number>()
  let count = 0
  return <T extends KubeObject>({ metadataOnly = false, project }: SharedCacheOptions<T>) => {
    if (typeof project !== 'function') return [metadataOnly, project]
    const known = functions.get(project) ?? count++
    functions.set(project, known)
    return [metadataOnly, known]
  }
}

function share<T extends KubeObject>(cache: ListWatch<T>, onRelease: () => void): SharedCache<T> {
  const endings = new Set<() => void>()
  const untilRelease = (end: () => void) => {
    endings.add(end)
    return () => {
      endings.delete(end)
      end()
    }
  }
  let isReleased = false
  return {
    selection: cache.selection,
    get: (name, namespace) => cache.get(name, namespace),
    list: namespace => cache.list(namespace),
    ownedBy: uid => cache.ownedBy(uid),
    indexBy: valuesOf => cache.indexBy(valuesOf),
    subscribe: handler => untilRelease(cache.subscribe(handler)),
    hasSynced: () => cache.hasSynced(),
    whenSynced: () => cache.whenSynced(),
    onState: listener => untilRelease(cache.onState(listener)),
    health: () => cache.health(),
    lookAgain: () => cache.lookAgain(),
    recordWrite: object => cache.recordWrite(object),
    recordDeletion: deleted => cache.recordDeletion(deleted),
    release() {
      if (isReleased) return
      isReleased = true
      for (const end of endings) end()
      onRelease()
    },
  }
}
