import type { Pod } from '@tiphys/kube/kinds'
import { isTolerated, isWanted, keepsAway, matchesTerm, namedNodes } from './node-matching.ts'
import { affinityFilter, affinityScore } from './pod-affinity.ts'
import { isSamePort } from './pod-resources.ts'
import { factsOf, type NodeState, type PodFacts, type SchedulingState } from './scheduling-state.ts'
import { spreadCost, spreadFilter } from './topology-spread.ts'
import { type ClaimedVolumes, EXCLUSIVE_IN_USE, planVolumes, readClaims, type VolumePlan } from './volume-claims.ts'

/** Where a pod goes, or why nowhere. */
export type Choice =
  | { node: string; volumes: VolumePlan }
  /** No node can take it whatever the nodes are like: a claim is missing, for one. */
  | { refusal: string }
  /** Every node, with why it does not do. */
  | { misfits: ReadonlyMap<string, Misfit> }

/** Why a node does not do. `isResolvable`: removing pods from the node could change that. */
export interface Misfit {
  reasons: readonly string[]
  isResolvable: boolean
}

const NO_PLAN: VolumePlan = { matched: [], provisioned: [] }
const UNSCHEDULABLE_TAINT = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

/** The best node for a pod. The same state gives the same node: of nodes that are equally good the one with the fewest
 *  pods, then the first by name. */
export function chooseNode(pod: Pod, nodes: readonly NodeState[], state: SchedulingState): Choice {
  const facts = factsOf(pod)
  const volumes = readClaims(pod, state.volumes)
  if (typeof volumes === 'string') return { refusal: volumes }
  const check = createFilter(facts, volumes, nodes, state)
  const named = namedNodes(pod)
  const misfits = new Map<string, Misfit>()
  const feasible: NodeState[] = []
  for (const node of nodes) {
    const misfit = named && !named.has(node.name) ? NOT_NAMED : check(node)
    if (misfit) misfits.set(node.name, misfit)
    else feasible.push(node)
  }
  const best = feasible.length > 1 ? mostLiked(facts, feasible, nodes, state) : feasible[0]
  if (!best) return { misfits }
  const plan = volumes.waiting.length === 0 ? NO_PLAN : planVolumes(volumes, best.node, state.volumes)
  return { node: best.name, volumes: plan as VolumePlan }
}

const NOT_NAMED: Misfit = { reasons: ["node(s) didn't satisfy plugin(s) [NodeAffinity]"], isResolvable: false }

/** Whether a node could take the pod: the first rule that it breaks, with all the reasons of that rule. */
export function createFilter(
  facts: PodFacts,
  volumes: ClaimedVolumes,
  nodes: readonly NodeState[],
  state: SchedulingState,
): (node: NodeState) => Misfit | undefined {
  const { pod } = facts
  const { nodeName, tolerations } = pod.spec ?? {}
  const spread = spreadFilter(pod, nodes, state)
  const affinity = affinityFilter(facts, nodes, state)
  const hasVolumes = volumes.bound.length + volumes.waiting.length > 0
  const isClaimTaken = volumes.exclusive.some(claim => state.countOfClaim(claim).size > 0)
  const never = (reason: string): Misfit => ({ reasons: [reason], isResolvable: false })

  return nodeState => {
    const { node, name } = nodeState
    if (node.spec?.unschedulable === true && !isTolerated(UNSCHEDULABLE_TAINT, tolerations)) {
      return never('node(s) were unschedulable')
    }
    if (nodeName && nodeName !== name) return never("node(s) didn't match the requested node name")
    if (node.spec?.taints?.some(taint => keepsAway(taint) && !isTolerated(taint, tolerations))) {
      return never('node(s) had untolerated taint(s)')
    }
    if (!isWanted(pod, node)) return never("node(s) didn't match Pod's node affinity/selector")
    if (facts.ports.some(port => nodeState.ports.some(taken => isSamePort(port, taken)))) {
      return { reasons: ["node(s) didn't have free ports for the requested pod ports"], isResolvable: true }
    }
    const shortage = findShortage(facts, nodeState)
    if (shortage) return shortage
    if (isClaimTaken) return { reasons: [EXCLUSIVE_IN_USE], isResolvable: true }
    if (hasVolumes) {
      const plan = planVolumes(volumes, node, state.volumes)
      if (typeof plan === 'string') return never(plan)
    }
    const conflict = spread?.(nodeState) ?? affinity?.(nodeState)
    return conflict && { reasons: [conflict.reason], isResolvable: conflict.isResolvable }
  }
}

