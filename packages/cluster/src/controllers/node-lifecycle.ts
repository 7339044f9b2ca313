import { isNotFound, kindRef } from '@tiphys/kube'
import type { Lease, Node, Pod } from '@tiphys/kube/kinds'
import { type Controller, type ControllerContext, createReconciler, wakeBy } from './controller.ts'
import { conditionOf, conditionTaints, graceOf, missingLabels, missingTtl, silentConditions } from './node-health.ts'
import { timestampOf } from './status.ts'
import { byNode } from './taint-eviction.ts'

const LEASES = 'kube-node-lease'

/** What was last heard of a node. */
interface Health {
  uid: string | undefined
  heardAt: number
  heartbeat: string | undefined
  renewal: string | undefined
}

/** Notices nodes that have fallen silent, says that their pods are not ready any more, and taints nodes by their
 *  conditions. A node that itself says that it is not ready speaks for its pods too. */
export function createNodeLifecycleController(context: ControllerContext): Controller {
  const { client, env } = context
  const recorder = context.recorder('node-controller')
  const healths = new Map<string, Health>()
  /** Nodes that fell silent, and whose pods have yet to be told. */
  const unmarked = new Set<string>()
  const nodes = wakeBy(context, kindRef<Node>('v1', 'Node'), ({ object }) => [object.metadata.name ?? ''])
  const leases = wakeBy(
    context,
    { ...kindRef<Lease>('coordination.k8s.io/v1', 'Lease'), namespace: LEASES },
    ({ object }) => [object.metadata.name ?? ''],
  )
  const pods = wakeBy(context, kindRef<Pod>('v1', 'Pod'), () => [])

  const tellOfNode = (node: Node, reason: string, message: string) =>
    recorder.normal({ ...node, metadata: { ...node.metadata, uid: node.metadata.uid ?? '' } }, reason, message)

  const listen = (node: Node): Health => {
    const { name = '', uid } = node.metadata
    const known = healths.get(name)
    const heartbeat = conditionOf(node, 'Ready')?.lastHeartbeatTime
    const renewal = leases.cache.get(name, LEASES)?.spec?.renewTime
    const isHeard = !known || known.heartbeat !== heartbeat || known.renewal !== renewal
    const health = isHeard ? { uid, heardAt: env.clock.monotonic(), heartbeat, renewal } : known
    if (!known) tellOfNode(node, 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`)
    healths.set(name, health)
    return health
  }

  const markPods = async (node: string) => {
    for (const pod of pods.cache.indexBy(byNode).get(node)) {
      const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready')
      if (ready?.status !== 'True') continue
      const { namespace = '', name = '', uid } = pod.metadata
      const condition = { ...ready, status: 'False', lastTransitionTime: timestampOf(env) }
      const patch = { metadata: { uid }, status: { conditions: [condition] } }
      const ref = { ...kindRef('v1', 'Pod'), namespace, name }
      try {
        await client.patch(ref, { type: 'strategic', patch }, { subresource: 'status' })
      } catch (thrown) {
        if (isNotFound(thrown)) continue
        throw thrown
      }
      recorder.warning(pod, 'NodeNotReady', 'Node is not ready')
    }
  }

  return createReconciler(context, {
    name: 'node-lifecycle-controller',
    wakes: [nodes, leases, pods],
    async reconcile(name) {
      const seen = nodes.cache.get(name)
      if (!seen) {
        const known = healths.get(name)
        if (!known) return undefined
        healths.delete(name)
        const gone: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name, uid: known.uid ?? '' } }
        tellOfNode(gone, 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`)
        return undefined
      }
      const { heardAt } = listen(seen)
      const left = heardAt + graceOf(seen) - env.clock.monotonic()
      const conditions = left <= 0 ? silentConditions(seen, timestampOf(env)) : undefined
      const wasReady = conditionOf(seen, 'Ready')?.status === 'True'
      const silenced = conditions && { ...seen, status: { ...seen.status, conditions } }
      const told = silenced ? await client.update<Node>(silenced, { subresource: 'status' }) : seen
      if (silenced && wasReady) {
        tellOfNode(told, 'NodeNotReady', `Node ${name} status is now: NodeNotReady`)
        unmarked.add(name)
      }
      const ready = conditionOf(told, 'Ready')?.status
      if (ready === 'True') unmarked.delete(name)
      if (unmarked.has(name)) await markPods(name)
      unmarked.delete(name)
      const taints = ready === undefined ? undefined : conditionTaints(told, timestampOf(env))
      const labels = missingLabels(told)
      const ttl = missingTtl(told, nodes.cache.list().length)
      if (taints || labels || ttl) {
        await client.update<Node>({
          ...told,
          metadata: {
            ...told.metadata,
            ...(labels && { labels: { ...told.metadata.labels, ...labels } }),
            ...(ttl && { annotations: { ...told.metadata.annotations, ...ttl } }),
          },
          spec: { ...told.spec, ...(taints && { taints }) },
        })
      }
      return left > 0 ? left : undefined
    },
  })
}
