import { child, type FieldError, index, invalid, notSupported, required } from '../../field-error.ts'
import { checkedBy, requireText, validatePathWithoutBacksteps, validateUnreservedPath } from '../field-checks.ts'
import { type Fields, isPresent, listAt, optionalObjectAt, textAt } from '../fields.ts'
import { checkConfigKey, checkEnvironmentName, checkLabel, checkQualifiedName, checkSubdomain } from '../names.ts'
import { nameReasons } from '../object-meta.ts'
import { isZeroQuantity } from '../quantity.ts'

const ENVIRONMENT_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]
const VOLUME_FIELDS = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid']
/** What the field labels of the downward API convert at all, before each place narrows it. */
const CONVERTIBLE_FIELDS = new Set([...ENVIRONMENT_FIELDS, ...VOLUME_FIELDS])
const RESOURCE_FIELDS = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]
const SIZE_DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']

export function validateEnvironment(variables: Fields[], field: string): FieldError[] {
  return variables.flatMap((variable, i) => {
    const at = index(field, i)
    const name = textAt(variable, 'name')
    const errors =
      name === '' ? [required(child(at, 'name'))] : checkedBy(checkEnvironmentName, name, child(at, 'name'))
    return [...errors, ...validateValueFrom(variable, child(at, 'valueFrom'))]
  })
}

function validateValueFrom(variable: Fields, field: string): FieldError[] {
  const source = optionalObjectAt(variable, 'valueFrom')
  if (source === undefined) return []
  const errors: FieldError[] = []
  const fieldRef = optionalObjectAt(source, 'fieldRef')
  if (fieldRef !== undefined) errors.push(...validateFieldRef(fieldRef, ENVIRONMENT_FIELDS, child(field, 'fieldRef')))
  const resource = optionalObjectAt(source, 'resourceFieldRef')
  if (resource !== undefined) errors.push(...validateResourceRef(resource, child(field, 'resourceFieldRef'), false))
  for (const name of ['configMapKeyRef', 'secretKeyRef']) {
    const reference = optionalObjectAt(source, name)
    if (reference !== undefined) errors.push(...validateKeyRef(reference, child(field, name)))
  }
  const file = optionalObjectAt(source, 'fileKeyRef')
  if (file !== undefined) errors.push(...validateFileKeyRef(file, child(field, 'fileKeyRef')))
  const names = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef']
  const count = names.filter(name => isPresent(source, name)).length
  if (count === 0) {
    const detail =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'
    errors.push(invalid(field, '', detail))
  } else if (textAt(variable, 'value') !== '') {
    errors.push(invalid(field, '', 'may not be specified when `value` is not empty'))
  } else if (count > 1) {
    errors.push(invalid(field, '', 'may not have more than one field specified at a time'))
  }
  return errors
}

function validateKeyRef(reference: Fields, field: string): FieldError[] {
  const errors = checkedBy(checkSubdomain, textAt(reference, 'name'), child(field, 'name'))
  const key = textAt(reference, 'key')
  if (key === '') errors.push(required(child(field, 'key')))
  else errors.push(...checkedBy(checkConfigKey, key, child(field, 'key')))
  return errors
}

function validateFileKeyRef(reference: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const key = textAt(reference, 'key')
  if (key === '') errors.push(required(child(field, 'key')))
  else errors.push(...checkedBy(checkEnvironmentName, key, child(field, 'key')))
  const volume = textAt(reference, 'volumeName')
  if (volume === '') errors.push(required(child(field, 'volumeName')))
  else errors.push(...checkedBy(checkLabel, volume, child(field, 'volumeName')))
  const path = textAt(reference, 'path')
  if (path === '') errors.push(required(child(field, 'path')))
  else errors.push(...validatePathWithoutBacksteps(path, child(field, 'path')))
  return errors
}

const SUBSCRIPT = /^(.*)\['(.*)'\]$/s

