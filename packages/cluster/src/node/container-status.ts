import type { Container, ContainerState, ContainerStateTerminated, ContainerStatus, Pod } from '@tiphys/kube/kinds'
import { formatTime } from '../timestamp.ts'
import { formatSeconds, restartAt } from './crash-backoff.ts'
import type { Activity, ObservedContainer, ObservedPod, Termination } from './observed-pod.ts'
import { describePod, isRestartedAfter, type PodContainer } from './pod-containers.ts'
import { isEnding } from './pod-plan.ts'

/** What the API shows of a container. */
export function containerStatus(pod: Pod, each: PodContainer, observed: ObservedPod, now: number): ContainerStatus {
  const { container, role } = each
  const known = observed.containers.get(container.name)
  const activity = known?.activity ?? { state: 'unstarted' }
  const { state, lastTermination } = shownState(pod, each, observed, activity, now)
  const isRunning = activity.state === 'running'
  const isStarted = isRunning && activity.isStarted
  const isDone = activity.state === 'exited' && activity.termination.exitCode === 0
  const id = isRunning ? activity.id : shownTermination(activity)?.id
  return {
    name: container.name,
    state,
    ...(lastTermination && { lastState: { terminated: terminated(lastTermination) } }),
    ready: role === 'init' ? isDone : isStarted && activity.isReady,
    restartCount: known?.restartCount ?? 0,
    image: container.image ?? '',
    imageID: known?.imageId ?? '',
    ...(id !== undefined && id !== '' && { containerID: id }),
    started: isStarted,
    ...(known && activity.state !== 'unstarted' && shownResources(container)),
  }
}

const shownTermination = (activity: Activity): Termination | undefined => {
  if (activity.state === 'exited') return activity.termination
  return activity.state === 'starting' || activity.state === 'blocked' ? activity.after : undefined
}

function shownState(
  pod: Pod,
  each: PodContainer,
  observed: ObservedPod,
  activity: Activity,
  now: number,
): { state: ContainerState; lastTermination?: Termination } {
  const known = observed.containers.get(each.container.name)
  const before = known?.lastTermination
  switch (activity.state) {
    case 'running':
      return withLast({ running: { startedAt: formatTime(activity.startedAt) } }, before)
    case 'blocked':
      return withLast({ waiting: { reason: activity.reason, message: activity.message } }, activity.after ?? before)
    case 'starting':
      if (!activity.after) return withLast({ waiting: { reason: defaultReason(pod, each) } }, before)
      return withLast({ terminated: terminated(activity.after) }, before)
    case 'exited': {
      const waiting = crashLoop(pod, each, observed, known, activity.termination, now)
      if (waiting) return { state: { waiting }, lastTermination: activity.termination }
      return withLast({ terminated: terminated(activity.termination) }, before)
    }
    case 'unstarted':
      return withLast({ waiting: { reason: defaultReason(pod, each) } }, before)
  }
}

const withLast = (state: ContainerState, last: Termination | undefined) =>
  last === undefined ? { state } : { state, lastTermination: last }

/** While init containers run, everything waits for them. */
const defaultReason = ({ spec }: Pod, _each: PodContainer) =>
  (spec?.initContainers?.length ?? 0) > 0 ? 'PodInitializing' : 'ContainerCreating'

function crashLoop(
  pod: Pod,
  each: PodContainer,
  observed: ObservedPod,
  known: ObservedContainer | undefined,
  { exitCode, finishedAt }: Termination,
  now: number,
): ContainerState['waiting'] {
  if (isEnding(pod, observed) || !isRestartedAfter(pod, each, exitCode)) return undefined
  if (!known?.backoff || restartAt(known.backoff, finishedAt) <= now) return undefined
  return {
    reason: 'CrashLoopBackOff',
    message: `back-off ${formatSeconds(known.backoff.delayMs)} restarting failed container=${each.container.name} pod=${describePod(pod)}`,
  }
}

function terminated(termination: Termination): ContainerStateTerminated {
  const { id, exitCode, signal, reason, message, startedAt, finishedAt } = termination
  return {
    exitCode,
    ...(signal !== undefined && { signal }),
    reason,
    ...(message !== undefined && message !== '' && { message }),
    startedAt: formatTime(startedAt),
    finishedAt: formatTime(finishedAt),
    ...(id !== '' && { containerID: id }),
  }
}

function shownResources({ resources }: Container): Pick<ContainerStatus, 'resources' | 'allocatedResources'> {
  if (!resources?.requests && !resources?.limits) return {}
  const { requests, limits } = resources
  return {
    ...(requests && { allocatedResources: requests }),
    resources: { ...(limits && { limits }), ...(requests && { requests }) },
  }
}
