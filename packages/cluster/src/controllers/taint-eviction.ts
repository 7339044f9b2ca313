import { isNotFound, kindRef } from '@tiphys/kube'
import type { Node, Pod, Taint, Toleration } from '@tiphys/kube/kinds'
import { tolerates } from '../scheduler/node-matching.ts'
import {
  type Controller,
  type ControllerContext,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from './controller.ts'
import { timestampOf } from './status.ts'

/** Evicts pods from nodes with taints that they do not tolerate, or only for a time. */
export function createTaintEvictionController(context: ControllerContext): Controller {
  const { client, env } = context
  const recorder = context.recorder('taint-eviction-controller')
  /** Since when pods have been living on borrowed time. */
  const since = new Map<string, { uid: string | undefined; start: number }>()
  const pods = wakeBy(context, kindRef<Pod>('v1', 'Pod'), change => {
    const { object } = change
    if (!object.spec?.nodeName && !since.has(keyOfObject(object))) return []
    const isOther =
      change.type !== 'updated' ||
      change.old.spec?.nodeName !== object.spec?.nodeName ||
      JSON.stringify(change.old.spec?.tolerations) !== JSON.stringify(object.spec?.tolerations)
    return isOther ? [keyOfObject(object)] : []
  })
  const nodes = wakeBy(context, kindRef<Node>('v1', 'Node'), change => {
    const isOther = change.type !== 'updated' || taintsKey(change.old) !== taintsKey(change.object)
    if (!isOther || (change.type === 'added' && evictingTaints(change.object).length === 0)) return []
    return pods.cache
      .indexBy(byNode)
      .get(change.object.metadata.name ?? '')
      .map(keyOfObject)
  })

  const evict = async (pod: Pod) => {
    const { namespace = '', name = '', uid = '' } = pod.metadata
    recorder.normal(pod, 'TaintManagerEviction', `Marking for deletion Pod ${namespace}/${name}`)
    const ref = { ...kindRef('v1', 'Pod'), namespace, name }
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
      lastProbeTime: null,
      lastTransitionTime: timestampOf(env),
      observedGeneration: pod.metadata.generation ?? 1,
    }
    try {
      const patch = { metadata: { uid }, status: { conditions: [condition] } }
      await client.patch(ref, { type: 'strategic', patch }, { subresource: 'status' })
      await client.delete(ref, { preconditions: { uid } })
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown
    }
  }

  return createReconciler(context, {
    name: 'taint-eviction-controller',
    wakes: [pods, nodes],
    async reconcile(key) {
      const { namespace = '', name } = parseKey(key)
      const pod = pods.cache.get(name, namespace)
      const node = pod?.spec?.nodeName ? nodes.cache.get(pod.spec.nodeName) : undefined
      if (!pod || pod.metadata.deletionTimestamp !== undefined) {
        since.delete(key)
        return undefined
      }
      const allowance = toleratedSeconds(node ? evictingTaints(node) : [], pod.spec?.tolerations ?? [])
      const known = since.get(key)
      if (allowance === Number.POSITIVE_INFINITY) {
        if (known) recorder.normal(pod, 'TaintManagerEviction', `Cancelling deletion of Pod ${key}`)
        since.delete(key)
        return undefined
      }
      const now = env.clock.monotonic()
      const start = known && known.uid === pod.metadata.uid ? known.start : now
      since.set(key, { uid: pod.metadata.uid, start })
      const left = start + allowance * 1000 - now
      if (left > 0) return left
      await evict(pod)
      since.delete(key)
      return undefined
    },
  })
}

const evictingTaints = ({ spec }: Node) => (spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute')
const taintsKey = (node: Node) => JSON.stringify(evictingTaints(node).map(({ key, value }) => [key, value]))

/** An index of pods by their node. */
export const byNode = ({ spec }: Pod): readonly string[] => (spec?.nodeName ? [spec.nodeName] : [])

/** How long a pod may stay: 0 when it does not tolerate a taint, infinity when it tolerates all for ever. */
export function toleratedSeconds(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  let shortest = Number.POSITIVE_INFINITY
  for (const taint of taints) {
    const toleration = tolerations.find(each => tolerates(each, taint))
    if (!toleration) return 0
    if (toleration.tolerationSeconds !== undefined)
      shortest = Math.min(shortest, Math.max(0, toleration.tolerationSeconds))
  }
  return shortest
}
