import type { KubeObject } from '@tiphys/kube'
import {
  child,
  duplicate,
  type FieldError,
  index,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../../field-error.ts'
import { validateEndpointIp } from '../core/endpoints-validation.ts'
import { checkedBy } from '../field-checks.ts'
import { type Fields, isSemanticallyEqual, listAt, optionalTextAt, textAt, textsAt } from '../fields.ts'
import { ipFamily, validateIp } from '../ip-address.ts'
import { checkLabel, checkQualifiedName, checkSubdomain } from '../names.ts'
import { validateImmutableField } from '../object-meta.ts'

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6']
const PROTOCOLS = ['SCTP', 'TCP', 'UDP']

export function validateEndpointSlice(slice: KubeObject, old?: KubeObject): FieldError[] {
  const type = textAt(slice, 'addressType')
  const errors: FieldError[] = []
  if (type === '') errors.push(required('addressType'))
  else if (!ADDRESS_TYPES.includes(type)) errors.push(notSupported('addressType', type, ADDRESS_TYPES))
  errors.push(...validatePorts(listAt(slice, 'ports')))
  if (old === undefined || !isSemanticallyEqual(slice.endpoints, old.endpoints)) {
    errors.push(...validateEndpoints(listAt(slice, 'endpoints'), type))
  }
  return errors
}

export function validateEndpointSliceUpdate(slice: KubeObject, old: KubeObject): FieldError[] {
  return [
    ...validateEndpointSlice(slice, old),
    ...validateImmutableField(textAt(slice, 'addressType'), textAt(old, 'addressType'), 'addressType'),
  ]
}

function validatePorts(ports: Fields[]): FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const at = index('ports', i)
    const name = textAt(port, 'name')
    if (name !== '') errors.push(...checkedBy(checkLabel, name, child(at, 'name')))
    if (names.has(name)) errors.push(duplicate(child(at, 'name'), name))
    names.add(name)
    const protocol = textAt(port, 'protocol')
    if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(child(at, 'protocol'), protocol, PROTOCOLS))
    const appProtocol = optionalTextAt(port, 'appProtocol')
    if (appProtocol !== undefined) errors.push(...checkedBy(checkQualifiedName, appProtocol, child(at, 'appProtocol')))
  }
  return errors
}

function validateEndpoints(endpoints: Fields[], type: string): FieldError[] {
  if (endpoints.length > 1000) return [tooMany('endpoints', endpoints.length, 1000)]
  return endpoints.flatMap((endpoint, i) => {
    const at = index('endpoints', i)
    const addresses = textsAt(endpoint, 'addresses')
    const field = child(at, 'addresses')
    const errors = addresses.flatMap((address, j) => validateAddress(address, type, field, index(field, j)))
    if (addresses.length === 0) errors.push(required(field, 'must contain at least 1 address'))
    if (addresses.length > 100) errors.push(tooMany(field, addresses.length, 100))
    const node = optionalTextAt(endpoint, 'nodeName')
    if (node !== undefined) errors.push(...checkedBy(checkSubdomain, node, child(at, 'nodeName')))
    const hostname = optionalTextAt(endpoint, 'hostname')
    if (hostname !== undefined) errors.push(...checkedBy(checkLabel, hostname, child(at, 'hostname')))
    return errors
  })
}

function validateAddress(address: string, type: string, list: string, field: string): FieldError[] {
  if (type === 'FQDN') return validateDomainName(address, field)
  if (!ADDRESS_TYPES.includes(type)) return []
  const malformed = validateIp(address, field)
  if (malformed.length > 0) return malformed
  const errors = ipFamily(address) === type ? [] : [invalid(list, address, `must be an ${type} address`)]
  return [...errors, ...validateEndpointIp(address, field)]
}

function validateDomainName(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)]
  const plain = name.replace(/\.$/, '')
  const reasons = checkSubdomain(plain)
  if (reasons.length > 0) return [invalid(field, plain, reasons.join(','))]
  if (!plain.includes('.')) {
    return [invalid(field, plain, 'should be a domain with at least two segments separated by dots')]
  }
  return []
}
