import type { KubeObject } from '@tiphys/kube'
import { child, type FieldError, index, invalid, required } from '../../field-error.ts'
import { checkedBy, validateOneOf, validatePortNumber } from '../field-checks.ts'
import { type Fields, isSemanticallyEqual, listAt, optionalTextAt, textAt } from '../fields.ts'
import { ipFamily, validateIp } from '../ip-address.ts'
import { checkLabel, checkQualifiedName, checkSubdomain } from '../names.ts'
import { PROTOCOLS } from './container-validation.ts'

export function validateEndpoints(endpoints: KubeObject, old?: KubeObject): FieldError[] {
  const errors = listAt(endpoints, 'subsets').flatMap((subset, i) => validateSubset(subset, index('subsets', i)))
  if (old !== undefined && isSemanticallyEqual(endpoints.subsets, old.subsets)) return []
  return errors
}

function validateSubset(subset: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const addresses = listAt(subset, 'addresses')
  const notReady = listAt(subset, 'notReadyAddresses')
  if (addresses.length + notReady.length === 0) {
    errors.push(required(field, 'must specify `addresses` or `notReadyAddresses`'))
  }
  for (const [name, list] of [
    ['addresses', addresses],
    ['notReadyAddresses', notReady],
  ] as const) {
    for (const [i, address] of list.entries()) errors.push(...validateAddress(address, index(child(field, name), i)))
  }
  const ports = listAt(subset, 'ports')
  for (const [i, port] of ports.entries()) {
    errors.push(...validateEndpointPort(port, ports.length > 1, index(child(field, 'ports'), i)))
  }
  return errors
}

function validateAddress(address: Fields, field: string): FieldError[] {
  const ip = textAt(address, 'ip')
  const errors = validateIp(ip, child(field, 'ip'))
  const hostname = textAt(address, 'hostname')
  if (hostname !== '') errors.push(...checkedBy(checkLabel, hostname, child(field, 'hostname')))
  const node = optionalTextAt(address, 'nodeName')
  if (node !== undefined) errors.push(...checkedBy(checkSubdomain, node, child(field, 'nodeName')))
  return [...errors, ...validateEndpointIp(ip, child(field, 'ip'))]
}

function validateEndpointPort(port: Fields, needsName: boolean, field: string): FieldError[] {
  const name = textAt(port, 'name')
  const errors: FieldError[] = []
  if (name === '') {
    if (needsName) errors.push(required(child(field, 'name')))
  } else errors.push(...checkedBy(checkLabel, name, child(field, 'name')))
  errors.push(...validatePortNumber(port, 'port', field), ...validateOneOf(port, 'protocol', PROTOCOLS, field))
  const appProtocol = optionalTextAt(port, 'appProtocol')
  if (appProtocol !== undefined) errors.push(...checkedBy(checkQualifiedName, appProtocol, child(field, 'appProtocol')))
  return errors
}

/** Addresses that traffic must not be sent to: they mean something else on every machine. */
export function validateEndpointIp(address: string, field: string): FieldError[] {
  if (ipFamily(address) === undefined) return [invalid(field, address, 'must be a valid IP address')]
  if (address === '0.0.0.0' || address === '::') {
    return [invalid(field, address, `may not be unspecified (${address})`)]
  }
  if (address.startsWith('127.') || address === '::1') {
    return [invalid(field, address, 'may not be in the loopback range (127.0.0.0/8, ::1/128)')]
  }
  if (address.startsWith('169.254.') || /^fe[89ab]/i.test(address)) {
    return [invalid(field, address, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)')]
  }
  if (address.startsWith('224.0.0.') || /^ff02:/i.test(address)) {
    return [invalid(field, address, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)')]
  }
  return []
}
