import type { BuiltinStrategy } from '../builtin-strategy.ts'
import { validateCsiNode } from './storage-validation.ts'

export const csiNodeStrategy: BuiltinStrategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: false,
  returnsDeletedObject: true,
  validate: validateCsiNode,
  validateUpdate: validateCsiNode,
}
