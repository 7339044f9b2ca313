import type { NodeState, PodFacts, SchedulingState } from './scheduling-state.ts'
import { sumByPlace } from './topology-spread.ts'

export const EXISTING_ANTI_AFFINITY = "node(s) didn't satisfy existing pods anti-affinity rules"
export const AFFINITY_CONFLICT = "node(s) didn't match pod affinity rules"
export const ANTI_AFFINITY_CONFLICT = "node(s) didn't match pod anti-affinity rules"

interface Places {
  topologyKey: string
  byPlace: ReadonlyMap<string, number>
}

/** Says of a node why the pod may not be near, or must be nearer to, other pods. */
export function affinityFilter(
  { pod, affinity, antiAffinity }: PodFacts,
  nodes: readonly NodeState[],
  state: SchedulingState,
) {
  const existing = state.antiAffinityAgainst(pod)
  if (affinity.length + antiAffinity.length + existing.length === 0) return undefined
  const placesOf = (topologyKey: string, byNode: ReadonlyMap<string, number>): Places => ({
    topologyKey,
    byPlace: sumByPlace(nodes, topologyKey, byNode),
  })
  const attracted = affinity.map(({ topologyKey }) => placesOf(topologyKey, countOfAll(affinity, state)))
  const repelled = antiAffinity.map(({ topologyKey, pods }) => placesOf(topologyKey, state.countOf(pods)))
  const repelling = existing.map(({ topologyKey, byNode }) => placesOf(topologyKey, byNode))
  // The first of pods that want to be together has nobody to join.
  const isFirst =
    attracted.every(({ byPlace }) => [...byPlace.values()].every(count => count === 0)) &&
    affinity.every(({ pods }) => state.includes(pods, pod))

  return (node: NodeState): { reason: string; isResolvable: boolean } | undefined => {
    const isAttracted = attracted.every(({ topologyKey, byPlace }) => {
      const place = node.node.metadata.labels?.[topologyKey]
      return place !== undefined && (isFirst || (byPlace.get(place) ?? 0) > 0)
    })
    if (!isAttracted) return { reason: AFFINITY_CONFLICT, isResolvable: false }
    if (repelled.some(places => hasAny(places, node))) return { reason: ANTI_AFFINITY_CONFLICT, isResolvable: true }
    if (repelling.some(places => hasAny(places, node))) return { reason: EXISTING_ANTI_AFFINITY, isResolvable: true }
    return undefined
  }
}

function hasAny({ topologyKey, byPlace }: Places, { node }: NodeState): boolean {
  const place = node.metadata.labels?.[topologyKey]
  return place !== undefined && (byPlace.get(place) ?? 0) > 0
}

/** A pod counts for affinity only when it is in the sets of all terms. */
function countOfAll(terms: PodFacts['affinity'], state: SchedulingState): ReadonlyMap<string, number> {
  const [first, ...others] = terms
  if (!first) return new Map()
  if (others.length === 0) return state.countOf(first.pods)
  return state.countOf({
    key: JSON.stringify(['all', ...terms.map(({ pods }) => pods.key)]),
    includes: (pod, namespaceLabels) => terms.every(({ pods }) => pods.includes(pod, namespaceLabels)),
  })
}

/** How much the pod, and the pods that run, would like it on a node. Undefined when nobody has a wish. */
export function affinityScore(facts: PodFacts, nodes: readonly NodeState[], state: SchedulingState) {
  const wishes = [
    ...facts.preferred.map(({ term, weight }) => ({
      topologyKey: term.topologyKey,
      byNode: state.countOf(term.pods),
      weight,
    })),
    ...state.attractionTo(facts.pod),
  ].map(({ topologyKey, byNode, weight }) => ({ topologyKey, weight, byPlace: sumByPlace(nodes, topologyKey, byNode) }))
  if (wishes.length === 0) return undefined
  return ({ node }: NodeState): number => {
    let score = 0
    for (const { topologyKey, weight, byPlace } of wishes) {
      const place = node.metadata.labels?.[topologyKey]
      if (place !== undefined) score += weight * (byPlace.get(place) ?? 0)
    }
    return score
  }
}
