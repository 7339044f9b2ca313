import type { Caches, IndexFunction, KindRef, KubeObject, ObjectChange, SharedCache } from '@tiphys/kube'

/** The objects of a kind in the namespaces that are served, as caches show them. */
export interface ServedObjects<T extends KubeObject> {
  get(name: string, namespace?: string): T | undefined
  list(namespace?: string): readonly T[]
  ownedBy(uid: string): readonly T[]
  /** Those that have a value, by a function that is the same every time. */
  having(valuesOf: IndexFunction<T>, value: string): readonly T[]
  subscribe(handler: (change: ObjectChange<T>) => void): void
  whenSynced(): Promise<void>
  release(): void
}

/** One stream for the cluster, or one for each namespace. */
export function serveObjects<T extends KubeObject>(
  caches: Caches,
  kind: KindRef<T>,
  { namespaces, labelSelector }: { namespaces?: readonly string[] | undefined; labelSelector?: string } = {},
): ServedObjects<T> {
  const selection = { ...kind, ...(labelSelector !== undefined && { labelSelector }) }
  const shared: SharedCache<T>[] = (namespaces ?? [undefined]).map(namespace =>
    caches.acquire<T>(namespace === undefined ? selection : { ...selection, namespace }),
  )
  const cacheOf = (namespace: string | undefined) =>
    namespaces === undefined ? shared[0] : shared[namespaces.indexOf(namespace ?? '')]
  return {
    get: (name, namespace) => cacheOf(namespace)?.get(name, namespace),
    list: namespace =>
      namespace === undefined ? shared.flatMap(cache => cache.list()) : (cacheOf(namespace)?.list(namespace) ?? []),
    ownedBy: uid =>
      shared.length === 1 ? (shared[0]?.ownedBy(uid) ?? []) : shared.flatMap(cache => cache.ownedBy(uid)),
    having: (valuesOf, value) => shared.flatMap(cache => cache.indexBy(valuesOf).get(value)),
    subscribe(handler) {
      for (const cache of shared) cache.subscribe(handler)
    },
    whenSynced: async () => {
      await Promise.all(shared.map(cache => cache.whenSynced()))
    },
    release() {
      for (const cache of shared) cache.release()
    },
  }
}
