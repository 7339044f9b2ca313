import { asError } from '@tiphys/env'
import { type Client, isAlreadyExists, isNotFound, type KubeObject } from '@tiphys/kube'
import type { PersistentVolumeClaim, Pod, StatefulSet } from '@tiphys/kube/kinds'
import type { EventRecorder } from '../../event-recorder.ts'
import { isNamespaceTerminating } from '../namespace/active.ts'
import { hasForeignController } from './claim-retention.ts'
import { type ClaimOwners, claimOwners, type ObservedSet, type PlaceAction } from './stateful-plan.ts'
import { claimsOf, inOrder, isWithin, ordinalOf } from './stateful-pod.ts'

/** Does what was planned for the places of a set, and tells of it with Events on the set. */
export function createPlaceControl(client: Client, recorder: EventRecorder) {
  const told = async <T>(verb: 'Create' | 'Update' | 'Delete', set: StatefulSet, pod: Pod, act: () => Promise<T>) => {
    const subject = `${verb} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`
    try {
      const result = await act()
      recorder.normal(set, `Successful${verb}`, `${subject} successful`)
      return result
    } catch (thrown) {
      // Another has made it just now, and the next look finds it; or no creation needs to succeed any more.
      const isExpected = (verb === 'Create' && isAlreadyExists(thrown)) || isNamespaceTerminating(thrown)
      if (!isExpected) recorder.warning(set, `Failed${verb}`, `${subject} failed error: ${asError(thrown).message}`)
      throw thrown
    }
  }

  const createClaims = async ({ set, claimNamed }: ObservedSet, pod: Pod): Promise<void> => {
    for (const { claim } of claimsOf(set, ordinalOf(pod))) {
      const existing = claimNamed(claim.metadata.name ?? '')
      if (existing?.metadata.deletionTimestamp !== undefined) {
        throw new Error(`pvc ${claim.metadata.name} is being deleted`)
      }
      if (!existing) await createClaim(set, pod, claim)
    }
  }

  const createClaim = async (set: StatefulSet, pod: Pod, claim: PersistentVolumeClaim) => {
    const { name } = claim.metadata
    try {
      await client.create(claim)
      const message = `Create Claim ${name} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} success`
      recorder.normal(set, 'SuccessfulCreate', message)
    } catch (thrown) {
      if (isNamespaceTerminating(thrown)) throw thrown
      const why = asError(thrown).message
      const subject = `Create Claim ${name} for Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`
      if (!isAlreadyExists(thrown)) recorder.warning(set, 'FailedCreate', `${subject} failed error: ${why}`)
      throw new Error(`failed to create PVC ${name}: ${why}`, { cause: thrown })
    }
  }

  const ownClaims = async (set: StatefulSet, pod: Pod, owners: readonly ClaimOwners[]): Promise<void> => {
    for (const { claim, ownerReferences } of owners) {
      if (hasForeignController(claim, set, pod)) {
        const trouble = 'has a conflicting OwnerReference that acts as a manging controller'
        const message = `PersistentVolumeClaim ${claim.metadata.name} ${trouble}, the retention policy is ignored for this claim`
        recorder.warning(set, 'ConflictingController', message)
      }
      await client.update<PersistentVolumeClaim>({ ...claim, metadata: { ...claim.metadata, ownerReferences } })
    }
  }

  return async (observed: ObservedSet, action: PlaceAction): Promise<void> => {
    const { set } = observed
    const { pod } = action
    switch (action.type) {
      case 'create':
        await told('Create', set, pod, async () => {
          await createClaims(observed, pod)
          const created = await client.create<Pod>(pod)
          await ownClaims(set, created, claimOwners(observed, created))
        })
        break
      case 'delete':
        await told('Delete', set, pod, () => removePod(client, pod))
        break
      case 'create-claims':
        await createClaims(observed, pod)
        await ownClaims(set, pod, claimOwners(observed, pod))
        break
      case 'bring-in-order':
        await told('Update', set, pod, async () => {
          await createClaims(observed, pod)
          await ownClaims(set, pod, claimOwners(observed, pod))
          await client.update<Pod>(inOrder(set, pod))
        })
        break
      case 'own-claims':
        // Of a place that stays it is told as if the pod itself had been changed.
        if (isWithin(set, ordinalOf(pod))) await told('Update', set, pod, () => ownClaims(set, pod, action.owners))
        else await ownClaims(set, pod, action.owners)
        break
    }
  }
}

async function removePod(client: Client, { apiVersion, kind, metadata }: KubeObject): Promise<void> {
  const { namespace, name = '' } = metadata
  try {
    await client.delete({ apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) })
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown
  }
}
