import type { BuiltinStrategy } from '../builtin-strategy.ts'

export const leaseStrategy: BuiltinStrategy = {
  hasGeneration: false,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
}
