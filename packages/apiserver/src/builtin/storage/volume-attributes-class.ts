import type { BuiltinStrategy } from '../builtin-strategy.ts'
import { validateVolumeAttributesClass, validateVolumeAttributesClassUpdate } from './storage-validation.ts'

export const volumeAttributesClassStrategy: BuiltinStrategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  returnsDeletedObject: true,
  validate: validateVolumeAttributesClass,
  validateUpdate: validateVolumeAttributesClassUpdate,
}
