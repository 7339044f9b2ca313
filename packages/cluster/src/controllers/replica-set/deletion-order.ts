import type { Pod } from '@tiphys/kube/kinds'
import { isActive, isReady, readyCondition } from '../pods/readiness.ts'

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'
const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

/** The `count` pods of a controller that are missed the least, the first one first.
 *
 *  `related` are the pods of the same application (those of all ReplicaSets of one Deployment): of two pods alike, the one
 *  that shares its node with more of them goes. */
export function podsToDelete(pods: readonly Pod[], related: readonly Pod[], count: number, now: number): Pod[] {
  if (count >= pods.length) return [...pods]
  const onNode = new Map<string, number>()
  for (const pod of related) {
    if (!isActive(pod)) continue
    const node = pod.spec?.nodeName ?? ''
    onNode.set(node, (onNode.get(node) ?? 0) + 1)
  }
  const colocated = (pod: Pod) => onNode.get(pod.spec?.nodeName ?? '') ?? 0
  return pods.toSorted((a, b) => compare(a, b, colocated, now)).slice(0, count)
}

/** Below zero when `a` should be deleted before `b`. */
function compare(a: Pod, b: Pod, colocated: (pod: Pod) => number, now: number): number {
  return (
    Number(isScheduled(a)) - Number(isScheduled(b)) ||
    phaseOf(a) - phaseOf(b) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    deletionCost(a) - deletionCost(b) ||
    colocated(b) - colocated(a) ||
    (isReady(a) ? compareAges(a, b, readySince(a), readySince(b), now) : 0) ||
    restarts(b, false) - restarts(a, false) ||
    restarts(b, true) - restarts(a, true) ||
    compareAges(a, b, createdAt(a), createdAt(b), now)
  )
}

const isScheduled = ({ spec }: Pod) => (spec?.nodeName ?? '') !== ''
const phaseOf = ({ status }: Pod) => PHASES[status?.phase ?? ''] ?? 0
const readySince = (pod: Pod) => timeOf(readyCondition(pod)?.lastTransitionTime)
const createdAt = (pod: Pod) => timeOf(pod.metadata.creationTimestamp)
const timeOf = (text: string | null | undefined) => (text ? Date.parse(text) : undefined)

/** Younger before older, on a logarithmic scale: pods of about the same age go in the order of their uids, which is as
 *  good as random, so that it is not always the newest version that goes. */
function compareAges(a: Pod, b: Pod, timeA: number | undefined, timeB: number | undefined, now: number): number {
  if (timeA === timeB) return 0
  if (timeA === undefined || timeB === undefined) return timeA === undefined ? -1 : 1
  return magnitude(now - timeA) - magnitude(now - timeB) || compareText(a.metadata.uid ?? '', b.metadata.uid ?? '')
}

const NANOSECONDS_PER_MS = 1e6
const magnitude = (ms: number) => (ms > 0 ? Math.trunc(Math.log2(ms * NANOSECONDS_PER_MS)) : -1)

/** A cost that is no 32-bit integer counts as none. */
function deletionCost({ metadata }: Pod): number {
  const text = metadata.annotations?.[DELETION_COST]
  if (text === undefined || !/^(0|-?[1-9]\d*)$/.test(text)) return 0
  const cost = Number(text)
  return cost < -(2 ** 31) || cost >= 2 ** 31 ? 0 : cost
}

function restarts({ spec, status }: Pod, ofSidecars: boolean): number {
  if (!ofSidecars) return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount))
  const sidecars = new Set(spec?.initContainers?.filter(c => c.restartPolicy === 'Always').map(({ name }) => name))
  const statuses = status?.initContainerStatuses?.filter(({ name }) => sidecars.has(name)) ?? []
  return Math.max(0, ...statuses.map(({ restartCount }) => restartCount))
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