function validateFieldRef(reference: Fields, supported: readonly string[], field: string): FieldError[] {
  const apiVersion = textAt(reference, 'apiVersion')
  const path = textAt(reference, 'fieldPath')
  if (apiVersion === '') return [required(child(field, 'apiVersion'))]
  if (path === '') return [required(child(field, 'fieldPath'))]
  const at = child(field, 'fieldPath')
  if (apiVersion !== 'v1') {
    const detail = `error converting fieldPath: unsupported pod version: ${apiVersion}`
    return [invalid(at, path, detail)]
  }
  const subscripted = SUBSCRIPT.exec(path)
  if (subscripted !== null) {
    const [, base = '', key = ''] = subscripted
    if (base === 'metadata.annotations') return checkedBy(checkQualifiedName, key.toLowerCase(), field)
    if (base === 'metadata.labels') return checkedBy(checkQualifiedName, key, field)
    const detail = `error converting fieldPath: field label does not support subscript: ${path}`
    return [invalid(at, path, detail)]
  }
  if (!CONVERTIBLE_FIELDS.has(path)) {
    return [invalid(at, path, `error converting fieldPath: field label not supported: ${path}`)]
  }
  return supported.includes(path) ? [] : [notSupported(at, path, supported)]
}

function validateResourceRef(reference: Fields, field: string, isVolume: boolean): FieldError[] {
  const resource = textAt(reference, 'resource')
  const errors: FieldError[] = []
  const isHugePages = /^(requests|limits)\.hugepages-/.test(resource)
  if (isVolume && textAt(reference, 'containerName') === '') errors.push(required(child(field, 'containerName')))
  else if (resource === '') errors.push(required(child(field, 'resource')))
  else if (!RESOURCE_FIELDS.includes(resource) && !isHugePages) {
    errors.push(notSupported(child(field, 'resource'), resource, RESOURCE_FIELDS))
  }
  const divisor = textAt(reference, 'divisor')
  if (divisor === '' || isZeroQuantity(divisor)) return errors
  if (resource.endsWith('.cpu') && !['1m', '1'].includes(divisor)) {
    const detail = "only divisor's values 1m and 1 are supported with the cpu resource"
    errors.push(invalid(child(field, 'divisor'), resource, detail))
  }
  const sizes: [RegExp, string][] = [
    [/\.memory$/, 'memory'],
    [/\.ephemeral-storage$/, 'local ephemeral storage'],
    [/\.hugepages-/, 'hugepages'],
  ]
  for (const [pattern, name] of sizes) {
    if (!pattern.test(resource) || SIZE_DIVISORS.includes(divisor)) continue
    const detail = `only divisor's values ${SIZE_DIVISORS.join(', ')} are supported with the ${name} resource`
    errors.push(invalid(child(field, 'divisor'), resource, detail))
  }
  return errors
}

/** A file of a downward API volume; its errors are those of the volume, without the position in the list. */
export function validateDownwardFile(file: Fields, field: string): FieldError[] {
  const path = textAt(file, 'path')
  const errors = [...requireText(file, 'path', field), ...validateUnreservedPath(path, child(field, 'path'))]
  const fieldRef = optionalObjectAt(file, 'fieldRef')
  const resource = optionalObjectAt(file, 'resourceFieldRef')
  if (fieldRef !== undefined) {
    errors.push(...validateFieldRef(fieldRef, VOLUME_FIELDS, child(field, 'fieldRef')))
    if (resource !== undefined) {
      errors.push(invalid(field, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'))
    }
  } else if (resource !== undefined) {
    errors.push(...validateResourceRef(resource, child(field, 'resourceFieldRef'), true))
  } else errors.push(required(field, 'one of fieldRef and resourceFieldRef is required'))
  return errors
}

export function validateEnvironmentFrom(sources: Fields[], field: string): FieldError[] {
  return sources.flatMap((source, i) => {
    const at = index(field, i)
    const prefix = textAt(source, 'prefix')
    const errors = prefix === '' ? [] : checkedBy(checkEnvironmentName, prefix, child(at, 'prefix'))
    const references = ['configMapRef', 'secretRef'].filter(name => isPresent(source, name))
    for (const name of references) {
      const target = textAt(optionalObjectAt(source, name), 'name')
      const nameField = `${at}.${name}.name`
      if (target === '') errors.push(required(nameField))
      else errors.push(...nameReasons('subdomain', target, true).map(reason => invalid(nameField, target, reason)))
    }
    if (references.length === 0) {
      errors.push(invalid(field, '', 'must specify one of: `configMapRef` or `secretRef`'))
    } else if (references.length > 1) {
      errors.push(invalid(field, '', 'may not have more than one field specified at a time'))
    }
    return errors
  })
}

export function environmentFileVolumes(container: Fields): string[] {
  return listAt(container, 'env')
    .map(variable => textAt(optionalObjectAt(optionalObjectAt(variable, 'valueFrom'), 'fileKeyRef'), 'volumeName'))
    .filter(name => name !== '')
}
