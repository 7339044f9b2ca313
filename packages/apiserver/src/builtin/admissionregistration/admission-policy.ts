import type { KubeObject } from '@tiphys/kube'
import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus } from '../builtin-strategy.ts'
import { ensureObject, type Fields, listAt, objectAt, optionalObjectAt, setIfAbsent } from '../fields.ts'
import {
  validateAdmissionPolicyBinding,
  validateMutatingAdmissionPolicy,
  validateValidatingAdmissionPolicy,
  validateValidatingAdmissionPolicyBinding,
} from './admission-policy-validation.ts'

function setMatchDefaults(match: Fields | undefined): void {
  if (match === undefined) return
  setIfAbsent(match, 'matchPolicy', 'Equivalent')
  setIfAbsent(match, 'namespaceSelector', {})
  setIfAbsent(match, 'objectSelector', {})
  for (const rule of [...listAt(match, 'resourceRules'), ...listAt(match, 'excludeResourceRules')]) {
    setIfAbsent(rule, 'scope', '*')
  }
}

function setPolicyDefaults(policy: KubeObject): void {
  const spec = ensureObject(policy, 'spec')
  setIfAbsent(spec, 'failurePolicy', 'Fail')
  setMatchDefaults(optionalObjectAt(spec, 'matchConstraints'))
}

const setBindingDefaults = (binding: KubeObject) =>
  setMatchDefaults(optionalObjectAt(objectAt(binding, 'spec'), 'matchResources'))

export const validatingAdmissionPolicyStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: false,
  setDefaults: setPolicyDefaults,
  validate: validateValidatingAdmissionPolicy,
  validateUpdate: validateValidatingAdmissionPolicy,
  prepareForCreate: dropStatus,
  prepareForUpdate: keepOldStatus,
  prepareForStatusUpdate: keepOldSpec,
}

export const mutatingAdmissionPolicyStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: false,
  setDefaults: setPolicyDefaults,
  validate: validateMutatingAdmissionPolicy,
  validateUpdate: validateMutatingAdmissionPolicy,
}

export const validatingAdmissionPolicyBindingStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: false,
  setDefaults: setBindingDefaults,
  validate: validateValidatingAdmissionPolicyBinding,
  validateUpdate: validateValidatingAdmissionPolicyBinding,
}

export const mutatingAdmissionPolicyBindingStrategy: Strategy = {
  ...validatingAdmissionPolicyBindingStrategy,
  validate: validateAdmissionPolicyBinding,
  validateUpdate: validateAdmissionPolicyBinding,
}
