import type { KubeObject } from '@tiphys/kube'
import { child, type FieldError, required } from '../../field-error.ts'
import type { Strategy } from '../../strategy.ts'
import { plainUnsupportedFieldText } from '../builtin-strategy.ts'
import { checkedBy } from '../field-checks.ts'
import { objectAt, optionalObjectAt, textAt } from '../fields.ts'
import { ipFamily, isCanonicalIp } from '../ip-address.ts'
import { checkPathSegment, checkSubdomain } from '../names.ts'
import { validateImmutableField } from '../object-meta.ts'

function nameReasons(name: string): string[] {
  if (ipFamily(name) === undefined) return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']
  return isCanonicalIp(name) ? [] : ['must be in canonical form']
}

function validateIpAddress(address: KubeObject): FieldError[] {
  const parent = optionalObjectAt(objectAt(address, 'spec'), 'parentRef')
  const field = 'spec.parentRef'
  if (parent === undefined) return [required(field)]
  const group = textAt(parent, 'group')
  const errors = group === '' ? [] : checkedBy(checkSubdomain, group, child(field, 'group'))
  for (const name of ['resource', 'name', 'namespace']) {
    const value = textAt(parent, name)
    if (value !== '') errors.push(...checkedBy(checkPathSegment, value, child(field, name)))
    else if (name !== 'namespace') errors.push(required(child(field, name)))
  }
  return errors
}

// The real server prints its internal form of the reference.
function parentForm(address: KubeObject): unknown {
  const parent = optionalObjectAt(objectAt(address, 'spec'), 'parentRef')
  const names = ['group', 'resource', 'namespace', 'name']
  return Object.fromEntries(names.map(name => [name.charAt(0).toUpperCase() + name.slice(1), textAt(parent, name)]))
}

export const ipAddressStrategy: Strategy = {
  hasGeneration: false,
  nameRule: 'path',
  nameReasons,
  allowUnconditionalUpdate: true,
  validate: validateIpAddress,
  validateUpdate: (address, old) => validateImmutableField(parentForm(address), parentForm(old), 'spec.parentRef'),
  unsupportedFieldText: plainUnsupportedFieldText,
}
