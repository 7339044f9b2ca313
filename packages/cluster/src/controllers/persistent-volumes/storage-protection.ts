import { type KubeObject, kindRef } from '@tiphys/kube'
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '@tiphys/kube/kinds'
import { claimNames } from '../../scheduler/volume-claims.ts'
import {
  type Controller,
  type ControllerContext,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from '../controller.ts'
import { byClaim } from './persistent-volume-controller.ts'

const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection'
const VOLUME_FINALIZER = 'kubernetes.io/pv-protection'

/** Holds a claim's deletion back as long as a pod that has a node uses it. */
export function createClaimProtectionController(context: ControllerContext): Controller {
  const selection = kindRef<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim')
  const claims = wakeBy(context, selection, ({ object }) => [keyOfObject(object)])
  const pods = wakeBy(context, kindRef<Pod>('v1', 'Pod'), ({ type, object }) =>
    type === 'deleted' ? claimNames(object).map(({ name }) => `${object.metadata.namespace}/${name}`) : [],
  )
  return createReconciler(context, {
    name: 'persistentvolumeclaim-protection-controller',
    wakes: [claims, pods],
    async reconcile(key) {
      const { namespace = '', name } = parseKey(key)
      const claim = claims.cache.get(name, namespace)
      if (!claim) return undefined
      const isUsed = () =>
        pods.cache
          .indexBy(byClaim)
          .get(key)
          .some(({ spec }) => spec?.nodeName)
      await protect(context, claim, CLAIM_FINALIZER, isUsed)
      return undefined
    },
  })
}

/** Holds a volume's deletion back as long as it is bound. */
export function createVolumeProtectionController(context: ControllerContext): Controller {
  const volumes = wakeBy(context, kindRef<PersistentVolume>('v1', 'PersistentVolume'), ({ object }) => [
    keyOfObject(object),
  ])
  return createReconciler(context, {
    name: 'persistentvolume-protection-controller',
    wakes: [volumes],
    async reconcile(name) {
      const volume = volumes.cache.get(name)
      if (volume) await protect(context, volume, VOLUME_FINALIZER, () => volume.status?.phase === 'Bound')
      return undefined
    },
  })
}

async function protect<T extends KubeObject>(
  { client }: ControllerContext,
  object: T,
  finalizer: string,
  isUsed: () => boolean,
): Promise<void> {
  const { finalizers = [], deletionTimestamp } = object.metadata
  const isProtected = finalizers.includes(finalizer)
  const isGoing = deletionTimestamp !== undefined
  if (isGoing === !isProtected || (isGoing && isUsed())) return
  const changed = isGoing ? finalizers.filter(each => each !== finalizer) : [...finalizers, finalizer]
  await client.update<T>({ ...object, metadata: { ...object.metadata, finalizers: changed } })
}
