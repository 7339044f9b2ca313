import { type KubeObject, parseJson } from '@tiphys/kube'
import { type FieldError, forbidden, invalid, key, required, tooLong } from '../../field-error.ts'
import { jsonTypeName } from '../../json-value.ts'
import type { Json } from '../../schema/schema.ts'
import { flagAt, isSemanticallyEqual, textAt, textMapAt } from '../fields.ts'
import { byteLength, checkConfigKey } from '../names.ts'
import { validateImmutableField } from '../object-meta.ts'

const SIZE_LIMIT = 1024 * 1024
// How the real server prints the path of a path without a name.
const WHOLE_OBJECT = '[]'
const IMMUTABLE = 'field is immutable when `immutable` is set'
const SERVICE_ACCOUNT_NAME = 'kubernetes.io/service-account.name'

const decodedLength = (base64: string) => Buffer.byteLength(base64, 'base64')

export function validateConfigMap(configMap: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const data = textMapAt(configMap, 'data')
  const binary = textMapAt(configMap, 'binaryData')
  let size = 0
  for (const [name, value] of Object.entries(data)) {
    errors.push(...validateKey(name, 'data'))
    if (Object.hasOwn(binary, name)) {
      errors.push(invalid(key('data', name), name, 'duplicate of key present in binaryData'))
    }
    size += byteLength(value)
  }
  for (const [name, value] of Object.entries(binary)) {
    errors.push(...validateKey(name, 'binaryData'))
    size += decodedLength(value)
  }
  if (size > SIZE_LIMIT) errors.push(tooLong(WHOLE_OBJECT, SIZE_LIMIT))
  return errors
}

const validateKey = (name: string, field: string) =>
  checkConfigKey(name).map(reason => invalid(key(field, name), name, reason))

export function validateConfigMapUpdate(configMap: KubeObject, old: KubeObject): FieldError[] {
  return [...validateStaysImmutable(configMap, old, ['data', 'binaryData']), ...validateConfigMap(configMap)]
}

function validateStaysImmutable(object: KubeObject, old: KubeObject, names: string[]): FieldError[] {
  if (!flagAt(old, 'immutable')) return []
  const errors = flagAt(object, 'immutable') ? [] : [forbidden('immutable', IMMUTABLE)]
  for (const name of names) {
    if (!isSemanticallyEqual(textMapAt(object, name), textMapAt(old, name))) errors.push(forbidden(name, IMMUTABLE))
  }
  return errors
}

export function validateSecret(secret: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const data = textMapAt(secret, 'data')
  let size = 0
  for (const [name, value] of Object.entries(data)) {
    errors.push(...validateKey(name, 'data'))
    size += decodedLength(value)
  }
  if (size > SIZE_LIMIT) errors.push(tooLong('data', SIZE_LIMIT))
  return [...errors, ...validateSecretType(secret, data)]
}

function validateSecretType(secret: KubeObject, data: Record<string, string>): FieldError[] {
  const missing = (...names: string[]) =>
    names.filter(name => data[name] === undefined).map(name => required(key('data', name)))
  switch (textAt(secret, 'type')) {
    case 'kubernetes.io/service-account-token':
      if ((secret.metadata.annotations?.[SERVICE_ACCOUNT_NAME] ?? '') !== '') return []
      return [required(key('metadata.annotations', SERVICE_ACCOUNT_NAME))]
    case 'kubernetes.io/dockercfg':
      return validateDockerConfig(data, '.dockercfg')
    case 'kubernetes.io/dockerconfigjson':
      return validateDockerConfig(data, '.dockerconfigjson')
    case 'kubernetes.io/basic-auth':
      return data.username === undefined ? (data.password === undefined ? missing('username', 'password') : []) : []
    case 'kubernetes.io/ssh-auth':
      return (data['ssh-privatekey'] ?? '') === '' ? [required(key('data', 'ssh-privatekey'))] : []
    case 'kubernetes.io/tls':
      return missing('tls.crt', 'tls.key')
    default:
      return []
  }
}

function validateDockerConfig(data: Record<string, string>, name: string): FieldError[] {
  const field = key('data', name)
  const encoded = data[name]
  if (encoded === undefined) return [required(field)]
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const problem = jsonObjectProblem(text)
  return problem === undefined ? [] : [invalid(field, '<secret contents redacted>', problem)]
}

/** Why the text is no JSON object, in Go's words. */
function jsonObjectProblem(text: string): string | undefined {
  if (text.trim() === '') return 'unexpected end of JSON input'
  try {
    const value = parseJson(text) as Json
    if (typeof value === 'object' && !Array.isArray(value)) return undefined
    return `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`
  } catch (thrown) {
    return (thrown as Error).message
  }
}

export function validateSecretUpdate(secret: KubeObject, old: KubeObject): FieldError[] {
  return [
    ...validateImmutableField(textAt(secret, 'type'), textAt(old, 'type'), 'type'),
    ...validateStaysImmutable(secret, old, ['data']),
    ...validateSecret(secret),
  ]
}
