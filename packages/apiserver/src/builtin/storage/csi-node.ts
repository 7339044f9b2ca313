import type { Strategy } from '../../strategy.ts'
import { validateCsiNode } from './storage-validation.ts'

export const csiNodeStrategy: Strategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: false,
  returnsDeletedObject: true,
  validate: validateCsiNode,
  validateUpdate: validateCsiNode,
}
