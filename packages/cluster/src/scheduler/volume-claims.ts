import { type LabelSelector, labelSelectorFrom } from '@tiphys/kube'
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '@tiphys/kube/kinds'
import { matchesNodeSelector } from './node-matching.ts'
import { amountOf } from './resource-amounts.ts'

/** The storage of the cluster, as far as scheduling needs it. */
export interface VolumeLookup {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined
  volume(name: string): PersistentVolume | undefined
  /** Those of a storage class that are free, or held for one claim. */
  volumesOfClass(storageClass: string): Iterable<PersistentVolume>
  storageClass(name: string): StorageClass | undefined
}

/** What a pod's claims ask of a node. */
export interface ClaimedVolumes {
  /** Undefined: bound to a volume that is not there. */
  bound: readonly (PersistentVolume | undefined)[]
  /** Claims that wait for a consumer. */
  waiting: readonly PersistentVolumeClaim[]
  /** `namespace/name` of claims that one pod alone may use. */
  exclusive: readonly string[]
}

/** How the waiting claims would be met on a node. */
export interface VolumePlan {
  /** Volumes that exist, by the claim that takes them. */
  matched: readonly { claim: PersistentVolumeClaim; volume: PersistentVolume }[]
  /** Claims that a provisioner is to make a volume for. */
  provisioned: readonly PersistentVolumeClaim[]
}

export const NO_PROVISIONER = 'kubernetes.io/no-provisioner'
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node'
export const NODE_CONFLICT = "node(s) didn't match PersistentVolume's node affinity"
export const BIND_CONFLICT = "node(s) didn't find available persistent volumes to bind"
export const EXCLUSIVE_IN_USE =
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod'
export const VOLUME_MISSING = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)'

interface ClaimName {
  name: string
  isEphemeral: boolean
}

/** The claims that stand behind the volumes of a pod. */
export function claimNames({ metadata, spec }: Pod): ClaimName[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }): ClaimName[] => {
    if (persistentVolumeClaim) return [{ name: persistentVolumeClaim.claimName, isEphemeral: false }]
    return ephemeral ? [{ name: `${metadata.name}-${name}`, isEphemeral: true }] : []
  })
}

