import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { asError } from '@tiphys/env'
import { isAlreadyExists, isNotFound, kindRef } from '@tiphys/kube'
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@tiphys/kube/kinds'
import {
  type Controller,
  type ControllerContext,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from '../controller.ts'
import { classOf, PROVISIONED_BY } from './claim-decision.ts'

export const LOCAL_PROVISIONER = 'tiphys.dev/local'
const ASKED_OF = 'volume.kubernetes.io/storage-provisioner'
const VOLUME = 'volume '

export interface LocalProvisionerOptions {
  /** Volumes are folders below this one. Without it no folders are made: for pods that are simulated. */
  directory?: string
}

const STANDARD: StorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: LOCAL_PROVISIONER,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
}

/** Makes a folder of this machine for every claim that asks `tiphys.dev/local` for a volume, and removes it when the
 *  volume is to be deleted. At its start it makes the default storage class `standard`, unless one of that name is there. */
export function createLocalProvisioner(
  context: ControllerContext,
  { directory }: LocalProvisionerOptions = {},
): Controller {
  const { client, env } = context
  const recorder = context.recorder(LOCAL_PROVISIONER)
  const pathOf = (name: string) => join(directory ?? '/var/lib/tiphys/volumes', name)
  const selection = kindRef<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim')
  const claims = wakeBy(context, selection, ({ object }) => [keyOfObject(object)])
  const volumes = wakeBy(context, kindRef<PersistentVolume>('v1', 'PersistentVolume'), ({ object }) => [
    `${VOLUME}${object.metadata.name}`,
  ])
  const classes = wakeBy(context, kindRef<StorageClass>('storage.k8s.io/v1', 'StorageClass'), () => [])

  const provision = async (claim: PersistentVolumeClaim) => {
    const storageClass = classes.cache.get(classOf(claim))
    if (!storageClass) return
    const name = `pvc-${claim.metadata.uid}`
    if (volumes.cache.get(name)) return
    const about = `${claim.metadata.namespace}/${claim.metadata.name}`
    if (claim.spec?.volumeMode === 'Block') {
      const message = `failed to provision volume with StorageClass "${storageClass.metadata.name}": a folder cannot be a block device`
      recorder.warning(claim, 'ProvisioningFailed', message)
      return
    }
    recorder.normal(claim, 'Provisioning', `External provisioner is provisioning volume for claim "${about}"`)
    try {
      if (directory !== undefined) await mkdir(pathOf(name), { recursive: true, mode: 0o777 })
      await client.create(volumeFor(claim, storageClass, name, pathOf(name)))
    } catch (thrown) {
      if (isAlreadyExists(thrown)) return
      const message = `failed to provision volume with StorageClass "${storageClass.metadata.name}": ${asError(thrown).message}`
      recorder.warning(claim, 'ProvisioningFailed', message)
      throw thrown
    }
    recorder.normal(claim, 'ProvisioningSucceeded', `Successfully provisioned volume ${name}`)
  }

  const remove = async ({ metadata, spec }: PersistentVolume) => {
    const name = metadata.name ?? ''
    // Somebody may have written the annotation by hand: only folders of our own are removed.
    const isOurs = directory !== undefined && spec?.hostPath?.path === pathOf(name)
    if (isOurs) await rm(pathOf(name), { recursive: true, force: true })
    await client.delete({ ...kindRef('v1', 'PersistentVolume'), name }).catch(thrown => {
      if (!isNotFound(thrown)) throw thrown
    })
  }

  client.create(STANDARD).catch(thrown => {
    if (isAlreadyExists(thrown)) return
    env.log.warn('the storage class standard could not be made', { error: asError(thrown) })
  })

  return createReconciler(context, {
    name: 'local-provisioner',
    wakes: [claims, volumes, classes],
    async reconcile(key) {
      if (key.startsWith(VOLUME)) {
        const volume = volumes.cache.get(key.slice(VOLUME.length))
        if (volume && isToDelete(volume)) await remove(volume)
        return undefined
      }
      const { namespace = '', name } = parseKey(key)
      const claim = claims.cache.get(name, namespace)
      const isAsked = claim?.metadata.annotations?.[ASKED_OF] === LOCAL_PROVISIONER
      const isOpen = !claim?.spec?.volumeName && claim?.metadata.deletionTimestamp === undefined
      if (claim && isAsked && isOpen) await provision(claim)
      return undefined
    },
  })
}

const isToDelete = ({ metadata, spec, status }: PersistentVolume) =>
  metadata.annotations?.[PROVISIONED_BY] === LOCAL_PROVISIONER &&
  metadata.deletionTimestamp === undefined &&
  spec?.persistentVolumeReclaimPolicy === 'Delete' &&
  status?.phase === 'Released'

function volumeFor(
  claim: PersistentVolumeClaim,
  { metadata, reclaimPolicy = 'Delete', mountOptions }: StorageClass,
  name: string,
  path: string,
): PersistentVolume {
  const { namespace = '', name: claimName = '', uid = '', resourceVersion = '' } = claim.metadata
  const storage = claim.spec?.resources?.requests?.storage ?? '0'
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { [PROVISIONED_BY]: LOCAL_PROVISIONER } },
    spec: {
      accessModes: claim.spec?.accessModes ?? [],
      capacity: { storage },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: claimName, uid, resourceVersion },
      hostPath: { path, type: 'DirectoryOrCreate' },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: metadata.name ?? '',
      volumeMode: 'Filesystem',
      ...(mountOptions && { mountOptions }),
    },
  }
}
