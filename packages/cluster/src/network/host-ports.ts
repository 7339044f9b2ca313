import type { Duplex } from 'node:stream'
import { kindRef } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import type { Controller, ControllerContext } from '../controllers/controller.ts'
import { startTcpRelay, type TcpRelay } from './tcp-relay.ts'

export interface HostPortsOptions {
  /** A connection to a port of a pod. */
  dial: (ip: string, port: number) => Promise<Duplex>
  /** Told once for every port that cannot be had. Every other port is opened nevertheless; this one is tried again
   *  whenever pods with such ports change. */
  onProblem: (pod: Pod, message: string) => void
  host?: string
}

/** Opens the host ports of pods on this machine's loopback. The nodes of a cluster are one machine here: of two pods with
 *  the same port, the older one has it. */
export interface HostPorts {
  setPods(pods: readonly Pod[]): void
  /** Resolves when every port asked for is open, or was found not to be had. */
  whenOpen(): Promise<void>
  close(): void
}

interface WantedPort {
  pod: Pod
  hostPort: number
  target: { ip: string; port: number }
}

interface OpenPort {
  wanted: WantedPort
  relay: TcpRelay
  isFailed: boolean
}

export function createHostPorts({ dial, onProblem, host = '127.0.0.1' }: HostPortsOptions): HostPorts {
  const open = new Map<number, OpenPort>()
  /** What has been said already, by pod and port. */
  const told = new Map<string, string>()
  const tell = (pod: Pod, port: string, message: string) => {
    const key = `${pod.metadata.uid} ${port}`
    if (told.get(key) === message) return
    told.set(key, message)
    onProblem(pod, message)
  }

  const start = (wanted: WantedPort): OpenPort => {
    const { hostPort } = wanted
    const relay = startTcpRelay({
      ip: host,
      port: hostPort,
      candidates: () => [state.wanted.target],
      dial: async target => {
        if (target === 'api') throw new Error('no host port leads to the API')
        return dial(target.ip, target.port)
      },
      onFailure(error) {
        state.isFailed = true
        const why = 'code' in error && error.code === 'EADDRINUSE' ? 'another program listens on it' : error.message
        tell(state.wanted.pod, `TCP ${hostPort}`, `The host port ${hostPort} cannot be opened on ${host}: ${why}`)
      },
    })
    const state: OpenPort = { wanted, relay, isFailed: false }
    return state
  }

  return {
    setPods(pods) {
      const uids = new Set(pods.map(({ metadata }) => metadata.uid))
      for (const key of told.keys()) if (!uids.has(key.split(' ')[0])) told.delete(key)
      const wanted = wantedPorts(pods, tell)
      for (const [port, { relay, isFailed }] of open) {
        if (wanted.has(port) && !isFailed) continue
        relay.stop()
        open.delete(port)
      }
      for (const [port, each] of wanted) {
        const state = open.get(port)
        if (state) state.wanted = each
        else open.set(port, start(each))
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

function wantedPorts(
  pods: readonly Pod[],
  tell: (pod: Pod, port: string, message: string) => void,
): Map<number, WantedPort> {
  const wanted = new Map<number, WantedPort>()
  for (const pod of pods.filter(isReachable).toSorted(byAge)) {
    for (const { hostPort, containerPort, protocol = 'TCP' } of portsOf(pod)) {
      if (!hostPort) continue
      const holder = wanted.get(hostPort)?.pod
      if (protocol !== 'TCP') {
        const why = `it is a ${protocol} port, and only TCP is relayed from here`
        tell(pod, `${protocol} ${hostPort}`, `The host port ${hostPort} is not opened: ${why}`)
      } else if (!holder)
        wanted.set(hostPort, { pod, hostPort, target: { ip: pod.status?.podIP ?? '', port: containerPort } })
      else if (holder !== pod) {
        const why = `the pod ${holder.metadata.namespace}/${holder.metadata.name} has it, on another node of this machine`
        tell(pod, `TCP ${hostPort}`, `The host port ${hostPort} is not opened: ${why}`)
      }
    }
  }
  return wanted
}

/** A pod in the machine's own network has its ports there already. */
const isReachable = ({ spec, status }: Pod): boolean =>
  !spec?.hostNetwork && Boolean(status?.podIP) && status?.phase !== 'Succeeded' && status?.phase !== 'Failed'

const byAge = (a: Pod, b: Pod): number => {
  const [before, after] = [ageOf(a), ageOf(b)]
  return before < after ? -1 : before > after ? 1 : 0
}
const ageOf = ({ metadata }: Pod): string => `${metadata.creationTimestamp} ${metadata.uid}`

const portsOf = ({ spec }: Pod) => {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  return [...(spec?.containers ?? []), ...sidecars].flatMap(({ ports = [] }) => ports)
}

const hasHostPorts = (pod: Pod): boolean => portsOf(pod).some(({ hostPort }) => hostPort)

/** How long changes are gathered before ports are opened and closed. */
const GATHERING_MS = 20

/** Keeps the host ports up to date with the pods. */
export function followHostPorts(
  { caches, env }: Pick<ControllerContext, 'caches' | 'env'>,
  setPods: (pods: readonly Pod[]) => void,
): Controller {
  const pods = caches.acquire(kindRef<Pod>('v1', 'Pod'))
  let isDue = false
  let isSynced = false
  let timer = { cancel() {} }
  const look = () => {
    isDue = false
    setPods(pods.list().filter(hasHostPorts))
  }
  pods.subscribe(({ object }) => {
    if (isDue || !isSynced || !hasHostPorts(object)) return
    isDue = true
    timer = env.clock.schedule(GATHERING_MS, look)
  })
  pods.whenSynced().then(
    () => {
      isSynced = true
      look()
    },
    // The cache was stopped, or has said why it failed.
    () => {},
  )
  return {
    name: 'host-ports',
    isIdle: () => isSynced && !isDue,
    async stop() {
      isSynced = false
      timer.cancel()
      pods.release()
    },
  }
}
