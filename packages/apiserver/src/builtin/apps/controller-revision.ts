import type { Strategy } from '../../strategy.ts'
import { validateControllerRevision, validateControllerRevisionUpdate } from './workload-validation.ts'

export const controllerRevisionStrategy: Strategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  validate: validateControllerRevision,
  validateUpdate: validateControllerRevisionUpdate,
}
