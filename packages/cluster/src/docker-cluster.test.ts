import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type ApiServer, createApiServer } from '@tiphys/apiserver'
import { systemEnv } from '@tiphys/env'
import { type Client, kindRef } from '@tiphys/kube'
import type { ConfigMap, Container, Pod, PodSpec } from '@tiphys/kube/kinds'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cluster, startCluster } from './cluster.ts'
import { createDockerRuntime } from './runtime/docker/docker-runtime.ts'
import { type PodmanEngine, startPodman, TEST_IMAGE, whyNoPodman } from './runtime/docker/testing/podman-engine.ts'

const obstacle = whyNoPodman()
const POD = kindRef('v1', 'Pod')

describe.skipIf(obstacle !== undefined)(
  `a cluster whose pods run in Podman${obstacle ? ` (skipped: ${obstacle})` : ''}`,
  () => {
    let engine: PodmanEngine
    let server: ApiServer
    let client: Client
    let cluster: Cluster
    let directory: string

    beforeAll(async () => {
      engine = await startPodman()
      // Podman has a /tmp and a /run of its own here.
      directory = await mkdtemp(join('/var/tmp', 'tiphys-docker-'))
      server = await createApiServer({ clusterDefaults: true })
      client = server.client()
      const runtime = await createDockerRuntime({ socketPath: engine.socketPath })
      cluster = await startCluster({ server, env: systemEnv, runtime, nodeNames: ['node-1'], directory })
      await cluster.ready
    })
    afterAll(async () => {
      await cluster?.stop()
      await server?.close()
      await engine?.close()
      await rm(directory, { recursive: true, force: true })
    })

    const createPod = (name: string, container: Partial<Container>, spec: Partial<PodSpec> = {}) =>
      client.create<Pod>({
        ...POD,
        metadata: { namespace: 'default', name },
        spec: {
          restartPolicy: 'Never',
          containers: [{ name: 'main', image: TEST_IMAGE, imagePullPolicy: 'Never', ...container }],
          ...spec,
        },
      } as Pod)

    const until = async (name: string, isSo: (pod: Pod) => boolean): Promise<Pod> => {
      const fieldSelector = `metadata.name=${name}`
      for await (const { type, object } of client.watch({ ...POD, namespace: 'default', fieldSelector })) {
        if ((type === 'ADDED' || type === 'MODIFIED') && isSo(object)) return object
      }
      throw new Error(`the watch of ${name} ended`)
    }

    const logsOf = async (pod: string) => {
      let text = ''
      for await (const chunk of cluster.pods.logs({ namespace: 'default', pod, container: 'main' }, {})) {
        text += Buffer.from(chunk).toString()
      }
      return text
    }

    it('runs a pod with a ConfigMap to its end, and shows what it printed', async () => {
      const metadata = { namespace: 'default', name: 'settings' }
      await client.create<ConfigMap>({
        ...kindRef('v1', 'ConfigMap'),
        metadata,
        data: { text: 'from a ConfigMap\n' },
      } as ConfigMap)
      await createPod(
        'reader',
        {
          command: ['sh', '-c', 'cat /config/text; echo $KUBERNETES_SERVICE_HOST; exit 3'],
          volumeMounts: [{ name: 'config', mountPath: '/config' }],
        },
        { volumes: [{ name: 'config', configMap: { name: 'settings' } }] },
      )
      const { status } = await until('reader', pod => pod.status?.phase === 'Failed')
      expect(status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 3, reason: 'Error' })
      expect(await logsOf('reader')).toMatch(/^from a ConfigMap\n10\.96\.0\.1\n$/)
    })

    it('keeps a server running, with an address of its own, until it is deleted', async () => {
      await createPod(
        'server',
        { command: ['sleep', '100000'] },
        { restartPolicy: 'Always', terminationGracePeriodSeconds: 1 },
      )
      const { status } = await until('server', pod => pod.status?.containerStatuses?.[0]?.ready === true)
      expect(status?.podIP).toMatch(/^\d+\.\d+\.\d+\.\d+$/)
      await client.delete({ ...POD, namespace: 'default', name: 'server' })
      const fieldSelector = 'metadata.name=server'
      for await (const { type } of client.watch({ ...POD, namespace: 'default', fieldSelector })) {
        if (type === 'DELETED') break
      }
    })

    it('says that an image is not there', async () => {
      await createPod('absent', { image: 'localhost/nowhere' })
      const { status } = await until(
        'absent',
        pod => pod.status?.containerStatuses?.[0]?.state?.waiting?.reason === 'ErrImageNeverPull',
      )
      expect(status?.containerStatuses?.[0]?.state?.waiting?.message).toContain('localhost/nowhere')
    })
  },
)
