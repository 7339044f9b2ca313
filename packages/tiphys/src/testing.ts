import { type ApiServer, createApiServer } from '@tiphys/apiserver'
import { type Env, systemEnv } from '@tiphys/env'
import { type Client, kubeconfigFor } from '@tiphys/kube'

export { VirtualClock } from '@tiphys/env'
export { kindRef } from '@tiphys/kube'
export type { Client, Env }

export interface TestClusterOptions {
  /** Time, randomness and log of the cluster; with a `VirtualClock` nothing happens until the test says so. */
  env?: Partial<Env>
}

/** A Kubernetes API inside this process, in memory, for one test. Made in milliseconds; shares nothing with another. */
export interface TestCluster {
  /** Speaks to the cluster as its administrator, without a network; `client.as` speaks as somebody else. */
  readonly client: Client
  /** Also answers on a free port of loopback. Returns a kubeconfig for programs that want one. */
  serve(): Promise<{ url: string; kubeconfig: string }>
  close(): Promise<void>
}

export async function createTestCluster({ env = {} }: TestClusterOptions = {}): Promise<TestCluster> {
  const server = await createApiServer({ env: { ...systemEnv, ...env }, clusterDefaults: true })
  return { client: server.client(), serve: () => serve(server), close: () => server.close() }
}

async function serve(server: ApiServer): Promise<{ url: string; kubeconfig: string }> {
  const { url, caCertificate } = await server.listen()
  const { certificate, key } = server.issueClientCertificate({ name: 'tiphys-admin', groups: ['system:masters'] })
  return {
    url,
    kubeconfig: kubeconfigFor({ name: 'tiphys', server: url, ca: caCertificate, user: { cert: certificate, key } }),
  }
}
