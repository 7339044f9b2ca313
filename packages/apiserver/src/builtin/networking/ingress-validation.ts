import type { KubeObject } from '@tiphys/kube'
import {
  child,
  type FieldError,
  forbidden,
  index,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../field-error.ts'
import { validateDomainPrefixedPath } from '../batch/job-validation.ts'
import { checkedBy, validatePortNumber } from '../field-checks.ts'
import {
  type Fields,
  isPresent,
  listAt,
  numberAt,
  objectAt,
  optionalObjectAt,
  optionalTextAt,
  textAt,
  textsAt,
} from '../fields.ts'
import { ipFamily, validateIp } from '../ip-address.ts'
import { checkLabel, checkPathSegment, checkPortName, checkSubdomain, checkWildcardSubdomain } from '../names.ts'
import { validateImmutableField } from '../object-meta.ts'

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix']
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class'

export function validateIngressCreate(ingress: KubeObject): FieldError[] {
  const errors = validateIngress(ingress)
  const annotation = ingress.metadata.annotations?.[CLASS_ANNOTATION]
  const className = optionalTextAt(objectAt(ingress, 'spec'), 'ingressClassName')
  if (annotation !== undefined && className !== undefined && annotation !== className) {
    const detail = 'must match `ingressClassName` when both are specified'
    errors.push(invalid(`annotations.${CLASS_ANNOTATION}`, annotation, detail))
  }
  return errors
}

export function validateIngress(ingress: KubeObject): FieldError[] {
  const spec = objectAt(ingress, 'spec')
  const rules = listAt(spec, 'rules')
  const backend = optionalObjectAt(spec, 'defaultBackend')
  const errors: FieldError[] = []
  if (rules.length === 0 && backend === undefined) {
    const detail = 'either `defaultBackend` or `rules` must be specified'
    errors.push(invalid('spec', isPresent(spec, 'rules') ? [] : null, detail))
  }
  if (backend !== undefined) errors.push(...validateBackend(backend, 'spec.defaultBackend'))
  for (const [i, rule] of rules.entries()) errors.push(...validateRule(rule, index('spec.rules', i)))
  for (const [i, tls] of listAt(spec, 'tls').entries()) {
    const at = index('spec.tls', i)
    for (const [j, host] of textsAt(tls, 'hosts').entries()) {
      errors.push(...validateHost(host, index(child(at, 'hosts'), j)))
    }
    const secret = textAt(tls, 'secretName')
    if (secret !== '') errors.push(...checkedBy(checkSubdomain, secret, child(at, 'secretName')))
  }
  const className = optionalTextAt(spec, 'ingressClassName')
  if (className !== undefined) errors.push(...checkedBy(checkSubdomain, className, 'spec.ingressClassName'))
  return errors
}

const validateHost = (host: string, field: string) =>
  checkedBy(host.includes('*') ? checkWildcardSubdomain : checkSubdomain, host, field)

function validateRule(rule: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const host = textAt(rule, 'host')
  if (host !== '') {
    if (ipFamily(host) !== undefined) {
      errors.push(invalid(child(field, 'host'), host, 'must be a DNS name, not an IP address'))
    }
    errors.push(...validateHost(host, child(field, 'host')))
  }
  const http = optionalObjectAt(rule, 'http')
  if (http === undefined) return errors
  const paths = listAt(http, 'paths')
  if (paths.length === 0) errors.push(required(`${field}.http.paths`))
  for (const [i, path] of paths.entries()) errors.push(...validatePath(path, index(`${field}.http.paths`, i)))
  return errors
}

function validatePath(entry: Fields, field: string): FieldError[] {
  const type = optionalTextAt(entry, 'pathType')
  if (type === undefined) return [required(child(field, 'pathType'), 'pathType must be specified')]
  const path = textAt(entry, 'path')
  const at = child(field, 'path')
  const errors: FieldError[] = []
  const relative = invalid(at, path, 'must be an absolute path')
  if (type === 'Exact' || type === 'Prefix') {
    if (!path.startsWith('/')) errors.push(relative)
    for (const part of ['//', '/./', '/../', '%2f', '%2F']) {
      if (path.includes(part)) errors.push(invalid(at, path, `must not contain '${part}'`))
    }
    for (const end of ['/..', '/.']) {
      if (path.endsWith(end)) errors.push(invalid(at, path, `cannot end with '${end}'`))
    }
  } else if (type === 'ImplementationSpecific') {
    if (path !== '' && !path.startsWith('/')) errors.push(relative)
  } else errors.push(notSupported(child(field, 'pathType'), type, PATH_TYPES))
  return [...errors, ...validateBackend(objectAt(entry, 'backend'), child(field, 'backend'))]
}

function validateBackend(backend: Fields, field: string): FieldError[] {
  const service = optionalObjectAt(backend, 'service')
  const resource = optionalObjectAt(backend, 'resource')
  if (service !== undefined && resource !== undefined) {
    return [invalid(field, '', 'cannot set both resource and service backends')]
  }
  if (resource !== undefined) return validateReference(resource, child(field, 'resource'))
  if (service === undefined) return [invalid(field, '', 'resource or service backend is required')]
  const name = textAt(service, 'name')
  const nameField = `${field}.service.name`
  const errors = name === '' ? [required(nameField)] : checkedBy(checkLabel, name, nameField)
  const port = objectAt(service, 'port')
  const portName = textAt(port, 'name')
  const hasNumber = numberAt(port, 'number') !== 0
  if (portName !== '' && hasNumber) errors.push(invalid(field, '', 'cannot set both port name & port number'))
  else if (portName !== '') errors.push(...checkedBy(checkPortName, portName, `${field}.service.port.name`))
  else if (hasNumber) errors.push(...validatePortNumber(port, 'number', `${field}.service.port`))
  else errors.push(required(field, 'port name or number is required'))
  return errors
}

function validateReference(reference: Fields, field: string): FieldError[] {
  const group = optionalTextAt(reference, 'apiGroup')
  const errors = group === undefined ? [] : checkedBy(checkSubdomain, group, child(field, 'apiGroup'))
  for (const name of ['kind', 'name']) {
    const value = textAt(reference, name)
    if (value === '') errors.push(required(child(field, name)))
    else errors.push(...checkedBy(checkPathSegment, value, child(field, name)))
  }
  return errors
}

export function validateIngressStatus(ingress: KubeObject): FieldError[] {
  const entries = listAt(objectAt(objectAt(ingress, 'status'), 'loadBalancer'), 'ingress')
  return entries.flatMap((entry, i) => {
    const at = index('status.loadBalancer.ingress', i)
    const ip = textAt(entry, 'ip')
    const hostname = textAt(entry, 'hostname')
    const errors = ip === '' ? [] : validateIp(ip, child(at, 'ip'))
    if (hostname === '') return errors
    errors.push(...checkedBy(checkSubdomain, hostname, child(at, 'hostname')))
    if (ipFamily(hostname) !== undefined) {
      errors.push(invalid(child(at, 'hostname'), hostname, 'must be a DNS name, not an IP address'))
    }
    return errors
  })
}

export function validateIngressClass(ingressClass: KubeObject): FieldError[] {
  const spec = objectAt(ingressClass, 'spec')
  const controller = textAt(spec, 'controller')
  const errors = controller.length > 250 ? [tooLong('spec.controller', 250)] : []
  errors.push(...validateDomainPrefixedPath(controller, 'spec.controller'))
  const parameters = optionalObjectAt(spec, 'parameters')
  if (parameters === undefined) return errors
  const field = 'spec.parameters'
  errors.push(...validateReference(parameters, field))
  const scope = textAt(parameters, 'scope')
  const namespace = optionalTextAt(parameters, 'namespace')
  if (!['Cluster', 'Namespace'].includes(scope)) {
    errors.push(notSupported(child(field, 'scope'), scope, ['Cluster', 'Namespace']))
  } else if (scope === 'Namespace') {
    if (namespace === undefined) {
      errors.push(required(child(field, 'namespace'), "`parameters.scope` is set to 'Namespace'"))
    } else errors.push(...checkedBy(checkLabel, namespace, child(field, 'namespace')))
  } else if (namespace !== undefined) {
    errors.push(forbidden(child(field, 'namespace'), "`parameters.scope` is set to 'Cluster'"))
  }
  return errors
}

export function validateIngressClassUpdate(ingressClass: KubeObject, old: KubeObject): FieldError[] {
  const controllerOf = (of: KubeObject) => textAt(objectAt(of, 'spec'), 'controller')
  return [
    ...validateImmutableField(controllerOf(ingressClass), controllerOf(old), 'spec.controller'),
    ...validateIngressClass(ingressClass),
  ]
}
