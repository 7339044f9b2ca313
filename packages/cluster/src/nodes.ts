import type { LocalNodes } from '@tiphys/apiserver'
import type { Env } from '@tiphys/env'
import type { Caches, Client } from '@tiphys/kube'
import { createEventRecorder } from './event-recorder.ts'
import { containerLog } from './kubelet/container-logs.ts'
import { reviewedAccess } from './kubelet/kubelet-access.ts'
import { createKubeletServer, type KubeletServerOptions } from './kubelet/kubelet-server.ts'
import { createEventBudget, KUBELET_LIMIT, SHARED_LIMIT } from './node/limited-recorder.ts'
import { createNodeAgent, type NodeAgent } from './node/node-agent.ts'
import { type ContainerRef, type NodePods, NodeRefusal } from './node/node-pods.ts'
import { createSharedPodFeed } from './node/pod-feed.ts'
import type { Running } from './running.ts'
import type { PodRuntime } from './runtime/pod-runtime.ts'

export interface NodesOptions {
  client: Client
  /** Of the same client. */
  caches: Caches
  env: Env
  names: readonly string[]
  runtime: PodRuntime
  /** Where volumes and logs live. */
  directory?: string
  /** How the nodes answer over HTTPS; without it nobody can ask them for logs or run something in a pod. */
  kubelet?: Pick<KubeletServerOptions, 'certificate' | 'key' | 'clientCa'>
}

export interface Nodes extends Running {
  readonly pods: NodePods
  /** What the API server may ask them without a connection. */
  readonly local: LocalNodes
  /** Resolves when every node is in the API and ready. */
  readonly registered: Promise<void>
}

/** Nodes of a cluster in this process. They share one stream of pods, one runtime, one HTTPS server and one
 *  budget of Events. */
export async function startNodes(options: NodesOptions): Promise<Nodes> {
  const { client, caches, env, names, runtime, directory, kubelet } = options
  const feed = createSharedPodFeed(caches)
  // One node has what a kubelet has; many in one process have more to do than to write that all is well.
  const eventBudget = createEventBudget(env.clock, names.length > 1 ? SHARED_LIMIT : KUBELET_LIMIT)
  const agents: NodeAgent[] = []
  const pods = podsOfAll(agents)
  const [nodeName = ''] = names
  const access = reviewedAccess(client, nodeName)
  const server = kubelet && (await createKubeletServer({ ...kubelet, env, nodeName, pods, access }))
  for (const name of names) {
    const recorder = createEventRecorder(client, env, 'kubelet', name)
    const place = directory === undefined ? {} : { directory }
    const endpoint = server === undefined ? {} : { kubeletPort: server.port, addresses: loopback(name) }
    agents.push(createNodeAgent({ client, env, runtime, name, feed, recorder, eventBudget, ...place, ...endpoint }))
  }
  return {
    pods,
    local: localNodes(agents),
    registered: Promise.all(agents.map(({ registered }) => registered)).then(() => {}),
    isIdle: () => agents.every(agent => agent.isIdle()),
    async stop() {
      await server?.stop()
      await Promise.all(agents.map(agent => agent.stop()))
      feed.release()
    },
  }
}

const loopback = (name: string) => [
  { type: 'InternalIP', address: '127.0.0.1' },
  { type: 'Hostname', address: name },
]

const localNodes = (agents: readonly NodeAgent[]): LocalNodes => ({
  logs(node, container, query, signal) {
    const agent = agents.find(({ name }) => name === node)
    return agent && containerLog(agent.pods, container, query)(signal)
  },
})

/** The pods of several nodes as if they were one's. */
function podsOfAll(agents: readonly NodeAgent[]): NodePods {
  const nodeOf = ({ namespace, pod }: Pick<ContainerRef, 'namespace' | 'pod'>): NodePods => {
    const agent = agents.find(({ pods }) => pods.pod(namespace, pod) !== undefined)
    if (!agent) throw new NodeRefusal(404, `pod ${pod} in namespace ${namespace} is not on this node`)
    return agent.pods
  }
  return {
    pods: () => agents.flatMap(agent => agent.pods.pods()),
    pod(namespace, name) {
      for (const agent of agents) {
        const pod = agent.pods.pod(namespace, name)
        if (pod) return pod
      }
      return undefined
    },
    logs: (container, options) => nodeOf(container).logs(container, options),
    exec: async (container, config) => nodeOf(container).exec(container, config),
    attach: async (container, config) => nodeOf(container).attach(container, config),
    dial: async (pod, port) => nodeOf(pod).dial(pod, port),
    usage: async container => nodeOf(container).usage(container),
  }
}
