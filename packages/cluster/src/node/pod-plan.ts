import type { Pod } from '@tiphys/kube/kinds'
import { restartAt } from './crash-backoff.ts'
import type { Activity, ObservedContainer, ObservedPod, Verdict } from './observed-pod.ts'
import { containersOf, isRestartedAfter, type PodContainer, restartPolicyOf } from './pod-containers.ts'

export type Action =
  /** Make volumes and network. */
  | { type: 'prepare' }
  | { type: 'start'; container: string }
  /** `killAt`: when it is killed if it has not ended by itself. */
  | { type: 'stop'; container: string; message: string; killAt: number }
  | { type: 'judge'; verdict: Verdict }
  /** Nothing of the pod runs any more: free what it used. */
  | { type: 'remove' }
  /** Everything is done and told: take the pod out of the API. */
  | { type: 'delete' }

export interface Plan {
  actions: readonly Action[]
  /** When to plan again even if nothing changes. */
  wakeAt?: number
}

/** Containers get this long between being told to end and being killed, whatever was asked for. */
const SHORTEST_GRACE_MS = 2_000

export const DEADLINE_EXCEEDED: Verdict = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
}

/** What has to be done now to bring a pod further. Pure: the same values give the same plan. Doing an action changes what is
 *  observed at once (`preparing`, `starting`, `stopping`), so that no plan asks for it twice. */
export function planPod(pod: Pod, observed: ObservedPod, now: number): Plan {
  if (isEnding(pod, observed)) return planEnd(pod, observed, now)
  const deadline = deadlineOf(pod, observed)
  if (deadline !== undefined && now >= deadline) return { actions: [{ type: 'judge', verdict: DEADLINE_EXCEEDED }] }
  const plan = new Planning(pod, observed, now)
  if (deadline !== undefined) plan.wake(deadline)
  const { sandbox } = observed
  if (sandbox.state === 'none') plan.actions.push({ type: 'prepare' })
  else if (sandbox.state === 'waiting') plan.at(sandbox.until, () => plan.actions.push({ type: 'prepare' }))
  else if (sandbox.state === 'ready') plan.runContainers()
  return plan.result()
}

/** The pod will not go on: it is deleted, judged, or all that it had to do is done. */
export function isEnding(pod: Pod, observed: ObservedPod): boolean {
  return (
    observed.isGone ||
    pod.metadata.deletionTimestamp !== undefined ||
    observed.verdict !== undefined ||
    hasFinished(pod, observed)
  )
}

/** No container of the pod will run again by itself. */
function hasFinished(pod: Pod, { containers }: ObservedPod): boolean {
  const isOver = (each: PodContainer) => {
    const activity = containers.get(each.container.name)?.activity
    return activity?.state === 'exited' && !isRestartedAfter(pod, each, activity.termination.exitCode)
  }
  const all = containersOf(pod)
  const failedInit = all.some(each => {
    if (each.role !== 'init' || !isOver(each)) return false
    const activity = containers.get(each.container.name)?.activity
    return activity?.state === 'exited' && activity.termination.exitCode !== 0
  })
  return failedInit || all.every(each => each.role !== 'main' || isOver(each))
}

class Planning {
  readonly actions: Action[] = []
  #wakeAt: number | undefined
  readonly #pod: Pod
  readonly #observed: ObservedPod
  readonly #now: number

  constructor(pod: Pod, observed: ObservedPod, now: number) {
    this.#pod = pod
    this.#observed = observed
    this.#now = now
  }

