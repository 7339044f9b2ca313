import { isDeepStrictEqual } from 'node:util'
import {
  formatApiVersion,
  isNotFound,
  type KubeObject,
  kindRef,
  type ResourceInfo,
  type SharedCache,
} from '@tiphys/kube'
import type { Namespace } from '@tiphys/kube/kinds'
import type { Controller, ControllerContext } from './controller.ts'
import { BARE, createDiscoveredKinds } from './discovered-kinds.ts'
import { type DeletionFindings, namespaceConditions } from './namespace/conditions.ts'
import { deleteContent, isPods, type Remainder } from './namespace/content.ts'
import { createOpenReconciler } from './open-reconciler.ts'
import { timestampOf } from './status.ts'

const NAME = 'namespace-controller'
const NAMESPACE = kindRef('v1', 'Namespace')
const FINALIZER = 'kubernetes'

/** Empties namespaces that are on their way out, pods first, and lets them go when nothing is left. */
export function createNamespaceController(context: ControllerContext): Controller {
  const { caches, client, env } = context
  const namespaces = caches.acquire(NAMESPACE)
  const kinds = createDiscoveredKinds(context)
  /** Of kinds with content that has yet to go: its end is what the namespace waits for. */
  const awaited = new Map<string, SharedCache>()
  let isStopped = false
  const reconciler = createOpenReconciler(context, {
    name: NAME,
    whenReady: Promise.all([namespaces.whenSynced(), kinds.whenReady()]),
    async reconcile(name) {
      const seconds = await terminate(name)
      return seconds === undefined ? undefined : (Math.floor(seconds / 2) + 1) * 1000
    },
  })

  /** Looks again when something in a namespace on its way out is gone, instead of guessing how long that takes. */
  const awaitKind = (resource: ResourceInfo) => {
    const selection = { apiVersion: formatApiVersion(resource), kind: resource.kind }
    const key = `${selection.apiVersion} ${selection.kind}`
    if (awaited.has(key) || isStopped || !resource.verbs.includes('watch')) return
    const cache = caches.acquire<KubeObject>(selection, BARE)
    awaited.set(key, cache)
    cache.subscribe(({ type, object }) => {
      const { namespace = '' } = object.metadata
      if (type === 'deleted' && isTerminating(namespaces.get(namespace))) reconciler.add(namespace)
    })
  }

  const releaseIfDone = () => {
    if (namespaces.list().some(isTerminating)) return
    for (const cache of awaited.values()) cache.release()
    awaited.clear()
  }

  const unsubscribe = namespaces.subscribe(({ type, object }) => {
    if (type === 'deleted') releaseIfDone()
    else if (isTerminating(object)) reconciler.add(object.metadata.name ?? '')
  })

  /** Undefined when the namespace is done with; else the estimate in seconds until its content is gone. */
  const terminate = async (name: string): Promise<number | undefined> => {
    const found = await orAbsent(client.get({ ...NAMESPACE, name }))
    if (!found || !isTerminating(found)) return undefined
    const namespace = found.status?.phase === 'Terminating' ? found : await markTerminating(found)
    if ((namespace.spec?.finalizers ?? []).length === 0) return undefined

    const findings = await empty(namespace)
    const current = await writeConditions(namespace, findings)
    for (const { count, resource } of findings.remainders) if (count > 0) awaitKind(resource)
    const errors = findings.remainders.flatMap(({ error }) => (error ? [error] : []))
    if (errors.length > 0) throw new AggregateError(errors, errors.map(({ message }) => message).join(', '))
    const estimate = Math.max(0, ...findings.remainders.map(({ estimateSeconds }) => estimateSeconds))
    if (estimate > 0) return estimate
    await finalize(current)
    return undefined
  }

  const markTerminating = (namespace: Namespace) =>
    client.update({ ...namespace, status: { ...namespace.status, phase: 'Terminating' } }, { subresource: 'status' })

  /** Pods go first: what they use must not disappear under them. */
  const empty = async ({ metadata }: Namespace): Promise<DeletionFindings> => {
    const { name = '', deletionTimestamp = '' } = metadata
    const ageMs = env.clock.now() - Date.parse(deletionTimestamp)
    const deletable = kinds.list().filter(({ namespaced, verbs }) => namespaced && verbs.includes('delete'))
    const take = (resources: readonly ResourceInfo[]): Promise<Remainder[]> =>
      Promise.all(resources.map(resource => deleteContent(client, resource, name, ageMs)))
    const pods = await take(deletable.filter(isPods))
    if (pods.some(({ count }) => count > 0)) return { remainders: pods, isPartial: true }
    const rest = await take(deletable.filter(resource => !isPods(resource)))
    return { remainders: [...pods, ...rest], isPartial: false }
  }

  const writeConditions = async (namespace: Namespace, findings: DeletionFindings): Promise<Namespace> => {
    const before = namespace.status?.conditions ?? []
    const conditions = namespaceConditions(before, findings, timestampOf(env))
    if (isDeepStrictEqual(conditions, before)) return namespace
    return client.update({ ...namespace, status: { ...namespace.status, conditions } }, { subresource: 'status' })
  }

  const finalize = async (namespace: Namespace) => {
    const finalizers = (namespace.spec?.finalizers ?? []).filter(finalizer => finalizer !== FINALIZER).sort()
    const { name = '' } = namespace.metadata
    const body = { ...namespace, spec: { ...namespace.spec, finalizers } }
    await orAbsent(client.subresource('update', { ...NAMESPACE, name }, 'finalize', body as KubeObject))
  }

  return {
    ...reconciler,
    async stop() {
      isStopped = true
      unsubscribe()
      await reconciler.stop()
      for (const cache of awaited.values()) cache.release()
      kinds.stop()
      namespaces.release()
    },
  }
}

const isTerminating = (namespace: Namespace | undefined) => namespace?.metadata.deletionTimestamp !== undefined

async function orAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined
    throw thrown
  }
}
