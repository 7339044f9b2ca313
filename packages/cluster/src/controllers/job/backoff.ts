import type { ContainerStatus, Pod } from '@tiphys/kube/kinds'
import { readyCondition } from '../pods/readiness.ts'

const FIRST_MS = 10_000
const LONGEST_MS = 600_000

/** What a Job remembers of its failures to space out new pods. */
export interface Backoff {
  /** Failures since the last success. */
  failures: number
  lastFailure: number
}

export const noBackoff: Backoff = { failures: 0, lastFailure: 0 }

/** The backoff after these pods have ended. */
export function afterPods(backoff: Backoff, succeeded: readonly Pod[], failed: readonly Pod[]): Backoff {
  const failures = failed.map(finishedAt)
  if (succeeded.length === 0) {
    if (failures.length === 0) return backoff
    return { failures: backoff.failures + failures.length, lastFailure: Math.max(...failures) }
  }
  const lastSuccess = Math.max(...succeeded.map(finishedAt))
  const later = failures.filter(time => time > lastSuccess)
  return { failures: later.length, lastFailure: Math.max(0, ...later) }
}

/** For how many milliseconds no pod may be created. */
export function remainingBackoff({ failures, lastFailure }: Backoff, now: number): number {
  if (failures === 0) return 0
  const delay = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS)
  return Math.max(0, lastFailure + delay - now)
}

/** When a pod ended: when its last container did, else when it ceased to be ready, else when its deletion began. */
export function finishedAt(pod: Pod): number {
  const { creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata
  const containers = containersFinishedAt(pod)
  if (containers !== undefined) return containers
  const ready = readyCondition(pod)
  if (ready?.status === 'False' && ready.lastTransitionTime) return Date.parse(ready.lastTransitionTime)
  if (deletionTimestamp) return Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000
  return Date.parse(creationTimestamp ?? '')
}

/** Sidecars count, since they end after the rest. */
function containersFinishedAt({ spec, status }: Pod): number | undefined {
  const sidecars = new Set(spec?.initContainers?.filter(c => c.restartPolicy === 'Always').map(({ name }) => name))
  const counted: ContainerStatus[] = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ]
  if (counted.length === 0) return undefined
  const times = counted.map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''))
  return times.some(Number.isNaN) ? undefined : Math.max(...times)
}
