import { type ApiServer, createApiServer } from '@tiphys/apiserver'
import { createSimulatedRuntime, startCluster } from '@tiphys/cluster'
import { type Env, systemEnv, type VirtualClock } from '@tiphys/env'
import { type Client, kubeconfigFor } from '@tiphys/kube'

export { VirtualClock } from '@tiphys/env'
export { kindRef } from '@tiphys/kube'
export { type OperatorCluster, type OperatorClusterOptions, testCluster } from './operator-cluster.ts'
export type { Client, Env }

export interface TestClusterOptions {
  /** Time, randomness and log of the cluster; with a `VirtualClock` nothing happens until the test says so. */
  env?: Partial<Env>
  /** How many simulated nodes run the pods. Without nodes (0) pods stay pending; everything else works. */
  nodes?: number
}

/** A Kubernetes cluster inside this process, in memory, for one test. Made in milliseconds; shares nothing with another.
 *  Its controllers are real, its pods are simulated: they become ready or complete as the annotation `tiphys.dev/simulate`
 *  says, at once without it. */
export interface TestCluster {
  /** Speaks to the cluster as its administrator, without a network; `client.as` speaks as somebody else. */
  readonly client: Client
  /** Resolves when everything that the last change set off is done. What waits for time to pass does not count. */
  settled(): Promise<void>
  /** Lets time pass on the `VirtualClock` that the cluster was made with, and everything happen that falls due. */
  advance(ms: number): Promise<void>
  /** Also answers on a free port of loopback. Returns a kubeconfig for programs that want one. */
  serve(): Promise<{ url: string; kubeconfig: string }>
  close(): Promise<void>
}

export async function createTestCluster({ env: given = {}, nodes = 1 }: TestClusterOptions = {}): Promise<TestCluster> {
  const env = { ...systemEnv, ...given }
  const server = await createApiServer({ env, clusterDefaults: true })
  const cluster = await startCluster({
    server,
    env,
    runtime: createSimulatedRuntime({ env }),
    nodeNames: Array.from({ length: nodes }, (_, index) => `node-${index + 1}`),
  })
  await cluster.ready
  return {
    client: server.client(),
    settled: () => cluster.settled(),
    async advance(ms) {
      const clock = env.clock as Partial<VirtualClock>
      if (!clock.advance) throw new Error('only a cluster made with a VirtualClock can be told to let time pass')
      await clock.advance(ms, () => cluster.settled())
    },
    serve: () => serve(server),
    async close() {
      await cluster.stop()
      await server.close()
    },
  }
}

async function serve(server: ApiServer): Promise<{ url: string; kubeconfig: string }> {
  const { url, caCertificate } = await server.listen()
  const { certificate, key } = server.issueClientCertificate({ name: 'tiphys-admin', groups: ['system:masters'] })
  return {
    url,
    kubeconfig: kubeconfigFor({ name: 'tiphys', server: url, ca: caCertificate, user: { cert: certificate, key } }),
  }
}
