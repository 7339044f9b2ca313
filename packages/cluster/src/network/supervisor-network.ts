import type { Duplex } from 'node:stream'
import { type Clock, systemClock } from '@tiphys/env'
import type { PodNetwork, ServiceRoute } from '../runtime/pod-runtime.ts'
import { Balancer } from './balancer.ts'
import { dial } from './dial.ts'
import { dialInside } from './dial-inside.ts'
import { startDnsServer } from './dns-server.ts'
import { createZone } from './dns-zone.ts'
import { formatIpv4, parseIpv4Range } from './ipv4.ts'
import { createPodLinks, type PodLink } from './pod-links.ts'
import { type Frontend, frontendsOf, type Target } from './service-table.ts'
import { startTcpRelay, type TcpRelay } from './tcp-relay.ts'
import { startUdpRelay, type UdpRelay } from './udp-relay.ts'

export interface SupervisorNetworkOptions {
  /** A folder that exists; what the network keeps there shows in this mount namespace alone. */
  directory: string
  /** The Unix socket that leads to the API server. */
  apiSocket: string
  podCidr?: string
  serviceCidr?: string
  clusterDomain?: string
  /** How many pods' namespaces to keep ready. */
  spare?: number
  clock?: Clock
  /** The device that `startEgress` gave to this network namespace. Without one, pods reach nothing outside. */
  egressDevice?: string
  /** Asks the machine's resolver; without it, names outside the cluster do not exist. */
  forwardDns?: (message: Uint8Array) => Promise<Uint8Array>
  /** Told when a service's port cannot be listened on. Everything else works on. */
  onProblem?: (message: string) => void
}

/** The network of all pods, inside the network and mount namespaces that this process must have to itself. */
export interface SupervisorNetwork extends PodNetwork {
  addPod(uid: string): Promise<{ ip: string; netns: string }>
  /** Does nothing for a pod that is not there. Its processes must have ended before. */
  removePod(uid: string): Promise<void>
  dial(ip: string, port: number): Promise<Duplex>
  /** Reaches also what listens on the pod's loopback alone. Costs a process; `dial` is the ordinary way. */
  dialLoopback(uid: string, port: number): Promise<Duplex>
  close(): Promise<void>
}

type Relay = { balancer: Balancer } & ({ protocol: 'TCP'; relay: TcpRelay } | { protocol: 'UDP'; relay: UdpRelay })

export async function createSupervisorNetwork(options: SupervisorNetworkOptions): Promise<SupervisorNetwork> {
  const {
    directory,
    apiSocket,
    spare = 4,
    clock = systemClock,
    onProblem = () => {},
    forwardDns,
    egressDevice,
  } = options
  const podRange = parseIpv4Range(options.podCidr ?? '10.244.0.0/16')
  const serviceRange = parseIpv4Range(options.serviceCidr ?? '10.96.0.0/12')
  const domain = options.clusterDomain ?? 'cluster.local'
  const dnsAddress = formatIpv4(serviceRange.first + 10)
  const zoneOf = (services: readonly ServiceRoute[]) =>
    createZone({ domain, dnsAddress, ranges: [podRange, serviceRange], services })
  let zone = zoneOf([])

  const links = await createPodLinks({ directory, podRange, serviceRange, spare, egressDevice })
  const dns = await startDnsServer({ ip: dnsAddress, clock, zone: () => zone, forward: forwardDns })
  const pods = new Map<string, Promise<PodLink>>()
  const relays = new Map<string, Relay>()

  const dialTarget = (target: Target) =>
    dial(target === 'api' ? { path: apiSocket } : { host: target.ip, port: target.port }, { clock })

  const open = (key: string, { protocol, ip, port }: Frontend): Relay => {
    const balancer = new Balancer(clock)
    const shared = {
      ip,
      port,
      candidates: (client: string) => balancer.candidates(client),
      onConnected: (client: string, target: Target) => balancer.chose(client, target),
      onFailure: (error: Error) => onProblem(`the service port ${key} cannot be opened: ${error.message}`),
    }
    if (protocol === 'TCP') return { balancer, protocol, relay: startTcpRelay({ ...shared, dial: dialTarget }) }
    const includes = (target: Target) => balancer.includes(target)
    return { balancer, protocol, relay: startUdpRelay({ ...shared, clock, includes }) }
  }

  const stopRelay = (relay: Relay) => (relay.protocol === 'TCP' ? relay.relay.stop() : relay.relay.close())

  return {
    dnsAddress,
    setServices(services) {
      zone = zoneOf(services)
      const frontends = frontendsOf(services)
      for (const [key, relay] of relays) {
        if (frontends.has(key)) continue
        stopRelay(relay)
        relays.delete(key)
      }
      for (const [key, frontend] of frontends) {
        const relay = relays.get(key) ?? open(key, frontend)
        relays.set(key, relay)
        relay.balancer.update(frontend.targets, frontend.isSticky)
        if (relay.protocol === 'UDP') relay.relay.forgetMissing()
      }
    },
    async addPod(uid) {
      const link = pods.get(uid) ?? links.take()
      pods.set(uid, link)
      try {
        const { ip, netns } = await link
        return { ip, netns }
      } catch (thrown) {
        pods.delete(uid)
        throw thrown
      }
    },
    async removePod(uid) {
      const link = pods.get(uid)
      pods.delete(uid)
      if (link) await links.remove(await link)
    },
    dial: (ip, port) => dial({ host: ip, port }, { clock }),
    async dialLoopback(uid, port) {
      const link = pods.get(uid)
      if (!link) throw new Error(`there is no pod ${uid} in this network`)
      return dialInside((await link).netns, port)
    },
    async close() {
      dns.close()
      for (const { relay } of relays.values()) relay.close()
      relays.clear()
      await links.close()
    },
  }
}
