import type { Affinity } from '@tiphys/kube/kinds'

/** An affinity that keeps a pod away from hosts, beside all that it says already. */
export function withoutHosts(affinity: Affinity | undefined, hosts: readonly string[]): Affinity {
  const elsewhere = { key: 'kubernetes.io/hostname', operator: 'NotIn', values: [...hosts] }
  const { nodeAffinity } = affinity ?? {}
  // One of the terms is enough for a node: each of them gets it.
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [{}]
  return {
    ...affinity,
    nodeAffinity: {
      ...nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: terms.map(term => ({
          ...term,
          matchExpressions: [...(term.matchExpressions ?? []), elsewhere],
        })),
      },
    },
  }
}
