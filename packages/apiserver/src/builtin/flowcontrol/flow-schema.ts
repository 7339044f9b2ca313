import { type BuiltinStrategy, dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { ensureObject, setIfZero } from '../fields.ts'

export const flowSchemaStrategy: BuiltinStrategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  setDefaults: schema => setIfZero(ensureObject(schema, 'spec'), 'matchingPrecedence', 1000),
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}
