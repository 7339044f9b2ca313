import { isDeepStrictEqual } from 'node:util'
import { kindsOf, type MeasuredKind, quotaUsage } from '@tiphys/apiserver/quota'
import { formatApiVersion, type KubeObject, kindRef, type ResourceInfo, type SharedCache } from '@tiphys/kube'
import type { ResourceQuota } from '@tiphys/kube/kinds'
import { type Controller, type ControllerContext, keyOfObject, parseKey } from './controller.ts'
import { BARE, createDiscoveredKinds } from './discovered-kinds.ts'
import { createOpenReconciler } from './open-reconciler.ts'

/** Usage that ends with time alone (a pod that should be gone by now) is noticed after this. */
const RESYNC_MS = 5 * 60_000
/** Of these, more than the number counts. */
const READ_WHOLE = new Set(['pods', 'services', 'persistentvolumeclaims'])

/** Keeps the status of ResourceQuotas: how much is used of what they limit. Kinds are watched only while a quota counts
 *  them. */
export function createResourceQuotaController(context: ControllerContext): Controller {
  const { caches, client, env } = context
  const quotas = caches.acquire(kindRef('v1', 'ResourceQuota'))
  const kinds = createDiscoveredKinds(context)
  const counted = new Map<string, SharedCache>()
  let isStopped = false

  const reconciler = createOpenReconciler(context, {
    name: 'resourcequota-controller',
    whenReady: Promise.all([quotas.whenSynced(), kinds.whenReady()]),
    async reconcile(key) {
      const { namespace, name } = parseKey(key)
      const quota = quotas.get(name, namespace)
      if (!quota) return undefined
      await bringUpToDate(quota)
      return RESYNC_MS
    },
  })

  const bringUpToDate = async (quota: ResourceQuota) => {
    const { namespace } = quota.metadata
    const measured = kindsOf(quota)
    await Promise.all(measured.map(async kind => cacheOf(kind)?.whenSynced()))
    const used = quotaUsage(quota, kind => cacheOf(kind)?.list(namespace), env.clock.now())
    const hard = quota.spec?.hard ?? {}
    const before = { hard: quota.status?.hard ?? {}, used: quota.status?.used ?? {} }
    if (isDeepStrictEqual(before, { hard, used })) return
    await client.update<ResourceQuota>({ ...quota, status: { hard, used } }, { subresource: 'status' })
  }

  const cacheOf = (kind: MeasuredKind): SharedCache | undefined => {
    const key = `${kind.resource}.${kind.group}`
    const known = counted.get(key)
    if (known || isStopped) return known
    const resource = kinds.list().find(one => one.resource === kind.resource && one.group === kind.group)
    if (!resource || !isCountable(resource)) return undefined
    const cache = caches.acquire<KubeObject>(
      { apiVersion: formatApiVersion(resource), kind: resource.kind },
      kind.group === '' && READ_WHOLE.has(kind.resource) ? {} : BARE,
    )
    counted.set(key, cache)
    cache.subscribe(({ object }) => {
      for (const quota of quotas.list(object.metadata.namespace)) {
        const isConcerned = kindsOf(quota).some(one => one.resource === kind.resource && one.group === kind.group)
        if (isConcerned) reconciler.add(keyOfObject(quota))
      }
    })
    return cache
  }

  const addAll = () => {
    for (const quota of quotas.list()) reconciler.add(keyOfObject(quota))
  }

  const release = () => {
    for (const cache of counted.values()) cache.release()
    counted.clear()
  }

  quotas.subscribe(({ type, object }) => {
    if (type !== 'deleted') reconciler.add(keyOfObject(object))
    else if (quotas.list().length === 0) release()
  })
  kinds.onChange(() => {
    for (const key of counted.keys()) if (!kinds.list().some(one => `${one.resource}.${one.group}` === key)) drop(key)
    addAll()
  })
  const drop = (key: string) => {
    counted.get(key)?.release()
    counted.delete(key)
  }

  return {
    ...reconciler,
    async stop() {
      isStopped = true
      await reconciler.stop()
      release()
      kinds.stop()
      quotas.release()
    },
  }
}

const isCountable = ({ namespaced, verbs }: ResourceInfo) =>
  namespaced && ['create', 'delete', 'list', 'watch'].every(verb => verbs.includes(verb))
