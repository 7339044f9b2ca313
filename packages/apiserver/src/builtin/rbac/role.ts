import type { BuiltinStrategy } from '../builtin-strategy.ts'
import { validateClusterRole, validateRole } from './rbac-validation.ts'

export const roleStrategy: BuiltinStrategy = {
  hasGeneration: false,
  nameRule: 'path',
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  validate: validateRole,
  validateUpdate: validateRole,
}

export const clusterRoleStrategy: BuiltinStrategy = {
  ...roleStrategy,
  validate: validateClusterRole,
  validateUpdate: validateClusterRole,
}
