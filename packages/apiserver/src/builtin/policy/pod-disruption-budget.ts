import { type BuiltinStrategy, dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { validatePodDisruptionBudget, validatePodDisruptionBudgetStatus } from './pod-disruption-budget-validation.ts'

export const podDisruptionBudgetStrategy: BuiltinStrategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: false,
  validate: validatePodDisruptionBudget,
  validateUpdate: validatePodDisruptionBudget,
  validateStatusUpdate: validatePodDisruptionBudgetStatus,
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}
