import type { Strategy } from '../../strategy.ts'
import { validateLease } from './lease-validation.ts'

export const leaseStrategy: Strategy = {
  hasGeneration: false,
  validate: validateLease,
  validateUpdate: validateLease,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
}
