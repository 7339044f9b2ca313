import type { KubeObject } from '@tiphys/kube'
import type { Attributes, Authorizer } from '../authorization/authorizer.ts'
import { required } from '../field-error.ts'
import type { User } from '../request/api-request.ts'
import type { RequestContext } from '../request/request-context.ts'
import { badRequest, invalid } from '../status-error.ts'

interface ResourceAttributes {
  namespace?: string
  verb?: string
  group?: string
  version?: string
  resource?: string
  subresource?: string
  name?: string
}

interface AccessSpec {
  resourceAttributes?: ResourceAttributes
  nonResourceAttributes?: { path?: string; verb?: string }
  user?: string
  groups?: string[]
  uid?: string
  extra?: Record<string, string[]>
}

type Review = (context: RequestContext, object: KubeObject) => Promise<KubeObject>

export const reviewSelfAccess: Review = async ({ registry, user }, object) => {
  const spec = specOf(object)
  checkAttributes('SelfSubjectAccessReview', spec)
  return answered(object, registry.authorizer, user, spec)
}

export const reviewAccess: Review = async ({ registry }, object) => {
  const spec = specOf(object)
  checkAttributes('SubjectAccessReview', spec)
  checkSubject('SubjectAccessReview', spec)
  return answered(object, registry.authorizer, subjectOf(spec), spec)
}

export const reviewLocalAccess: Review = async ({ registry, info }, object) => {
  const spec = specOf(object)
  checkAttributes('LocalSubjectAccessReview', spec)
  checkSubject('LocalSubjectAccessReview', spec)
  const namespace = spec.resourceAttributes?.namespace ?? ''
  if (namespace !== info.namespace) {
    throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${info.namespace}`)
  }
  return answered(object, registry.authorizer, subjectOf(spec), spec)
}

export const reviewSelfRules: Review = async ({ registry, user }, object) => {
  const { namespace = '' } = (object.spec ?? {}) as { namespace?: string }
  if (namespace === '') throw badRequest('no namespace on request')
  const { rules, incomplete, evaluationError } = registry.authorizer.rulesFor(user, namespace)
  const resourceRules = rules
    .filter(rule => (rule.resources ?? []).length > 0)
    .map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs,
      apiGroups,
      resources,
      ...(resourceNames ? { resourceNames } : {}),
    }))
  const nonResourceRules = rules
    .filter(rule => (rule.nonResourceURLs ?? []).length > 0)
    .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs }))
  const status = {
    resourceRules,
    nonResourceRules,
    incomplete,
    ...(evaluationError === undefined ? {} : { evaluationError }),
  }
  return { ...object, spec: {}, status }
}

const specOf = (object: KubeObject): AccessSpec => (object.spec ?? {}) as AccessSpec

function checkAttributes(kind: string, spec: AccessSpec): void {
  const group = 'authorization.k8s.io'
  if (spec.resourceAttributes && spec.nonResourceAttributes) {
    const error = {
      type: 'FieldValueInvalid' as const,
      field: 'spec.nonResourceAttributes',
      value: spec.nonResourceAttributes,
      detail: 'cannot be specified in combination with resourceAttributes',
    }
    throw invalid({ group, kind }, '', [error])
  }
  if (!spec.resourceAttributes && !spec.nonResourceAttributes) {
    const error = {
      type: 'FieldValueInvalid' as const,
      field: 'spec.resourceAttributes',
      value: null,
      detail: 'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    }
    throw invalid({ group, kind }, '', [error])
  }
}

function checkSubject(kind: string, spec: AccessSpec): void {
  if ((spec.user ?? '') !== '' || (spec.groups ?? []).length > 0) return
  throw invalid({ group: 'authorization.k8s.io', kind }, '', [
    required('spec.user', 'at least one of user or group must be specified'),
  ])
}

const subjectOf = (spec: AccessSpec): User => ({
  name: spec.user ?? '',
  groups: spec.groups ?? [],
  ...(spec.uid === undefined ? {} : { uid: spec.uid }),
  ...(spec.extra === undefined ? {} : { extra: spec.extra }),
})

function answered(object: KubeObject, authorizer: Authorizer, user: User, spec: AccessSpec): KubeObject {
  const { allowed, reason } = authorizer.authorize(attributesOf(user, spec))
  return { ...object, status: { allowed, ...(reason === '' ? {} : { reason }) } }
}

function attributesOf(user: User, spec: AccessSpec): Attributes {
  const none = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' }
  if (spec.nonResourceAttributes) {
    const { path = '', verb = '' } = spec.nonResourceAttributes
    return { user, verb, path, ...none }
  }
  const { verb = '', ...asked } = spec.resourceAttributes ?? {}
  return { user, ...none, ...asked, verb }
}
