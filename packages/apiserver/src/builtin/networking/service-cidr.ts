import { type BuiltinStrategy, dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'

export const serviceCidrStrategy: BuiltinStrategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}
