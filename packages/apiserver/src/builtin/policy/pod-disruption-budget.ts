import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { validatePodDisruptionBudget, validatePodDisruptionBudgetStatus } from './pod-disruption-budget-validation.ts'

export const podDisruptionBudgetStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: false,
  validate: validatePodDisruptionBudget,
  validateUpdate: validatePodDisruptionBudget,
  validateStatusUpdate: validatePodDisruptionBudgetStatus,
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}