/** Text: why no node can take the pod. */
export function readClaims(pod: Pod, lookup: VolumeLookup): ClaimedVolumes | string {
  const claims: PersistentVolumeClaim[] = []
  for (const { name, isEphemeral } of claimNames(pod)) {
    const claim = lookup.claim(pod.metadata.namespace ?? '', name)
    if (!claim && isEphemeral) {
      return `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
    }
    if (!claim) return `persistentvolumeclaim "${name}" not found`
    if (claim.status?.phase === 'Lost') {
      return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ''}"`
    }
    if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`
    claims.push(claim)
  }
  const bound: (PersistentVolume | undefined)[] = []
  const waiting: PersistentVolumeClaim[] = []
  for (const claim of claims) {
    if (isFullyBound(claim)) {
      bound.push(lookup.volume(claim.spec?.volumeName ?? ''))
    } else if (claim.spec?.volumeName === undefined && isDelayed(claim, lookup)) waiting.push(claim)
    else return 'pod has unbound immediate PersistentVolumeClaims'
  }
  const exclusive = claims
    .filter(({ spec }) => spec?.accessModes?.includes('ReadWriteOncePod'))
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
  return { bound, waiting, exclusive }
}

const isFullyBound = ({ metadata, spec }: PersistentVolumeClaim) =>
  spec?.volumeName !== undefined &&
  spec.volumeName !== '' &&
  metadata.annotations?.['pv.kubernetes.io/bind-completed'] !== undefined

const isDelayed = ({ spec }: PersistentVolumeClaim, lookup: VolumeLookup) =>
  lookup.storageClass(spec?.storageClassName ?? '')?.volumeBindingMode === 'WaitForFirstConsumer'

/** How a node could serve the claims; text when it cannot. */
export function planVolumes({ bound, waiting }: ClaimedVolumes, node: Node, lookup: VolumeLookup): VolumePlan | string {
  for (const volume of bound) {
    if (!volume) return VOLUME_MISSING
    if (!isReachable(volume, node)) return NODE_CONFLICT
  }
  const matched: { claim: PersistentVolumeClaim; volume: PersistentVolume }[] = []
  const provisioned: PersistentVolumeClaim[] = []
  const taken = new Set<string>()
  for (const claim of waiting) {
    const selected = claim.metadata.annotations?.[SELECTED_NODE]
    if (selected !== undefined && selected !== node.metadata.name) return BIND_CONFLICT
    const volume = selected === undefined ? findVolume(claim, node, lookup, taken) : undefined
    if (volume) {
      taken.add(volume.metadata.name ?? '')
      matched.push({ claim, volume })
    } else if (canProvision(claim, node, lookup)) provisioned.push(claim)
    else return BIND_CONFLICT
  }
  return { matched, provisioned }
}

export function isReachable({ spec }: PersistentVolume, node: Node): boolean {
  const required = spec?.nodeAffinity?.required
  return required === undefined || matchesNodeSelector(required, node)
}

function canProvision({ spec }: PersistentVolumeClaim, node: Node, lookup: VolumeLookup): boolean {
  const storageClass = lookup.storageClass(spec?.storageClassName ?? '')
  if (!storageClass || storageClass.provisioner === NO_PROVISIONER) return false
  const topologies = storageClass.allowedTopologies ?? []
  if (topologies.length === 0) return true
  const labels = node.metadata.labels ?? {}
  return topologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => labels[key] !== undefined && values.includes(labels[key])),
  )
}

/** The smallest free volume that the node reaches and that meets the claim; one that is held for the claim goes first. */
function findVolume(claim: PersistentVolumeClaim, node: Node, lookup: VolumeLookup, taken: ReadonlySet<string>) {
  let best: { volume: PersistentVolume; size: number } | undefined
  const selector = claim.spec?.selector === undefined ? undefined : labelSelectorFrom(claim.spec.selector)
  for (const volume of lookup.volumesOfClass(claim.spec?.storageClassName ?? '')) {
    if (taken.has(volume.metadata.name ?? '') || !isReachable(volume, node)) continue
    const size = offeredSize(volume, claim, selector)
    if (size === undefined) continue
    if (isHeldFor(volume, claim)) return volume
    if (!best || size < best.size) best = { volume, size }
  }
  return best?.volume
}

export const isHeldFor = ({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim) =>
  spec?.claimRef?.name === metadata.name &&
  spec?.claimRef?.namespace === metadata.namespace &&
  (spec?.claimRef?.uid === undefined || spec.claimRef.uid === '' || spec.claimRef.uid === metadata.uid)

/** How large the volume is, if it meets what the claim asks for and is not another claim's. */
export function offeredSize(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  selector: LabelSelector | undefined,
): number | undefined {
  const { spec, status, metadata } = volume
  if (metadata.deletionTimestamp !== undefined) return undefined
  if ((spec?.volumeMode ?? 'Filesystem') !== (claim.spec?.volumeMode ?? 'Filesystem')) return undefined
  if ((spec?.volumeAttributesClassName ?? '') !== (claim.spec?.volumeAttributesClassName ?? '')) return undefined
  if (spec?.claimRef && !isHeldFor(volume, claim)) return undefined
  const size = amountOf('storage', spec?.capacity?.storage ?? '0')
  if (size < amountOf('storage', claim.spec?.resources?.requests?.storage ?? '0')) return undefined
  if (!(claim.spec?.accessModes ?? []).every(mode => spec?.accessModes?.includes(mode))) return undefined
  if (isHeldFor(volume, claim)) return size
  if (status?.phase !== 'Available') return undefined
  if ((spec?.storageClassName ?? '') !== (claim.spec?.storageClassName ?? '')) return undefined
  return selector && !selector.matches(metadata.labels) ? undefined : size
}
