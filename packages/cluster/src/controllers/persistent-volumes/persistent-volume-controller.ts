import { isDeepStrictEqual } from 'node:util'
import { isNotFound, kindRef } from '@tiphys/kube'
import type {
  ObjectReference,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
  Pod,
  StorageClass,
} from '@tiphys/kube/kinds'
import { claimNames, isHeldFor } from '../../scheduler/volume-claims.ts'
import {
  type Controller,
  type ControllerContext,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from '../controller.ts'
import { timestampOf } from '../status.ts'
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, decideClaim, type Notice, type StorageWorld } from './claim-decision.ts'
import { decideReclaim, decideVolume } from './volume-decision.ts'

const VOLUME = 'volume '
const CLAIM = 'claim '
const volumeKey = ({ metadata }: PersistentVolume) => `${VOLUME}${metadata.name}`
const claimKey = (claim: PersistentVolumeClaim) => `${CLAIM}${keyOfObject(claim)}`
const PROVISIONER = ['volume.beta.kubernetes.io/storage-provisioner', 'volume.kubernetes.io/storage-provisioner']

/** Binds claims to volumes, asks provisioners for volumes that are missing, and reclaims volumes whose claims have gone. */
export function createPersistentVolumeController(context: ControllerContext): Controller {
  const binder = new Binder(context)
  return createReconciler(context, {
    name: 'persistentvolume-binder',
    wakes: binder.wakes,
    // One at a time: two claims must not choose the same volume.
    concurrency: 1,
    async reconcile(key) {
      if (key.startsWith(VOLUME)) await binder.syncVolume(key.slice(VOLUME.length))
      else await binder.syncClaim(key.slice(CLAIM.length))
      return undefined
    },
  })
}

class Binder {
  readonly #context: ControllerContext
  readonly #recorder: ReturnType<ControllerContext['recorder']>
  readonly #claims
  readonly #volumes
  readonly #classes
  readonly #pods
  readonly #world: StorageWorld
  readonly wakes

