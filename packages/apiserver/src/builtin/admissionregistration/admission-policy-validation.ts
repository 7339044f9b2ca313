import type { KubeObject } from '@tiphys/kube'
import { child, type FieldError, index, invalid, notSupported, required } from '../../field-error.ts'
import { type Fields, listAt, objectAt, optionalObjectAt, textAt, textsAt } from '../fields.ts'
import { validateLabelSelector } from '../label-selector-validation.ts'
import { checkLabel1035, checkSubdomain } from '../names.ts'
import { validateRuleWithOperations } from './webhook-validation.ts'

const ACTIONS = ['Audit', 'Deny', 'Warn']

/** What a policy must have before its expressions are looked at: compiling those belongs to who evaluates them. */
function validateAdmissionPolicy(policy: KubeObject): FieldError[] {
  const spec = objectAt(policy, 'spec')
  const errors: FieldError[] = []
  const failurePolicy = textAt(spec, 'failurePolicy')
  if (!['Fail', 'Ignore'].includes(failurePolicy)) {
    errors.push(notSupported('spec.failurePolicy', failurePolicy, ['Fail', 'Ignore']))
  }
  const paramKind = optionalObjectAt(spec, 'paramKind')
  if (paramKind !== undefined) errors.push(...validateParamKind(paramKind, 'spec.paramKind'))
  const match = optionalObjectAt(spec, 'matchConstraints')
  if (match === undefined) errors.push(required('spec.matchConstraints'))
  else {
    errors.push(...validateMatch(match, 'spec.matchConstraints'))
    if (listAt(match, 'resourceRules').length === 0) errors.push(required('spec.matchConstraints.resourceRules'))
  }
  for (const [i, variable] of listAt(spec, 'variables').entries()) {
    const at = index('spec.variables', i)
    if (textAt(variable, 'name').trim() === '') errors.push(required(child(at, 'name'), 'name is not specified'))
    if (textAt(variable, 'expression').trim() === '') {
      errors.push(required(child(at, 'expression'), 'expression is not specified'))
    }
  }
  return errors
}

export function validateValidatingAdmissionPolicy(policy: KubeObject): FieldError[] {
  const errors = validateAdmissionPolicy(policy)
  const spec = objectAt(policy, 'spec')
  const validations = listAt(spec, 'validations')
  if (validations.length + listAt(spec, 'auditAnnotations').length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item'
    errors.push(required('spec.validations', detail), required('spec.auditAnnotations', detail))
  }
  for (const [i, validation] of validations.entries()) {
    if (textAt(validation, 'expression').trim() === '') {
      errors.push(required(`spec.validations[${i}].expression`, 'expression is not specified'))
    }
  }
  return errors
}

export function validateMutatingAdmissionPolicy(policy: KubeObject): FieldError[] {
  const errors = validateAdmissionPolicy(policy)
  const spec = objectAt(policy, 'spec')
  if (listAt(spec, 'mutations').length === 0) {
    errors.push(required('spec.mutations', 'mutations must contain at least one item'))
  }
  const reinvocation = textAt(spec, 'reinvocationPolicy')
  if (reinvocation === '') errors.push(required('spec.reinvocationPolicy'))
  else if (!['IfNeeded', 'Never'].includes(reinvocation)) {
    errors.push(notSupported('spec.reinvocationPolicy', reinvocation, ['IfNeeded', 'Never']))
  }
  return errors
}

function validateParamKind(kind: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const apiVersion = textAt(kind, 'apiVersion')
  const at = child(field, 'apiVersion')
  if (apiVersion === '') errors.push(required(at))
  else {
    const slash = apiVersion.indexOf('/')
    const group = apiVersion.slice(0, Math.max(slash, 0))
    const version = apiVersion.slice(slash + 1)
    const groupReasons = slash < 0 ? [] : checkSubdomain(group)
    if (groupReasons.length > 0) errors.push(invalid(at, group, groupReasons.join(',')))
    const reasons = version === '' ? ['version must be specified'] : checkLabel1035(version)
    if (reasons.length > 0) errors.push(invalid(at, version === '' ? apiVersion : version, reasons.join(',')))
  }
  const name = textAt(kind, 'kind')
  const reasons = checkLabel1035(name.toLowerCase())
  if (name === '') errors.push(required(child(field, 'kind')))
  else if (reasons.length > 0) {
    const detail = `may have mixed case, but should otherwise match: ${reasons.join(',')}`
    errors.push(invalid(child(field, 'kind'), name, detail))
  }
  return errors
}

function validateMatch(match: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const policy = textAt(match, 'matchPolicy')
  if (!['Equivalent', 'Exact'].includes(policy)) {
    errors.push(notSupported(child(field, 'matchPolicy'), policy, ['Equivalent', 'Exact']))
  }
  for (const name of ['namespaceSelector', 'objectSelector']) {
    errors.push(...validateLabelSelector(optionalObjectAt(match, name), child(field, name)))
  }
  for (const name of ['resourceRules', 'excludeResourceRules']) {
    for (const [i, rule] of listAt(match, name).entries()) {
      errors.push(...validateRuleWithOperations(rule, index(child(field, name), i)))
    }
  }
  return errors
}

export function validateAdmissionPolicyBinding(binding: KubeObject): FieldError[] {
  const spec = objectAt(binding, 'spec')
  const errors: FieldError[] = []
  const name = textAt(spec, 'policyName')
  if (name === '') errors.push(required('spec.policyName'))
  else errors.push(...checkSubdomain(name).map(reason => invalid('spec.policyName', name, reason)))
  const match = optionalObjectAt(spec, 'matchResources')
  if (match !== undefined) errors.push(...validateMatch(match, 'spec.matchResources'))
  return errors
}

export function validateValidatingAdmissionPolicyBinding(binding: KubeObject): FieldError[] {
  const errors = validateAdmissionPolicyBinding(binding)
  const actions = textsAt(objectAt(binding, 'spec'), 'validationActions')
  const field = 'spec.validationActions'
  if (actions.length === 0) errors.push(required(field, 'at least one validation action is required'))
  for (const [i, action] of actions.entries()) {
    if (!ACTIONS.includes(action)) errors.push(notSupported(index(field, i), action, ACTIONS))
    if (actions.indexOf(action) < i) {
      errors.push({ type: 'FieldValueDuplicate', field: index(field, i), value: action, detail: '' })
    }
  }
  if (actions.includes('Deny') && actions.includes('Warn')) {
    errors.push(
      invalid(
        field,
        actions,
        'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ),
    )
  }
  return errors
}
