import type { BuiltinStrategy } from '../builtin-strategy.ts'

export const configMapStrategy: BuiltinStrategy = { hasGeneration: false, allowUnconditionalUpdate: true }
