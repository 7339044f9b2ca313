import { type BuiltinStrategy, dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'

export const ingressStrategy: BuiltinStrategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}
