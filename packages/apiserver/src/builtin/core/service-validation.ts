import type { KubeObject } from '@tiphys/kube'
import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  index,
  invalid,
  key,
  notSupported,
  required,
} from '../../field-error.ts'
import { checkedBy, validateOneOf, validatePortNumber, validatePortNumberOrName } from '../field-checks.ts'
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
  textMapAt,
  textsAt,
} from '../fields.ts'
import { ipFamily, validateCidr, validateIp } from '../ip-address.ts'
import { validateLabels } from '../label-selector-validation.ts'
import { checkLabel, checkQualifiedName, checkSubdomain } from '../names.ts'
import { PROTOCOLS } from './container-validation.ts'
import { validateEndpointIp } from './endpoints-validation.ts'
import { isExternallyAccessible, needsHealthCheckNodePort } from './service-type.ts'

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const FAMILY_POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack']
const TRAFFIC_DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode']
const LONGEST_AFFINITY = 86400
const ONLY_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'"
const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges'

export function validateService(service: KubeObject): FieldError[] {
  const spec = objectAt(service, 'spec')
  const type = textAt(spec, 'type')
  const ports = listAt(spec, 'ports')
  const errors: FieldError[] = []
  if (ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName') errors.push(required('spec.ports'))
  errors.push(...validateTypeSpecifics(spec, type))
  errors.push(...validatePorts(ports))
  errors.push(...validateLabels(textMapAt(spec, 'selector'), 'spec.selector'))
  errors.push(...validateSessionAffinity(spec), ...validateClusterIps(spec))
  for (const [i, address] of textsAt(spec, 'externalIPs').entries()) {
    const field = index('spec.externalIPs', i)
    const malformed = validateIp(address, field)
    errors.push(...(malformed.length > 0 ? malformed : validateEndpointIp(address, field)))
  }
  errors.push(...validateOneOf(spec, 'type', TYPES, 'spec'))
  errors.push(...validatePortUniqueness(ports, type))
  errors.push(...validateSourceRanges(service, spec, type))
  if (isPresent(spec, 'allocateLoadBalancerNodePorts') && type !== 'LoadBalancer') {
    errors.push(forbidden('spec.allocateLoadBalancerNodePorts', ONLY_LOAD_BALANCER))
  }
  errors.push(...validateLoadBalancerClass(spec), ...validateTrafficPolicies(spec))
  return errors
}

export const isHeadless = (spec: Fields): boolean => {
  const addresses = textsAt(spec, 'clusterIPs')
  return addresses.length === 1 && addresses[0] === 'None'
}

function validateTypeSpecifics(spec: Fields, type: string): FieldError[] {
  const errors: FieldError[] = []
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    errors.push(invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`))
  }
  if (type !== 'ExternalName') return errors
  const detail = 'may not be set for ExternalName services'
  if (textsAt(spec, 'clusterIPs').length > 0) errors.push(forbidden('spec.clusterIPs', detail))
  if (textsAt(spec, 'ipFamilies').length > 0) errors.push(forbidden('spec.ipFamilies', detail))
  if (isPresent(spec, 'ipFamilyPolicy')) errors.push(forbidden('spec.ipFamilyPolicy', detail))
  const name = textAt(spec, 'externalName').replace(/\.$/, '')
  if (name === '') errors.push(required('spec.externalName'))
  else errors.push(...checkedBy(checkSubdomain, name, 'spec.externalName'))
  return errors
}

function validatePorts(ports: Fields[]): FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const at = index('spec.ports', i)
    const name = textAt(port, 'name')
    if (name === '') {
      if (ports.length > 1) errors.push(required(child(at, 'name')))
    } else {
      errors.push(...checkedBy(checkLabel, name, child(at, 'name')))
      if (names.has(name)) errors.push(duplicate(child(at, 'name'), name))
      names.add(name)
    }
    errors.push(...validatePortNumber(port, 'port', at))
    errors.push(...validateOneOf(port, 'protocol', PROTOCOLS, at))
    errors.push(...validatePortNumberOrName(port, 'targetPort', at))
    const appProtocol = optionalTextAt(port, 'appProtocol')
    if (appProtocol !== undefined) errors.push(...checkedBy(checkQualifiedName, appProtocol, child(at, 'appProtocol')))
  }
  return errors
}

function validatePortUniqueness(ports: Fields[], type: string): FieldError[] {
  const errors: FieldError[] = []
  const nodePorts = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const nodePort = numberAt(port, 'nodePort')
    if (nodePort === 0 || type !== 'ClusterIP') continue
    errors.push(forbidden(`spec.ports[${i}].nodePort`, "may not be used when `type` is 'ClusterIP'"))
  }
  for (const [i, port] of ports.entries()) {
    const nodePort = numberAt(port, 'nodePort')
    if (nodePort === 0) continue
    const id = `${textAt(port, 'protocol')}/${nodePort}`
    if (nodePorts.has(id)) errors.push(duplicate(`spec.ports[${i}].nodePort`, nodePort))
    nodePorts.add(id)
  }
  const seen = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const protocol = textAt(port, 'protocol')
    const number = numberAt(port, 'port')
    // The real server prints its internal form of the port with the parts that were compared.
    const compared = { Name: '', Protocol: protocol, AppProtocol: null, Port: number, TargetPort: 0, NodePort: 0 }
    if (seen.has(`${protocol}/${number}`)) errors.push(duplicate(index('spec.ports', i), compared))
    seen.add(`${protocol}/${number}`)
  }
  return errors
}

function validateSessionAffinity(spec: Fields): FieldError[] {
  const errors = validateOneOf(spec, 'sessionAffinity', ['ClientIP', 'None'], 'spec')
  const affinity = textAt(spec, 'sessionAffinity')
  const config = optionalObjectAt(spec, 'sessionAffinityConfig')
  const field = 'spec.sessionAffinityConfig'
  if (affinity === 'None' && config !== undefined) {
    errors.push(forbidden(field, 'must not be set when session affinity is None'))
  }
  if (affinity !== 'ClientIP') return errors
  const seconds = optionalNumberAt(objectAt(config, 'clientIP'), 'timeoutSeconds') ?? 0
  if (seconds <= 0 || seconds > LONGEST_AFFINITY) {
    const detail = `must be greater than 0 and less than ${LONGEST_AFFINITY}`
    errors.push(invalid(`${field}.clientIP.timeoutSeconds`, seconds, detail))
  }
  return errors
}

function validateClusterIps(spec: Fields): FieldError[] {
  if (textAt(spec, 'type') === 'ExternalName') return []
  const errors: FieldError[] = []
  const address = textAt(spec, 'clusterIP')
  const addresses = textsAt(spec, 'clusterIPs')
  const families = textsAt(spec, 'ipFamilies')
  const field = 'spec.clusterIPs'
  if (address !== '') {
    if (addresses.length === 0) errors.push(required(field))
    else if (addresses[0] !== address) errors.push(invalid(field, addresses, 'first value must match `clusterIP`'))
  } else if (addresses.length > 0) {
    errors.push(invalid(field, addresses, 'must be empty when `clusterIP` is not specified'))
  }
  for (const [i, family] of families.entries()) {
    const at = index('spec.ipFamilies', i)
    if (!['IPv4', 'IPv6'].includes(family)) errors.push(notSupported(at, family, ['IPv4', 'IPv6']))
    if (families.indexOf(family) < i) errors.push(duplicate(at, family))
  }
  const policy = optionalTextAt(spec, 'ipFamilyPolicy')
  if (policy !== undefined && !FAMILY_POLICIES.includes(policy)) {
    errors.push(notSupported('spec.ipFamilyPolicy', policy, FAMILY_POLICIES))
  }
  const malformed = validateAddresses(addresses, field)
  errors.push(...malformed)
  if (addresses.length > 2) errors.push(invalid(field, addresses, 'may only hold up to 2 values'))
  if (malformed.length > 0 || isHeadless(spec)) return errors
  if (addresses.length > 1 && new Set(addresses.map(ipFamily)).size < 2) {
    errors.push(invalid(field, addresses, 'may specify no more than one IP for each IP family'))
  }
  for (const [i, each] of addresses.entries()) {
    const family = families[i]
    if (family === undefined || ipFamily(each) === family) continue
    errors.push(invalid(index(field, i), each, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``))
  }
  return errors
}

function validateAddresses(addresses: string[], field: string): FieldError[] {
  return addresses.flatMap((address, i) => {
    if (i > 0 || address !== 'None') return validateIp(address, index(field, i))
    return addresses.length > 1 ? [invalid(field, addresses, "'None' must be the first and only value")] : []
  })
}

function validateSourceRanges(service: KubeObject, spec: Fields, type: string): FieldError[] {
  const errors: FieldError[] = []
  const ranges = textsAt(spec, 'loadBalancerSourceRanges')
  const annotation = service.metadata.annotations?.[SOURCE_RANGES]
  if (ranges.length > 0) {
    const field = 'spec.LoadBalancerSourceRanges'
    if (type !== 'LoadBalancer') errors.push(forbidden(field, ONLY_LOAD_BALANCER))
    errors.push(...ranges.flatMap((range, i) => validateCidr(range.trim(), index(field, i))))
  } else if (annotation !== undefined) {
    const field = key('metadata.annotations', SOURCE_RANGES)
    if (type !== 'LoadBalancer') errors.push(forbidden(field, ONLY_LOAD_BALANCER))
    const listed = annotation.trim() === '' ? [] : annotation.split(',')
    errors.push(...listed.flatMap(range => validateCidr(range.trim(), field)))
  }
  return errors
}

function validateLoadBalancerClass(spec: Fields): FieldError[] {
  const name = optionalTextAt(spec, 'loadBalancerClass')
  if (name === undefined) return []
  const field = 'spec.loadBalancerClass'
  if (textAt(spec, 'type') !== 'LoadBalancer') return [forbidden(field, ONLY_LOAD_BALANCER)]
  return checkedBy(checkQualifiedName, name, field)
}

function validateTrafficPolicies(spec: Fields): FieldError[] {
  const errors: FieldError[] = []
  const policy = textAt(spec, 'externalTrafficPolicy')
  if (isExternallyAccessible(spec)) {
    errors.push(...validateOneOf(spec, 'externalTrafficPolicy', ['Cluster', 'Local'], 'spec'))
  } else if (policy !== '') {
    const detail = 'may only be set for externally-accessible services'
    errors.push(invalid('spec.externalTrafficPolicy', policy, detail))
  }
  const healthPort = numberAt(spec, 'healthCheckNodePort')
  if (healthPort !== 0 && !needsHealthCheckNodePort(spec)) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    errors.push(invalid('spec.healthCheckNodePort', healthPort, detail))
  }
  const inner = optionalTextAt(spec, 'internalTrafficPolicy')
  if (inner !== undefined && !['Cluster', 'Local'].includes(inner)) {
    errors.push(notSupported('spec.internalTrafficPolicy', inner, ['Cluster', 'Local']))
  }
  const distribution = optionalTextAt(spec, 'trafficDistribution')
  if (distribution !== undefined && !TRAFFIC_DISTRIBUTIONS.includes(distribution)) {
    errors.push(notSupported('spec.trafficDistribution', distribution, TRAFFIC_DISTRIBUTIONS))
  }
  return errors
}

export function validateServiceUpdate(service: KubeObject, old: KubeObject): FieldError[] {
  const spec = objectAt(service, 'spec')
  const oldSpec = objectAt(old, 'spec')
  const errors = [...validateClusterIpChange(spec, oldSpec), ...validateFamilyChange(spec, oldSpec)]
  const areLoadBalancers = textAt(spec, 'type') === 'LoadBalancer' && textAt(oldSpec, 'type') === 'LoadBalancer'
  if (areLoadBalancers && spec.loadBalancerClass !== oldSpec.loadBalancerClass) {
    errors.push(invalid('spec.loadBalancerClass', spec.loadBalancerClass ?? null, 'may not change once set'))
  }
  const isChecked = needsHealthCheckNodePort(spec) && needsHealthCheckNodePort(oldSpec)
  if (isChecked && numberAt(spec, 'healthCheckNodePort') !== numberAt(oldSpec, 'healthCheckNodePort')) {
    errors.push(forbidden('spec.healthCheckNodePort', 'field is immutable'))
  }
  return [...errors, ...validateService(service)]
}

function validateClusterIpChange(spec: Fields, old: Fields): FieldError[] {
  if (textAt(spec, 'type') === 'ExternalName' || textAt(old, 'type') === 'ExternalName') return []
  if (isHeadless(spec) && isHeadless(old)) return []
  const addresses = textsAt(spec, 'clusterIPs')
  const oldAddresses = textsAt(old, 'clusterIPs')
  const changed = (i: number) => invalid(`spec.clusterIPs[${i}]`, addresses, 'may not change once set')
  if (oldAddresses.length === addresses.length) {
    return oldAddresses.flatMap((address, i) => (address === addresses[i] ? [] : [changed(i)]))
  }
  const errors: FieldError[] = []
  if (oldAddresses.length > addresses.length && addresses.length === 0) {
    errors.push(invalid('spec.clusterIPs[0]', addresses, 'primary clusterIP can not be unset'))
  }
  if (addresses.length > 0 && oldAddresses.length > 0 && addresses[0] !== oldAddresses[0]) errors.push(changed(0))
  if (oldAddresses.length > addresses.length && addresses.length === 1) {
    if (textAt(spec, 'ipFamilyPolicy') !== 'SingleStack') {
      const detail = "must be set to 'SingleStack' when releasing the secondary clusterIP"
      errors.push(invalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy ?? null, detail))
    }
  }
  return errors
}

function validateFamilyChange(spec: Fields, old: Fields): FieldError[] {
  if (textAt(spec, 'type') === 'ExternalName' || textAt(old, 'type') === 'ExternalName') return []
  if (isHeadless(spec) || isHeadless(old)) return []
  const families = textsAt(spec, 'ipFamilies')
  const oldFamilies = textsAt(old, 'ipFamilies')
  const changed = invalid('spec.ipFamilies[0]', families, 'may not change once set')
  if (oldFamilies.length === families.length) {
    return oldFamilies.flatMap((family, i) => (family === families[i] ? [] : [changed]))
  }
  const errors: FieldError[] = []
  if (families.length > 0 && oldFamilies.length > 0 && families[0] !== oldFamilies[0]) errors.push(changed)
  const isReleased = oldFamilies.length > families.length && families.length === 1
  if (isReleased && textAt(spec, 'ipFamilyPolicy') !== 'SingleStack') {
    const detail = "must be set to 'SingleStack' when releasing the secondary ipFamily"
    errors.push(invalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy ?? null, detail))
  }
  return errors
}
