import type { Pod } from '@tiphys/kube/kinds'
import { createFilter, type Misfit } from './choose-node.ts'
import { factsOf, type NodeState, type PodFacts, type SchedulingState } from './scheduling-state.ts'
import { preemptionMessage } from './unschedulable-message.ts'
import { type ClaimedVolumes, readClaims } from './volume-claims.ts'

/** What making room for a pod takes. */
export type Preemption =
  | { node: string; victims: readonly Pod[] }
  /** Why no room can be made. */
  | { refusal: string }

const NO_VICTIMS: Misfit = { reasons: ['No preemption victims found for incoming pod'], isResolvable: false }

/** Finds the node on which the fewest and least important pods have to go. The state is changed while it looks, and as it
 *  was when it returns. `misfits` of a pod that no node is fit for at all is empty. */
export function findPreemption(pod: Pod, misfits: ReadonlyMap<string, Misfit>, state: SchedulingState): Preemption {
  const nodes = state.nodes()
  if (pod.spec?.preemptionPolicy === 'Never') return { refusal: 'not eligible due to preemptionPolicy=Never.' }
  const nominated = state.node(pod.status?.nominatedNodeName ?? '')
  const facts = factsOf(pod)
  if (nominated && misfits.get(nominated.name)?.isResolvable && isBeingFreed(facts, nominated)) {
    return { refusal: 'not eligible due to a terminating pod on the nominated node.' }
  }
  const volumes = readClaims(pod, state.volumes)
  const found: Candidate[] = []
  const failed: Misfit[] = []
  for (const node of nodes) {
    if (!misfits.get(node.name)?.isResolvable || typeof volumes === 'string') continue
    const candidate = state.hasBelow(facts.priority) ? selectVictims(facts, volumes, node, state) : NO_VICTIMS
    if ('victims' in candidate) found.push(candidate)
    else failed.push(candidate)
  }
  const best = found.reduce<Candidate | undefined>((a, b) => (a && isGentler(a, b) ? a : b), undefined)
  if (best) return { node: best.node, victims: best.victims.map(victim => victim.pod) }
  return { refusal: preemptionMessage(failed, nodes.length) }
}

interface Candidate {
  node: string
  /** The most important first. */
  victims: readonly PodFacts[]
}

const isBeingFreed = ({ priority }: PodFacts, node: NodeState) =>
  [...node.pods.values()].some(
    victim =>
      victim.priority < priority &&
      victim.pod.metadata.deletionTimestamp !== undefined &&
      victim.pod.status?.conditions?.some(
        ({ type, reason }) => type === 'DisruptionTarget' && reason === 'PreemptionByScheduler',
      ),
  )

function selectVictims(facts: PodFacts, volumes: ClaimedVolumes, node: NodeState, state: SchedulingState) {
  const potential = [...node.pods.values()].filter(({ priority }) => priority < facts.priority).sort(byImportance)
  if (potential.length === 0) return NO_VICTIMS
  const check = () => createFilter(facts, volumes, state.nodes(), state)(node)
  for (const { uid } of potential) state.remove(uid)
  const misfit = check()
  const victims: PodFacts[] = []
  for (const spared of potential) {
    state.place(spared, node.name)
    if (misfit || !check()) continue
    state.remove(spared.uid)
    victims.push(spared)
  }
  for (const victim of victims) state.place(victim, node.name)
  return misfit ?? { node: node.name, victims }
}

const startOf = ({ pod }: PodFacts) => pod.status?.startTime ?? pod.metadata.creationTimestamp ?? ''
const byImportance = (a: PodFacts, b: PodFacts) => b.priority - a.priority || (startOf(a) < startOf(b) ? -1 : 1)

/** Lower highest priority, then lower sum, then fewer pods, then the later start of the most important. */
function isGentler(a: Candidate, b: Candidate): boolean {
  const highest = ({ victims }: Candidate) => victims[0]?.priority ?? Number.NEGATIVE_INFINITY
  const sum = ({ victims }: Candidate) => victims.reduce((total, { priority }) => total + priority + 2 ** 31, 0)
  const order = highest(a) - highest(b) || sum(a) - sum(b) || a.victims.length - b.victims.length
  if (order !== 0) return order < 0
  return a.victims[0] === undefined || b.victims[0] === undefined || startOf(a.victims[0]) >= startOf(b.victims[0])
}
