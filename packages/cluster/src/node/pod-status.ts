import type { ContainerStatus, Pod, PodCondition, PodStatus } from '@tiphys/kube/kinds'
import { formatTime } from '../timestamp.ts'
import { containerStatus } from './container-status.ts'
import type { ObservedPod } from './observed-pod.ts'
import { podConditions } from './pod-conditions.ts'
import { type ContainerRole, containersOf, isRestartedAfter, type PodContainer } from './pod-containers.ts'
import { isEnding } from './pod-plan.ts'

/** What this node owns of a pod's status. The rest (`qosClass`, conditions of others, …) stays as it is. */
export type NodePodStatus = Pick<
  PodStatus,
  | 'phase'
  | 'reason'
  | 'message'
  | 'hostIP'
  | 'hostIPs'
  | 'podIP'
  | 'podIPs'
  | 'startTime'
  | 'observedGeneration'
  | 'containerStatuses'
  | 'initContainerStatuses'
  | 'ephemeralContainerStatuses'
> & { conditions: PodCondition[] }

export interface NodeFacts {
  hostIps: readonly string[]
}

/** The status that follows from what is observed. Pure. A condition keeps the time of its last transition. */
export function podStatus(pod: Pod, observed: ObservedPod, node: NodeFacts, now: number): NodePodStatus {
  const all = containersOf(pod)
  const shown = all.map(each => ({ each, status: containerStatus(pod, each, observed, now) }))
  const isAlive = [...observed.containers.values()].some(
    ({ activity: { state } }) => state === 'running' || state === 'starting',
  )
  const isTerminal = isEnding(pod, observed) && !isAlive
  const phase = phaseOf(pod, observed, shown, isTerminal)
  const ips = shownIps(pod, observed, node)
  const generation = pod.metadata.generation
  const statusesOf = (...roles: ContainerRole[]) =>
    shown.filter(({ each }) => roles.includes(each.role)).map(({ status }) => status)
  const initStatuses = statusesOf('init', 'sidecar')
  const ephemeralStatuses = statusesOf('ephemeral')
  return {
    phase,
    ...reasonOf(pod, observed, phase),
    ...addresses(node.hostIps, ips),
    startTime: pod.status?.startTime ?? formatTime(observed.acceptedAt),
    ...(generation !== undefined && { observedGeneration: generation }),
    conditions: podConditions(pod, observed, shown, phase, now),
    ...(initStatuses.length > 0 && { initContainerStatuses: initStatuses }),
    containerStatuses: statusesOf('main'),
    ...(ephemeralStatuses.length > 0 && { ephemeralContainerStatuses: ephemeralStatuses }),
  }
}

export interface ShownContainer {
  each: PodContainer
  status: ContainerStatus
}

function reasonOf({ status }: Pod, { verdict }: ObservedPod, phase: string): { reason?: string; message?: string } {
  if (verdict) return { reason: verdict.reason, message: verdict.message }
  if (status?.phase !== phase) return {}
  return {
    ...(status.reason !== undefined && { reason: status.reason }),
    ...(status.message !== undefined && { message: status.message }),
  }
}

/** The phase that containers in these states make, as the kubelet finds it. A phase that is final stays. */
function phaseOf(pod: Pod, { verdict }: ObservedPod, shown: readonly ShownContainer[], isTerminal: boolean): string {
  const before = pod.status?.phase
  if (before === 'Succeeded' || before === 'Failed') return before
  if (verdict) return 'Failed'
  const inits = shown.filter(({ each }) => each.role === 'init')
  const mains = shown.filter(({ each }) => each.role === 'main')
  const sidecars = shown.filter(({ each }) => each.role === 'sidecar')
  if (inits.some(({ each, status }) => hasFailedForGood(pod, each, status))) return 'Failed'
  const hasMainBegun = mains.some(({ status }) => status.state?.running ?? lastEnd(status))
  const isInitPending = inits.some(({ status }) => status.state?.running || !lastEnd(status))
  const isSidecarPending = sidecars.some(({ status }) => (status.state?.running ? !status.started : !lastEnd(status)))
  const isWaiting = [...mains, ...sidecars].some(({ status }) => status.state?.waiting && !lastEnd(status))
  if (isInitPending || (isSidecarPending && !hasMainBegun) || isWaiting) return isTerminal ? 'Failed' : 'Pending'
  if ([...mains, ...sidecars].some(({ status }) => status.state?.running)) return 'Running'
  const isRestarting = mains.some(({ each, status }) => isRestartedAfter(pod, each, lastEnd(status)?.exitCode ?? 0))
  if (isRestarting && !isTerminal) return 'Running'
  return mains.every(({ status }) => status.state?.terminated?.exitCode === 0) ? 'Succeeded' : 'Failed'
}

const lastEnd = ({ state, lastState }: ContainerStatus) =>
  state?.terminated ?? (state?.waiting ? lastState?.terminated : undefined)

function hasFailedForGood(pod: Pod, each: PodContainer, status: ContainerStatus): boolean {
  const end = lastEnd(status)
  return end !== undefined && end.exitCode !== 0 && !isRestartedAfter(pod, each, end.exitCode)
}

function shownIps({ spec, status }: Pod, { sandbox }: ObservedPod, { hostIps }: NodeFacts): readonly string[] {
  if (spec?.hostNetwork) return hostIps
  if ('ips' in sandbox) return sandbox.ips
  return status?.podIPs?.flatMap(({ ip }) => ip ?? []) ?? []
}

function addresses(hostIps: readonly string[], podIps: readonly string[]): Partial<NodePodStatus> {
  const [hostIP] = hostIps
  const [podIP] = podIps
  return {
    ...(hostIP !== undefined && { hostIP, hostIPs: hostIps.map(ip => ({ ip })) }),
    ...(podIP !== undefined && { podIP, podIPs: podIps.map(ip => ({ ip })) }),
  }
}
