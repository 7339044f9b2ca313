import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createSimulatedRuntime, startControllers, startNodes } from '@tiphys/cluster'
import { systemEnv } from '@tiphys/env'
import { type Client, connect, createCaches, kubeconfigFor } from '@tiphys/kube'
import { type RealServer, spawnQuietly, startRealServer, terminate } from '../real-server.ts'

export interface RunningCluster {
  client: Client
  stop(): Promise<void>
}

const NODES = ['node-a', 'node-b']

/** A real kube-apiserver with the real kube-controller-manager and kube-scheduler, and two simulated nodes of ours. */
export function startRealCluster(): Promise<RunningCluster> {
  return start(async ({ server, client, kubeconfig }) => {
    const common = [
      `--kubeconfig=${kubeconfig}`,
      '--leader-elect=false',
      '--secure-port=0',
      '--kube-api-qps=2000',
      '--kube-api-burst=4000',
    ]
    const processes = [
      spawnQuietly('kube-controller-manager', [
        ...common,
        `--service-account-private-key-file=${server.keyFile}`,
        `--root-ca-file=${server.caFile}`,
        '--allocate-node-cidrs=true',
        '--cluster-cidr=10.244.0.0/16',
        '--service-cluster-ip-range=10.96.0.0/16',
      ]),
      spawnQuietly('kube-scheduler', common),
    ]
    const caches = createCaches(client)
    const nodes = await startNodes({ client, caches, env: systemEnv, runtime: simulated(), names: NODES })
    await nodes.registered
    return async () => {
      await nodes.stop()
      caches.stop()
      for (const running of processes) await terminate(running)
    }
  })
}

/** A real kube-apiserver with our controllers, our scheduler and our nodes. */
export function startTransplantedCluster(): Promise<RunningCluster> {
  return start(async ({ server, client }) => {
    // Elsewhere it is the embedded server that says how it is verified.
    await client.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'kube-system', name: 'kube-root-ca.crt' },
      data: { 'ca.crt': server.caCertificate },
    })
    const caches = createCaches(client)
    const controllers = startControllers({ client, caches, env: systemEnv, directory: '' })
    const nodes = await startNodes({ client, caches, env: systemEnv, runtime: simulated(), names: NODES })
    await nodes.registered
    return async () => {
      await nodes.stop()
      await controllers.stop()
      caches.stop()
    }
  })
}

const simulated = () => createSimulatedRuntime({ env: systemEnv })

interface Started {
  server: RealServer
  client: Client
  kubeconfig: string
}

async function start(startRest: (started: Started) => Promise<() => Promise<void>>): Promise<RunningCluster> {
  const server = await startRealServer({ unsafeNoFsync: true })
  const kubeconfig = join(dirname(server.caFile), 'admin.kubeconfig')
  const url = `https://${server.host}:${server.port}`
  await writeFile(
    kubeconfig,
    kubeconfigFor({ name: 'real', server: url, ca: server.caCertificate, user: { token: 'admin-token' } }),
    { mode: 0o600 },
  )
  const client = await connect({ kubeconfig })
  const stopRest = await startRest({ server, client, kubeconfig })
  return {
    client,
    async stop() {
      await stopRest()
      await client.close()
      await server.stop()
    },
  }
}
