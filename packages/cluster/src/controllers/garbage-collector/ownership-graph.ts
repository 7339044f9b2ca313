import type { KubeObject, OwnerReference } from '@tiphys/kube'

/** Which object is meant. Of a cluster-scoped object the namespace is empty. */
export interface Identity {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** What a change of the graph asks for. */
export type GraphEffect =
  /** See whether this object has to go, or may go at last. */
  | { type: 'delete'; uid: string }
  /** The same, but only after a moment: it was tried just now. */
  | { type: 'delete-later'; uid: string }
  /** Take the references to this object from its dependents, then let it go. */
  | { type: 'orphan'; uid: string }
  /** Tell people that the object names an owner in a namespace that is not its own. */
  | { type: 'invalid-namespace'; dependent: Identity; owner: OwnerReference }

/** An object as the graph knows it. */
export interface GraphObject {
  readonly identity: Identity
  readonly owners: readonly OwnerReference[]
  /** Somebody refers to it as an owner; nobody has seen it yet. */
  readonly isVirtual: boolean
  readonly isBeingDeleted: boolean
  /** It waits in foreground deletion for its dependents to go. */
  readonly isDeletingDependents: boolean
}

interface Node {
  identity: Identity
  owners: readonly OwnerReference[]
  readonly dependents: Set<Node>
  isVirtual: boolean
  isBeingDeleted: boolean
  isDeletingDependents: boolean
  isOrphaning: boolean
}

const FOREGROUND = 'foregroundDeletion'
const ORPHAN = 'orphan'
/** How many owners that are known to be gone are remembered. */
const REMEMBERED_ABSENT = 500

/** Who owns whom, of all that was seen. It decides what is worth a look; it deletes nothing itself, and what it says is a
 *  moment old: whoever acts on it reads the live objects first. */
export class OwnershipGraph {
  readonly #nodes = new Map<string, Node>()
  readonly #absent = new Set<string>()

  get size(): number {
    return this.#nodes.size
  }

  get(uid: string): GraphObject | undefined {
    return this.#nodes.get(uid)
  }

