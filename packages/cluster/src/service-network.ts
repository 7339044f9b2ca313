import type { Env } from '@tiphys/env'
import type { Caches, Client } from '@tiphys/kube'
import { createEventRecorder } from './event-recorder.ts'
import { createHostPorts, followHostPorts } from './network/host-ports.ts'
import { createNodePorts } from './network/node-ports.ts'
import { followServices } from './network/service-routes.ts'
import type { Running } from './running.ts'
import type { PodNetwork } from './runtime/pod-runtime.ts'

export interface ServiceNetworkOptions {
  client: Client
  /** Of the same client. */
  caches: Caches
  env: Env
  network: PodNetwork
}

/** Makes services lead to pods: inside the pods' network by their addresses and names, on this machine's loopback by
 *  their node ports; and there also the host ports of pods. */
export function startServiceNetwork({ client, caches, env, network }: ServiceNetworkOptions): Running {
  const recorder = createEventRecorder(client, env, 'tiphys-network')
  const nodePorts = createNodePorts({
    clock: env.clock,
    async dial(target) {
      if (target === 'api') throw new Error('the API server has an address of its own on this machine')
      return network.dial(target.ip, target.port)
    },
    onProblem: ({ namespace, name, message }) =>
      recorder.warning({ apiVersion: 'v1', kind: 'Service', metadata: { namespace, name } }, 'NodePortTaken', message),
  })
  const follower = followServices({ caches, env }, services => {
    network.setServices(services)
    nodePorts.setServices(services)
  })
  const hostPorts = createHostPorts({
    dial: (ip, port) => network.dial(ip, port),
    onProblem: (pod, message) => recorder.warning(pod, 'HostPortTaken', message),
  })
  const podFollower = followHostPorts({ caches, env }, pods => hostPorts.setPods(pods))
  return {
    isIdle: () => follower.isIdle() && podFollower.isIdle() && recorder.isIdle(),
    async stop() {
      await follower.stop()
      await podFollower.stop()
      nodePorts.close()
      hostPorts.close()
    },
  }
}
