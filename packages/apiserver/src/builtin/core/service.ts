import type { KubeObject } from '@tiphys/kube'
import type { Strategy } from '../../strategy.ts'
import { dropStatus, keepOldSpec, keepOldStatus, plainUnsupportedFieldText } from '../builtin-strategy.ts'
import {
  ensureObject,
  type Fields,
  intOrStringAt,
  isSemanticallyEqual,
  listAt,
  numberAt,
  objectAt,
  optionalNumberAt,
  setIfAbsent,
  setIfZero,
  textAt,
  textsAt,
} from '../fields.ts'
import { isExternallyAccessible, needsClusterIP, needsHealthCheckNodePort, needsNodePort } from './service-type.ts'
import { validateService, validateServiceUpdate } from './service-validation.ts'
import { serviceWarnings } from './service-warnings.ts'

const DEFAULT_AFFINITY_SECONDS = 10800

function setDefaults(service: KubeObject): void {
  const spec = ensureObject(service, 'spec')
  setIfZero(spec, 'sessionAffinity', 'None')
  setAffinityDefaults(spec)
  setIfZero(spec, 'type', 'ClusterIP')
  for (const port of listAt(spec, 'ports')) {
    setIfZero(port, 'protocol', 'TCP')
    const target = intOrStringAt(port, 'targetPort')
    if (target === undefined || target === 0 || target === '') port.targetPort = numberAt(port, 'port')
  }
  const type = textAt(spec, 'type')
  if (isExternallyAccessible(spec)) setIfZero(spec, 'externalTrafficPolicy', 'Cluster')
  if (['NodePort', 'LoadBalancer', 'ClusterIP'].includes(type)) setIfAbsent(spec, 'internalTrafficPolicy', 'Cluster')
  if (type !== 'LoadBalancer') return
  setIfAbsent(spec, 'allocateLoadBalancerNodePorts', true)
  for (const ingress of listAt(objectAt(objectAt(service, 'status'), 'loadBalancer'), 'ingress')) {
    if (textAt(ingress, 'ip') !== '') setIfAbsent(ingress, 'ipMode', 'VIP')
  }
}

function setAffinityDefaults(spec: Fields): void {
  const affinity = textAt(spec, 'sessionAffinity')
  if (affinity === 'None') delete spec.sessionAffinityConfig
  if (affinity !== 'ClientIP') return
  const clientIP = objectAt(objectAt(spec, 'sessionAffinityConfig'), 'clientIP')
  if (optionalNumberAt(clientIP, 'timeoutSeconds') === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: DEFAULT_AFFINITY_SECONDS } }
  }
}

/** A change of type leaves behind what only the old type needed, unless the client set it to something new. */
function dropWhatTheTypeNoLongerNeeds(spec: Fields, old: Fields): void {
  const isUnchanged = (name: string) => isSemanticallyEqual(spec[name], old[name])
  if (needsClusterIP(old) && !needsClusterIP(spec)) {
    if (isUnchanged('clusterIP') && isUnchanged('clusterIPs')) {
      delete spec.clusterIP
      delete spec.clusterIPs
    }
    if (isUnchanged('ipFamilies')) delete spec.ipFamilies
    if (isUnchanged('ipFamilyPolicy')) delete spec.ipFamilyPolicy
  }
  if (needsNodePort(old) && !needsNodePort(spec)) dropUnchangedNodePorts(spec, old)
  if (needsHealthCheckNodePort(old) && !needsHealthCheckNodePort(spec) && isUnchanged('healthCheckNodePort')) {
    delete spec.healthCheckNodePort
  }
  if (textAt(old, 'type') === 'LoadBalancer' && textAt(spec, 'type') !== 'LoadBalancer') {
    if (isUnchanged('allocateLoadBalancerNodePorts')) delete spec.allocateLoadBalancerNodePorts
    if (isUnchanged('loadBalancerClass')) delete spec.loadBalancerClass
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(spec) && isUnchanged('externalTrafficPolicy')) {
    delete spec.externalTrafficPolicy
  }
}

