import type { BuiltinStrategy } from '../builtin-strategy.ts'
import { objectAt, optionalObjectAt, setIfAbsent } from '../fields.ts'

export const ingressClassStrategy: BuiltinStrategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  setDefaults(ingressClass) {
    const parameters = optionalObjectAt(objectAt(ingressClass, 'spec'), 'parameters')
    if (parameters !== undefined) setIfAbsent(parameters, 'scope', 'Cluster')
  },
}
