import { kindRef } from '@tiphys/kube'
import type { Node } from '@tiphys/kube/kinds'
import { type Controller, type ControllerContext, createReconciler, wakeBy } from './controller.ts'

/** The pods' addresses: 10.244.0.0/16, of which every node has a /24. */
const SUBNETS = 256
const subnet = (index: number) => `10.244.${index}.0/24`

/** Gives every node a range of addresses for its pods. */
export function createNodeIpamController(context: ControllerContext): Controller {
  const recorder = context.recorder('cidrAllocator')
  const nodes = wakeBy(context, kindRef<Node>('v1', 'Node'), (change): string[] => {
    if (change.type !== 'deleted') return change.object.spec?.podCIDR ? [] : [change.object.metadata.name ?? '']
    // Its range is free for one that waits.
    return nodes.cache.list().flatMap(({ metadata, spec }) => (spec?.podCIDR ? [] : [metadata.name ?? '']))
  })
  return createReconciler(context, {
    name: 'node-ipam-controller',
    wakes: [nodes],
    // One at a time: two nodes must not get the same range.
    concurrency: 1,
    async reconcile(name) {
      const node = nodes.cache.get(name)
      if (!node || node.spec?.podCIDR) return undefined
      const podCIDR = firstFree(nodes.cache.list())
      if (podCIDR === undefined) {
        recorder.normal(node, 'CIDRNotAvailable', `Node ${name} status is now: CIDRNotAvailable`)
        return undefined
      }
      const patch = { metadata: { uid: node.metadata.uid }, spec: { podCIDR, podCIDRs: [podCIDR] } }
      await context.client.patch({ ...kindRef<Node>('v1', 'Node'), name }, { type: 'strategic', patch })
      return undefined
    },
  })
}

export function firstFree(nodes: readonly Node[]): string | undefined {
  const taken = new Set(nodes.flatMap(({ spec }) => spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : [])))
  for (let index = 0; index < SUBNETS; index++) if (!taken.has(subnet(index))) return subnet(index)
  return undefined
}
