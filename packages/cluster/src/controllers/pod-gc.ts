import { isNotFound, type KubeObject, kindRef } from '@tiphys/kube'
import type { Node, Pod } from '@tiphys/kube/kinds'
import {
  type Controller,
  type ControllerContext,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from './controller.ts'
import { timestampOf } from './status.ts'

const POD = kindRef('v1', 'Pod')
const NODE = kindRef('v1', 'Node')
/** A node that is missing may come back; its pods are given this long. */
const QUARANTINE_MS = 40_000
/** Finished pods are counted at most this often. */
const CHECK_PERIOD_MS = 20_000
const TERMINATED = 'terminated'

export interface PodGcOptions {
  /** How many finished pods may be kept. */
  terminatedPodThreshold?: number
}

/** Deletes pods that nobody else will: those of nodes that are gone, those that are to go and were never scheduled, and the
 *  oldest finished ones when there are too many. */
export function createPodGcController(context: ControllerContext, options: PodGcOptions = {}): Controller {
  const { client, env } = context
  const { terminatedPodThreshold = 12_500 } = options
  const missingSince = new Map<string, number>()
  let nextCount = 0

  const pods = wakeBy(context, POD, ({ type, object }) => {
    if (type === 'deleted') return []
    const { nodeName } = object.spec ?? {}
    const keys: string[] = []
    if (object.metadata.deletionTimestamp !== undefined) keys.push(`pod ${keyOfObject(object)}`)
    if (nodeName !== undefined && !nodes.cache.get(nodeName)) keys.push(`node ${nodeName}`)
    if (isTerminated(object)) keys.push(TERMINATED)
    return keys
  })
  const nodes = wakeBy(context, NODE, ({ type, object }) => {
    const name = object.metadata.name ?? ''
    if (type === 'deleted') return [`node ${name}`]
    if (!isOutOfService(object)) return []
    return podsOn(name).map(pod => `pod ${keyOfObject(pod)}`)
  })
  const podsOn = (node: string) => pods.cache.indexBy(nodeOf).get(node)

  const forceDelete = async (pod: Pod, condition?: { reason: string; message: string }) => {
    const { namespace = '', name = '', uid, generation } = pod.metadata
    try {
      if (!isTerminated(pod)) {
        const tracked = generation === undefined ? {} : { observedGeneration: generation }
        const target = condition && {
          type: 'DisruptionTarget',
          status: 'True',
          ...tracked,
          ...condition,
          lastTransitionTime: timestampOf(env),
        }
        const status = { phase: 'Failed', ...tracked, ...(target && { conditions: [target] }) }
        const patch = { metadata: { uid }, status }
        await client.patch({ ...POD, namespace, name }, { type: 'strategic', patch }, { subresource: 'status' })
      }
      await client.delete({ ...POD, namespace, name }, { gracePeriodSeconds: 0 })
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown
    }
  }

  const reconcilePod = async (key: string) => {
    const { namespace, name } = parseKey(key)
    const pod = pods.cache.get(name, namespace)
    if (pod?.metadata.deletionTimestamp === undefined) return
    const { nodeName } = pod.spec ?? {}
    const node = nodeName === undefined ? undefined : nodes.cache.get(nodeName)
    const isWaiting = (pod.metadata.finalizers ?? []).length > 0 && isTerminated(pod)
    if (isWaiting) return
    if (nodeName === undefined || (node && isOutOfService(node))) await forceDelete(pod)
  }

  const reconcileNode = async (name: string): Promise<number | undefined> => {
    if (nodes.cache.get(name) || podsOn(name).length === 0) {
      missingSince.delete(name)
      return undefined
    }
    const now = env.clock.now()
    const since = missingSince.get(name) ?? now
    missingSince.set(name, since)
    if (now - since < QUARANTINE_MS) return since + QUARANTINE_MS - now
    if (await nodeExists(name)) return QUARANTINE_MS
    missingSince.delete(name)
    const condition = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' }
    for (const pod of podsOn(name)) await forceDelete(pod, condition)
    return undefined
  }

  const nodeExists = (name: string) =>
    client.get({ ...NODE, name }).then(
      () => true,
      (thrown: unknown) => {
        if (isNotFound(thrown)) return false
        throw thrown
      },
    )

  const reconcileTerminated = async (): Promise<number | undefined> => {
    if (terminatedPodThreshold <= 0) return undefined
    const now = env.clock.now()
    if (now < nextCount) return nextCount - now
    nextCount = now + CHECK_PERIOD_MS
    const index = pods.cache.indexBy(finishedOf)
    const terminated = [...index.get(TERMINATED)]
    const superfluous = terminated.length - terminatedPodThreshold
    for (const pod of terminated.sort(byEvictionAndAge).slice(0, Math.max(0, superfluous))) await forceDelete(pod)
    return undefined
  }

  return createReconciler(context, {
    name: 'pod-garbage-collector-controller',
    wakes: [pods, nodes],
    async reconcile(key) {
      if (key === TERMINATED) return reconcileTerminated()
      if (key.startsWith('node ')) return reconcileNode(key.slice('node '.length))
      await reconcilePod(key.slice('pod '.length))
      return undefined
    },
  })
}

const nodeOf = ({ spec }: Pod): readonly string[] => (spec?.nodeName === undefined ? [] : [spec.nodeName])
const finishedOf = (pod: Pod): readonly string[] => (isTerminated(pod) ? [TERMINATED] : [])

const isTerminated = ({ status }: Pod) => status?.phase === 'Succeeded' || status?.phase === 'Failed'

const isOutOfService = ({ spec, status }: Node) =>
  (spec?.taints ?? []).some(({ key }) => key === 'node.kubernetes.io/out-of-service') &&
  !status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')

/** Evicted ones first, then the oldest. */
function byEvictionAndAge(a: Pod & KubeObject, b: Pod & KubeObject): number {
  const [evictedA, evictedB] = [a, b].map(({ status }) => status?.phase === 'Failed' && status.reason === 'Evicted')
  if (evictedA !== evictedB) return evictedA ? -1 : 1
  const order = Date.parse(a.metadata.creationTimestamp ?? '') - Date.parse(b.metadata.creationTimestamp ?? '')
  return order !== 0 ? order : (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1
}
