import type { ContainerStateTerminated, ContainerStatus, Pod } from '@tiphys/kube/kinds'
import type { Activity, ObservedContainer, Termination, Verdict } from './observed-pod.ts'
import { containersOf, restartPolicyOf } from './pod-containers.ts'

/** What is known of a pod whose containers this node does not run (any more). */
export interface Resumption {
  containers: ReadonlyMap<string, ObservedContainer>
  verdict?: Verdict
  /** Its phase is final: nothing runs, and nothing is to be told. */
  isOver: boolean
}

export const NODE_LOST: Verdict = {
  reason: 'NodeLost',
  message: 'The node agent was restarted while the pod ran, and its containers ended with it.',
}

/** Nothing survives the node agent: what ran has ended. Servers start again; work that runs to completion cannot be picked
 *  up where it was, and fails, so that whoever asked for it decides. Pure. */
export function resumePod(pod: Pod, now: number): Resumption {
  const phase = pod.status?.phase
  const isOver = phase === 'Succeeded' || phase === 'Failed'
  const statuses = new Map(
    [
      ...(pod.status?.initContainerStatuses ?? []),
      ...(pod.status?.containerStatuses ?? []),
      ...(pod.status?.ephemeralContainerStatuses ?? []),
    ].map(status => [status.name, status]),
  )
  const hadBegun = [...statuses.values()].some(status => hasBegun(status))
  const isLost = !isOver && hadBegun && restartPolicyOf(pod) !== 'Always'
  const containers = new Map<string, ObservedContainer>()
  for (const { container, role } of containersOf(pod)) {
    const status = statuses.get(container.name)
    const staysEnded = isOver || isLost || role === 'ephemeral'
    if (status) containers.set(container.name, resumeContainer(status, staysEnded, now))
  }
  return { containers, isOver, ...(isLost && { verdict: NODE_LOST }) }
}

const hasBegun = ({ state, lastState }: ContainerStatus) =>
  (state?.running ?? state?.terminated ?? lastState?.terminated) !== undefined

function resumeContainer(status: ContainerStatus, isEnd: boolean, now: number): ObservedContainer {
  const { state, lastState, restartCount, imageID: imageId } = status
  const last = terminationFrom(lastState?.terminated)
  const ended = state?.running
    ? lostRun(status.containerID ?? '', state.running.startedAt, now)
    : terminationFrom(state?.terminated)
  if (isEnd) {
    const activity: Activity = ended ? { state: 'exited', termination: ended } : { state: 'unstarted' }
    return { activity, restartCount, imageId, ...(last && { lastTermination: last }) }
  }
  const lastTermination = ended ?? last
  return {
    activity: { state: 'unstarted' },
    restartCount: lastTermination ? restartCount + 1 : restartCount,
    imageId,
    ...(lastTermination && { lastTermination }),
  }
}

const lostRun = (id: string, startedAt: string | undefined, now: number): Termination => ({
  id,
  exitCode: 255,
  reason: 'Unknown',
  startedAt: startedAt === undefined ? now : Date.parse(startedAt),
  finishedAt: now,
})

function terminationFrom(terminated: ContainerStateTerminated | undefined): Termination | undefined {
  if (!terminated) return undefined
  const { containerID: id = '', exitCode, signal, reason = '', message, startedAt, finishedAt } = terminated
  return {
    id,
    exitCode,
    reason,
    ...(signal !== undefined && { signal }),
    ...(message !== undefined && { message }),
    startedAt: startedAt ? Date.parse(startedAt) : 0,
    finishedAt: finishedAt ? Date.parse(finishedAt) : 0,
  }
}
