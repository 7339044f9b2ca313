import type { Random } from '@tiphys/env'
import type { KubeObject } from '@tiphys/kube'
import { allocateService, type ServiceAllocator } from '../builtin/core/service-allocation.ts'
import { invalid } from '../status-error.ts'
import type { Collection } from '../storage/collection.ts'

interface ServiceSpec {
  clusterIPs?: string[]
  healthCheckNodePort?: number
  ports?: { nodePort?: number }[]
}

/** 10.96.0.0/16; its first usable address is the API's own. */
const NETWORK = '10.96.'
const FIRST_HOST = 2
const HOSTS = 65_532
const FIRST_PORT = 30_000
const LAST_PORT = 32_767
const PORTS = LAST_PORT - FIRST_PORT + 1

/** Gives services their cluster addresses and node ports. What is taken is what stored services have: nothing is kept
 *  beside them that could disagree. */
export function serviceAllocation(services: Collection, random: Random) {
  return (service: KubeObject, old: KubeObject | undefined): void => {
    const errors = allocateService(service, allocatorBeside(service, services, random), old)
    if (errors.length > 0) throw invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', errors)
  }
}

function allocatorBeside(service: KubeObject, services: Collection, random: Random): ServiceAllocator {
  const addresses = new Set<string>()
  const ports = new Set<number>()
  for (const { object } of services.values()) {
    if (object.metadata.uid === service.metadata.uid) continue
    const spec = (object.spec ?? {}) as ServiceSpec
    for (const address of spec.clusterIPs ?? []) addresses.add(address)
    for (const port of spec.ports ?? []) if (port.nodePort) ports.add(port.nodePort)
    if (spec.healthCheckNodePort) ports.add(spec.healthCheckNodePort)
  }
  return {
    clusterIP(requested) {
      const problem = requested === undefined ? undefined : addressProblem(requested, addresses)
      if (problem !== undefined) return { problem: `failed to allocate IP ${requested}: ${problem}` }
      const address = requested ?? freeOf(HOSTS, random, host => addressOf(host), addresses)
      return address === undefined ? { problem: 'failed to allocate a serviceIP: range is full' } : { address }
    },
    nodePort(requested) {
      const problem = requested === undefined ? undefined : portProblem(requested, ports)
      if (problem !== undefined) return { problem }
      const port = requested ?? freeOf(PORTS, random, i => FIRST_PORT + i, ports)
      if (port === undefined) return { problem: 'failed to allocate a nodePort: range is full' }
      ports.add(port)
      return { port }
    },
  }
}

const addressOf = (host: number): string => `${NETWORK}${(host + FIRST_HOST) >> 8}.${(host + FIRST_HOST) & 255}`

function addressProblem(address: string, taken: ReadonlySet<string>): string | undefined {
  if (!address.startsWith(NETWORK)) return 'the provided network does not match the current range'
  return taken.has(address) ? 'provided IP is already allocated' : undefined
}

function portProblem(port: number, taken: ReadonlySet<number>): string | undefined {
  if (port < FIRST_PORT || port > LAST_PORT) {
    return `provided port is not in the valid range. The range of valid ports is ${FIRST_PORT}-${LAST_PORT}`
  }
  return taken.has(port) ? 'provided port is already allocated' : undefined
}

/** From a random place on, so that what was just given back is not given away again at once. */
function freeOf<T>(count: number, random: Random, at: (i: number) => T, taken: ReadonlySet<T>): T | undefined {
  const start = Math.floor(random.next() * count)
  for (let i = 0; i < count; i++) {
    const candidate = at((start + i) % count)
    if (!taken.has(candidate)) return candidate
  }
  return undefined
}
