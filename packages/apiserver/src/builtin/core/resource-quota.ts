import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { objectAt, textMapAt } from '../fields.ts'
import { roundUpResourceList } from '../quantity.ts'
import { validateResourceQuota, validateResourceQuotaStatus, validateResourceQuotaUpdate } from './quota-validation.ts'

export const resourceQuotaStrategy: Strategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  returnsDeletedObject: true,
  setDefaults(quota) {
    roundUpResourceList(textMapAt(objectAt(quota, 'spec'), 'hard'))
    roundUpResourceList(textMapAt(objectAt(quota, 'status'), 'hard'))
    roundUpResourceList(textMapAt(objectAt(quota, 'status'), 'used'))
  },
  validate: validateResourceQuota,
  validateUpdate: validateResourceQuotaUpdate,
  validateStatusUpdate: validateResourceQuotaStatus,
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}
