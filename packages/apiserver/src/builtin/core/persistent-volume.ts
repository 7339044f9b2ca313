import type { Strategy } from '../../strategy.ts'
import { keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { ensureObject, isPresent, objectAt, setIfAbsent, setIfZero, textAt, textMapAt } from '../fields.ts'
import { setVolumeSourceDefaults } from '../pod-template.ts'
import { roundUpResourceList } from '../quantity.ts'
import { validatePersistentVolume, validatePersistentVolumeUpdate } from './persistent-volume-validation.ts'

export const persistentVolumeStrategy: Strategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  returnsDeletedObject: true,
  setDefaults(volume) {
    const spec = ensureObject(volume, 'spec')
    setIfZero(ensureObject(volume, 'status'), 'phase', 'Pending')
    setIfZero(spec, 'persistentVolumeReclaimPolicy', 'Retain')
    setIfAbsent(spec, 'volumeMode', 'Filesystem')
    roundUpResourceList(textMapAt(spec, 'capacity'))
    setVolumeSourceDefaults(spec)
  },
  prepareForCreate(volume) {
    volume.status = { phase: 'Pending', lastPhaseTransitionTime: volume.metadata.creationTimestamp ?? null }
  },
  validate: validatePersistentVolume,
  validateUpdate: validatePersistentVolumeUpdate,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate(volume, old) {
    keepOldSpec(volume, old)
    const status = ensureObject(volume, 'status')
    const oldStatus = objectAt(old, 'status')
    const isSamePhase = textAt(status, 'phase') === textAt(oldStatus, 'phase')
    if (
      isSamePhase &&
      !isPresent(status, 'lastPhaseTransitionTime') &&
      isPresent(oldStatus, 'lastPhaseTransitionTime')
    ) {
      status.lastPhaseTransitionTime = oldStatus.lastPhaseTransitionTime
    }
  },
}
