import { createApiServer } from '@tiphys/apiserver'
import { createSimulatedRuntime, startCluster } from '@tiphys/cluster'
import { systemEnv } from '@tiphys/env'
import type { RunningCluster } from './real-cluster.ts'

/** The embedded cluster with two simulated nodes. */
export async function startEmbeddedCluster(): Promise<RunningCluster> {
  const server = await createApiServer({ env: systemEnv, clusterDefaults: true })
  const cluster = await startCluster({
    server,
    env: systemEnv,
    runtime: createSimulatedRuntime({ env: systemEnv }),
    nodeNames: ['node-a', 'node-b'],
  })
  await cluster.ready
  return {
    client: server.client(),
    async stop() {
      await cluster.stop()
      await server.close()
    },
  }
}
