import type { Node, Pod, TopologySpreadConstraint } from '@tiphys/kube/kinds'
import { isTolerated, isWanted, keepsAway } from './node-matching.ts'
import { spreadSet } from './pod-term.ts'
import type { CountByNode, NodeState, SchedulingState } from './scheduling-state.ts'

const HOSTNAME = 'kubernetes.io/hostname'
const ZONE = 'topology.kubernetes.io/zone'
export const SPREAD_CONFLICT = "node(s) didn't match pod topology spread constraints"
export const SPREAD_LABEL_MISSING = `${SPREAD_CONFLICT} (missing required label)`

/** A constraint with its pods counted. */
interface Spread {
  topologyKey: string
  maxSkew: number
  byNode: CountByNode
  byPlace: ReadonlyMap<string, number>
  fewest: number
  /** 1 when the pod counts itself. */
  self: 0 | 1
}

/** Says of a node why the pod's hard constraints keep it away. */
export function spreadFilter(pod: Pod, nodes: readonly NodeState[], state: SchedulingState) {
  const constraints = constraintsOf(pod, 'DoNotSchedule')
  if (constraints.length === 0) return undefined
  const eligible = nodes.filter(({ node }) => hasAllKeys(node, constraints))
  const spreads = constraints.map(constraint => countSpread(pod, constraint, eligible, state))
  return ({ node }: NodeState): { reason: string; isResolvable: boolean } | undefined => {
    for (const { topologyKey, byPlace, fewest, self, maxSkew } of spreads) {
      const place = node.metadata.labels?.[topologyKey]
      if (place === undefined) return { reason: SPREAD_LABEL_MISSING, isResolvable: false }
      if ((byPlace.get(place) ?? 0) + self - fewest > maxSkew) return { reason: SPREAD_CONFLICT, isResolvable: true }
    }
    return undefined
  }
}

/** The more of the pod's kind a place has, the higher. Undefined when nothing asks for spreading. */
export function spreadCost(
  pod: Pod,
  controller: string | undefined,
  feasible: readonly NodeState[],
  state: SchedulingState,
) {
  const constraints = constraintsOf(pod, 'ScheduleAnyway')
  const hasOwn = (pod.spec?.topologySpreadConstraints ?? []).length > 0
  if (hasOwn && constraints.length === 0) return undefined
  if (!hasOwn && controller === undefined) return undefined
  const eligible = hasOwn ? feasible.filter(({ node }) => hasAllKeys(node, constraints)) : feasible
  const spreads = hasOwn
    ? constraints.map(constraint => countSpread(pod, constraint, eligible, state))
    : defaultSpreads(state.countOfController(controller as string), feasible)
  const ignored = new Set(feasible.filter(node => !eligible.includes(node)).map(({ name }) => name))
  return {
    ignored,
    costOf({ node, name }: NodeState): number {
      let cost = 0
      for (const { topologyKey, maxSkew, byNode, byPlace } of spreads) {
        const place = node.metadata.labels?.[topologyKey]
        if (place === undefined) continue
        const count = topologyKey === HOSTNAME ? (byNode.get(name) ?? 0) : (byPlace.get(place) ?? 0)
        const places = topologyKey === HOSTNAME ? feasible.length - ignored.size : byPlace.size
        cost += count * Math.log(places + 2) + maxSkew - 1
      }
      return Math.round(cost)
    },
  }
}

const NOWHERE: ReadonlyMap<string, number> = new Map()

/** Pods of one controller are spread over nodes, and over zones, without being asked. */
function defaultSpreads(byNode: CountByNode, nodes: readonly NodeState[]): Spread[] {
  const of = (topologyKey: string, maxSkew: number): Spread => ({
    topologyKey,
    maxSkew,
    byNode,
    byPlace: topologyKey === HOSTNAME ? NOWHERE : sumByPlace(nodes, topologyKey, byNode),
    fewest: 0,
    self: 1,
  })
  return nodes.some(({ node }) => node.metadata.labels?.[ZONE] !== undefined)
    ? [of(HOSTNAME, 3), of(ZONE, 5)]
    : [of(HOSTNAME, 3)]
}

function constraintsOf({ spec }: Pod, whenUnsatisfiable: string): TopologySpreadConstraint[] {
  return (spec?.topologySpreadConstraints ?? []).filter(
    constraint => constraint.whenUnsatisfiable === whenUnsatisfiable,
  )
}

const hasAllKeys = (node: Node, constraints: readonly TopologySpreadConstraint[]) =>
  constraints.every(({ topologyKey }) => node.metadata.labels?.[topologyKey] !== undefined)

function countSpread(
  pod: Pod,
  constraint: TopologySpreadConstraint,
  nodes: readonly NodeState[],
  state: SchedulingState,
): Spread {
  const { topologyKey, maxSkew, minDomains = 1 } = constraint
  const set = spreadSet(selectorWithKeys(pod, constraint), pod.metadata.namespace ?? '')
  const byNode = state.countOf(set)
  const counted = nodes.filter(({ node }) => isCounted(pod, constraint, node))
  const byPlace = sumByPlace(counted, topologyKey, byNode)
  const fewest = byPlace.size < minDomains || byPlace.size === 0 ? 0 : Math.min(...byPlace.values())
  const self = state.includes(set, pod) ? 1 : 0
  return { topologyKey, maxSkew, byNode, byPlace, fewest, self }
}

/** `matchLabelKeys` narrows the selector to the pod's own values (a Deployment's `pod-template-hash`). */
function selectorWithKeys({ metadata }: Pod, { labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint) {
  const values = matchLabelKeys.flatMap(key => {
    const value = metadata.labels?.[key]
    return value === undefined ? [] : [{ key, operator: 'In', values: [value] }]
  })
  if (values.length === 0 || labelSelector === undefined) return labelSelector
  return { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...values] }
}

function isCounted(pod: Pod, { nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint, node: Node): boolean {
  if ((nodeAffinityPolicy ?? 'Honor') === 'Honor' && !isWanted(pod, node)) return false
  if ((nodeTaintsPolicy ?? 'Ignore') === 'Ignore') return true
  return (node.spec?.taints ?? []).every(taint => !keepsAway(taint) || isTolerated(taint, pod.spec?.tolerations))
}

export function sumByPlace(nodes: readonly NodeState[], topologyKey: string, byNode: CountByNode): Map<string, number> {
  const byPlace = new Map<string, number>()
  for (const { node, name } of nodes) {
    const place = node.metadata.labels?.[topologyKey]
    if (place !== undefined) byPlace.set(place, (byPlace.get(place) ?? 0) + (byNode.get(name) ?? 0))
  }
  return byPlace
}
