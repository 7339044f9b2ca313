import type { KubeObject } from '@tiphys/kube'
import { child, duplicate, type FieldError, index, invalid, notSupported, required } from '../../field-error.ts'
import {
  type Fields,
  isPresent,
  listAt,
  numberAt,
  objectAt,
  optionalNumberAt,
  optionalObjectAt,
  optionalTextAt,
  textAt,
  textsAt,
} from '../fields.ts'
import { validateLabelSelector } from '../label-selector-validation.ts'
import { checkLabel1035, checkPortNumber, checkSubdomain } from '../names.ts'

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
const SCOPES = ['*', 'Cluster', 'Namespaced']
const SIDE_EFFECTS = ['None', 'NoneOnDryRun']
const URL_FORM = '; desired format: https://host[/path]'

export function validateWebhookConfiguration(configuration: KubeObject, isMutating: boolean): FieldError[] {
  const names = new Set<string>()
  return listAt(configuration, 'webhooks').flatMap((webhook, i) => {
    const at = index('webhooks', i)
    const errors = [...validateWebhook(webhook, isMutating, at)]
    errors.push(
      ...validateReviewVersions(textsAt(webhook, 'admissionReviewVersions'), child(at, 'admissionReviewVersions')),
    )
    const name = textAt(webhook, 'name')
    if (name !== '' && names.has(name)) errors.push(duplicate(child(at, 'name'), name))
    names.add(name)
    return errors
  })
}

function validateWebhook(webhook: Fields, isMutating: boolean, field: string): FieldError[] {
  const errors = validateQualifiedDomain(textAt(webhook, 'name'), child(field, 'name'))
  for (const [i, rule] of listAt(webhook, 'rules').entries()) {
    errors.push(...validateRuleWithOperations(rule, index(child(field, 'rules'), i)))
  }
  errors.push(...validateChoice(webhook, 'failurePolicy', ['Fail', 'Ignore'], field))
  errors.push(...validateChoice(webhook, 'matchPolicy', ['Equivalent', 'Exact'], field))
  if (!isPresent(webhook, 'sideEffects')) {
    errors.push(required(child(field, 'sideEffects'), `must specify one of ${SIDE_EFFECTS.join(', ')}`))
  }
  errors.push(...validateChoice(webhook, 'sideEffects', SIDE_EFFECTS, field))
  const seconds = optionalNumberAt(webhook, 'timeoutSeconds')
  if (seconds !== undefined && (seconds > 30 || seconds < 1)) {
    const detail = 'the timeout value must be between 1 and 30 seconds'
    errors.push(invalid(child(field, 'timeoutSeconds'), seconds, detail))
  }
  for (const name of ['namespaceSelector', 'objectSelector']) {
    errors.push(...validateLabelSelector(optionalObjectAt(webhook, name), child(field, name)))
  }
  if (isMutating) errors.push(...validateChoice(webhook, 'reinvocationPolicy', ['IfNeeded', 'Never'], field))
  return [...errors, ...validateClientConfig(objectAt(webhook, 'clientConfig'), child(field, 'clientConfig'))]
}

function validateChoice(parent: Fields, name: string, supported: string[], field: string): FieldError[] {
  const value = optionalTextAt(parent, name)
  return value === undefined || supported.includes(value) ? [] : [notSupported(child(field, name), value, supported)]
}

function validateQualifiedDomain(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)]
  const reasons = checkSubdomain(name)
  if (reasons.length > 0) return [invalid(field, name, reasons.join(','))]
  if (name.split('.').length >= 3) return []
  return [invalid(field, name, 'should be a domain with at least three segments separated by dots')]
}

function validateClientConfig(config: Fields, field: string): FieldError[] {
  const url = optionalTextAt(config, 'url')
  const service = optionalObjectAt(config, 'service')
  if ((url === undefined) === (service === undefined)) {
    return [required(field, 'exactly one of url or service is required')]
  }
  if (url !== undefined) return validateUrl(url, child(field, 'url'))
  return validateServiceReference(service ?? {}, child(field, 'service'))
}

