import type { BuiltinStrategy } from '../builtin-strategy.ts'
import { validateLease } from './lease-validation.ts'

export const leaseStrategy: BuiltinStrategy = {
  hasGeneration: false,
  validate: validateLease,
  validateUpdate: validateLease,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
}