function findShortage({ requests }: PodFacts, { allocatable, requested, pods }: NodeState): Misfit | undefined {
  let reasons: string[] | undefined
  let isResolvable = true
  if (pods.size + 1 > (allocatable.get('pods') ?? 0)) reasons = ['Too many pods']
  for (const [resource, amount] of requests) {
    if (amount === 0) continue
    const total = allocatable.get(resource) ?? 0
    if (amount <= total - (requested.get(resource) ?? 0)) continue
    reasons ??= []
    reasons.push(`Insufficient ${resource}`)
    if (amount > total) isResolvable = false
  }
  return reasons && { reasons, isResolvable }
}

const WEIGHTS = { taints: 3, nodeAffinity: 2, spread: 2, podAffinity: 2 }
const TOP = 100

function mostLiked(
  facts: PodFacts,
  feasible: readonly NodeState[],
  nodes: readonly NodeState[],
  state: SchedulingState,
): NodeState | undefined {
  const scores = feasible.map(node => leastAllocated(facts, node) + balanced(facts, node))
  const add = (weight: number, liking: readonly number[]) => {
    for (const [i, score] of liking.entries()) scores[i] = (scores[i] ?? 0) + weight * score
  }
  const { pod } = facts
  if (feasible.some(({ node }) => node.spec?.taints?.some(({ effect }) => effect === 'PreferNoSchedule'))) {
    add(WEIGHTS.taints, fewestFirst(feasible.map(node => unwelcomeTaints(pod, node))))
  }
  const preferred = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  if (preferred.length > 0) {
    const sums = feasible.map(({ node }) =>
      preferred.reduce((sum, { preference, weight }) => sum + (matchesTerm(preference, node) ? weight : 0), 0),
    )
    add(WEIGHTS.nodeAffinity, mostFirst(sums))
  }
  const spread = spreadCost(pod, facts.controller, feasible, state)
  if (spread) {
    const costs = feasible.map(node => (spread.ignored.has(node.name) ? undefined : spread.costOf(node)))
    add(WEIGHTS.spread, evenlyFirst(costs))
  }
  const liking = affinityScore(facts, nodes, state)
  if (liking) add(WEIGHTS.podAffinity, scaled(feasible.map(liking)))
  return firstBest(feasible, scores)
}

function firstBest(feasible: readonly NodeState[], scores: readonly number[]): NodeState | undefined {
  let best = 0
  for (let i = 1; i < feasible.length; i++) {
    const difference = (scores[i] as number) - (scores[best] as number)
    const isEmptier = (feasible[i] as NodeState).pods.size < (feasible[best] as NodeState).pods.size
    if (difference > 0 || (difference === 0 && isEmptier)) best = i
  }
  return feasible[best]
}

const unwelcomeTaints = (pod: Pod, { node }: NodeState) =>
  (node.spec?.taints ?? []).filter(
    taint => taint.effect === 'PreferNoSchedule' && !isTolerated(taint, pod.spec?.tolerations),
  ).length

/** The freer a node would be with the pod on it, the better. */
function leastAllocated({ weight }: PodFacts, { allocatable, weight: taken }: NodeState): number {
  const free = (resource: 'cpu' | 'memory') => {
    const total = allocatable.get(resource) ?? 0
    const used = taken[resource] + weight[resource]
    return total === 0 || used > total ? 0 : Math.floor(((total - used) * TOP) / total)
  }
  return Math.floor((free('cpu') + free('memory')) / 2)
}

/** The more evenly a node's resources would be used, the better. */
function balanced({ requests }: PodFacts, { allocatable, requested }: NodeState): number {
  const share = (resource: string) => {
    const total = allocatable.get(resource) ?? 0
    return total === 0 ? 0 : Math.min(1, ((requested.get(resource) ?? 0) + (requests.get(resource) ?? 0)) / total)
  }
  return Math.floor((1 - Math.abs(share('cpu') - share('memory')) / 2) * TOP)
}

const mostFirst = (values: readonly number[]) => {
  const highest = Math.max(...values)
  return values.map(value => (highest === 0 ? 0 : Math.floor((value * TOP) / highest)))
}

const fewestFirst = (values: readonly number[]) => {
  const highest = Math.max(...values)
  return values.map(value => (highest === 0 ? TOP : TOP - Math.floor((value * TOP) / highest)))
}

const evenlyFirst = (costs: readonly (number | undefined)[]) => {
  const known = costs.filter(cost => cost !== undefined)
  const [lowest, highest] = [Math.min(...known), Math.max(...known, 0)]
  return costs.map(cost => {
    if (cost === undefined) return 0
    return highest === 0 ? TOP : Math.floor((TOP * (highest + lowest - cost)) / highest)
  })
}

const scaled = (values: readonly number[]) => {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)]
  return values.map(value => (highest === lowest ? 0 : Math.floor((TOP * (value - lowest)) / (highest - lowest))))
}
