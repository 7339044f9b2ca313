import type { Pod, PodCondition } from '@tiphys/kube/kinds'

/** It counts for its controller: neither ended nor being deleted. */
export const isActive = (pod: Pod): boolean => !isTerminal(pod) && pod.metadata.deletionTimestamp === undefined

/** All of its containers have ended for good. */
export const isTerminal = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed'

/** It is being deleted and has not ended yet. */
export const isTerminating = (pod: Pod): boolean => !isTerminal(pod) && pod.metadata.deletionTimestamp !== undefined

export const readyCondition = ({ status }: Pod): PodCondition | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')

export const isReady = (pod: Pod): boolean => readyCondition(pod)?.status === 'True'

/** It has been ready for at least `minReadySeconds`. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!isReady(pod)) return false
  return minReadySeconds === 0 || (availableAt(pod, minReadySeconds) ?? Number.POSITIVE_INFINITY) <= now
}

/** In how many milliseconds the next of the ready pods becomes available; nothing when none is waiting for that. */
export function nextAvailability(pods: Iterable<Pod>, minReadySeconds: number, now: number): number | undefined {
  if (minReadySeconds <= 0) return undefined
  let next: number | undefined
  for (const pod of pods) {
    const at = isReady(pod) ? availableAt(pod, minReadySeconds) : undefined
    if (at !== undefined && at > now && (next === undefined || at < next)) next = at
  }
  return next === undefined ? undefined : next - now
}

function availableAt(pod: Pod, minReadySeconds: number): number | undefined {
  const since = readyCondition(pod)?.lastTransitionTime
  return since === undefined ? undefined : Date.parse(since) + minReadySeconds * 1000
}
