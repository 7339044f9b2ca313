import type { BuiltinStrategy } from '../builtin-strategy.ts'
import { setPodTemplateDefaults } from '../pod-template.ts'

export const podTemplateStrategy: BuiltinStrategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  returnsDeletedObject: true,
  setDefaults: setPodTemplateDefaults,
}