function dropUnchangedNodePorts(spec: Fields, old: Fields): void {
  const nodePorts = (of: Fields) =>
    listAt(of, 'ports')
      .map(port => numberAt(port, 'nodePort'))
      .filter(port => port !== 0)
  const known = new Set(nodePorts(old))
  if (!nodePorts(spec).every(port => known.has(port))) return
  for (const port of listAt(spec, 'ports')) delete port.nodePort
}

/** `clusterIP` is the first of `clusterIPs`; a client may send either. */
export function mirrorClusterIP(spec: Fields, old: Fields | undefined): void {
  const address = textAt(spec, 'clusterIP')
  const addresses = textsAt(spec, 'clusterIPs')
  if (old === undefined) {
    if (address !== '' && addresses.length === 0) spec.clusterIPs = [address]
    return
  }
  const isSameAddress = address === textAt(old, 'clusterIP')
  const areSameAddresses = isSemanticallyEqual(addresses, textsAt(old, 'clusterIPs'))
  if (!isSameAddress && areSameAddresses) {
    if (address === '') delete spec.clusterIPs
    else spec.clusterIPs = [address]
  }
}

export const serviceStrategy: Strategy = {
  hasGeneration: false,
  nameRule: 'label',
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  returnsDeletedObject: true,
  setDefaults,
  prepareForCreate(service) {
    dropStatus(service)
    mirrorClusterIP(ensureObject(service, 'spec'), undefined)
  },
  prepareForUpdate(service, old) {
    keepOldStatus(service, old)
    const spec = ensureObject(service, 'spec')
    const oldSpec = objectAt(old, 'spec')
    keepAllocatedAddresses(spec, oldSpec)
    mirrorClusterIP(spec, oldSpec)
    dropWhatTheTypeNoLongerNeeds(spec, oldSpec)
    if (textAt(spec, 'type') !== 'LoadBalancer') service.status = { ...objectAt(service, 'status'), loadBalancer: {} }
  },
  prepareForStatusUpdate: keepOldSpec,
  validate: validateService,
  validateUpdate: validateServiceUpdate,
  warnings: serviceWarnings,
  fieldNames: ['spec.clusterIP', 'spec.type'],
  fields(service) {
    const spec = objectAt(service, 'spec')
    return { 'spec.clusterIP': textAt(spec, 'clusterIP'), 'spec.type': textAt(spec, 'type') }
  },
  unsupportedFieldText: plainUnsupportedFieldText,
}

// A client that replaces the object may leave out what the server allocated: it keeps its addresses and ports.
function keepAllocatedAddresses(spec: Fields, old: Fields): void {
  if (needsClusterIP(old) && needsClusterIP(spec)) {
    if (textAt(spec, 'clusterIP') === '') spec.clusterIP = textAt(old, 'clusterIP')
    if (textsAt(spec, 'clusterIPs').length === 0 && textAt(spec, 'clusterIP') === textAt(old, 'clusterIP')) {
      spec.clusterIPs = [...textsAt(old, 'clusterIPs')]
    }
  }
  if (needsNodePort(old) && needsNodePort(spec)) keepNodePorts(spec, old)
  if (needsHealthCheckNodePort(old) && needsHealthCheckNodePort(spec)) {
    setIfZero(spec, 'healthCheckNodePort', old.healthCheckNodePort)
  }
}

function keepNodePorts(spec: Fields, old: Fields): void {
  const keyOf = (port: Fields) => `${textAt(port, 'protocol')}/${numberAt(port, 'port')}`
  const allocated = new Map(listAt(old, 'ports').map(port => [keyOf(port), numberAt(port, 'nodePort')]))
  const taken = new Set(listAt(spec, 'ports').map(port => numberAt(port, 'nodePort')))
  for (const port of listAt(spec, 'ports')) {
    const previous = allocated.get(keyOf(port)) ?? 0
    if (numberAt(port, 'nodePort') !== 0 || previous === 0 || taken.has(previous)) continue
    port.nodePort = previous
    taken.add(previous)
  }
}
