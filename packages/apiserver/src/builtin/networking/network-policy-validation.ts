import type { KubeObject } from '@tiphys/kube'
import { child, type FieldError, forbidden, index, invalid, notSupported, required } from '../../field-error.ts'
import {
  type Fields,
  intOrStringAt,
  isPresent,
  listAt,
  objectAt,
  optionalNumberAt,
  optionalObjectAt,
  optionalTextAt,
  textAt,
  textsAt,
} from '../fields.ts'
import { isCidr, validateCidr } from '../ip-address.ts'
import { validateLabelSelector } from '../label-selector-validation.ts'
import { checkPortName, checkPortNumber } from '../names.ts'
import { isStrictSubnet } from './subnet.ts'

export function validateNetworkPolicy(policy: KubeObject): FieldError[] {
  const spec = objectAt(policy, 'spec')
  const errors = validateLabelSelector(objectAt(spec, 'podSelector'), 'spec.podSelector')
  for (const [direction, peers] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const) {
    for (const [i, rule] of listAt(spec, direction).entries()) {
      const at = index(child('spec', direction), i)
      for (const [j, port] of listAt(rule, 'ports').entries()) {
        errors.push(...validatePort(port, index(child(at, 'ports'), j)))
      }
      for (const [j, peer] of listAt(rule, peers).entries()) {
        errors.push(...validatePeer(peer, index(child(at, peers), j)))
      }
    }
  }
  const types = textsAt(spec, 'policyTypes')
  if (types.length > 2) {
    return [...errors, invalid('spec.policyTypes', types, 'may not specify more than two policyTypes')]
  }
  for (const [i, type] of types.entries()) {
    if (['Ingress', 'Egress'].includes(type)) continue
    errors.push(notSupported(index('spec.policyTypes', i), type, ['Ingress', 'Egress']))
  }
  return errors
}

function validatePort(port: Fields, field: string): FieldError[] {
  const errors: FieldError[] = []
  const protocol = optionalTextAt(port, 'protocol')
  if (protocol !== undefined && !['TCP', 'UDP', 'SCTP'].includes(protocol)) {
    errors.push(notSupported(child(field, 'protocol'), protocol, ['TCP', 'UDP', 'SCTP']))
  }
  const number = intOrStringAt(port, 'port')
  const end = optionalNumberAt(port, 'endPort')
  const endField = child(field, 'endPort')
  if (number === undefined) {
    if (end !== undefined) errors.push(invalid(endField, end, 'may not be specified when `port` is not specified'))
    return errors
  }
  if (typeof number === 'string') {
    if (end !== undefined) errors.push(invalid(endField, end, 'may not be specified when `port` is non-numeric'))
    return [...errors, ...checkPortName(number).map(reason => invalid(child(field, 'port'), number, reason))]
  }
  errors.push(...checkPortNumber(number).map(reason => invalid(child(field, 'port'), number, reason)))
  if (end === undefined) return errors
  if (end < number) errors.push(invalid(endField, number, 'must be greater than or equal to `port`'))
  return [...errors, ...checkPortNumber(end).map(reason => invalid(endField, end, reason))]
}

function validatePeer(peer: Fields, field: string): FieldError[] {
  const errors = ['podSelector', 'namespaceSelector'].flatMap(name =>
    validateLabelSelector(optionalObjectAt(peer, name), child(field, name)),
  )
  const block = optionalObjectAt(peer, 'ipBlock')
  if (block !== undefined) errors.push(...validateBlock(block, child(field, 'ipBlock')))
  const count = ['podSelector', 'namespaceSelector', 'ipBlock'].filter(name => isPresent(peer, name)).length
  if (count === 0) errors.push(required(field, 'must specify a peer'))
  else if (count > 1 && block !== undefined) {
    errors.push(forbidden(field, 'may not specify both ipBlock and another peer'))
  }
  return errors
}

function validateBlock(block: Fields, field: string): FieldError[] {
  const range = textAt(block, 'cidr')
  if (range === '') return [required(child(field, 'cidr'))]
  const errors = validateCidr(range, child(field, 'cidr'))
  if (errors.length > 0) return errors
  for (const [i, except] of textsAt(block, 'except').entries()) {
    const at = index(child(field, 'except'), i)
    errors.push(...validateCidr(except, at))
    if (isCidr(except) && !isStrictSubnet(except, range)) {
      errors.push(invalid(at, except, 'must be a strict subset of `cidr`'))
    }
  }
  return errors
}
