import type { Strategy } from '../../strategy.ts'
import { validateClusterRole, validateRole } from './rbac-validation.ts'

export const roleStrategy: Strategy = {
  hasGeneration: false,
  nameRule: 'path',
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  validate: validateRole,
  validateUpdate: validateRole,
}

export const clusterRoleStrategy: Strategy = {
  ...roleStrategy,
  validate: validateClusterRole,
  validateUpdate: validateClusterRole,
}
