import type { Pod } from '@tiphys/kube/kinds'
import type { StepPods } from '../outputs/step-pods.ts'
import type { Observed, ObservedPod } from '../plan/plan.ts'
import { ANNOTATION } from '../pods/labels.ts'
import { missingShell } from '../pods/missing-shell.ts'
import type { NodeStatus, Workflow } from '../spec/workflow.ts'
import type { RunMemory } from './run-memory.ts'

/** What is known of a run, put together for planning. */
export function observeRun(
  workflow: Workflow,
  pods: readonly Pod[],
  stepPods: Pick<StepPods, 'observe'>,
  memory: RunMemory,
): Observed {
  const observed: Record<string, ObservedPod> = Object.fromEntries(memory.refusedPods)
  const isEnding = (workflow.spec.shutdown ?? '') !== ''
  for (const pod of pods) {
    const nodeId = pod.metadata.annotations?.[ANNOTATION.nodeId]
    if (nodeId === undefined) continue
    const seen = withShell(pod, stepPods.observe(pod, isEnding || memory.stopped.has(nodeId)))
    observed[nodeId] = seen
    if (seen.isUnstarted) memory.knownPods.delete(nodeId)
    else memory.knownPods.set(nodeId, pod.metadata.name ?? '')
  }
  // One that was there, or that the status has seen running, cannot be made a second time.
  for (const node of Object.values(workflow.status?.nodes ?? {})) {
    if (node.type !== 'Pod' || isFulfilled(node) || observed[node.id]) continue
    const name = memory.knownPods.get(node.id)
    if (name !== undefined || hasBeenSeen(node)) observed[node.id] = { name: name ?? '', phase: 'Gone' }
  }
  return {
    pods: observed,
    tasks: byKey(new Map([...memory.tasks].map(([id, { observed: task }]) => [id, task]))),
    memos: byKey(memory.memos),
    configMaps: byKey(memory.configMaps),
    volumeClaims: byKey(memory.claims),
    locks: byKey(memory.locks),
  }
}

const NONE = Object.freeze({})

/** Most runs have none of most things, and are planned often. */
const byKey = <V>(map: ReadonlyMap<string, V>): Readonly<Record<string, V>> =>
  map.size === 0 ? NONE : Object.fromEntries(map)

/** A pod whose wrapper could not be started, as planning is to see it. */
function withShell(pod: Pod, seen: ObservedPod): ObservedPod {
  const lack = missingShell(pod)
  if (lack === undefined || seen.phase === 'Gone') return seen
  const { name } = seen
  if (lack.way === 'plain') return { name, phase: 'Pending', isUnstarted: true, message: lack.message }
  return seen.outcome
    ? { ...seen, outcome: { ...seen.outcome, message: lack.message } }
    : { ...seen, message: lack.message }
}

const FULFILLED: readonly string[] = ['Succeeded', 'Failed', 'Error', 'Skipped', 'Omitted']

export const isFulfilled = ({ phase }: NodeStatus): boolean => FULFILLED.includes(phase)

const hasBeenSeen = ({ phase, hostNodeName, podIP }: NodeStatus): boolean =>
  phase === 'Running' || hostNodeName !== undefined || podIP !== undefined
