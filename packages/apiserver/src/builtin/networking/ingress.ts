import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { isPresent, objectAt } from '../fields.ts'
import { validateIngress, validateIngressCreate, validateIngressStatus } from './ingress-validation.ts'

export const ingressStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  validate: validateIngressCreate,
  validateUpdate: validateIngress,
  validateStatusUpdate: validateIngressStatus,
  warnings(ingress, old) {
    const { annotations } = ingress.metadata
    const isAnnotated = annotations?.['kubernetes.io/ingress.class'] !== undefined
    if (old !== undefined || !isAnnotated || isPresent(objectAt(ingress, 'spec'), 'ingressClassName')) return []
    return [`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`]
  },
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}
