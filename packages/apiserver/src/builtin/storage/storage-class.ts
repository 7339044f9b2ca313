import type { Strategy } from '../../strategy.ts'
import { setIfAbsent } from '../fields.ts'
import { validateStorageClass, validateStorageClassUpdate } from './storage-validation.ts'

export const storageClassStrategy: Strategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  returnsDeletedObject: true,
  validate: validateStorageClass,
  validateUpdate: validateStorageClassUpdate,
  setDefaults(storageClass) {
    setIfAbsent(storageClass, 'reclaimPolicy', 'Delete')
    setIfAbsent(storageClass, 'volumeBindingMode', 'Immediate')
  },
}
