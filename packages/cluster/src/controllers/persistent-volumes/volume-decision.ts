import type { PersistentVolume, PersistentVolumeClaim } from '@tiphys/kube/kinds'
import { type Notice, PROVISIONED_BY } from './claim-decision.ts'

/** What to do about a volume. */
export type VolumeDecision =
  | { action: 'set-phase'; phase: 'Available' | 'Bound' }
  /** Its claim has gone. `release`: say so first. */
  | { action: 'reclaim'; release: boolean }
  /** Its claim is bound to another volume. */
  | { action: 'unbind' }
  /** Its claim has yet to be bound to it; that is the claim's business. */
  | { action: 'leave'; notices?: { onVolume: Notice; onClaim: Notice } }

/** `claim`: the one that the volume names, whatever its uid. */
export function decideVolume(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumeDecision {
  const { spec, status, metadata } = volume
  if (!spec?.claimRef?.uid) return { action: 'set-phase', phase: 'Available' }
  const release = status?.phase !== 'Released' && status?.phase !== 'Failed'
  if (!claim || claim.metadata.uid !== spec.claimRef.uid) return { action: 'reclaim', release }
  if (!claim.spec?.volumeName) return { action: 'leave', ...modeMismatch(volume, claim) }
  if (claim.spec.volumeName === metadata.name) return { action: 'set-phase', phase: 'Bound' }
  const isOurs = metadata.annotations?.[PROVISIONED_BY] !== undefined && spec.persistentVolumeReclaimPolicy === 'Delete'
  return isOurs ? { action: 'reclaim', release } : { action: 'unbind' }
}

function modeMismatch(volume: PersistentVolume, claim: PersistentVolumeClaim) {
  if ((volume.spec?.volumeMode ?? 'Filesystem') === (claim.spec?.volumeMode ?? 'Filesystem')) return {}
  const notice = (message: string): Notice => ({ type: 'Warning', reason: 'VolumeMismatch', message })
  const because = 'due to incompatible volumeMode.'
  return {
    notices: {
      onVolume: notice(
        `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" ${because}`,
      ),
      onClaim: notice(
        `Cannot bind PersistentVolume "${volume.metadata.name}" to requested PersistentVolumeClaim ${because}`,
      ),
    },
  }
}

/** What becomes of a volume whose claim has gone. */
export type Reclaim =
  | { action: 'keep' }
  /** Its provisioner deletes it. */
  | { action: 'leave-to-provisioner' }
  | { action: 'delete' }
  | { action: 'fail'; reason: string; message: string }

export function decideReclaim({ metadata, spec }: PersistentVolume): Reclaim {
  const policy = spec?.persistentVolumeReclaimPolicy
  if (policy === 'Recycle') {
    return { action: 'fail', reason: 'VolumeFailedRecycle', message: 'No recycler plugin found for the volume!' }
  }
  if (policy !== 'Delete') return { action: 'keep' }
  if (metadata.annotations?.[PROVISIONED_BY] !== undefined || spec?.csi !== undefined)
    return { action: 'leave-to-provisioner' }
  const failed = (message: string): Reclaim => ({ action: 'fail', reason: 'VolumeFailedDelete', message })
  const path = spec?.hostPath?.path
  if (path === undefined) {
    return failed(
      `error getting deleter volume plugin for volume "${metadata.name}": no deletable volume plugin matched`,
    )
  }
  if (!/^\/tmp\/.+/.test(path)) return failed(`host_path deleter only supports /tmp/.+ but received provided ${path}`)
  return { action: 'delete' }
}
