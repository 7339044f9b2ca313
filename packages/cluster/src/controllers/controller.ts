import type { Env } from '@tiphys/env'
import {
  type Caches,
  type Client,
  createWorkQueue,
  type KubeObject,
  type ObjectChange,
  type Selection,
  type SharedCache,
} from '@tiphys/kube'
import type { EventRecorder } from '../event-recorder.ts'

/** What every controller gets. It sees the cluster through this and nothing else. */
export interface ControllerContext {
  /** What it writes is in `caches` when the call returns: the next read sees it. */
  readonly client: Client
  readonly caches: Caches
  readonly env: Env
  /** A recorder that speaks as the named component. */
  recorder(component: string): EventRecorder
}

/** A control loop that runs from its making until it is stopped. */
export interface Controller {
  readonly name: string
  /** Nothing is ready to be done or being done. (What waits for a delay does not count.) */
  isIdle(): boolean
  /** Resolves when what is being done has ended; nothing begins after the call. */
  stop(): Promise<void>
}

/** Something that wakes a reconciler: a cache, and which keys a change in it concerns. */
export interface Wake {
  cache: SharedCache
  keysOf: (change: ObjectChange) => Iterable<string>
}

export interface ReconcilerOptions {
  name: string
  /** Of each, keys come for what is there at the start, then for every change. */
  wakes: readonly Wake[]
  /** Brings what the key names up to date. A number is the time in milliseconds after which to look again even if nothing
   *  changes. What it throws is logged, and the key comes again after a backoff. Never called for one key twice at once,
   *  and not before every cache has synced. */
  reconcile: (key: string, signal: AbortSignal) => Promise<number | undefined>
  concurrency?: number
}

/** The loop behind most controllers: changes become keys, keys wait in a queue, each is brought up to date. */
export function createReconciler({ env }: Pick<ControllerContext, 'env'>, options: ReconcilerOptions): Controller {
  const { name, wakes, reconcile, concurrency = 4 } = options
  const turns = createTurns()
  const queue = createWorkQueue<string>({
    env,
    concurrency,
    backoff: { initialMs: 5, maxMs: 60_000 },
    async process(key, { signal }) {
      await turns.of(key)
      if (signal.aborted) return
      const again = await reconcile(key, signal)
      if (again !== undefined) queue.add(key, { delayMs: again })
    },
    onError(key, error, { attempt, inMs }) {
      // A conflict is the ordinary way of two writers; it is retried without a word.
      if (attempt > 3) env.log.warn(`${name}: ${key} could not be brought up to date`, { error, attempt, inMs })
    },
  })
  queue.pause()
  const unsubscribe = wakes.map(({ cache, keysOf }) =>
    cache.subscribe(change => {
      const workClass = change.type === 'added' && change.initial ? 'backlog' : 'fresh'
      for (const key of keysOf(change)) queue.add(key, { workClass })
    }),
  )
  let isStopped = false
  let isSynced = false
  Promise.all(wakes.map(({ cache }) => cache.whenSynced())).then(
    () => {
      isSynced = true
      if (!isStopped) queue.resume()
    },
    // The cache was stopped, or has said why it failed.
    () => {},
  )
  return {
    name,
    isIdle() {
      const { waiting, processing } = queue.metrics()
      return isSynced && waiting.fresh + waiting.backlog + processing === 0
    },
    async stop() {
      isStopped = true
      for (const end of unsubscribe) end()
      await queue.shutdown()
      for (const { cache } of wakes) cache.release()
    },
  }
}

/** Lets a key have one turn of the event loop after the other. In one turn a thousand pods of a set may change: what changes
 *  until the next one is looked at together. */
function createTurns() {
  const taken = new Set<string>()
  return {
    async of(key: string): Promise<void> {
      if (taken.has(key)) await new Promise<void>(resolve => setImmediate(resolve))
      if (taken.size === 0) setImmediate(() => taken.clear())
      taken.add(key)
    },
  }
}

/** Wakes a reconciler by the changes of a selection. Called with what to take keys from: the object, and before it the old
 *  one of an update where it is wanted. */
export function wakeBy<T extends KubeObject>(
  { caches }: Pick<ControllerContext, 'caches'>,
  selection: Selection<T>,
  keysOf: (change: ObjectChange<T>) => Iterable<string>,
): Omit<Wake, 'cache'> & { cache: SharedCache<T> } {
  return { cache: caches.acquire(selection), keysOf: keysOf as Wake['keysOf'] }
}

export const keyOfObject = ({ metadata: { namespace, name } }: KubeObject): string =>
  namespace === undefined ? (name ?? '') : `${namespace}/${name}`

/** `namespace/name`, or a name alone. */
export function parseKey(key: string): { namespace?: string; name: string } {
  const slash = key.indexOf('/')
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}

/** The key of the object's controller, if it is of this kind. */
export function controllerKey({ metadata }: KubeObject, apiVersion: string, kind: string): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)
  if (owner?.kind !== kind || groupOf(owner.apiVersion) !== groupOf(apiVersion)) return undefined
  return metadata.namespace === undefined ? owner.name : `${metadata.namespace}/${owner.name}`
}

const groupOf = (apiVersion: string) => (apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '')
