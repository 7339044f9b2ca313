import type { Strategy } from '../../strategy.ts'
import { setIfAbsent } from '../fields.ts'
import { validatePriorityClass, validatePriorityClassUpdate } from './priority-class-validation.ts'

export const priorityClassStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  validate: validatePriorityClass,
  validateUpdate: validatePriorityClassUpdate,
  setDefaults: priorityClass => setIfAbsent(priorityClass, 'preemptionPolicy', 'PreemptLowerPriority'),
  generationChanges: () => false,
}
