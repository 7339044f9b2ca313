import type { BuiltinStrategy } from '../builtin-strategy.ts'
import { validateConfigMap, validateConfigMapUpdate } from './configuration-validation.ts'

export const configMapStrategy: BuiltinStrategy = {
  hasGeneration: false,
  allowUnconditionalUpdate: true,
  validate: validateConfigMap,
  validateUpdate: validateConfigMapUpdate,
}
