import type { ControllerRevision, DaemonSet, Node, Pod } from '@tiphys/kube/kinds'
import { resolveIntOrPercent } from '../int-or-percent.ts'
import { isAvailable, isReady, isTerminal } from '../pods/readiness.ts'
import { compareDaemons, fits, HASH_LABEL, hashOf, isUpToDate, nodeOf } from './daemon-pod.ts'

export interface ObservedDaemons {
  set: DaemonSet
  /** The revision of the set's present template. */
  revision: ControllerRevision
  nodes: readonly Node[]
  pods: readonly Pod[]
  /** Whether a failed pod on this node may be replaced now, or has to wait because others failed there just before. */
  mayReplace: (node: string) => boolean
  now: number
}

export interface DaemonPlan {
  /** Nodes that need a pod. */
  create: string[]
  delete: Pod[]
  /** Pods among `delete` that have ended, and where. */
  ended: { pod: Pod; node: string }[]
}

/** What can be done now: first that every node has the pod it should have and no other, then an update. */
export function planDaemons(observed: ObservedDaemons): DaemonPlan {
  const byNode = groupByNode(observed.pods)
  const plan: DaemonPlan = { create: [], delete: [], ended: [] }
  for (const node of observed.nodes) planNode(observed, node, byNode.get(node.metadata.name ?? ''), plan)
  const names = new Set(observed.nodes.map(({ metadata }) => metadata.name))
  for (const [node, pods] of byNode) {
    if (!names.has(node)) plan.delete.push(...pods.filter(({ spec }) => !spec?.nodeName))
  }
  const isSettled = plan.create.length + plan.delete.length === 0
  if (!isSettled || observed.set.spec?.updateStrategy?.type !== 'RollingUpdate') return plan
  return planUpdate(observed, byNode)
}

/** The pods by the node they are for. Those that ended and are being deleted are past caring about. */
export function groupByNode(pods: readonly Pod[]): Map<string, Pod[]> {
  const byNode = new Map<string, Pod[]>()
  for (const pod of pods) {
    const node = nodeOf(pod)
    if (node === undefined || (isTerminal(pod) && isDeleted(pod))) continue
    byNode.set(node, [...(byNode.get(node) ?? []), pod])
  }
  return byNode
}

function planNode(observed: ObservedDaemons, node: Node, pods: readonly Pod[] | undefined, plan: DaemonPlan): void {
  const { set, mayReplace } = observed
  const name = node.metadata.name ?? ''
  const { run, stay } = fits(set, node)
  if (run && !pods) {
    plan.create.push(name)
    return
  }
  const present = (pods ?? []).filter(pod => !isDeleted(pod))
  if (!stay) {
    plan.delete.push(...present)
    return
  }
  const ended = present.filter(pod => pod.status?.phase === 'Succeeded' || (isFailed(pod) && mayReplace(name)))
  plan.delete.push(...ended)
  plan.ended.push(...ended.map(pod => ({ pod, node: name })))
  const running = present.filter(pod => !isTerminal(pod)).toSorted(compareDaemons)
  if (!allowsSurge(set)) plan.delete.push(...running.slice(1))
  else if (running.length === 0 && run) plan.create.push(name)
  else plan.delete.push(...surplusOfSurge(observed, running))
}

/** With a surge a node may have two pods for a while: an old one that is ready, and a new one that is not available yet. */
function surplusOfSurge({ set, revision, now }: ObservedDaemons, running: readonly Pod[]): Pod[] {
  if (running.length <= 1) return []
  const isNew = ({ metadata }: Pod) => metadata.labels?.[HASH_LABEL] === hashOf(revision)
  const newest = running.find(isNew)
  const old = running.find(pod => !isNew(pod))
  const surplus = running.filter(pod => pod !== newest && pod !== old)
  if (!newest || !old) return surplus
  const isOver = !isReady(old) || isAvailable(newest, set.spec?.minReadySeconds ?? 0, now)
  return isOver ? [...surplus, old] : surplus
}

interface Limits {
  surge: number
  unavailable: number
  desired: number
}