  dependentsOf(uid: string): readonly GraphObject[] {
    return [...(this.#nodes.get(uid)?.dependents ?? [])]
  }

  /** Dependents that hold the owner in foreground deletion. */
  blockingDependentsOf(uid: string): readonly GraphObject[] {
    return this.dependentsOf(uid).filter(({ owners }) =>
      owners.some(owner => owner.uid === uid && owner.blockOwnerDeletion === true),
    )
  }

  /** The owner of that reference was looked for a short while ago and was not there. */
  isKnownAbsent(reference: OwnerReference, namespace: string): boolean {
    return (
      this.#absent.has(keyOf(identityOfOwner(reference, ''))) ||
      this.#absent.has(keyOf(identityOfOwner(reference, namespace)))
    )
  }

  rememberAbsent(identity: Identity): void {
    const key = keyOf(identity)
    this.#absent.delete(key)
    this.#absent.add(key)
    if (this.#absent.size > REMEMBERED_ABSENT) this.#absent.delete(this.#absent.values().next().value as string)
  }

  /** An object appeared or changed. */
  observe(object: KubeObject): GraphEffect[] {
    const effects: GraphEffect[] = []
    const { uid = '' } = object.metadata
    const known = this.#nodes.get(uid)
    if (known?.isVirtual) this.#replaceVirtual(known, identityOf(object), effects)
    const node = known ?? this.#insert(identityOf(object), false)
    this.#setOwners(node, object.metadata.ownerReferences ?? [], effects)
    const isBeingDeleted = object.metadata.deletionTimestamp !== undefined
    const finalizers = object.metadata.finalizers ?? []
    const isOrphaning = isBeingDeleted && finalizers.includes(ORPHAN)
    const isDeletingDependents = isBeingDeleted && finalizers.includes(FOREGROUND)
    const startsOrphaning = isOrphaning && !node.isOrphaning
    const startsDeleting = isDeletingDependents && !node.isDeletingDependents
    // Being deleted is a way of no return.
    node.isBeingDeleted ||= isBeingDeleted
    node.isOrphaning = isOrphaning
    if (startsOrphaning) effects.push({ type: 'orphan', uid })
    else if (startsDeleting) {
      node.isDeletingDependents = true
      for (const dependent of node.dependents) effects.push(deleteOf(dependent))
      effects.push(deleteOf(node))
    }
    return effects
  }

  /** An object is gone: its dependents may have to follow, and owners may have waited for it. */
  observeDeletion(object: KubeObject): GraphEffect[] {
    const node = this.#nodes.get(object.metadata.uid ?? '')
    return node ? this.#remove(node, identityOf(object)) : []
  }

  /** A live read found nothing under that identity. */
  confirmAbsence(identity: Identity): GraphEffect[] {
    const node = this.#nodes.get(identity.uid)
    if (!node) return []
    const { matching, mismatching } = partition(node.dependents, identity)
    if (node.isVirtual) {
      if (mismatching.length === 0) return this.#remove(node, identity)
      const effects = this.#sendDependents(matching, identity)
      // Others refer to the same uid by other coordinates: those are looked at next.
      const next = isSame(node.identity, identity) ? nextIdentity(mismatching, identity) : undefined
      if (next) {
        node.identity = next
        effects.push({ type: 'delete-later', uid: identity.uid })
      }
      return effects
    }
    // The real one was seen under other coordinates and stays; who refers to it by the wrong ones has no owner.
    return isSame(node.identity, identity) ? this.#remove(node, identity) : this.#sendDependents(matching, identity)
  }

  #insert(identity: Identity, isVirtual: boolean): Node {
    const node: Node = {
      identity,
      owners: [],
      dependents: new Set(),
      isVirtual,
      isBeingDeleted: false,
      isDeletingDependents: false,
      isOrphaning: false,
    }
    this.#nodes.set(identity.uid, node)
    return node
  }

  #replaceVirtual(node: Node, observed: Identity, effects: GraphEffect[]): void {
    node.isVirtual = false
    if (isSame(node.identity, observed)) return
    for (const dependent of partition(node.dependents, observed).mismatching) {
      if (observed.namespace !== '' && dependent.identity.namespace !== observed.namespace)
        reportNamespace(dependent, observed.uid, effects)
      effects.push(deleteOf(dependent))
    }
    node.identity = observed
  }

  #setOwners(node: Node, owners: readonly OwnerReference[], effects: GraphEffect[]): void {
    if (areSameOwners(node.owners, owners)) {
      node.owners = owners
      return
    }
    const before = new Map(node.owners.map(owner => [owner.uid, owner]))
    const after = new Map(owners.map(owner => [owner.uid, owner]))
    node.owners = owners
    for (const [uid, old] of before) {
      const now = after.get(uid)
      const owner = this.#nodes.get(uid)
      if (!owner) continue
      if (old.blockOwnerDeletion === true && now?.blockOwnerDeletion !== true) effects.push(deleteOf(owner))
      if (!now) owner.dependents.delete(node)
    }
    let isDoubtful = false
    for (const owner of owners) {
      if (before.has(owner.uid)) continue
      isDoubtful = this.#addDependent(node, owner, isDoubtful, effects) || isDoubtful
    }
    if (isDoubtful) effects.push(deleteOf(node))
  }

  /** True when the reference may be wrong, and has to be checked. */
  #addDependent(node: Node, reference: OwnerReference, isDoubtful: boolean, effects: GraphEffect[]): boolean {
    const known = this.#nodes.get(reference.uid)
    const owner = known ?? this.#insert(identityOfOwner(reference, node.identity.namespace), true)
    owner.dependents.add(node)
    if (!known) {
      effects.push(deleteOf(owner))
      return false
    }
    if (isDoubtful) return false
    const { namespace } = owner.identity
    if (namespace !== '' && namespace !== node.identity.namespace) {
      if (!owner.isVirtual) reportNamespace(node, reference.uid, effects)
      return true
    }
    if (!isSame(identityOfOwner(reference, namespace), owner.identity)) return true
    // A virtual owner without a namespace may be a namespaced kind that a cluster-scoped object named wrongly.
    return namespace === '' && node.identity.namespace !== '' && owner.isVirtual
  }