  constructor(context: ControllerContext) {
    this.#context = context
    this.#recorder = context.recorder('persistentvolume-controller')
    const claims = wakeBy(
      context,
      kindRef<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim'),
      ({ type, object }) => {
        const held = object.spec?.volumeName ? [`${VOLUME}${object.spec.volumeName}`] : []
        if (type !== 'deleted') return [claimKey(object), ...held]
        return [...held, ...this.#volumesHeldFor(object).map(volumeKey)]
      },
    )
    const volumes = wakeBy(context, kindRef<PersistentVolume>('v1', 'PersistentVolume'), ({ type, object }) => {
      const { claimRef } = object.spec ?? {}
      const holder = claimRef?.name ? [`${CLAIM}${claimRef.namespace}/${claimRef.name}`] : []
      return [...(type === 'deleted' ? [] : [volumeKey(object)]), ...holder, ...(claimRef ? [] : this.#unboundClaims())]
    })
    const classes = wakeBy(context, kindRef<StorageClass>('storage.k8s.io/v1', 'StorageClass'), () =>
      this.#unboundClaims(),
    )
    const pods = wakeBy(context, kindRef<Pod>('v1', 'Pod'), change => {
      if (change.type === 'updated' && change.old.spec?.nodeName === change.object.spec?.nodeName) return []
      return this.#delayedClaims(change.object)
    })
    this.#claims = claims.cache
    this.#volumes = volumes.cache
    this.#classes = classes.cache
    this.#pods = pods.cache
    this.wakes = [claims, volumes, classes, pods]
    this.#world = {
      volume: name => this.#volumes.get(name),
      volumes: () => this.#volumes.list(),
      storageClass: name => this.#classes.get(name),
      storageClasses: () => this.#classes.list(),
      unscheduledUsers: claim => this.#unscheduledUsers(claim),
    }
  }

  async syncClaim(key: string): Promise<void> {
    const { namespace = '', name } = parseKey(key)
    const claim = this.#claims.get(name, namespace)
    if (!claim) return
    const decision = decideClaim(claim, this.#world)
    switch (decision.action) {
      case 'bind':
        return this.#bind(decision.volume, claim)
      case 'assign-class': {
        const spec = { ...claim.spec, storageClassName: decision.storageClass }
        await this.#context.client.update<PersistentVolumeClaim>({ ...claim, spec })
        return
      }
      case 'provision':
        return this.#askFor(claim, decision.provisioner)
      case 'lose':
        if (claim.status?.phase !== 'Lost') this.#tell(claim, decision.notice)
        await this.#setClaimStatus(claim, { phase: 'Lost' })
        return
      case 'wait':
        if (decision.notice) this.#tell(claim, decision.notice)
        await this.#setClaimStatus(claim, { phase: 'Pending' })
    }
  }

  async syncVolume(name: string): Promise<void> {
    const volume = this.#volumes.get(name)
    if (!volume) return
    const { claimRef } = volume.spec ?? {}
    const claim = claimRef?.uid ? await this.#claimOf(claimRef) : undefined
    const decision = decideVolume(volume, claim)
    switch (decision.action) {
      case 'set-phase':
        await this.#setPhase(volume, decision.phase)
        return
      case 'reclaim':
        return this.#reclaim(decision.release ? await this.#setPhase(volume, 'Released') : volume)
      case 'unbind':
        return this.#unbind(volume)
      case 'leave':
        if (decision.notices) this.#tell(volume, decision.notices.onVolume)
        if (decision.notices && claim) this.#tell(claim, decision.notices.onClaim)
    }
  }

  /** The cache may be behind for a claim whose volume was written by somebody else: reclaiming must not be a mistake. */
  async #claimOf({ namespace = '', name = '', uid }: ObjectReference): Promise<PersistentVolumeClaim | undefined> {
    const known = this.#claims.get(name, namespace)
    if (known && known.metadata.uid === uid) return known
    const ref = { ...kindRef<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim'), namespace, name }
    return this.#context.client.get(ref).catch(thrown => {
      if (isNotFound(thrown)) return undefined
      throw thrown
    })
  }

  async #bind(volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
    const bound = await this.#bindVolume(volume, claim)
    await this.#setPhase(bound, 'Bound')
    const isChosen = !claim.spec?.volumeName
    const annotations = {
      ...claim.metadata.annotations,
      ...(isChosen ? { [BOUND_BY_CONTROLLER]: 'yes' } : {}),
      [BIND_COMPLETED]: 'yes',
    }
    const isComplete = !isChosen && isDeepStrictEqual(annotations, claim.metadata.annotations)
    const volumeName = volume.metadata.name ?? ''
    const changed = { ...claim, metadata: { ...claim.metadata, annotations }, spec: { ...claim.spec, volumeName } }
    const current = isComplete ? claim : await this.#context.client.update<PersistentVolumeClaim>(changed)
    const { accessModes, capacity, volumeAttributesClassName } = volume.spec ?? {}
    const wasBound = current.status?.phase === 'Bound'
    await this.#setClaimStatus(current, {
      phase: 'Bound',
      ...(accessModes && { accessModes }),
      // A claim that is bound may have another size than its volume, while it is resized.
      ...(wasBound ? { capacity: current.status?.capacity ?? {} } : capacity && { capacity }),
      ...(volumeAttributesClassName && { currentVolumeAttributesClassName: volumeAttributesClassName }),
    })
  }

  async #bindVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<PersistentVolume> {
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = claim.metadata
    const isHeld = isHeldFor(volume, claim)
    if (isHeld && volume.spec?.claimRef?.uid === uid) return volume
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion }
    const annotations = isHeld
      ? volume.metadata.annotations
      : { ...volume.metadata.annotations, [BOUND_BY_CONTROLLER]: 'yes' }
    const metadata = { ...volume.metadata, ...(annotations && { annotations }) }
    return this.#context.client.update<PersistentVolume>({ ...volume, metadata, spec: { ...volume.spec, claimRef } })
  }

  async #unbind(volume: PersistentVolume): Promise<void> {
    const { [BOUND_BY_CONTROLLER]: byController, ...annotations } = volume.metadata.annotations ?? {}
    const { claimRef, ...spec } = volume.spec ?? {}
    const { uid: _, ...reservation } = claimRef ?? {}
    const changed =
      byController === undefined
        ? { ...volume, spec: { ...spec, claimRef: reservation } }
        : { ...volume, metadata: { ...volume.metadata, annotations }, spec }
    await this.#setPhase(await this.#context.client.update<PersistentVolume>(changed), 'Available')
  }

  async #reclaim(volume: PersistentVolume): Promise<void> {
    const reclaim = decideReclaim(volume)
    const name = volume.metadata.name ?? ''
    if (reclaim.action === 'delete' && volume.metadata.deletionTimestamp === undefined) {
      await this.#context.client.delete({ ...kindRef('v1', 'PersistentVolume'), name }).catch(ignoreMissing)
    }
    if (reclaim.action !== 'fail' || volume.status?.phase === 'Failed') return
    await this.#setPhase(volume, 'Failed', reclaim.message)
    this.#tell(volume, { type: 'Warning', ...reclaim })
  }

  async #askFor(claim: PersistentVolumeClaim, provisioner: string): Promise<void> {
    const wanted = Object.fromEntries(PROVISIONER.map(key => [key, provisioner]))
    const annotations = { ...claim.metadata.annotations, ...wanted }
    if (isDeepStrictEqual(annotations, claim.metadata.annotations)) return
    await this.#context.client.update<PersistentVolumeClaim>({ ...claim, metadata: { ...claim.metadata, annotations } })
    const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`
    this.#tell(claim, { type: 'Normal', reason: 'ExternalProvisioning', message })
  }

  async #setPhase(volume: PersistentVolume, phase: string, message?: string): Promise<PersistentVolume> {
    if (volume.status?.phase === phase) return volume
    const lastPhaseTransitionTime = timestampOf(this.#context.env)
    const status = { phase, lastPhaseTransitionTime, ...(message === undefined ? {} : { message }) }
    return this.#context.client.update<PersistentVolume>({ ...volume, status }, { subresource: 'status' })
  }

  async #setClaimStatus(claim: PersistentVolumeClaim, wanted: PersistentVolumeClaimStatus): Promise<void> {
    const {
      phase: _,
      accessModes: _m,
      capacity: _c,
      currentVolumeAttributesClassName: _v,
      ...others
    } = claim.status ?? {}
    const status = { ...others, ...wanted }
    if (isDeepStrictEqual(status, claim.status)) return
    await this.#context.client.update<PersistentVolumeClaim>({ ...claim, status }, { subresource: 'status' })
  }

  #tell(object: PersistentVolume | PersistentVolumeClaim, { type, reason, message }: Notice): void {
    if (type === 'Normal') this.#recorder.normal(object, reason, message)
    else this.#recorder.warning(object, reason, message)
  }

  #volumesHeldFor = (claim: PersistentVolumeClaim) => this.#volumes.list().filter(volume => isHeldFor(volume, claim))

  #unboundClaims(): string[] {
    return this.#claims
      .list()
      .filter(({ status }) => status?.phase !== 'Bound')
      .map(claimKey)
  }

  #delayedClaims(pod: Pod): string[] {
    return claimNames(pod).flatMap(({ name }) => {
      const claim = this.#claims.get(name, pod.metadata.namespace)
      return claim && claim.status?.phase === 'Pending' ? [claimKey(claim)] : []
    })
  }

  #unscheduledUsers({ metadata }: PersistentVolumeClaim): string[] {
    return this.#pods
      .indexBy(byClaim)
      .get(`${metadata.namespace}/${metadata.name}`)
      .filter(({ spec, status }) => !spec?.nodeName && status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
      .map(pod => pod.metadata.name ?? '')
      .sort()
  }
}

/** The claims that a pod uses. */
export const byClaim = (pod: Pod): readonly string[] =>
  claimNames(pod).map(({ name }) => `${pod.metadata.namespace}/${name}`)

function ignoreMissing(thrown: unknown): void {
  if (!isNotFound(thrown)) throw thrown
}
