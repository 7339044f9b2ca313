import type { BuiltinStrategy } from '../builtin-strategy.ts'

export const controllerRevisionStrategy: BuiltinStrategy = { hasGeneration: false, allowUnconditionalUpdate: true }
