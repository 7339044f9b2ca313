import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { ensureObject, setIfZero } from '../fields.ts'
import { validateFlowSchema } from './flow-control-validation.ts'

export const flowSchemaStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  validate: validateFlowSchema,
  validateUpdate: validateFlowSchema,
  setDefaults: schema => setIfZero(ensureObject(schema, 'spec'), 'matchingPrecedence', 1000),
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}
