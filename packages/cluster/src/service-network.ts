import type { Env } from '@tiphys/env'
import type { Caches, Client } from '@tiphys/kube'
import { createEventRecorder } from './event-recorder.ts'
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
 *  their node ports. */
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
  return {
    isIdle: () => follower.isIdle() && recorder.isIdle(),
    async stop() {
      await follower.stop()
      nodePorts.close()
    },
  }
}