function limitsOf({ set, nodes }: ObservedDaemons): Limits {
  const { maxSurge, maxUnavailable } = set.spec?.updateStrategy?.rollingUpdate ?? {}
  const desired = nodes.filter(node => fits(set, node).run).length
  const surge = resolveIntOrPercent(maxSurge, desired, 'up')
  const unavailable = resolveIntOrPercent(maxUnavailable, desired, 'up')
  return { surge, unavailable: desired > 0 && surge === 0 && unavailable === 0 ? 1 : unavailable, desired }
}

const allowsSurge = ({ spec }: DaemonSet) =>
  spec?.updateStrategy?.type === 'RollingUpdate' &&
  resolveIntOrPercent(spec.updateStrategy.rollingUpdate?.maxSurge, 1, 'up') > 0

/** The pods of one node that are not being deleted, when there is at most one of each. */
type NodeState = { node: string; isCrowded: false; current?: Pod; old?: Pod } | { node: string; isCrowded: true }

function stateOf({ set, revision }: ObservedDaemons, node: string, pods: readonly Pod[]): NodeState {
  const present = pods.filter(pod => !isDeleted(pod))
  const [current, ...moreCurrent] = present.filter(pod => isUpToDate(pod, set, revision))
  const [old, ...moreOld] = present.filter(pod => !isUpToDate(pod, set, revision))
  if (moreCurrent.length + moreOld.length > 0) return { node, isCrowded: true }
  return { node, isCrowded: false, ...(current && { current }), ...(old && { old }) }
}

function planUpdate(observed: ObservedDaemons, byNode: ReadonlyMap<string, Pod[]>): DaemonPlan {
  const limits = limitsOf(observed)
  const wanted = observed.nodes.filter(node => fits(observed.set, node).run).map(({ metadata }) => metadata.name ?? '')
  const names = [...new Set([...byNode.keys(), ...wanted])].toSorted()
  const states = names.map(name => stateOf(observed, name, byNode.get(name) ?? []))
  return limits.surge === 0 ? planReplacing(observed, states, limits) : planSurging(observed, states, limits)
}

/** Deletes old pods: those that are not available anyway, and of the others as many as may be unavailable. */
function planReplacing(observed: ObservedDaemons, states: readonly NodeState[], { unavailable }: Limits): DaemonPlan {
  const broken: Pod[] = []
  const candidates: Pod[] = []
  let missing = 0
  for (const state of states) {
    const { current, old } = state.isCrowded ? {} : state
    if (Boolean(current) === Boolean(old)) missing++
    else if (current) missing += isWhole(observed, current) ? 0 : 1
    else if (old && isWhole(observed, old)) candidates.push(old)
    else if (old) {
      broken.push(old)
      missing++
    }
  }
  const room = Math.max(0, unavailable - missing)
  return { create: [], delete: [...broken, ...candidates.slice(0, room)], ended: [] }
}

/** Creates new pods beside old ones, as many as the surge allows, and deletes old ones whose new one is available. */
function planSurging(observed: ObservedDaemons, states: readonly NodeState[], { surge, desired }: Limits): DaemonPlan {
  const { set, nodes } = observed
  const plan: DaemonPlan = { create: [], delete: [], ended: [] }
  const candidates: string[] = []
  const misplaced: Pod[] = []
  let surging = 0
  let available = 0
  for (const state of states) {
    if (state.isCrowded) {
      surging++
      continue
    }
    const { node, current, old } = state
    const serving = old ?? current
    if (serving && isWhole(observed, serving)) available++
    if (!old) continue
    if (current) {
      if (isWhole(observed, current)) plan.delete.push(old)
      else surging++
      continue
    }
    const place = nodes.find(({ metadata }) => metadata.name === node)
    const mayRun = place !== undefined && fits(set, place).run
    const isServing = isWhole(observed, old)
    if (mayRun) (isServing ? candidates : plan.create).push(node)
    else (isServing ? misplaced : plan.delete).push(old)
  }
  // A pod where none should be any more goes when another has taken its place.
  plan.delete.push(...misplaced.slice(0, Math.max(0, available - desired)))
  plan.create.push(...candidates.slice(0, Math.max(0, surge - surging)))
  return plan
}

const isDeleted = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined
const isFailed = ({ status }: Pod) => status?.phase === 'Failed'
const isWhole = ({ set, now }: ObservedDaemons, pod: Pod) => isAvailable(pod, set.spec?.minReadySeconds ?? 0, now)