  runContainers(): void {
    const all = containersOf(this.#pod)
    const isInitialized = all.some(({ container, role }) => role === 'main' && this.#hasBegun(container.name))
    for (const [index, each] of all.entries()) {
      if (isInitialized && each.role === 'init') continue
      this.#runContainer(each)
      if (each.role === 'main' || each.role === 'ephemeral' || isInitialized || this.#letsNextBegin(each)) continue
      const hasNextBegun = all.slice(index + 1).some(({ container }) => this.#hasBegun(container.name))
      if (!hasNextBegun) return
    }
  }

  at(time: number, act: () => void): void {
    if (time <= this.#now) act()
    else this.wake(time)
  }

  wake(time: number): void {
    this.#wakeAt = Math.min(this.#wakeAt ?? time, time)
  }

  result(): Plan {
    return this.#wakeAt === undefined ? { actions: this.actions } : { actions: this.actions, wakeAt: this.#wakeAt }
  }

  #runContainer(each: PodContainer): void {
    const { name } = each.container
    const observed = this.#observed.containers.get(name)
    const start = () => this.actions.push({ type: 'start', container: name })
    const activity = observed?.activity ?? UNSTARTED
    if (activity.state === 'unstarted') start()
    else if (activity.state === 'blocked') this.at(activity.until, start)
    else if (activity.state === 'exited') {
      if (!isRestartedAfter(this.#pod, each, activity.termination.exitCode)) return
      this.at(restartAt(observed?.backoff, activity.termination.finishedAt), start)
    } else if (activity.state === 'running' && activity.unhealthy && !activity.stopping) {
      this.actions.push(this.#stopUnhealthy(each, activity.unhealthy))
    }
  }

  #stopUnhealthy({ container, role }: PodContainer, probe: 'liveness' | 'startup' | 'postStart'): Action {
    const own = probe === 'postStart' ? undefined : container[`${probe}Probe`]?.terminationGracePeriodSeconds
    const seconds = own ?? this.#pod.spec?.terminationGracePeriodSeconds ?? 30
    const policy = container.restartPolicy ?? restartPolicyOf(this.#pod)
    const isRestarted = role === 'sidecar' || policy !== 'Never'
    return {
      type: 'stop',
      container: container.name,
      message:
        probe === 'postStart'
          ? 'FailedPostStartHook'
          : `Container ${container.name} failed ${probe} probe${isRestarted ? ', will be restarted' : ''}`,
      killAt: this.#now + Math.max(SHORTEST_GRACE_MS, seconds * 1000),
    }
  }

  #letsNextBegin({ container, role }: PodContainer): boolean {
    const activity = this.#observed.containers.get(container.name)?.activity ?? UNSTARTED
    if (role === 'sidecar') return activity.state === 'running' && activity.isStarted
    return activity.state === 'exited' && activity.termination.exitCode === 0
  }

  #hasBegun(name: string): boolean {
    return (this.#observed.containers.get(name)?.activity ?? UNSTARTED).state !== 'unstarted'
  }
}

const UNSTARTED: Activity = { state: 'unstarted' }

function planEnd(pod: Pod, observed: ObservedPod, now: number): Plan {
  const { sandbox } = observed
  const isRunning = ({ container }: PodContainer) => isAlive(observed.containers.get(container.name))
  const running = containersOf(pod).filter(isRunning)
  if (running.length > 0) return { actions: stopInOrder(pod, observed, running, now) }
  if (sandbox.state === 'preparing' || sandbox.state === 'removing') return { actions: [] }
  if (sandbox.state !== 'removed') return { actions: [{ type: 'remove' }] }
  const isDeleted = pod.metadata.deletionTimestamp !== undefined && !observed.isGone
  return { actions: isDeleted ? [{ type: 'delete' }] : [] }
}

const isAlive = (observed: ObservedContainer | undefined) =>
  observed?.activity.state === 'running' || observed?.activity.state === 'starting'

/** Everything else at once, then the sidecars, the last one first. */
function stopInOrder(pod: Pod, observed: ObservedPod, running: readonly PodContainer[], now: number): Action[] {
  const others = running.filter(({ role }) => role !== 'sidecar')
  const next = others.length > 0 ? others : running.slice(-1)
  const since = observed.endingSince ?? now
  const killAt = Math.max(now + SHORTEST_GRACE_MS, since + graceMsOf(pod, observed))
  return next.flatMap(({ container: { name } }): Action[] => {
    const activity = observed.containers.get(name)?.activity
    if (activity?.state !== 'running') return []
    // Somebody who deletes a pod again with less grace means it.
    if (activity.stopping && activity.stopping.killAt <= killAt) return []
    return [{ type: 'stop', container: name, message: `Stopping container ${name}`, killAt }]
  })
}

function graceMsOf(pod: Pod, { isGone, verdict }: ObservedPod): number {
  if (isGone) return SHORTEST_GRACE_MS
  if (verdict?.graceMs !== undefined) return verdict.graceMs
  return (pod.metadata.deletionGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000
}

function deadlineOf({ spec }: Pod, { acceptedAt }: ObservedPod): number | undefined {
  return spec?.activeDeadlineSeconds === undefined ? undefined : acceptedAt + spec.activeDeadlineSeconds * 1000
}
