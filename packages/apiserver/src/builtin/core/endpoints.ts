import type { Strategy } from '../../strategy.ts'
import { listAt, setIfZero } from '../fields.ts'
import { validateEndpoints } from './endpoints-validation.ts'

export const endpointsStrategy: Strategy = {
  hasGeneration: false,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  validate: endpoints => validateEndpoints(endpoints),
  validateUpdate: validateEndpoints,
  setDefaults(endpoints) {
    for (const subset of listAt(endpoints, 'subsets')) {
      for (const port of listAt(subset, 'ports')) setIfZero(port, 'protocol', 'TCP')
    }
  },
}
