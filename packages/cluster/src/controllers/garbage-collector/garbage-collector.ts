import { delay } from '@tiphys/env'
import {
  createWorkQueue,
  formatApiVersion,
  type KubeObject,
  type ObjectChange,
  type ResourceInfo,
  type SharedCache,
} from '@tiphys/kube'
import type { Controller, ControllerContext } from '../controller.ts'
import { BARE, createDiscoveredKinds } from '../discovered-kinds.ts'
import { createCollector, NotYetObserved } from './collector.ts'
import { type GraphEffect, OwnershipGraph } from './ownership-graph.ts'

const NAME = 'garbage-collector-controller'
/** A kind that cannot be read does not hold up the others for longer. */
const SYNC_TIMEOUT_MS = 30_000
const NEEDED_VERBS = ['delete', 'list', 'watch']

type Attempt = `delete ${string}` | `orphan ${string}`

/** Deletes what has lost its owners, in the ways that deletions ask for (background, foreground, orphan). It keeps the
 *  bare metadata of every object that can be deleted, of built-in and custom kinds. */
export function createGarbageCollectorController(context: ControllerContext): Controller {
  const { caches, client, env } = context
  const recorder = context.recorder(NAME)
  const graph = new OwnershipGraph()
  const monitors = new Map<string, SharedCache>()
  const stopping = new AbortController()
  let isSynced = false

  const queue = createWorkQueue<Attempt>({
    env,
    concurrency: 8,
    backoff: { initialMs: 5, maxMs: 60_000 },
    async process(attempt) {
      const [what, uid = ''] = attempt.split(' ')
      await (what === 'orphan' ? collector.attemptToOrphan(uid) : collector.attemptToDelete(uid))
    },
    onError(attempt, error, { attempt: attempts, inMs }) {
      // It is said once: an owner of a kind that does not exist may stay like that for ever.
      if (error instanceof NotYetObserved || attempts !== 4) return
      const object = graph.get(attempt.split(' ')[1] ?? '')?.identity
      env.log.warn('an object could not be garbage-collected', { ...object, error, attempts, inMs })
    },
  })
  queue.pause()

  const perform = (effects: readonly GraphEffect[]) => {
    for (const effect of effects) {
      if (effect.type === 'invalid-namespace') reportNamespace(effect)
      else if (effect.type === 'delete-later') queue.add(`delete ${effect.uid}`, { delayMs: 5 })
      else queue.add(`${effect.type} ${effect.uid}`)
    }
  }
  const collector = createCollector(client, graph, perform)

  const reportNamespace = ({ dependent, owner }: Extract<GraphEffect, { type: 'invalid-namespace' }>) => {
    const { apiVersion, kind, namespace, name, uid } = dependent
    const named = `[${owner.apiVersion}/${owner.kind}, namespace: ${namespace}, name: ${owner.name}, uid: ${owner.uid}]`
    recorder.warning(
      { apiVersion, kind, metadata: { name, uid, ...(namespace === '' ? {} : { namespace }) } },
      'OwnerRefInvalidNamespace',
      `ownerRef ${named} does not exist in namespace ${JSON.stringify(namespace)}`,
    )
  }

  const follow = (change: ObjectChange) =>
    perform(change.type === 'deleted' ? graph.observeDeletion(change.object) : graph.observe(change.object))

  const monitor = (resource: ResourceInfo) => {
    const cache = caches.acquire<KubeObject>({ apiVersion: formatApiVersion(resource), kind: resource.kind }, BARE)
    cache.subscribe(follow)
    return cache
  }

  /** With the definition of a kind its objects are gone, also those whose end was not seen. */
  const endMonitor = (key: string, cache: SharedCache) => {
    const objects = cache.list()
    cache.release()
    monitors.delete(key)
    for (const object of objects) perform(graph.observeDeletion(object))
  }

  const kinds = createDiscoveredKinds(context)
  const followKinds = async () => {
    const wanted = new Map(
      kinds
        .list()
        .filter(isCollected)
        .map(resource => [keyOf(resource), resource]),
    )
    for (const [key, cache] of monitors) if (!wanted.has(key)) endMonitor(key, cache)
    for (const [key, resource] of wanted) if (!monitors.has(key)) monitors.set(key, monitor(resource))
    // Blocking dependents of a kind that has not been read would be overlooked.
    queue.pause()
    isSynced = false
    const waiting = [...monitors.values()]
    const ended = new AbortController()
    const { signal } = ended
    const timeout = delay(env.clock, SYNC_TIMEOUT_MS, AbortSignal.any([stopping.signal, signal]))
    await Promise.race([Promise.allSettled(waiting.map(cache => cache.whenSynced())), timeout.catch(() => {})])
    ended.abort()
    if (stopping.signal.aborted || [...monitors.values()].some(cache => !waiting.includes(cache))) return
    isSynced = true
    queue.resume()
  }
  kinds.onChange(() => void followKinds())
  kinds.whenReady().then(
    () => (stopping.signal.aborted ? undefined : followKinds()),
    // Without the kinds there is nothing to collect; who reads them has said why.
    () => {},
  )

  return {
    name: NAME,
    isIdle() {
      const { waiting, processing } = queue.metrics()
      return isSynced && waiting.fresh + waiting.backlog + processing === 0
    },
    async stop() {
      stopping.abort()
      kinds.stop()
      for (const cache of monitors.values()) cache.release()
      await queue.shutdown()
    },
  }
}

const keyOf = ({ group, version, kind }: ResourceInfo) => `${formatApiVersion({ group, version })} ${kind}`

/** Events are many, own nothing and end by themselves. */
const isCollected = ({ resource, group, verbs }: ResourceInfo) =>
  NEEDED_VERBS.every(verb => verbs.includes(verb)) &&
  !(resource === 'events' && (group === '' || group === 'events.k8s.io'))
