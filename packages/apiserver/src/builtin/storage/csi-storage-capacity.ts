import type { BuiltinStrategy } from '../builtin-strategy.ts'

export const csiStorageCapacityStrategy: BuiltinStrategy = { hasGeneration: false, allowUnconditionalUpdate: false }
