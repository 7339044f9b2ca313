import type { Duplex } from 'node:stream'
import { type Clock, systemClock } from '@tiphys/env'
import type { ServicePortRoute, ServiceRoute } from '../runtime/pod-runtime.ts'
import { Balancer } from './balancer.ts'
import type { Target } from './service-table.ts'
import { startTcpRelay, type TcpRelay } from './tcp-relay.ts'

export interface NodePortsOptions {
  /** A connection to a port of a pod, or to the API server. */
  dial: (target: Target) => Promise<Duplex>
  /** Told once for every port that cannot be had. Every other port is opened nevertheless; this one is tried again
   *  whenever the services change. */
  onProblem: (problem: NodePortProblem) => void
  clock?: Clock
  host?: string
}

export interface NodePortProblem {
  namespace: string
  name: string
  nodePort: number
  message: string
}

/** Opens the node ports of services on this machine's loopback. */
export interface NodePorts {
  setServices(services: readonly ServiceRoute[]): void
  /** Resolves when every port asked for is open, or was found not to be had. */
  whenOpen(): Promise<void>
  close(): void
}

interface OpenPort {
  balancer: Balancer
  relay: TcpRelay
  isFailed: boolean
}

interface WantedPort {
  nodePort: number
  service: ServiceRoute
  port: ServicePortRoute
}

export function createNodePorts(options: NodePortsOptions): NodePorts {
  const { dial, onProblem, clock = systemClock, host = '127.0.0.1' } = options
  const open = new Map<string, OpenPort>()
  /** What has been said already. */
  const told = new Map<string, string>()

  const tell = (key: string, { nodePort, service: { namespace, name } }: WantedPort, message: string) => {
    if (told.get(key) === message) return
    told.set(key, message)
    onProblem({ namespace, name, nodePort, message })
  }
  const start = (key: string, wanted: WantedPort): OpenPort => {
    const { nodePort } = wanted
    const balancer = new Balancer(clock)
    const relay = startTcpRelay({
      ip: host,
      port: nodePort,
      candidates: client => balancer.candidates(client),
      onConnected: (client, target) => balancer.chose(client, target),
      dial,
      onFailure(error) {
        state.isFailed = true
        const why = 'code' in error && error.code === 'EADDRINUSE' ? 'another program listens on it' : error.message
        tell(key, wanted, `The node port ${nodePort} cannot be opened on ${host}: ${why}`)
      },
    })
    const state: OpenPort = { balancer, relay, isFailed: false }
    return state
  }

  return {
    setServices(services) {
      const wanted = wantedPorts(services)
      for (const [key, { relay, isFailed }] of open) {
        if (wanted.has(key) && !isFailed) continue
        relay.stop()
        open.delete(key)
      }
      for (const key of told.keys()) if (!wanted.has(key)) told.delete(key)
      for (const [key, port] of wanted) {
        if (port.port.protocol !== 'TCP') {
          tell(
            key,
            port,
            `The node port ${port.nodePort} is not opened: it is a UDP port, and only TCP is relayed from here`,
          )
          continue
        }
        const state = open.get(key) ?? start(key, port)
        open.set(key, state)
        state.balancer.update(port.port.targets, port.service.sessionAffinity === 'ClientIP')
      }
    },
    async whenOpen() {
      await Promise.all([...open.values()].map(({ relay }) => relay.whenListening))
    },
    close() {
      for (const { relay } of open.values()) relay.close()
      open.clear()
    },
  }
}

/** Ports that lead nowhere are left out: whoever connects is refused at once. */
function wantedPorts(services: readonly ServiceRoute[]): Map<string, WantedPort> {
  const wanted = new Map<string, WantedPort>()
  for (const service of services) {
    for (const port of service.ports) {
      const { nodePort, protocol } = port
      const key = `${protocol} ${nodePort}`
      if (nodePort === undefined || port.targets.length === 0 || wanted.has(key)) continue
      wanted.set(key, { nodePort, service, port })
    }
  }
  return wanted
}