  #remove(node: Node, identity: Identity): GraphEffect[] {
    const effects: GraphEffect[] = []
    this.#nodes.delete(node.identity.uid)
    for (const { uid } of node.owners) {
      const owner = this.#nodes.get(uid)
      owner?.dependents.delete(node)
      if (owner?.isDeletingDependents) effects.push(deleteOf(owner))
    }
    if (node.dependents.size > 0) this.rememberAbsent(identity)
    for (const dependent of node.dependents) effects.push(deleteOf(dependent))
    return effects
  }

  #sendDependents(dependents: readonly Node[], absent: Identity): GraphEffect[] {
    if (dependents.length > 0) this.rememberAbsent(absent)
    return dependents.map(deleteOf)
  }
}

export function identityOf({ apiVersion, kind, metadata }: KubeObject): Identity {
  const { namespace = '', name = '', uid = '' } = metadata
  return { apiVersion, kind, namespace, name, uid }
}

export function identityOfOwner({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): Identity {
  return { apiVersion, kind, namespace, name, uid }
}

/** Most changes of an object leave its owners as they are. */
const areSameOwners = (before: readonly OwnerReference[], after: readonly OwnerReference[]): boolean =>
  before === after ||
  (before.length === after.length &&
    before.every(
      ({ uid, blockOwnerDeletion }, index) =>
        uid === after[index]?.uid && blockOwnerDeletion === after[index]?.blockOwnerDeletion,
    ))

const deleteOf = ({ identity: { uid } }: Node): GraphEffect => ({ type: 'delete', uid })

const keyOf = ({ apiVersion, kind, namespace, name, uid }: Identity) =>
  [apiVersion, kind, namespace, name, uid].join('\n')

const isSame = (a: Identity, b: Identity) => keyOf(a) === keyOf(b)

function reportNamespace(dependent: Node, ownerUid: string, effects: GraphEffect[]): void {
  const owner = dependent.owners.find(({ uid }) => uid === ownerUid)
  if (owner) effects.push({ type: 'invalid-namespace', dependent: dependent.identity, owner })
}

/** Dependents that refer to that very identity, and those that refer to its uid by other coordinates. One with two
 *  references can be both. */
function partition(dependents: Iterable<Node>, identity: Identity): { matching: Node[]; mismatching: Node[] } {
  const matching: Node[] = []
  const mismatching: Node[] = []
  for (const dependent of dependents) {
    const isElsewhere = identity.namespace !== '' && identity.namespace !== dependent.identity.namespace
    const references = dependent.owners.filter(({ uid }) => uid === identity.uid)
    const matches = references.map(owner => isSame(identityOfOwner(owner, identity.namespace), identity))
    if (!isElsewhere && matches.includes(true)) matching.push(dependent)
    if (isElsewhere || matches.includes(false)) mismatching.push(dependent)
  }
  return { matching, mismatching }
}

/** The next coordinates under which dependents name a uid, in a fixed order and around it, so that each has its turn. */
function nextIdentity(dependents: readonly Node[], absent: Identity): Identity | undefined {
  const candidates = new Map<string, Identity>()
  for (const { owners, identity } of dependents) {
    for (const owner of owners) {
      if (owner.uid !== absent.uid) continue
      // What was looked for without a namespace and is not there tells that its kind has none.
      const isClusterScoped =
        absent.namespace === '' && owner.apiVersion === absent.apiVersion && owner.kind === absent.kind
      const named = identityOfOwner(owner, isClusterScoped ? '' : identity.namespace)
      if (!isSame(named, absent)) candidates.set(orderOf(named), named)
    }
  }
  const order = [...candidates.keys()].sort()
  const next = order.find(key => key > orderOf(absent)) ?? order[0]
  return next === undefined ? undefined : candidates.get(next)
}

const orderOf = ({ kind, apiVersion, namespace, name, uid }: Identity) =>
  [kind, apiVersion, namespace, name, uid].join('\n')
