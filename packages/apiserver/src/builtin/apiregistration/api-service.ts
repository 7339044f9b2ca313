import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { objectAt, optionalObjectAt, setIfAbsent } from '../fields.ts'
import { validateApiService } from './api-service-validation.ts'

export const apiServiceStrategy: Strategy = {
  hasGeneration: false,
  nameRule: 'path',
  allowUnconditionalUpdate: false,
  validate: validateApiService,
  validateUpdate: validateApiService,
  setDefaults(apiService) {
    const service = optionalObjectAt(objectAt(apiService, 'spec'), 'service')
    if (service !== undefined) setIfAbsent(service, 'port', 443)
  },
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}
