import type { KubeObject } from '@tiphys/kube'
import type { Strategy } from '../../strategy.ts'
import { ensureObject, listAt, setIfZero, textAt } from '../fields.ts'
import { validateBindingUpdate, validateClusterRoleBinding, validateRoleBinding } from './rbac-validation.ts'

export const RBAC_GROUP = 'rbac.authorization.k8s.io'

function setDefaults(binding: KubeObject): void {
  setIfZero(ensureObject(binding, 'roleRef'), 'apiGroup', RBAC_GROUP)
  for (const subject of listAt(binding, 'subjects')) {
    if (['User', 'Group'].includes(textAt(subject, 'kind'))) setIfZero(subject, 'apiGroup', RBAC_GROUP)
  }
}

export const roleBindingStrategy: Strategy = {
  hasGeneration: false,
  nameRule: 'path',
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  setDefaults,
  validate: validateRoleBinding,
  validateUpdate: (binding, old) => validateBindingUpdate(binding, old, validateRoleBinding),
}

export const clusterRoleBindingStrategy: Strategy = {
  ...roleBindingStrategy,
  validate: validateClusterRoleBinding,
  validateUpdate: (binding, old) => validateBindingUpdate(binding, old, validateClusterRoleBinding),
}
