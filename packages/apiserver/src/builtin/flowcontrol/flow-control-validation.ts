import type { KubeObject } from '@tiphys/kube'
import { child, type FieldError, forbidden, index, invalid, notSupported, required } from '../../field-error.ts'
import { checkedBy } from '../field-checks.ts'
import {
  type Fields,
  flagAt,
  isPresent,
  listAt,
  numberAt,
  objectAt,
  optionalNumberAt,
  optionalObjectAt,
  textAt,
  textsAt,
} from '../fields.ts'
import { checkLabel, checkSubdomain } from '../names.ts'

const HIGHEST_PRECEDENCE = 10000
const SUBJECTS: Record<string, string> = { Group: 'group', ServiceAccount: 'serviceAccount', User: 'user' }
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch']

export function validateFlowSchema(schema: KubeObject): FieldError[] {
  const spec = objectAt(schema, 'spec')
  const errors: FieldError[] = []
  const precedence = numberAt(spec, 'matchingPrecedence')
  const field = 'spec.matchingPrecedence'
  if (precedence <= 0) errors.push(invalid(field, precedence, 'must be a positive value'))
  if (precedence > HIGHEST_PRECEDENCE) {
    errors.push(invalid(field, precedence, `must not be greater than ${HIGHEST_PRECEDENCE}`))
  }
  if (precedence === 1 && schema.metadata.name !== 'exempt') {
    errors.push(invalid(field, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"))
  }
  const level = textAt(objectAt(spec, 'priorityLevelConfiguration'), 'name')
  const levelField = 'spec.priorityLevelConfiguration.name'
  if (level === '') errors.push(required(levelField, 'must reference a priority level'))
  else errors.push(...checkedBy(checkSubdomain, level, levelField))
  return [...errors, ...listAt(spec, 'rules').flatMap((rule, i) => validateRule(rule, index('spec.rules', i)))]
}

function validateRule(rule: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const subjects = listAt(rule, 'subjects')
  if (subjects.length === 0) {
    errors.push(required(child(field, 'subjects'), 'subjects must contain at least one value'))
  }
  for (const [i, subject] of subjects.entries())
    errors.push(...validateSubject(subject, index(child(field, 'subjects'), i)))
  const resourceRules = listAt(rule, 'resourceRules')
  const otherRules = listAt(rule, 'nonResourceRules')
  if (resourceRules.length + otherRules.length === 0) {
    errors.push(required(field, 'at least one of resourceRules and nonResourceRules has to be non-empty'))
  }
  for (const [i, each] of resourceRules.entries()) {
    errors.push(...validateResourceRule(each, index(child(field, 'resourceRules'), i)))
  }
  for (const [i, each] of otherRules.entries()) {
    const at = index(child(field, 'nonResourceRules'), i)
    errors.push(...validateVerbs(each, at))
    errors.push(
      ...validateWildcards(
        each,
        'nonResourceURLs',
        'nonResourceURLs must contain at least one value',
        'non-resource URLs',
        at,
      ),
    )
  }
  return errors
}

function validateSubject(subject: Fields, field: string): FieldError[] {
  const kind = textAt(subject, 'kind')
  const own = SUBJECTS[kind]
  if (own === undefined) return [notSupported(child(field, 'kind'), kind, Object.keys(SUBJECTS))]
  const errors: FieldError[] = []
  const value = optionalObjectAt(subject, own)
  if (value === undefined) errors.push(required(child(field, own), `${own} is required when subject kind is '${kind}'`))
  else if (textAt(value, 'name') === '') errors.push(required(`${field}.${own}.name`))
  if (value !== undefined && kind === 'ServiceAccount' && textAt(value, 'namespace') === '') {
    errors.push(required(`${field}.${own}.namespace`, 'must specify namespace for service account'))
  }
  for (const [otherKind, other] of Object.entries(SUBJECTS)) {
    if (other === own || !isPresent(subject, other)) continue
    errors.push(forbidden(child(field, other), `${other} is forbidden when subject kind is not '${otherKind}'`))
  }
  return errors
}

function validateVerbs(rule: Fields, field: string): FieldError[] {
  const verbs = textsAt(rule, 'verbs')
  const at = child(field, 'verbs')
  if (verbs.length === 0) return [required(at, 'verbs must contain at least one value')]
  if (verbs.includes('*')) {
    return verbs.length > 1 ? [invalid(at, verbs, "if '*' is present, must not specify other verbs")] : []
  }
  return verbs.every(verb => VERBS.includes(verb)) ? [] : [notSupported(at, verbs, VERBS)]
}

function validateWildcards(rule: Fields, name: string, missing: string, words: string, field: string): FieldError[] {
  const values = textsAt(rule, name)
  if (values.length === 0) return [required(child(field, name), missing)]
  if (values.length === 1 || !values.includes('*')) return []
  return [invalid(child(field, name), values, `if '*' is present, must not specify other ${words}`)]
}

function validateResourceRule(rule: Fields, field: string): FieldError[] {
  const errors = [
    ...validateVerbs(rule, field),
    ...validateWildcards(rule, 'apiGroups', 'resource rules must supply at least one api group', 'api groups', field),
    ...validateWildcards(rule, 'resources', 'resource rules must supply at least one resource', 'resources', field),
  ]
  const namespaces = textsAt(rule, 'namespaces')
  const at = child(field, 'namespaces')
  if (namespaces.length === 0 && !flagAt(rule, 'clusterScope')) {
    errors.push(required(at, 'resource rules that are not cluster scoped must supply at least one namespace'))
  } else if (namespaces.includes('*')) {
    if (namespaces.length > 1) {
      errors.push(invalid(at, namespaces, "if '*' is present, must not specify other namespaces"))
    }
  } else {
    const intro = "each member of this list must be '*' or a DNS-1123 label; "
    for (const [i, name] of namespaces.entries()) {
      errors.push(...checkLabel(name).map(reason => invalid(index(at, i), name, intro + reason)))
    }
  }
  return errors
}

export function validatePriorityLevel(level: KubeObject): FieldError[] {
  const spec = objectAt(level, 'spec')
  const type = textAt(spec, 'type')
  const errors: FieldError[] = []
  if ((level.metadata.name === 'exempt') !== (type === 'Exempt')) {
    errors.push(invalid('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'"))
  }
  if (type === 'Exempt') {
    if (isPresent(spec, 'limited')) errors.push(forbidden('spec.limited', 'must be nil if the type is not Limited'))
    return [...errors, ...validateShares(objectAt(spec, 'exempt'), 'spec.exempt')]
  }
  if (type !== 'Limited') {
    return [...errors, type === '' ? required('spec.type') : notSupported('spec.type', type, ['Exempt', 'Limited'])]
  }
  if (isPresent(spec, 'exempt')) errors.push(forbidden('spec.exempt', 'must be nil if the type is Limited'))
  const limited = optionalObjectAt(spec, 'limited')
  if (limited === undefined) return [...errors, required('spec.limited', 'must not be empty when type is Limited')]
  const [shares, lendable] = [validateSharesCount(limited, 'spec.limited'), validateLendable(limited, 'spec.limited')]
  return [...errors, ...shares, ...validateResponse(objectAt(limited, 'limitResponse')), ...lendable]
}

const validateShares = (of: Fields, field: string) => [
  ...validateSharesCount(of, field),
  ...validateLendable(of, field),
]

function validateSharesCount(of: Fields, field: string): FieldError[] {
  const shares = numberAt(of, 'nominalConcurrencyShares')
  return shares < 0 ? [invalid(child(field, 'nominalConcurrencyShares'), shares, 'must be a non-negative integer')] : []
}

function validateLendable(of: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const lendable = optionalNumberAt(of, 'lendablePercent')
  if (lendable !== undefined && (lendable < 0 || lendable > 100)) {
    errors.push(invalid(child(field, 'lendablePercent'), lendable, 'must be between 0 and 100, inclusive'))
  }
  const borrowing = optionalNumberAt(of, 'borrowingLimitPercent')
  if (borrowing !== undefined && borrowing < 0) {
    const detail = 'if specified, must be a non-negative integer'
    errors.push(invalid(child(field, 'borrowingLimitPercent'), borrowing, detail))
  }
  return errors
}

function validateResponse(response: Fields): FieldError[] {
  const field = 'spec.limited.limitResponse'
  const type = textAt(response, 'type')
  const queuing = optionalObjectAt(response, 'queuing')
  if (type === 'Reject') {
    if (queuing === undefined) return []
    return [forbidden(child(field, 'queuing'), 'must be nil if limited.limitResponse.type is not Limited')]
  }
  if (type === 'Queue') {
    if (queuing !== undefined) return []
    return [required(child(field, 'queuing'), 'must not be empty if limited.limitResponse.type is Limited')]
  }
  return [type === '' ? required(child(field, 'type')) : notSupported(child(field, 'type'), type, ['Queue', 'Reject'])]
}
