import {
  ApiError,
  type Client,
  type DeleteOptions,
  isConflict,
  isNotFound,
  type KubeObject,
  type ObjectRef,
  type OwnerReference,
} from '@tiphys/kube'
import {
  type GraphEffect,
  type GraphObject,
  type Identity,
  identityOfOwner,
  type OwnershipGraph,
} from './ownership-graph.ts'

/** Carries out what the graph asks for. It reads every object live before it changes or deletes it, and asks the server to
 *  refuse when the object is another by then. */
export interface Collector {
  /** Deletes the object if all its owners are gone, or lets it go if it waited for its dependents. */
  attemptToDelete(uid: string): Promise<void>
  attemptToOrphan(uid: string): Promise<void>
}

/** The owner exists, but its own stream has not shown it yet: to be looked at again. */
export class NotYetObserved extends Error {}

type PropagationPolicy = NonNullable<DeleteOptions['propagationPolicy']>

export function createCollector(
  client: Client,
  graph: OwnershipGraph,
  perform: (effects: readonly GraphEffect[]) => void,
): Collector {
  const refOf = async ({ apiVersion, kind, namespace, name }: Identity): Promise<ObjectRef | 'misplaced'> => {
    const { namespaced } = await client.resourceFor({ apiVersion, kind })
    if (!namespaced) return { apiVersion, kind, name }
    return namespace === '' ? 'misplaced' : { apiVersion, kind, namespace, name }
  }

  /** Undefined when there is no such object; `misplaced` when a cluster-scoped object named a namespaced owner. */
  const read = async (identity: Identity): Promise<KubeObject | 'misplaced' | undefined> => {
    const ref = await refOf(identity)
    if (ref === 'misplaced') return ref
    const found = await orAbsent(client.get(ref, { metadataOnly: true }))
    return found?.metadata.uid === identity.uid ? found : undefined
  }

  const patch = async (
    object: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>,
    strategic: readonly Record<string, unknown>[],
    owners: (latest: KubeObject) => readonly OwnerReference[],
  ) => {
    const { apiVersion, kind, metadata } = object
    const { namespace, name = '', uid } = metadata
    const ref: ObjectRef = { apiVersion, kind, name, ...(namespace ? { namespace } : {}) }
    try {
      const metadata = { uid, ownerReferences: strategic }
      await client.patch(ref, { type: 'strategic', patch: { metadata } })
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.statusCode !== 415) throw thrown
      // Custom kinds know merge patches alone, which replace the whole list.
      const latest = await client.get(ref, { metadataOnly: true })
      const { resourceVersion } = latest.metadata
      const ownerReferences = owners(latest)
      await client.patch(ref, { type: 'merge', patch: { metadata: { uid, resourceVersion, ownerReferences } } })
    }
  }

  const removeOwners = (object: Parameters<typeof patch>[0], uids: readonly string[]) =>
    patch(
      object,
      uids.map(uid => ({ $patch: 'delete', uid })),
      latest => (latest.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.includes(uid)),
    )

  const unblockOwners = (latest: KubeObject) => {
    const owners = latest.metadata.ownerReferences ?? []
    const blocking = owners.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true)
    const unblocked = (references: readonly OwnerReference[]) =>
      references.map(owner => ({ ...owner, blockOwnerDeletion: false }))
    return patch(latest, unblocked(blocking), fresh => unblocked(fresh.metadata.ownerReferences ?? []))
  }

  const removeFinalizer = async (identity: Identity, finalizer: string) => {
    const latest = await read(identity)
    if (latest === undefined || latest === 'misplaced') return
    const { finalizers = [], resourceVersion } = latest.metadata
    const rest = finalizers.filter(one => one !== finalizer)
    if (rest.length === finalizers.length) return
    const metadata = { resourceVersion, finalizers: rest.length > 0 ? rest : null }
    await orAbsent(client.patch(await knownRef(identity), { type: 'merge', patch: { metadata } }))
  }

  const knownRef = async (identity: Identity) => (await refOf(identity)) as ObjectRef

  /** False when the object was gone already. */
  const remove = async (latest: KubeObject, identity: Identity, propagationPolicy: PropagationPolicy) => {
    const ref = await knownRef(identity)
    const { uid = '', resourceVersion = '', ownerReferences } = latest.metadata
    try {
      await client.delete(ref, { propagationPolicy, preconditions: { uid, resourceVersion } })
      return true
    } catch (thrown) {
      if (isNotFound(thrown)) return false
      if (!isConflict(thrown)) throw thrown
      const live = await orAbsent(client.get(ref, { metadataOnly: true }))
      if (!live || live.metadata.uid !== uid) return false
      // Changes that leave the owners alone must not keep an object alive for ever.
      if (JSON.stringify(live.metadata.ownerReferences) !== JSON.stringify(ownerReferences)) throw thrown
      return (await orAbsent(client.delete(ref, { propagationPolicy, preconditions: { uid } }))) !== undefined
    }
  }

  const classify = async (latest: KubeObject, namespace: string): Promise<Owners> => {
    const owners: Owners = { solid: [], dangling: [], waiting: [], isMisplaced: false }
    for (const reference of latest.metadata.ownerReferences ?? []) {
      const owner = graph.isKnownAbsent(reference, namespace) ? undefined : await findOwner(reference, namespace)
      if (owner === 'misplaced') return { ...owners, isMisplaced: true }
      const { deletionTimestamp, finalizers } = owner?.metadata ?? {}
      const isWaiting = deletionTimestamp !== undefined && finalizers?.includes('foregroundDeletion')
      const side = !owner ? owners.dangling : isWaiting ? owners.waiting : owners.solid
      side.push(reference)
    }
    return owners
  }

  const findOwner = async (reference: OwnerReference, namespace: string) => {
    const identity = identityOfOwner(reference, namespace)
    const owner = await read(identity)
    if (owner === undefined) {
      const { namespaced } = await client.resourceFor(reference)
      graph.rememberAbsent(namespaced ? identity : { ...identity, namespace: '' })
    }
    return owner
  }

  const collect = async (node: GraphObject, latest: KubeObject) => {
    const { identity } = node
    if ((latest.metadata.ownerReferences ?? []).length === 0) return
    const { solid, dangling, waiting, isMisplaced } = await classify(latest, identity.namespace)
    if (isMisplaced) return
    if (solid.length > 0) {
      const superfluous = [...dangling, ...waiting].map(({ uid }) => uid)
      if (superfluous.length > 0) await removeOwners(latest, superfluous)
      return
    }
    const dependents = graph.dependentsOf(identity.uid)
    const isForeground = waiting.length > 0 && dependents.length > 0
    // Its owner waits for it and it would wait for a dependent that waits itself: a circle, which is cut here.
    if (isForeground && dependents.some(({ isDeletingDependents }) => isDeletingDependents)) await unblockOwners(latest)
    const fresh = isForeground ? await read(identity) : latest
    const isDeleted =
      fresh !== undefined && fresh !== 'misplaced'
        ? await remove(fresh, identity, isForeground ? 'Foreground' : policyOf(latest))
        : false
    if (!isDeleted) perform(graph.confirmAbsence(identity))
  }

  return {
    async attemptToDelete(uid) {
      const node = graph.get(uid)
      if (!node || (node.isBeingDeleted && !node.isDeletingDependents)) return
      const { identity } = node
      const latest = await read(identity)
      if (latest === 'misplaced') return
      if (!latest) return perform(graph.confirmAbsence(identity))
      if (node.isDeletingDependents) {
        const blocking = graph.blockingDependentsOf(uid)
        if (blocking.length === 0) await removeFinalizer(identity, 'foregroundDeletion')
        const idle = blocking.filter(({ isDeletingDependents }) => !isDeletingDependents)
        perform(idle.map(({ identity: { uid } }) => ({ type: 'delete', uid })))
      } else await collect(node, latest)
      if (graph.get(uid)?.isVirtual) throw new NotYetObserved(`${identity.kind} ${identity.name} was not seen yet`)
    },
    async attemptToOrphan(uid) {
      const node = graph.get(uid)
      if (!node) return
      await Promise.all(
        graph.dependentsOf(uid).map(async ({ identity: { apiVersion, kind, ...metadata } }) => {
          await orAbsent(removeOwners({ apiVersion, kind, metadata }, [uid]))
        }),
      )
      await removeFinalizer(node.identity, 'orphan')
    },
  }
}

interface Owners {
  /** They exist and stay. */
  solid: OwnerReference[]
  /** They do not exist. */
  dangling: OwnerReference[]
  /** They wait in foreground deletion for their dependents to go. */
  waiting: OwnerReference[]
  /** One is in a namespace, and the object is not: such an object is left alone. */
  isMisplaced: boolean
}

/** What was asked for the object itself goes on to hold. */
function policyOf({ metadata: { finalizers = [] } }: KubeObject): PropagationPolicy {
  if (finalizers.includes('orphan')) return 'Orphan'
  return finalizers.includes('foregroundDeletion') ? 'Foreground' : 'Background'
}

async function orAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined
    throw thrown
  }
}
