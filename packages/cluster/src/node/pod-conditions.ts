import type { Pod, PodCondition } from '@tiphys/kube/kinds'
import { formatTime } from '../timestamp.ts'
import type { ObservedPod } from './observed-pod.ts'
import type { ShownContainer } from './pod-status.ts'

/** Says that no program stands behind the pod. */
export const SIMULATED_CONDITION = 'tiphys.dev/simulated'

/** Says of a pod that has succeeded that nothing was printed in it, so that nobody has to ask for its logs. Said where the pod's
 *  annotation `tiphys.dev/tell-silence` is `true`. */
const SILENT_CONDITION = 'tiphys.dev/silent'
const TELL_SILENCE_ANNOTATION = 'tiphys.dev/tell-silence'

type Finding = Pick<PodCondition, 'status' | 'reason' | 'message'>

/** The conditions that a node owns. */
export function podConditions(
  pod: Pod,
  observed: ObservedPod,
  shown: readonly ShownContainer[],
  phase: string,
  now: number,
): PodCondition[] {
  const containersReady = findContainersReady(shown, phase)
  const simulated = findSimulated(observed)
  const findings: [string, Finding][] = [
    ['PodReadyToStartContainers', { status: hasNetwork(observed, phase) ? 'True' : 'False' }],
    ['Initialized', findInitialized(shown, phase)],
    ['Ready', containersReady.status === 'True' ? findGates(pod) : containersReady],
    ['ContainersReady', containersReady],
    ['PodScheduled', { status: 'True' }],
    ...(simulated ? [[SIMULATED_CONDITION, simulated] satisfies [string, Finding]] : []),
    ...(isToldSilent(pod, observed, phase) ? [[SILENT_CONDITION, NOTHING_PRINTED] satisfies [string, Finding]] : []),
  ]
  return findings.map(([type, finding]) => conditionOf(pod, type, finding, now))
}

/** Nothing starts any more in a pod that is done; its network goes next. */
const hasNetwork = ({ sandbox }: ObservedPod, phase: string) =>
  sandbox.state === 'ready' && phase !== 'Succeeded' && phase !== 'Failed'

function conditionOf({ metadata, status }: Pod, type: string, finding: Finding, now: number): PodCondition {
  const before = status?.conditions?.find(condition => condition.type === type)
  const isSame = before?.status === finding.status
  return {
    type,
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    ...finding,
    lastTransitionTime: isSame && before.lastTransitionTime ? before.lastTransitionTime : formatTime(now),
  }
}

function findContainersReady(shown: readonly ShownContainer[], phase: string): Finding {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' }
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' }
  const counts = ({ each }: ShownContainer) => each.role === 'main' || each.role === 'sidecar'
  const unready = shown.filter(container => counts(container) && !container.status.ready).map(nameOf)
  if (unready.length === 0) return { status: 'True' }
  return {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${unready.join(' ')}]`,
  }
}

function findInitialized(shown: readonly ShownContainer[], phase: string): Finding {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' }
  const hasMainBegun = shown.some(
    ({ each, status: { state, lastState } }) =>
      each.role === 'main' && (state?.running ?? state?.terminated ?? lastState?.terminated) !== undefined,
  )
  if (hasMainBegun) return { status: 'True' }
  const incomplete = shown.filter(({ each, status }) =>
    each.role === 'init' ? !status.ready : each.role === 'sidecar' && !status.started,
  )
  if (incomplete.length === 0) return { status: 'True' }
  return {
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${incomplete.map(nameOf).join(' ')}]`,
  }
}

const nameOf = ({ status }: ShownContainer) => status.name

/** What others have to agree to before the pod counts as ready. */
function findGates({ spec, status }: Pod): Finding {
  const messages = (spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = status?.conditions?.find(({ type }) => type === conditionType)
    if (!condition) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`]
    if (condition.status === 'True') return []
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`]
  })
  if (messages.length === 0) return { status: 'True' }
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: messages.join(', ') }
}

function findSimulated({ containers }: ObservedPod): Finding | undefined {
  const reasons = [...new Set([...containers.values()].flatMap(({ simulated }) => simulated ?? []))]
  if (reasons.length === 0) return undefined
  return { status: 'True', reason: 'Simulated', message: reasons.join(' ') }
}

const NOTHING_PRINTED: Finding = { status: 'True', reason: 'NothingPrinted' }

const isToldSilent = ({ metadata }: Pod, { containers }: ObservedPod, phase: string): boolean =>
  phase === 'Succeeded' &&
  metadata.annotations?.[TELL_SILENCE_ANNOTATION] === 'true' &&
  [...containers.values()].every(({ isSilent }) => isSilent)
