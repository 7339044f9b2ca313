import { type ApiServer, createApiServer } from '@tiphys/apiserver'
import { systemEnv } from '@tiphys/env'
import type { Client, KubeconfigContents, KubeObject } from '@tiphys/kube'
import type { Node, Pod } from '@tiphys/kube/kinds'
import { reviewedAccess } from '../kubelet-access.ts'
import { createKubeletServer, type KubeletServer } from '../kubelet-server.ts'
import { MachinePods } from './machine-pods.ts'
import { startRealApiServer } from './real-api-server.ts'

export const NODE = 'machine'

/** An API server with one node, whose pods are programs of this machine. */
export interface TestCluster {
  kubelet: KubeletServer
  pods: MachinePods
  /** How kubectl reaches it; what listens for it only listens then. */
  kubeconfig(): Promise<Pick<KubeconfigContents, 'server' | 'ca' | 'user'>>
  stop(): Promise<void>
}

export async function startTestCluster(): Promise<TestCluster & { server: ApiServer }> {
  const server = await createApiServer({ env: systemEnv, clusterDefaults: true })
  const node = await startNode(server, server.client())
  return {
    ...node,
    server,
    async kubeconfig() {
      const { url, caCertificate } = await server.listen()
      const { certificate, key } = server.issueClientCertificate({ name: 'admin', groups: ['system:masters'] })
      return { server: url, ca: caCertificate, user: { cert: certificate, key } }
    },
    async stop() {
      await node.stop()
      await server.close()
    },
  }
}

/** The same node behind a kube-apiserver. */
export async function startRealTestCluster(options: { speaksWebSocket: boolean }): Promise<TestCluster> {
  const authority = await createApiServer({ env: systemEnv })
  const real = await startRealApiServer(authority)
  const node = await startNode(authority, real.client, options.speaksWebSocket)
  return {
    ...node,
    kubeconfig: async () => real.contents,
    async stop() {
      await node.stop()
      await real.stop()
    },
  }
}

async function startNode(authority: ApiServer, client: Client, speaksWebSocket = true) {
  const pods = new MachinePods()
  const { certificate, key } = authority.issueServingCertificate({ name: `system:node:${NODE}`, hosts: ['127.0.0.1'] })
  const kubelet = await createKubeletServer({
    env: systemEnv,
    nodeName: NODE,
    pods,
    access: reviewedAccess(client, NODE),
    certificate,
    key,
    clientCa: authority.caCertificate,
  })
  const node = nodeAt(NODE, kubelet.port)
  const features = speaksWebSocket ? { declaredFeatures: ['ExtendWebSocketsToKubelet'] } : {}
  await setStatus(client, await client.create(node), { ...node.status, ...features })
  for (const [name, containers] of [
    ['one', ['main']],
    ['two', ['a', 'b']],
    ['odd', ['endless', 'waiting']],
  ] as const) {
    pods.add(await setStatus(client, await client.create(podOf(name, containers)), { phase: 'Running' }))
  }
  const stop = async () => {
    for (const child of pods.running) child.kill('SIGKILL')
    await kubelet.stop()
  }
  return { kubelet, pods, stop }
}

function setStatus<T extends KubeObject>(client: Client, object: T, status: unknown): Promise<T> {
  const { apiVersion, kind, metadata } = object
  const { name = '', namespace } = metadata
  const ref = { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) }
  return client.subresource('update', ref, 'status', { ...object, status })
}

export const nodeAt = (name: string, port: number): KubeObject & Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  status: {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  },
})

export const podOf = (name: string, containers: readonly string[], nodeName = NODE): KubeObject & Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { nodeName, containers: containers.map(container => ({ name: container, image: 'machine' })) },
})
