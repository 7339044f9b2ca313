import type { Strategy } from '../../strategy.ts'
import { validateVolumeAttributesClass, validateVolumeAttributesClassUpdate } from './storage-validation.ts'

export const volumeAttributesClassStrategy: Strategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  returnsDeletedObject: true,
  validate: validateVolumeAttributesClass,
  validateUpdate: validateVolumeAttributesClassUpdate,
}
