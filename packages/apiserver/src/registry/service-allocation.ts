import type { Random } from '@tiphys/env'
import type { KubeObject } from '@tiphys/kube'
import { type FieldError, invalid as invalidField } from '../field-error.ts'
import { invalid } from '../status-error.ts'
import type { Collection } from '../storage/collection.ts'

interface ServicePort {
  nodePort?: number
}

interface ServiceSpec {
  type?: string
  selector?: Record<string, string>
  clusterIP?: string
  clusterIPs?: string[]
  ipFamilies?: string[]
  ipFamilyPolicy?: string
  externalTrafficPolicy?: string
  allocateLoadBalancerNodePorts?: boolean
  healthCheckNodePort?: number
  ports?: ServicePort[]
}

/** 10.96.0.0/16 without its first and last address; the first usable one is the API's own. */
const NETWORK = '10.96.'
const FIRST_PORT = 30_000
const LAST_PORT = 32_767

const specOf = (object: KubeObject): ServiceSpec => (object.spec ?? {}) as ServiceSpec
const addressesOf = (spec: ServiceSpec): string[] =>
  (spec.clusterIPs ?? []).filter(address => address !== 'None' && address !== '')
const portsOf = (spec: ServiceSpec): number[] =>
  [...(spec.ports ?? []).map(port => port.nodePort ?? 0), spec.healthCheckNodePort ?? 0].filter(port => port !== 0)

/** Gives services their cluster addresses and node ports. What is taken is what stored services have: nothing is kept
 *  beside them that could disagree. */
export function serviceAllocation(services: Collection, random: Random) {
  return (service: KubeObject, old: KubeObject | undefined): void => {
    const spec = (service.spec ??= {}) as ServiceSpec
    if (spec.type === 'ExternalName') return
    const oldSpec = old ? specOf(old) : {}
    const others = [...services.values()]
      .filter(({ object }) => object.metadata.uid !== service.metadata.uid)
      .map(({ object }) => specOf(object))
    const errors: FieldError[] = []
    setFamilies(spec)
    errors.push(...allocateAddress(spec, addressesOf(oldSpec), new Set(others.flatMap(addressesOf)), random))
    errors.push(...allocatePorts(spec, portsOf(oldSpec), new Set(others.flatMap(portsOf)), random))
    if (errors.length > 0) throw invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', errors)
  }
}

function setFamilies(spec: ServiceSpec): void {
  const isHeadlessWithoutSelector = spec.clusterIP === 'None' && !spec.selector
  spec.ipFamilyPolicy ??= isHeadlessWithoutSelector ? 'RequireDualStack' : 'SingleStack'
  spec.ipFamilies ??= isHeadlessWithoutSelector ? ['IPv4', 'IPv6'] : ['IPv4']
}

function allocateAddress(
  spec: ServiceSpec,
  kept: readonly string[],
  taken: ReadonlySet<string>,
  random: Random,
): FieldError[] {
  if (spec.clusterIP === 'None') {
    spec.clusterIPs = ['None']
    return []
  }
  const asked = spec.clusterIPs?.[0] ?? spec.clusterIP ?? ''
  if (asked !== '') {
    const why = kept.includes(asked) ? undefined : addressProblem(asked, taken)
    if (why !== undefined) return [invalidField('spec.clusterIPs', [asked], `failed to allocate IP ${asked}: ${why}`)]
    spec.clusterIP = asked
    spec.clusterIPs ??= [asked]
    return []
  }
  const address = freeAddress(taken, random)
  if (address === undefined)
    return [invalidField('spec.clusterIPs', [], 'failed to allocate a serviceIP: range is full')]
  spec.clusterIP = address
  spec.clusterIPs = [address]
  return []
}

function addressProblem(address: string, taken: ReadonlySet<string>): string | undefined {
  if (!address.startsWith(NETWORK)) return 'the provided network does not match the current range'
  return taken.has(address) ? 'provided IP is already allocated' : undefined
}

/** Random first, so that an address is not given away again at once; then the first free one. */
function freeAddress(taken: ReadonlySet<string>, random: Random): string | undefined {
  const at = (host: number) => `${NETWORK}${host >> 8}.${host & 255}`
  for (let attempt = 0; attempt < 16; attempt++) {
    const address = at(2 + Math.floor(random.next() * 65_532))
    if (!taken.has(address)) return address
  }
  for (let host = 2; host < 65_535; host++) if (!taken.has(at(host))) return at(host)
  return undefined
}

function allocatePorts(
  spec: ServiceSpec,
  kept: readonly number[],
  taken: ReadonlySet<number>,
  random: Random,
): FieldError[] {
  const wanted =
    spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)
  const used = new Set(taken)
  const errors: FieldError[] = []
  for (const [i, port] of (spec.ports ?? []).entries()) {
    if (port.nodePort) {
      const why = kept.includes(port.nodePort) ? undefined : portProblem(port.nodePort, used)
      if (why !== undefined) errors.push(invalidField(`spec.ports[${i}].nodePort`, port.nodePort, why))
    } else if (wanted) port.nodePort = freePort(used, random)
    if (port.nodePort) used.add(port.nodePort)
  }
  if (spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local')
    spec.healthCheckNodePort ??= freePort(used, random)
  return errors
}

function portProblem(port: number, used: ReadonlySet<number>): string | undefined {
  if (port < FIRST_PORT || port > LAST_PORT) {
    return `provided port is not in the valid range. The range of valid ports is ${FIRST_PORT}-${LAST_PORT}`
  }
  return used.has(port) ? 'provided port is already allocated' : undefined
}

function freePort(used: ReadonlySet<number>, random: Random): number {
  const size = LAST_PORT - FIRST_PORT + 1
  const start = Math.floor(random.next() * size)
  for (let i = 0; i < size; i++) {
    const port = FIRST_PORT + ((start + i) % size)
    if (!used.has(port)) return port
  }
  return 0
}
