import type { ApiServer } from '@tiphys/apiserver'
import { type Env, untilQuiet } from '@tiphys/env'
import { createCaches } from '@tiphys/kube'
import { startControllers } from './controllers.ts'
import type { NodePods } from './node/node-pods.ts'
import { startNodes } from './nodes.ts'
import type { Running } from './running.ts'
import type { PodRuntime } from './runtime/pod-runtime.ts'
import { startServiceNetwork } from './service-network.ts'

export interface ClusterOptions {
  server: ApiServer
  env: Env
  runtime: PodRuntime
  nodeNames: readonly string[]
  /** Where volumes and logs live; needed by runtimes that mount files. */
  directory?: string
  /** Whether nodes answer over HTTPS on loopback: what logs, exec and port-forward need. */
  servesNodes?: boolean
}

export interface Cluster extends Running {
  /** What runs on its nodes. */
  readonly pods: NodePods
  /** Resolves when every node is ready for pods. */
  readonly ready: Promise<void>
  /** Resolves when everything that the last change set off is done. (What waits for time to pass does not count.) */
  settled(): Promise<void>
}

/** Turns an API server into a cluster: controllers, a scheduler and nodes, each of them a client of its API. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { server, env, runtime, nodeNames, directory, servesNodes = false } = options
  const client = server.client()
  const caches = createCaches(client, { env })
  const controllers = startControllers({ client, caches, env, directory: directory ?? '' })
  const nodes = await startNodes({
    client,
    caches,
    env,
    names: nodeNames,
    runtime,
    ...(directory === undefined ? {} : { directory }),
    ...(servesNodes ? { kubelet: kubeletIdentity(server, nodeNames) } : {}),
  })
  server.attachNodes(nodes.local)
  const network = runtime.network && startServiceNetwork({ client, caches, env, network: runtime.network })
  const parts: Running[] = [controllers, nodes, ...(network ? [network] : [])]
  const isIdle = () => parts.every(part => part.isIdle())
  return {
    pods: nodes.pods,
    ready: nodes.registered,
    isIdle,
    settled: () => settled(isIdle, () => server.storage.revision),
    async stop() {
      server.attachNodes(undefined)
      for (const part of parts) await part.stop()
      caches.stop()
      await runtime.close()
    },
  }
}

function kubeletIdentity(server: ApiServer, nodeNames: readonly string[]) {
  const hosts = ['127.0.0.1', 'localhost', ...nodeNames]
  const { certificate, key } = server.issueServingCertificate({ name: 'system:node', groups: ['system:nodes'], hosts })
  return { certificate, key, clientCa: server.caCertificate }
}

/** A change reaches whoever watches in a few turns of the event loop. */
const QUIET_TURNS = 4

function settled(isIdle: () => boolean, revision: () => number): Promise<void> {
  let before = revision()
  return untilQuiet(() => {
    const now = revision()
    const isQuiet = isIdle() && now === before
    before = now
    return isQuiet
  }, QUIET_TURNS)
}
