import type { OwnerReference } from '@tiphys/kube'
import type { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from '@tiphys/kube/kinds'
import { isAvailable, isReady, isTerminal } from '../pods/readiness.ts'
import { isClaimOfFormerPod, planClaimOwners } from './claim-retention.ts'
import {
  claimsOf,
  firstOrdinal,
  isInOrder,
  isWithin,
  ordinalOf,
  podAt,
  replicasOf,
  revisionOf,
} from './stateful-pod.ts'

export interface ObservedSet {
  set: StatefulSet
  pods: readonly Pod[]
  /** The revision that pods below the partition stay at, and the one that all others come to. */
  current: ControllerRevision
  update: ControllerRevision
  claimNamed: (name: string) => PersistentVolumeClaim | undefined
  now: number
}

/** What to do with one place of the set. */
export type PlaceAction =
  | { type: 'create'; pod: Pod } // with the claims of its place
  | { type: 'delete'; pod: Pod }
  | { type: 'create-claims'; pod: Pod } // those that a pending pod waits for
  | { type: 'bring-in-order'; pod: Pod }
  | { type: 'own-claims'; pod: Pod; owners: ClaimOwners[] }

export interface ClaimOwners {
  claim: PersistentVolumeClaim
  ownerReferences: OwnerReference[]
}

/** One place of the set, with its pod or the one that it lacks. */
interface Place {
  pod: Pod
  isMissing: boolean
}

/** What can be done now. An ordered set does one thing at a time and waits for each pod to be available; a parallel set does
 *  everything at once. Only a rolling update is a pod at a time for both. */
export function planStatefulSet(observed: ObservedSet): PlaceAction[] {
  const { set, pods } = observed
  if (set.metadata.deletionTimestamp !== undefined) return []
  const isOrdered = set.spec?.podManagementPolicy !== 'Parallel'
  const places = placesOf(observed)
  const condemned = pods
    .filter(pod => ordinalOf(pod) >= 0 && !isWithin(set, ordinalOf(pod)))
    .toSorted((a, b) => ordinalOf(b) - ordinalOf(a))

  const actions: PlaceAction[] = []
  for (const place of places) {
    const { action, isBlocking } = planPlace(observed, place, isOrdered)
    if (action) actions.push(action)
    if (isOrdered && isBlocking) return actions
  }
  for (const pod of condemned) actions.push(...ownClaims(observed, pod))
  const removals = planRemovals(observed, places, condemned, isOrdered)
  actions.push(...removals)
  if (isOrdered && condemned.length > 0) return actions
  if (set.spec?.updateStrategy?.type === 'OnDelete') return actions
  const outdated = planUpdate(observed, places)
  return outdated ? [...actions, { type: 'delete', pod: outdated }] : actions
}

function placesOf({ set, pods, current, update }: ObservedSet): Place[] {
  const byOrdinal = new Map(pods.map(pod => [ordinalOf(pod), pod]))
  return Array.from({ length: replicasOf(set) }, (_, index) => {
    const ordinal = firstOrdinal(set) + index
    const pod = byOrdinal.get(ordinal)
    return pod
      ? { pod, isMissing: false }
      : { pod: podAt(set, staysCurrent(set, index) ? current : update, ordinal), isMissing: true }
  })
}

/** A pod that is missing below the partition comes back as it was. */
function staysCurrent({ spec, status }: StatefulSet, index: number): boolean {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {}
  if (rollingUpdate) return index < (rollingUpdate.partition ?? 0)
  return type === 'RollingUpdate' && index < (status?.currentReplicas ?? 0)
}

/** `isBlocking`: an ordered set goes no further than this. */
function planPlace(
  observed: ObservedSet,
  { pod, isMissing }: Place,
  isOrdered: boolean,
): { action?: PlaceAction; isBlocking: boolean } {
  const { set, now } = observed
  if (isMissing) {
    const isHeldUp = existingClaims(observed, pod).some(claim => isClaimOfFormerPod(claim, set, pod))
    return isHeldUp ? { isBlocking: true } : { action: { type: 'create', pod }, isBlocking: true }
  }
  if (isTerminal(pod))
    return isDeleted(pod) ? { isBlocking: true } : { action: { type: 'delete', pod }, isBlocking: true }
  if (pod.status?.phase === 'Pending' && (lacksClaims(observed, pod) || claimOwners(observed, pod).length > 0)) {
    return { action: { type: 'create-claims', pod }, isBlocking: true }
  }
  if (isOrdered && (isDeleted(pod) || !isRunningAndReady(pod) || !isAvailable(pod, minReadySeconds(set), now))) {
    return { isBlocking: true }
  }
  if (!isInOrder(set, pod)) return { action: { type: 'bring-in-order', pod }, isBlocking: false }
  const [action] = ownClaims(observed, pod)
  return action ? { action, isBlocking: false } : { isBlocking: false }
}

const existingClaims = ({ set, claimNamed }: ObservedSet, pod: Pod): PersistentVolumeClaim[] =>
  claimsOf(set, ordinalOf(pod)).flatMap(({ claim }) => claimNamed(claim.metadata.name ?? '') ?? [])

const lacksClaims = (observed: ObservedSet, pod: Pod) =>
  existingClaims(observed, pod).length < claimsOf(observed.set, ordinalOf(pod)).length

function ownClaims(observed: ObservedSet, pod: Pod): PlaceAction[] {
  const owners = claimOwners(observed, pod)
  return owners.length === 0 ? [] : [{ type: 'own-claims', pod, owners }]
}

/** The claims of the pod's place whose owners are not as the retention policy wants them. */
export function claimOwners(observed: ObservedSet, pod: Pod): ClaimOwners[] {
  return existingClaims(observed, pod).flatMap(claim => {
    const ownerReferences = planClaimOwners(claim, observed.set, pod)
    return ownerReferences ? [{ claim, ownerReferences }] : []
  })
}

/** Pods of places that are no more. Ordered: the last one first, and none while a place before it is not available, except
 *  for the very pod that is not. */
function planRemovals(
  { set, now }: ObservedSet,
  places: readonly Place[],
  condemned: readonly Pod[],
  isOrdered: boolean,
): PlaceAction[] {
  if (!isOrdered) return condemned.filter(pod => !isDeleted(pod)).map(pod => ({ type: 'delete', pod }))
  const [last] = condemned
  if (!last || isDeleted(last)) return []
  const isWhole = (pod: Pod) => isAvailable(pod, minReadySeconds(set), now) && !isDeleted(pod)
  const firstBroken = [...places.map(({ pod }) => pod), ...condemned.toReversed()].find(pod => !isWhole(pod))
  const isSound = isRunningAndReady(last) && isAvailable(last, minReadySeconds(set), now)
  return isSound || last === firstBroken ? [{ type: 'delete', pod: last }] : []
}

/** The last pod that is not at the update's revision, once all after it are available. */
function planUpdate({ set, update, now }: ObservedSet, places: readonly Place[]): Pod | undefined {
  const partition = set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0
  for (const { pod } of places.slice(partition).toReversed()) {
    if (revisionOf(pod) !== update.metadata.name && !isDeleted(pod)) return pod
    if (isDeleted(pod) || !isAvailable(pod, minReadySeconds(set), now)) return undefined
  }
  return undefined
}

const isDeleted = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined
const isRunningAndReady = (pod: Pod) => pod.status?.phase === 'Running' && isReady(pod)
const minReadySeconds = ({ spec }: StatefulSet) => spec?.minReadySeconds ?? 0
