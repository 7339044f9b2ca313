import { type BuiltinStrategy, dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { objectAt, optionalObjectAt, setIfAbsent } from '../fields.ts'

export const apiServiceStrategy: BuiltinStrategy = {
  hasGeneration: false,
  nameRule: 'path',
  allowUnconditionalUpdate: false,
  setDefaults(apiService) {
    const service = optionalObjectAt(objectAt(apiService, 'spec'), 'service')
    if (service !== undefined) setIfAbsent(service, 'port', 443)
  },
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}
