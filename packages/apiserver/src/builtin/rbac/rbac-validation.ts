import type { KubeObject } from '@tiphys/kube'
import { child, type FieldError, index, invalid, notSupported, required } from '../../field-error.ts'
import { checkedBy } from '../field-checks.ts'
import { type Fields, listAt, objectAt, optionalObjectAt, textAt, textsAt } from '../fields.ts'
import { validateLabelSelector } from '../label-selector-validation.ts'
import { checkPathSegment, checkSubdomain } from '../names.ts'

const GROUP = 'rbac.authorization.k8s.io'

export function validateRole(role: KubeObject): FieldError[] {
  return listAt(role, 'rules').flatMap((rule, i) => validateRule(rule, true, index('rules', i)))
}

export function validateClusterRole(role: KubeObject): FieldError[] {
  const errors = listAt(role, 'rules').flatMap((rule, i) => validateRule(rule, false, index('rules', i)))
  const aggregation = optionalObjectAt(role, 'aggregationRule')
  if (aggregation === undefined) return errors
  const field = 'aggregationRule.clusterRoleSelectors'
  const selectors = listAt(aggregation, 'clusterRoleSelectors')
  if (selectors.length === 0) {
    errors.push(required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil'))
  }
  return [...errors, ...selectors.flatMap((selector, i) => validateLabelSelector(selector, index(field, i)))]
}

function validateRule(rule: Fields, isNamespaced: boolean, field: string): FieldError[] {
  const errors: FieldError[] = []
  const isEmpty = (name: string) => textsAt(rule, name).length === 0
  if (isEmpty('verbs')) errors.push(required(child(field, 'verbs'), 'verbs must contain at least one value'))
  if (!isEmpty('nonResourceURLs')) {
    const urls = textsAt(rule, 'nonResourceURLs')
    const at = child(field, 'nonResourceURLs')
    if (isNamespaced) errors.push(invalid(at, urls, 'namespaced rules cannot apply to non-resource URLs'))
    if (!isEmpty('apiGroups') || !isEmpty('resources') || !isEmpty('resourceNames')) {
      errors.push(invalid(at, urls, 'rules cannot apply to both regular resources and non-resource URLs'))
    }
    return errors
  }
  if (isEmpty('apiGroups')) {
    errors.push(required(child(field, 'apiGroups'), 'resource rules must supply at least one api group'))
  }
  if (isEmpty('resources')) {
    errors.push(required(child(field, 'resources'), 'resource rules must supply at least one resource'))
  }
  return errors
}

export const validateRoleBinding = (binding: KubeObject): FieldError[] =>
  validateBinding(binding, ['Role', 'ClusterRole'], true)

export const validateClusterRoleBinding = (binding: KubeObject): FieldError[] =>
  validateBinding(binding, ['ClusterRole'], false)

function validateBinding(binding: KubeObject, kinds: string[], isNamespaced: boolean): FieldError[] {
  const reference = objectAt(binding, 'roleRef')
  const errors: FieldError[] = []
  const group = textAt(reference, 'apiGroup')
  const kind = textAt(reference, 'kind')
  const name = textAt(reference, 'name')
  if (group !== GROUP) errors.push(notSupported('roleRef.apiGroup', group, [GROUP]))
  if (!kinds.includes(kind)) errors.push(notSupported('roleRef.kind', kind, kinds))
  if (name === '') errors.push(required('roleRef.name'))
  else errors.push(...checkedBy(checkPathSegment, name, 'roleRef.name'))
  for (const [i, subject] of listAt(binding, 'subjects').entries()) {
    errors.push(...validateSubject(subject, isNamespaced, index('subjects', i)))
  }
  return errors
}

function validateSubject(subject: Fields, isNamespaced: boolean, field: string): FieldError[] {
  const errors: FieldError[] = []
  const name = textAt(subject, 'name')
  const group = textAt(subject, 'apiGroup')
  const kind = textAt(subject, 'kind')
  if (name === '') errors.push(required(child(field, 'name')))
  if (kind === 'ServiceAccount') {
    if (name !== '') errors.push(...checkedBy(checkSubdomain, name, child(field, 'name')))
    if (group !== '') errors.push(notSupported(child(field, 'apiGroup'), group, ['']))
    if (!isNamespaced && textAt(subject, 'namespace') === '') errors.push(required(child(field, 'namespace')))
  } else if (kind === 'User' || kind === 'Group') {
    if (group !== GROUP) errors.push(notSupported(child(field, 'apiGroup'), group, [GROUP]))
  } else errors.push(notSupported(child(field, 'kind'), kind, ['ServiceAccount', 'User', 'Group']))
  return errors
}

export function validateBindingUpdate(
  binding: KubeObject,
  old: KubeObject,
  validate: (binding: KubeObject) => FieldError[],
): FieldError[] {
  const errors = validate(binding)
  const now = objectAt(binding, 'roleRef')
  const was = objectAt(old, 'roleRef')
  if (['apiGroup', 'kind', 'name'].some(name => textAt(now, name) !== textAt(was, name))) {
    const shown = { APIGroup: textAt(now, 'apiGroup'), Kind: textAt(now, 'kind'), Name: textAt(now, 'name') }
    errors.push(invalid('roleRef', shown, 'cannot change roleRef'))
  }
  return errors
}
