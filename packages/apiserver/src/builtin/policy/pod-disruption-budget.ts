import { type BuiltinStrategy, dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'

export const podDisruptionBudgetStrategy: BuiltinStrategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: false,
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}
