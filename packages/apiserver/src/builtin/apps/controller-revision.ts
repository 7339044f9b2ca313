import type { BuiltinStrategy } from '../builtin-strategy.ts'
import { validateControllerRevision, validateControllerRevisionUpdate } from './workload-validation.ts'

export const controllerRevisionStrategy: BuiltinStrategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  validate: validateControllerRevision,
  validateUpdate: validateControllerRevisionUpdate,
}
