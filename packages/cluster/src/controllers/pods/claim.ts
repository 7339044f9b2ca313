import { type Client, isInvalid, isNotFound, type KubeObject, type LabelSelector } from '@tiphys/kube'
import { controllerOf, controllerReference } from './pod-template.ts'

/** What there is to do about one object that may belong to a controller. */
export type Claim =
  | 'owned' // it is the controller's and matches
  | 'adopt' // nobody controls it and it matches
  | 'release' // it is the controller's and matches no longer
  | 'foreign' // none of the controller's business

export function planClaim(owner: KubeObject, object: KubeObject, isMatch: boolean): Claim {
  const controller = controllerOf(object)
  const isOwnerDeleted = owner.metadata.deletionTimestamp !== undefined
  if (controller) {
    if (controller.uid !== owner.metadata.uid) return 'foreign'
    if (isMatch) return 'owned'
    return isOwnerDeleted ? 'foreign' : 'release'
  }
  const isDeleted = object.metadata.deletionTimestamp !== undefined
  const isElsewhere = object.metadata.namespace !== owner.metadata.namespace
  return isOwnerDeleted || isDeleted || isElsewhere || !isMatch ? 'foreign' : 'adopt'
}

export interface ClaimOptions<T extends KubeObject> {
  /** What must hold beside the selector for an object to be the owner's. */
  isMatch?: (object: T) => boolean
  /** Added to what is adopted, taken from what is released. */
  finalizers?: readonly string[]
}

/** Brings the controller references of `candidates` in line with the owner's selector: adopts matching orphans, releases
 *  what matches no longer. Answers with everything that is the owner's now. Before the first adoption the owner is read
 *  from the server, so that one that has just been deleted adopts nothing. */
export async function claim<T extends KubeObject>(
  client: Client,
  owner: KubeObject,
  selector: LabelSelector,
  candidates: readonly T[],
  { isMatch = () => true, finalizers = [] }: ClaimOptions<T> = {},
): Promise<T[]> {
  const claimed: T[] = []
  let mayAdopt: boolean | undefined
  for (const object of candidates) {
    switch (planClaim(owner, object, selector.matches(object.metadata.labels) && isMatch(object))) {
      case 'owned':
        claimed.push(object)
        break
      case 'adopt': {
        mayAdopt ??= await isStillThere(client, owner)
        const adopted = mayAdopt ? await adopt(client, owner, object, finalizers) : undefined
        if (adopted) claimed.push(adopted)
        break
      }
      case 'release':
        await release(client, owner, object, finalizers)
        break
      case 'foreign':
    }
  }
  return claimed
}

async function isStillThere(client: Client, owner: KubeObject): Promise<boolean> {
  const { namespace, name = '' } = owner.metadata
  try {
    const { apiVersion, kind } = owner
    const { metadata } = await client.get({ apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) })
    return metadata.uid === owner.metadata.uid && metadata.deletionTimestamp === undefined
  } catch (thrown) {
    if (isNotFound(thrown)) return false
    throw thrown
  }
}

/** Nothing, when the object is gone by now. */
async function adopt<T extends KubeObject>(
  client: Client,
  owner: KubeObject,
  object: T,
  finalizers: readonly string[],
): Promise<T | undefined> {
  const metadata = {
    uid: object.metadata.uid,
    ownerReferences: [controllerReference(owner)],
    ...(finalizers.length > 0 && { finalizers }),
  }
  try {
    return await client.patch(referenceTo(object), { type: 'strategic', patch: { metadata } })
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined
    throw thrown
  }
}

async function release(
  client: Client,
  owner: KubeObject,
  object: KubeObject,
  finalizers: readonly string[],
): Promise<void> {
  const metadata = {
    uid: object.metadata.uid,
    ownerReferences: [{ $patch: 'delete', uid: owner.metadata.uid }],
    ...(finalizers.length > 0 && { '$deleteFromPrimitiveList/finalizers': finalizers }),
  }
  try {
    await client.patch(referenceTo(object), { type: 'strategic', patch: { metadata } })
  } catch (thrown) {
    // Gone, or another object of the same name by now: there is nothing left to release.
    if (!isNotFound(thrown) && !isInvalid(thrown)) throw thrown
  }
}

const referenceTo = <T extends KubeObject>({ apiVersion, kind, metadata: { namespace, name = '' } }: T) => ({
  apiVersion,
  kind,
  name,
  ...(namespace === undefined ? {} : { namespace }),
})
