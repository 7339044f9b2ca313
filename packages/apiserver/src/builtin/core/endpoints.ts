import type { BuiltinStrategy } from '../builtin-strategy.ts'
import { listAt, setIfZero } from '../fields.ts'

export const endpointsStrategy: BuiltinStrategy = {
  hasGeneration: false,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  setDefaults(endpoints) {
    for (const subset of listAt(endpoints, 'subsets')) {
      for (const port of listAt(subset, 'ports')) setIfZero(port, 'protocol', 'TCP')
    }
  },
}
