import type { BuiltinStrategy } from '../builtin-strategy.ts'
import { validateCsiStorageCapacity } from './storage-validation.ts'

export const csiStorageCapacityStrategy: BuiltinStrategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: false,
  validate: validateCsiStorageCapacity,
  validateUpdate: validateCsiStorageCapacity,
}
