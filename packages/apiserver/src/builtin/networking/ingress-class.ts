import type { Strategy } from '../../strategy.ts'
import { objectAt, optionalObjectAt, setIfAbsent } from '../fields.ts'
import { validateIngressClass, validateIngressClassUpdate } from './ingress-validation.ts'

export const ingressClassStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  validate: validateIngressClass,
  validateUpdate: validateIngressClassUpdate,
  setDefaults(ingressClass) {
    const parameters = optionalObjectAt(objectAt(ingressClass, 'spec'), 'parameters')
    if (parameters !== undefined) setIfAbsent(parameters, 'scope', 'Cluster')
  },
}
