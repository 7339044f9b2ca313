import type { KubeObject } from '@tiphys/kube'
import type { Attributes, Authorizer } from '../authorization/authorizer.ts'
import { child, type FieldError, invalid as invalidField, required } from '../field-error.ts'
import type { User } from '../request/api-request.ts'
import type { RequestContext } from '../request/request-context.ts'
import { badRequest, invalid } from '../status-error.ts'

interface Selector {
  rawSelector?: string
  requirements?: unknown[]
}

interface ResourceAttributes {
  namespace?: string
  verb?: string
  group?: string
  version?: string
  resource?: string
  subresource?: string
  name?: string
  fieldSelector?: Selector
  labelSelector?: Selector
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
  checkValid([...validateAttributes(spec), ...validateSelectors(spec), ...validateMetadata(object)])
  return answered(object, registry.authorizer, user, spec)
}

export const reviewAccess: Review = async ({ registry }, object) => {
  const spec = specOf(object)
  checkValid([...validateSpec(spec), ...validateMetadata(object)])
  return answered(object, registry.authorizer, subjectOf(spec), spec)
}

export const reviewLocalAccess: Review = async ({ registry, info: { namespace } }, object) => {
  const reviewed = { ...object, metadata: { ...object.metadata, namespace } }
  const spec = specOf(reviewed)
  const errors = [...validateSpec(spec), ...validateMetadata(reviewed, 'namespace')]
  const { resourceAttributes, nonResourceAttributes } = spec
  const asked = resourceAttributes?.namespace ?? ''
  if (resourceAttributes && asked !== namespace)
    errors.push(invalidField('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace'))
  if (nonResourceAttributes) errors.push(wrongPath(nonResourceAttributes, 'disallowed on this kind of request'))
  checkValid(errors)
  return answered(reviewed, registry.authorizer, subjectOf(spec), spec)
}

export const reviewSelfRules: Review = async ({ registry, user }, object) => {
  const { namespace = '' } = (object.spec ?? {}) as { namespace?: string }
  if (namespace === '') throw badRequest('no namespace on request')
  const { rules, evaluationError } = registry.authorizer.rulesFor(user, namespace)
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
    incomplete: false,
    ...(evaluationError === undefined ? {} : { evaluationError }),
  }
  return { ...object, spec: {}, status }
}

const specOf = (object: KubeObject): AccessSpec => object.spec ?? {}

/** The real server forgets the kind in these refusals. */
function checkValid(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', errors)
}

function validateSpec(spec: AccessSpec): FieldError[] {
  const errors = validateAttributes(spec)
  if ((spec.user ?? '') === '' && (spec.groups ?? []).length === 0)
    errors.push(invalidField('spec.user', '', 'at least one of user or group must be specified'))
  return [...errors, ...validateSelectors(spec)]
}

function validateAttributes({ resourceAttributes, nonResourceAttributes }: AccessSpec): FieldError[] {
  if (resourceAttributes && nonResourceAttributes)
    return [wrongPath(nonResourceAttributes, 'cannot be specified in combination with resourceAttributes')]
  if (resourceAttributes || nonResourceAttributes) return []
  const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
  return [invalidField('spec.resourceAttributes', null, detail)]
}

/** The real server shows the value under the names that it has in Go. */
const wrongPath = ({ path = '', verb = '' }: { path?: string; verb?: string }, detail: string): FieldError =>
  invalidField('spec.nonResourceAttributes', { Path: path, Verb: verb }, detail)

function validateSelectors({ resourceAttributes }: AccessSpec): FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['fieldSelector', 'labelSelector'] as const) {
    const selector = resourceAttributes?.[name]
    if (!selector) continue
    const field = `spec.resourceAttributes.${name}`
    const { rawSelector = '', requirements = [] } = selector
    if (rawSelector !== '' && requirements.length > 0) {
      const detail = 'may not specified at the same time as requirements'
      errors.push(invalidField(child(field, 'rawSelector'), rawSelector, detail))
    }
    if (rawSelector === '' && requirements.length === 0) {
      const detail = `when ${field} is specified, requirements or rawSelector is required`
      errors.push(required(child(field, 'requirements'), detail))
    }
  }
  return errors
}

/** A question has no name and no labels. */
function validateMetadata({ metadata }: KubeObject, allowed?: string): FieldError[] {
  const isEmpty = Object.keys(metadata).every(name => name === 'managedFields' || name === allowed)
  const except = allowed === undefined ? '' : ` except for ${allowed}`
  return isEmpty ? [] : [invalidField('metadata', metadata, `must be empty${except}`)]
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

function attributesOf(user: User, { resourceAttributes, nonResourceAttributes }: AccessSpec): Attributes {
  const none = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' }
  if (nonResourceAttributes) {
    const { path = '', verb = '' } = nonResourceAttributes
    return { user, verb, path, ...none }
  }
  const { verb = '', namespace = '', group = '', version = '*', ...rest } = resourceAttributes ?? {}
  const { resource = '', subresource = '', name = '' } = rest
  return { user, verb, group, version, resource, subresource, namespace, name }
}
