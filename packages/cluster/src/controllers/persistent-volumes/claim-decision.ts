import { labelSelectorFrom } from '@tiphys/kube'
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@tiphys/kube/kinds'
import { amountOf } from '../../scheduler/resource-amounts.ts'
import { isHeldFor, offeredSize, SELECTED_NODE } from '../../scheduler/volume-claims.ts'

export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed'
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller'
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by'
const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
]

export interface Notice {
  type: 'Normal' | 'Warning'
  reason: string
  message: string
}

/** What to do about a claim. */
export type ClaimDecision =
  | { action: 'bind'; volume: PersistentVolume }
  /** Nothing can be done now. */
  | { action: 'wait'; notice?: Notice }
  /** A default class has come up since the claim was made. */
  | { action: 'assign-class'; storageClass: string }
  | { action: 'provision'; provisioner: string }
  /** What it was bound to is gone. */
  | { action: 'lose'; notice: Notice }

export interface StorageWorld {
  volume(name: string): PersistentVolume | undefined
  volumes(): Iterable<PersistentVolume>
  storageClass(name: string): StorageClass | undefined
  storageClasses(): Iterable<StorageClass>
  /** Names of pods that use the claim and have no node yet. */
  unscheduledUsers(claim: PersistentVolumeClaim): readonly string[]
}

export function decideClaim(claim: PersistentVolumeClaim, world: StorageWorld): ClaimDecision {
  const isBound = claim.metadata.annotations?.[BIND_COMPLETED] !== undefined
  if (isBound) return decideBound(claim, world)
  return claim.spec?.volumeName ? decideRequested(claim, claim.spec.volumeName, world) : decideUnbound(claim, world)
}

function decideBound(claim: PersistentVolumeClaim, world: StorageWorld): ClaimDecision {
  const lose = (reason: string, message: string): ClaimDecision => ({
    action: 'lose',
    notice: { type: 'Warning', reason, message },
  })
  const name = claim.spec?.volumeName ?? ''
  if (name === '') {
    return lose('ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!')
  }
  const volume = world.volume(name)
  if (!volume) return lose('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!')
  const holder = volume.spec?.claimRef
  if (holder === undefined || holder.uid === claim.metadata.uid) return { action: 'bind', volume }
  return lose('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly')
}

/** A claim that names the volume it wants. */
function decideRequested(claim: PersistentVolumeClaim, name: string, world: StorageWorld): ClaimDecision {
  const volume = world.volume(name)
  if (!volume) return { action: 'wait' }
  if (volume.spec?.claimRef === undefined) {
    const mismatch = findMismatch(volume, claim)
    if (mismatch === undefined) return { action: 'bind', volume }
    const message = `Cannot bind to requested volume "${name}": ${mismatch}`
    return { action: 'wait', notice: { type: 'Warning', reason: 'VolumeMismatch', message } }
  }
  if (isHeldFor(volume, claim)) return { action: 'bind', volume }
  const message = `volume "${name}" already bound to a different claim.`
  return { action: 'wait', notice: { type: 'Warning', reason: 'FailedBinding', message } }
}

function findMismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const { spec, metadata } = volume
  if (metadata.deletionTimestamp !== undefined) return `the volume is marked for deletion "${metadata.name}"`
  if (sizeOf(spec?.capacity) < sizeOf(claim.spec?.resources?.requests)) return 'requested PV is too small'
  if ((spec?.storageClassName ?? '') !== classOf(claim)) return 'storageClassName does not match'
  if ((spec?.volumeAttributesClassName ?? '') !== (claim.spec?.volumeAttributesClassName ?? '')) {
    return 'volumeAttributesClassName does not match'
  }
  if ((spec?.volumeMode ?? 'Filesystem') !== (claim.spec?.volumeMode ?? 'Filesystem')) return 'incompatible volumeMode'
  const hasModes = (claim.spec?.accessModes ?? []).every(mode => spec?.accessModes?.includes(mode))
  return hasModes ? undefined : 'incompatible accessMode'
}

