import type { Strategy } from '../../strategy.ts'
import { objectAt, textMapAt } from '../fields.ts'
import { roundUpResourceList } from '../quantity.ts'
import { validateRuntimeClass, validateRuntimeClassUpdate } from './runtime-class-validation.ts'

export const runtimeClassStrategy: Strategy = {
  hasGeneration: false,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate: validateRuntimeClass,
  validateUpdate: validateRuntimeClassUpdate,
  setDefaults: runtimeClass => roundUpResourceList(textMapAt(objectAt(runtimeClass, 'overhead'), 'podFixed')),
}
