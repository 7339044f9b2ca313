import type { BuiltinStrategy } from '../builtin-strategy.ts'
import { setIfAbsent } from '../fields.ts'

export const priorityClassStrategy: BuiltinStrategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  setDefaults: priorityClass => setIfAbsent(priorityClass, 'preemptionPolicy', 'PreemptLowerPriority'),
  generationChanges: () => false,
}