const sizeOf = (resources: Readonly<Record<string, string>> | undefined) =>
  amountOf('storage', resources?.storage ?? '0')

export const classOf = ({ metadata, spec }: PersistentVolumeClaim): string =>
  metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? ''

function decideUnbound(claim: PersistentVolumeClaim, world: StorageWorld): ClaimDecision {
  const className = classOf(claim)
  const storageClass = className === '' ? undefined : world.storageClass(className)
  const isDelayed = storageClass?.volumeBindingMode === 'WaitForFirstConsumer'
  const volume = findVolume(claim, world.volumes(), isDelayed)
  if (volume) return { action: 'bind', volume }
  if (claim.spec?.storageClassName === undefined && className === '') {
    const standard = defaultClass(world.storageClasses())
    if (standard !== undefined) return { action: 'assign-class', storageClass: standard }
  }
  if (isDelayed && claim.metadata.annotations?.[SELECTED_NODE] === undefined) {
    return { action: 'wait', notice: waitingNotice(world.unscheduledUsers(claim)) }
  }
  if (className !== '') return decideProvisioning(className, storageClass)
  const message = 'no persistent volumes available for this claim and no storage class is set'
  return { action: 'wait', notice: { type: 'Normal', reason: 'FailedBinding', message } }
}

function decideProvisioning(name: string, storageClass: StorageClass | undefined): ClaimDecision {
  const failed = (message: string): ClaimDecision => ({
    action: 'wait',
    notice: { type: 'Warning', reason: 'ProvisioningFailed', message },
  })
  if (!storageClass) return failed(`storageclass.storage.k8s.io "${name}" not found`)
  const { provisioner } = storageClass
  if (provisioner.startsWith('kubernetes.io/')) return failed(`no volume plugin matched name: ${provisioner}`)
  return { action: 'provision', provisioner }
}

function waitingNotice(pods: readonly string[]): Notice {
  if (pods.length === 0) {
    const message = 'waiting for first consumer to be created before binding'
    return { type: 'Normal', reason: 'WaitForFirstConsumer', message }
  }
  const message = `waiting for ${pods.length > 1 ? 'pods' : 'pod'} ${pods.join(',')} to be scheduled`
  return { type: 'Normal', reason: 'WaitForPodScheduled', message }
}

/** One that is held for the claim, else the smallest with the fewest access modes. A claim that waits for a consumer only
 *  takes one that is held for it: where the consumer will be is not known. */
function findVolume(claim: PersistentVolumeClaim, volumes: Iterable<PersistentVolume>, isDelayed: boolean) {
  const selector = claim.spec?.selector === undefined ? undefined : labelSelectorFrom(claim.spec.selector)
  const offers: { volume: PersistentVolume; modes: number; size: number }[] = []
  for (const volume of volumes) {
    const size = offeredSize(volume, claim, selector)
    if (size === undefined) continue
    if (isHeldFor(volume, claim)) return volume
    if (!isDelayed) offers.push({ volume, modes: volume.spec?.accessModes?.length ?? 0, size })
  }
  const byName = (a: PersistentVolume, b: PersistentVolume) =>
    (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1
  offers.sort((a, b) => a.modes - b.modes || a.size - b.size || byName(a.volume, b.volume))
  return offers[0]?.volume
}

/** The newest class that is marked as default. */
function defaultClass(classes: Iterable<StorageClass>): string | undefined {
  const marked = [...classes].filter(({ metadata }) =>
    DEFAULT_CLASS.some(key => metadata.annotations?.[key] === 'true'),
  )
  const age = ({ metadata }: StorageClass) => `${metadata.creationTimestamp ?? ''}`
  marked.sort((a, b) =>
    age(a) === age(b) ? ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1) : age(a) > age(b) ? -1 : 1,
  )
  return marked[0]?.metadata.name
}
