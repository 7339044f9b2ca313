import { goQuote, type KubeObject } from '@tiphys/kube'
import { type FieldError, invalid, required } from '../../field-error.ts'
import { checkedBy } from '../field-checks.ts'
import { flagAt, numberAt, objectAt, optionalObjectAt, textAt } from '../fields.ts'
import { checkLabel1035, checkPortNumber, checkSubdomain } from '../names.ts'

export function validateApiService(apiService: KubeObject): FieldError[] {
  const spec = objectAt(apiService, 'spec')
  const group = textAt(spec, 'group')
  const version = textAt(spec, 'version')
  const expected = `${version}.${group}`
  const errors: FieldError[] = []
  const { name = '' } = apiService.metadata
  if (name !== '' && name !== expected) {
    const detail = `must be \`spec.version+"."+spec.group\`: ${goQuote(expected)}`
    errors.push(invalid('metadata.name', name, detail))
  }
  if (group === '' && version !== 'v1') {
    errors.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'))
  }
  if (group !== '') errors.push(...checkedBy(checkSubdomain, group, 'spec.group'))
  errors.push(...checkedBy(checkLabel1035, version, 'spec.version'))
  for (const [field, highest] of [
    ['groupPriorityMinimum', 20000],
    ['versionPriority', 1000],
  ] as const) {
    const priority = numberAt(spec, field)
    if (priority > 0 && priority <= highest) continue
    errors.push(invalid(`spec.${field}`, priority, `must be positive and less than ${highest}`))
  }
  return [...errors, ...validateBackend(apiService)]
}

function validateBackend(apiService: KubeObject): FieldError[] {
  const spec = objectAt(apiService, 'spec')
  const service = optionalObjectAt(spec, 'service')
  const bundle = textAt(spec, 'caBundle')
  const isInsecure = flagAt(spec, 'insecureSkipTLSVerify')
  const errors: FieldError[] = []
  if (service === undefined) {
    if (bundle !== '') {
      const shown = `${Buffer.byteLength(bundle, 'base64')} bytes`
      errors.push(invalid('spec.caBundle', shown, 'local APIServices may not have a caBundle'))
    }
    if (isInsecure) {
      const detail = 'local APIServices may not have insecureSkipTLSVerify'
      errors.push(invalid('spec.insecureSkipTLSVerify', true, detail))
    }
    return errors
  }
  for (const name of ['namespace', 'name']) {
    if (textAt(service, name) === '') errors.push(required(`spec.service.${name}`))
  }
  const port = numberAt(service, 'port')
  const reasons = checkPortNumber(port)
  if (reasons.length > 0) errors.push(invalid('spec.service.port', port, `port is not valid: ${reasons.join(', ')}`))
  if (isInsecure && bundle !== '') {
    errors.push(invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'))
  }
  return errors
}
