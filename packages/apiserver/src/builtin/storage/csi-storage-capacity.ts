import type { Strategy } from '../../strategy.ts'
import { validateCsiStorageCapacity } from './storage-validation.ts'

export const csiStorageCapacityStrategy: Strategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: false,
  validate: validateCsiStorageCapacity,
  validateUpdate: validateCsiStorageCapacity,
}
