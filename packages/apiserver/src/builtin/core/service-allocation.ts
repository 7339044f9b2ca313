import type { KubeObject } from '@tiphys/kube'
import { type FieldError, index, invalid } from '../../field-error.ts'
import {
  ensureObject,
  type Fields,
  flagAt,
  isPresent,
  listAt,
  numberAt,
  textAt,
  textMapAt,
  textsAt,
} from '../fields.ts'
import { needsClusterIP, needsHealthCheckNodePort, needsNodePort } from './service-type.ts'

/** Where addresses and ports of services come from. Each answers what it took, or the reason why it could not. */
export interface ServiceAllocator {
  /** `requested` when the client chose an address, else any free one. */
  clusterIP(requested: string | undefined): { address: string } | { problem: string }
  nodePort(requested: number | undefined): { port: number } | { problem: string }
}

/** Gives a service the addresses and node ports that its type needs and that it does not have yet. Runs after validation
 *  of what the client sent, for creates and for updates that change the type. */
export function allocateService(service: KubeObject, allocator: ServiceAllocator, old?: KubeObject): FieldError[] {
  const spec = ensureObject(service, 'spec')
  if (!needsClusterIP(spec)) return []
  setFamilies(spec)
  return [...allocateClusterIp(spec, allocator, old), ...allocateNodePorts(spec, allocator, old)]
}

// A headless service without a selector may be pointed anywhere, so that it has both families whatever the cluster has.
function setFamilies(spec: Fields): void {
  const isHeadless = textAt(spec, 'clusterIP') === 'None'
  const isSelectorless = Object.keys(textMapAt(spec, 'selector')).length === 0
  if (isHeadless && isSelectorless && textsAt(spec, 'ipFamilies').length === 0 && !isPresent(spec, 'ipFamilyPolicy')) {
    spec.ipFamilyPolicy = 'RequireDualStack'
    spec.ipFamilies = ['IPv4', 'IPv6']
    return
  }
  if (!isPresent(spec, 'ipFamilyPolicy')) spec.ipFamilyPolicy = 'SingleStack'
  if (textsAt(spec, 'ipFamilies').length === 0) spec.ipFamilies = ['IPv4']
}

function allocateClusterIp(spec: Fields, allocator: ServiceAllocator, old: KubeObject | undefined): FieldError[] {
  const requested = textAt(spec, 'clusterIP')
  if (requested === 'None') return []
  const held = old === undefined ? '' : textAt(old.spec as Fields, 'clusterIP')
  if (requested !== '' && requested === held) return []
  const taken = allocator.clusterIP(requested === '' ? undefined : requested)
  if ('problem' in taken) return [invalid('spec.clusterIPs', textsAt(spec, 'clusterIPs'), taken.problem)]
  spec.clusterIP = taken.address
  spec.clusterIPs = [taken.address]
  return []
}

function allocateNodePorts(spec: Fields, allocator: ServiceAllocator, old: KubeObject | undefined): FieldError[] {
  const errors: FieldError[] = []
  const oldSpec = (old?.spec as Fields | undefined) ?? {}
  const held = new Set(listAt(oldSpec, 'ports').map(port => numberAt(port, 'nodePort')))
  const isAllocated = textAt(spec, 'type') !== 'LoadBalancer' || flagAt(spec, 'allocateLoadBalancerNodePorts')
  if (needsNodePort(spec)) {
    for (const [i, port] of listAt(spec, 'ports').entries()) {
      const requested = numberAt(port, 'nodePort')
      if (requested === 0 ? !isAllocated : held.has(requested)) continue
      const taken = allocator.nodePort(requested === 0 ? undefined : requested)
      if ('problem' in taken) errors.push(invalid(`${index('spec.ports', i)}.nodePort`, requested, taken.problem))
      else port.nodePort = taken.port
    }
  }
  const healthPort = numberAt(spec, 'healthCheckNodePort')
  if (needsHealthCheckNodePort(spec) && (healthPort === 0 || healthPort !== numberAt(oldSpec, 'healthCheckNodePort'))) {
    const taken = allocator.nodePort(healthPort === 0 ? undefined : healthPort)
    if ('problem' in taken) errors.push(invalid('spec.healthCheckNodePort', healthPort, taken.problem))
    else spec.healthCheckNodePort = taken.port
  }
  return errors
}