function validateUrl(url: string, field: string): FieldError[] {
  const errors: FieldError[] = []
  const [, scheme = '', authority = '', , query = '', fragment = ''] =
    /^(?:([A-Za-z][A-Za-z\d+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(url) ?? []
  const at = authority.lastIndexOf('@')
  if (scheme !== 'https') errors.push(invalid(field, scheme, `'https' is the only allowed URL scheme${URL_FORM}`))
  if (authority.slice(at + 1) === '') errors.push(invalid(field, '', `host must be specified${URL_FORM}`))
  if (at >= 0) errors.push(invalid(field, authority.slice(0, at), 'user information is not permitted in the URL'))
  if (fragment !== '') errors.push(invalid(field, fragment, 'fragments are not permitted in the URL'))
  if (query !== '') errors.push(invalid(field, query, 'query parameters are not permitted in the URL'))
  return errors
}

/** A service by name, as webhooks and aggregated APIs refer to it. */
export function validateServiceReference(service: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['name', 'namespace']) if (textAt(service, name) === '') errors.push(required(child(field, name)))
  const port = numberAt(service, 'port')
  const reasons = checkPortNumber(port)
  if (reasons.length > 0) errors.push(invalid(child(field, 'port'), port, `port is not valid: ${reasons.join(', ')}`))
  const path = textAt(service, 'path')
  if (path === '' || path === '/') return errors
  const at = child(field, 'path')
  if (path === '//') return [...errors, invalid(at, path, 'segment[0] may not be empty')]
  if (!path.startsWith('/')) errors.push(invalid(at, path, "must start with a '/'"))
  const steps = path.slice(1).replace(/\/$/, '').split('/')
  for (const [i, step] of steps.entries()) {
    if (step === '') errors.push(invalid(at, path, `segment[${i}] may not be empty`))
    else errors.push(...checkSubdomain(step).map(reason => invalid(at, path, `segment[${i}]: ${reason}`)))
  }
  return errors
}

export function validateRuleWithOperations(rule: Fields, field: string): FieldError[] {
  const operations = textsAt(rule, 'operations')
  const errors: FieldError[] = []
  const at = child(field, 'operations')
  if (operations.length === 0) errors.push(required(at))
  if (operations.length > 1 && operations.includes('*')) {
    errors.push(invalid(at, operations, "if '*' is present, must not specify other operations"))
  }
  for (const [i, operation] of operations.entries()) {
    if (!OPERATIONS.includes(operation)) errors.push(notSupported(index(at, i), operation, OPERATIONS))
  }
  return [...errors, ...validateRule(rule, field)]
}

function validateRule(rule: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  for (const [name, words] of [
    ['apiGroups', 'API groups'],
    ['apiVersions', 'API versions'],
  ] as const) {
    const values = textsAt(rule, name)
    if (values.length === 0) errors.push(required(child(field, name)))
    if (values.length > 1 && values.includes('*')) {
      errors.push(invalid(child(field, name), values, `if '*' is present, must not specify other ${words}`))
    }
  }
  for (const [i, version] of textsAt(rule, 'apiVersions').entries()) {
    if (version === '') errors.push(required(index(child(field, 'apiVersions'), i)))
  }
  errors.push(...validateResources(textsAt(rule, 'resources'), child(field, 'resources')))
  return [...errors, ...validateChoice(rule, 'scope', SCOPES, field)]
}

function validateResources(resources: string[], field: string): FieldError[] {
  const errors: FieldError[] = resources.length === 0 ? [required(field)] : []
  const allSubresourcesOf = new Set<string>()
  const subresourceOfAll = new Set<string>()
  for (const [i, entry] of resources.entries()) {
    const at = index(field, i)
    if (entry === '') {
      errors.push(required(at))
      continue
    }
    const slash = entry.indexOf('/')
    if (slash < 0) continue
    const resource = entry.slice(0, slash)
    const sub = entry.slice(slash + 1)
    if (allSubresourcesOf.has(resource)) {
      errors.push(invalid(at, entry, `if '${resource}/*' is present, must not specify ${entry}`))
    }
    if (subresourceOfAll.has(sub)) {
      errors.push(invalid(at, entry, `if '*/${sub}' is present, must not specify ${entry}`))
    }
    if (sub === '*') allSubresourcesOf.add(resource)
    if (resource === '*') subresourceOfAll.add(sub)
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalid(field, resources, "if '*/*' is present, must not specify other resources"))
  }
  if (resources.includes('*') && resources.some(entry => entry !== '*' && !entry.includes('/'))) {
    const detail = "if '*' is present, must not specify other resources without subresources"
    errors.push(invalid(field, resources, detail))
  }
  return errors
}

function validateReviewVersions(versions: string[], field: string): FieldError[] {
  if (versions.length === 0) return [required(field, 'must specify one of v1, v1beta1')]
  const errors: FieldError[] = []
  for (const [i, version] of versions.entries()) {
    if (versions.indexOf(version) < i) errors.push(invalid(index(field, i), version, 'duplicate version'))
    else errors.push(...checkLabel1035(version).map(reason => invalid(index(field, i), version, reason)))
  }
  if (!versions.includes('v1') && !versions.includes('v1beta1')) {
    errors.push(invalid(field, versions, 'must include at least one of v1, v1beta1'))
  }
  return errors
}
