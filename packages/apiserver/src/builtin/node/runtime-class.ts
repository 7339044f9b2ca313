import type { BuiltinStrategy } from '../builtin-strategy.ts'
import { objectAt, textMapAt } from '../fields.ts'
import { roundUpResourceList } from '../quantity.ts'

export const runtimeClassStrategy: BuiltinStrategy = {
  hasGeneration: false,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  setDefaults: runtimeClass => roundUpResourceList(textMapAt(objectAt(runtimeClass, 'overhead'), 'podFixed')),
}
