import { isDeepStrictEqual } from 'node:util'
import type { KubeObject, OwnerReference } from '@tiphys/kube'
import type { PersistentVolumeClaim, Pod, StatefulSet } from '@tiphys/kube/kinds'
import { controllerReference } from '../pods/pod-template.ts'
import { isWithin, ordinalOf } from './stateful-pod.ts'

/** Who should own a claim, so that it is deleted when the set's retention policy says so: the set, or the pod of a place
 *  that was scaled away. Nothing when the owners are right, or the claim is in hands that leave it alone. */
export function planClaimOwners(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: Pod,
): OwnerReference[] | undefined {
  const present = claim.metadata.ownerReferences ?? []
  if (present.some(reference => isStale(reference, set) || isStale(reference, pod))) return undefined
  const others = present.filter(reference => !names(reference, set) && !names(reference, pod))
  const wanted = hasForeignController(claim, set, pod) ? others : [...others, ...ownersByPolicy(set, pod)]
  return isDeepStrictEqual(wanted, present) ? undefined : wanted
}

/** Something else controls the claim, which the policy would have to. */
export function hasForeignController({ metadata }: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  const { whenDeleted, whenScaled } = retentionPolicy(set)
  if (whenDeleted === 'Retain' && whenScaled === 'Retain') return false
  return (metadata.ownerReferences ?? []).some(reference => {
    if (names(reference, set) || names(reference, pod)) return isStale(reference, set) || isStale(reference, pod)
    return reference.controller === true
  })
}

/** The claim still belongs to a former pod of this place and is about to be deleted with it. */
export function isClaimOfFormerPod({ metadata }: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  if (retentionPolicy(set).whenScaled === 'Retain') return false
  return (metadata.ownerReferences ?? []).some(reference => isStale(reference, pod))
}

function ownersByPolicy(set: StatefulSet, pod: Pod): OwnerReference[] {
  const { whenDeleted, whenScaled } = retentionPolicy(set)
  if (whenScaled === 'Delete' && !isWithin(set, ordinalOf(pod))) return [controllerReference(pod)]
  return whenDeleted === 'Delete' ? [controllerReference(set)] : []
}

function retentionPolicy({ spec }: StatefulSet): { whenDeleted: string; whenScaled: string } {
  return { whenDeleted: 'Retain', whenScaled: 'Retain', ...spec?.persistentVolumeClaimRetentionPolicy }
}

const names = ({ apiVersion, kind, name }: OwnerReference, object: KubeObject) =>
  apiVersion === object.apiVersion && kind === object.kind && name === object.metadata.name

/** It names the object, but means another one that had its name before. */
const isStale = (reference: OwnerReference, object: KubeObject) =>
  names(reference, object) && reference.uid !== (object.metadata.uid ?? '')
