import { isAlreadyExists, kindRef } from '@tiphys/kube'
import type { PersistentVolumeClaim, Pod, Volume } from '@tiphys/kube/kinds'
import {
  type Controller,
  type ControllerContext,
  createReconciler,
  keyOfObject,
  parseKey,
  wakeBy,
} from '../controller.ts'

/** Makes the claims of volumes that live as long as their pod. */
export function createEphemeralVolumeController(context: ControllerContext): Controller {
  const { client } = context
  const recorder = context.recorder('ephemeral_volume')
  const pods = wakeBy(context, kindRef<Pod>('v1', 'Pod'), ({ object }) =>
    (object.spec?.volumes ?? []).some(({ ephemeral }) => ephemeral) ? [keyOfObject(object)] : [],
  )
  const selection = kindRef<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim')
  const claims = wakeBy(context, selection, ({ type, object }) => {
    const owner = object.metadata.ownerReferences?.find(({ kind, controller }) => kind === 'Pod' && controller)
    return type === 'deleted' && owner ? [`${object.metadata.namespace}/${owner.name}`] : []
  })
  return createReconciler(context, {
    name: 'ephemeral-volume-controller',
    wakes: [pods, claims],
    async reconcile(key) {
      const { namespace = '', name } = parseKey(key)
      const pod = pods.cache.get(name, namespace)
      if (!pod || pod.metadata.deletionTimestamp !== undefined) return undefined
      for (const volume of pod.spec?.volumes ?? []) {
        if (!volume.ephemeral) continue
        const claim = claimFor(pod, volume)
        const existing = claims.cache.get(claim.metadata.name ?? '', namespace)
        if (existing?.metadata.ownerReferences?.some(({ uid }) => uid === pod.metadata.uid)) continue
        if (existing) {
          const message = `ephemeral volume ${volume.name}: PVC ${namespace}/${claim.metadata.name} was not created for pod ${namespace}/${name} (pod is not owner)`
          recorder.warning(pod, 'ProvisioningFailed', message)
          continue
        }
        await client.create(claim).catch(thrown => {
          if (!isAlreadyExists(thrown)) throw thrown
        })
      }
      return undefined
    },
  })
}

function claimFor({ metadata }: Pod, { name: volume, ephemeral }: Volume): PersistentVolumeClaim {
  const { namespace = '', name = '', uid = '' } = metadata
  const template = ephemeral?.volumeClaimTemplate
  const owner = { apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true }
  const { labels, annotations } = template?.metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      namespace,
      name: `${name}-${volume}`,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ownerReferences: [owner],
    },
    spec: { ...template?.spec },
  }
}
