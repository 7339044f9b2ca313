import type { Node, Pod } from '@tiphys/kube/kinds'
import { type HostPort, hostPorts, podRequests, podWeight } from './pod-resources.ts'
import { type NamespaceLabels, type PodSet, type PodTerm, podTerm } from './pod-term.ts'
import { type Amounts, addAmounts, amountsOf } from './resource-amounts.ts'
import { claimNames, type VolumeLookup } from './volume-claims.ts'

/** What scheduling needs to know of a pod, read once. */
export interface PodFacts {
  /** The newest that was seen: nothing else here depends on what may differ between its versions. */
  pod: Pod
  readonly uid: string
  readonly requests: Amounts
  readonly weight: { cpu: number; memory: number }
  readonly ports: readonly HostPort[]
  readonly affinity: readonly PodTerm[]
  readonly antiAffinity: readonly PodTerm[]
  /** Preferred terms; anti-affinity has a negative weight. */
  readonly preferred: readonly { term: PodTerm; weight: number }[]
  /** `namespace/name` of the claims it uses. */
  readonly claims: readonly string[]
  readonly controller: string | undefined
  readonly priority: number
}

export function factsOf(pod: Pod): PodFacts {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {}
  const weighted = (
    terms: NonNullable<typeof podAffinity>['preferredDuringSchedulingIgnoredDuringExecution'],
    sign: number,
  ) =>
    (terms ?? []).map(({ podAffinityTerm, weight }) => ({ term: podTerm(podAffinityTerm, pod), weight: sign * weight }))
  return {
    pod,
    uid: pod.metadata.uid ?? '',
    requests: podRequests(pod),
    weight: podWeight(pod),
    ports: hostPorts(pod),
    affinity: (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(term => podTerm(term, pod)),
    antiAffinity: (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(term =>
      podTerm(term, pod),
    ),
    preferred: [
      ...weighted(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution, 1),
      ...weighted(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution, -1),
    ],
    claims: claimNames(pod).map(({ name }) => `${pod.metadata.namespace}/${name}`),
    controller: pod.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid,
    priority: pod.spec?.priority ?? 0,
  }
}

/** A node and the sums of what runs on it. */
export interface NodeState {
  readonly node: Node
  readonly name: string
  readonly allocatable: Amounts
  readonly requested: ReadonlyMap<string, number>
  readonly weight: Readonly<{ cpu: number; memory: number }>
  readonly pods: ReadonlyMap<string, PodFacts>
  readonly ports: readonly HostPort[]
}

/** How many of something there are on each node, by the node's name; nodes without any are left out. */
export type CountByNode = ReadonlyMap<string, number>

interface MutableNodeState extends NodeState {
  node: Node
  allocatable: Amounts
  requested: Map<string, number>
  weight: { cpu: number; memory: number }
  pods: Map<string, PodFacts>
  ports: HostPort[]
}

class Counter {
  readonly byNode = new Map<string, number>()

  change(node: string, by: number): void {
    const count = (this.byNode.get(node) ?? 0) + by
    if (count === 0) this.byNode.delete(node)
    else this.byNode.set(node, count)
  }
}

interface TermCounter extends Counter {
  term: PodTerm
  weight: number
}

/** How many sets of pods are counted at the same time; the one that was asked for longest ago is forgotten. */
const MOST_SETS = 256

/** The cluster as the scheduler sees it: nodes, what runs on them, and sums that are kept up to date with every change, so
 *  that choosing a node never looks at all pods. */
export class SchedulingState {
  readonly volumes: VolumeLookup
  readonly #namespaceLabels: NamespaceLabels
  /** Also of nodes that are not there (yet), when pods name them. */
  readonly #nodes = new Map<string, MutableNodeState>()
  #present: NodeState[] | undefined
  readonly #placed = new Map<string, { node: string; facts: PodFacts }>()
  readonly #sets = new Map<string, { set: PodSet; counter: Counter }>()
  readonly #antiAffinity = new Map<string, TermCounter>()
  readonly #attraction = new Map<string, TermCounter>()
  readonly #controllers = new Map<string, Counter>()
  readonly #claims = new Map<string, Counter>()
  readonly #priorities = new Map<number, number>()

  constructor(volumes: VolumeLookup, namespaceLabels: NamespaceLabels) {
    this.volumes = volumes
    this.#namespaceLabels = namespaceLabels
  }

  /** In the order of their names. */
  nodes(): readonly NodeState[] {
    this.#present ??= [...this.#nodes.values()]
      .filter(({ node }) => node !== ABSENT)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    return this.#present
  }

  node(name: string): NodeState | undefined {
    const state = this.#nodes.get(name)
    return state?.node === ABSENT ? undefined : state
  }

  setNode(node: Node): void {
    const state = this.#nodeState(node.metadata.name ?? '')
    state.node = node
    state.allocatable = amountsOf(node.status?.allocatable)
    this.#present = undefined
  }

  removeNode(name: string): void {
    const state = this.#nodes.get(name)
    if (!state) return
    state.node = ABSENT
    if (state.pods.size === 0) this.#nodes.delete(name)
    this.#present = undefined
  }

  hasPod(uid: string): boolean {
    return this.#placed.has(uid)
  }

  nodeOf(uid: string): string | undefined {
    return this.#placed.get(uid)?.node
  }

  /** A newer version of a pod whose place and needs are the same. */
  refresh(pod: Pod): void {
    const placed = this.#placed.get(pod.metadata.uid ?? '')
    if (placed) placed.facts.pod = pod
  }

  place(facts: PodFacts, node: string): void {
    this.remove(facts.uid)
    this.#placed.set(facts.uid, { node, facts })
    this.#count(facts, node, 1)
  }

  remove(uid: string): void {
    const placed = this.#placed.get(uid)
    if (!placed) return
    this.#placed.delete(uid)
    this.#count(placed.facts, placed.node, -1)
  }

  /** How many pods of the set run on each node. The first question looks at all pods, later ones at none. */
  countOf(set: PodSet): CountByNode {
    const known = this.#sets.get(set.key)
    if (known) {
      this.#sets.delete(set.key)
      this.#sets.set(set.key, known)
      return known.counter.byNode
    }
    const counter = new Counter()
    for (const { node, facts } of this.#placed.values()) {
      if (set.includes(facts.pod, this.#namespaceLabels)) counter.change(node, 1)
    }
    this.#sets.set(set.key, { set, counter })
    if (this.#sets.size > MOST_SETS) this.#sets.delete(this.#sets.keys().next().value as string)
    return counter.byNode
  }

  includes(set: PodSet, pod: Pod): boolean {
    return set.includes(pod, this.#namespaceLabels)
  }

  /** Required anti-affinity terms of running pods that speak of this pod. */
  antiAffinityAgainst(pod: Pod): { topologyKey: string; byNode: CountByNode }[] {
    return this.#termsAbout(this.#antiAffinity, pod)
  }

  /** Terms of running pods that would like this pod near (positive) or far. */
  attractionTo(pod: Pod): { topologyKey: string; byNode: CountByNode; weight: number }[] {
    return this.#termsAbout(this.#attraction, pod)
  }

  /** Whether anything runs that is less important. */
  hasBelow(priority: number): boolean {
    for (const known of this.#priorities.keys()) if (known < priority) return true
    return false
  }

  /** Where pods run that use a claim (`namespace/name`). */
  countOfClaim(claim: string): CountByNode {
    return this.#claims.get(claim)?.byNode ?? NONE
  }

  countOfController(uid: string): CountByNode {
    return this.#controllers.get(uid)?.byNode ?? NONE
  }

  /** Namespaces have other labels now: sets that depend on them are counted anew. */
  forgetSets(): void {
    this.#sets.clear()
  }

  #termsAbout(counters: ReadonlyMap<string, TermCounter>, pod: Pod) {
    const about: { topologyKey: string; byNode: CountByNode; weight: number }[] = []
    for (const { term, weight, byNode } of counters.values()) {
      if (this.includes(term.pods, pod)) about.push({ topologyKey: term.topologyKey, byNode, weight })
    }
    return about
  }

  #nodeState(name: string): MutableNodeState {
    const known = this.#nodes.get(name)
    if (known) return known
    const state: MutableNodeState = {
      node: ABSENT,
      name,
      allocatable: new Map(),
      requested: new Map(),
      weight: { cpu: 0, memory: 0 },
      pods: new Map(),
      ports: [],
    }
    this.#nodes.set(name, state)
    return state
  }

  #count(facts: PodFacts, nodeName: string, by: 1 | -1): void {
    const state = this.#nodeState(nodeName)
    if (by > 0) state.pods.set(facts.uid, facts)
    else state.pods.delete(facts.uid)
    addAmounts(state.requested, facts.requests, by)
    state.weight.cpu += by * facts.weight.cpu
    state.weight.memory += by * facts.weight.memory
    if (by > 0) state.ports.push(...facts.ports)
    else state.ports = state.ports.filter(port => !facts.ports.includes(port))
    for (const { set, counter } of this.#sets.values()) {
      if (this.includes(set, facts.pod)) counter.change(nodeName, by)
    }
    for (const term of facts.antiAffinity) changeTerm(this.#antiAffinity, term, 0, nodeName, by)
    for (const term of facts.affinity) changeTerm(this.#attraction, term, HARD_AFFINITY_WEIGHT, nodeName, by)
    for (const { term, weight } of facts.preferred) changeTerm(this.#attraction, term, weight, nodeName, by)
    const samePriority = (this.#priorities.get(facts.priority) ?? 0) + by
    if (samePriority === 0) this.#priorities.delete(facts.priority)
    else this.#priorities.set(facts.priority, samePriority)
    if (facts.controller !== undefined) changeCounter(this.#controllers, facts.controller, nodeName, by)
    for (const claim of facts.claims) changeCounter(this.#claims, claim, nodeName, by)
    if (by < 0 && state.pods.size === 0 && state.node === ABSENT) this.#nodes.delete(nodeName)
  }
}

/** What a running pod's required affinity to a new one is worth. */
const HARD_AFFINITY_WEIGHT = 1
const NONE: CountByNode = new Map()
const ABSENT: Node = { apiVersion: 'v1', kind: 'Node', metadata: {} }

function changeCounter(counters: Map<string, Counter>, key: string, node: string, by: number): void {
  const counter = counters.get(key) ?? new Counter()
  counter.change(node, by)
  if (counter.byNode.size === 0) counters.delete(key)
  else counters.set(key, counter)
}

function changeTerm(counters: Map<string, TermCounter>, term: PodTerm, weight: number, node: string, by: number): void {
  const key = `${weight} ${term.key}`
  const counter = counters.get(key) ?? Object.assign(new Counter(), { term, weight })
  counter.change(node, by)
  if (counter.byNode.size === 0) counters.delete(key)
  else counters.set(key, counter)
}
