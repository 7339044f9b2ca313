import type { BuiltinStrategy } from '../builtin-strategy.ts'

export const volumeAttributesClassStrategy: BuiltinStrategy = { hasGeneration: false, allowUnconditionalUpdate: true, returnsDeletedObject: true }
