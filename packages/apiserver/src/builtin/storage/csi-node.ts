import type { BuiltinStrategy } from '../builtin-strategy.ts'

export const csiNodeStrategy: BuiltinStrategy = { hasGeneration: false, allowUnconditionalUpdate: false, returnsDeletedObject: true }
