import type { Strategy } from '../../strategy.ts'
import { validateConfigMap, validateConfigMapUpdate } from './configuration-validation.ts'

export const configMapStrategy: Strategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  validate: validateConfigMap,
  validateUpdate: validateConfigMapUpdate,
}
