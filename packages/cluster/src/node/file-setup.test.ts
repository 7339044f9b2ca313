import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiServer, createApiServer } from '@tiphys/apiserver'
import { systemEnv } from '@tiphys/env'
import { type Client, kindRef } from '@tiphys/kube'
import type { ConfigMap, Container, Pod, PodSpec } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createNodeAgent, type NodeAgent } from './node-agent.ts'
import { createPlainRuntime } from './plain-runtime.ts'

const POD = kindRef('v1', 'Pod')

let directory: string
let server: ApiServer
let client: Client
let agent: NodeAgent

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tiphys-node-'))
  server = await createApiServer({ clusterDefaults: true })
  client = server.client()
  const runtime = createPlainRuntime(systemEnv)
  agent = createNodeAgent({ client, env: systemEnv, runtime, name: 'node-1', directory })
  await agent.registered
})

afterEach(async () => {
  await agent.stop()
  await server.close()
  await rm(directory, { recursive: true, force: true })
})

const createPod = (name: string, container: Partial<Container>, spec: Partial<PodSpec> = {}) =>
  client.create<Pod>({
    ...POD,
    metadata: { namespace: 'default', name, labels: { app: name } },
    spec: {
      nodeName: 'node-1',
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: 'example', ...container }],
      ...spec,
    },
  } as Pod)

const sh = (script: string) => ({ command: ['sh', '-c', script] })
const getPod = (name: string) => client.get({ ...POD, namespace: 'default', name })
const until = (name: string, isSo: (pod: Pod) => boolean) =>
  vi.waitFor(
    async () => {
      const pod = await getPod(name)
      if (!isSo(pod)) throw new Error(`pod ${name} is not so: ${JSON.stringify(pod.status)}`)
      return pod
    },
    { timeout: 15_000, interval: 20 },
  )
const isDone = ({ status }: Pod) => status?.phase === 'Succeeded' || status?.phase === 'Failed'
const stateOf = ({ status }: Pod) => status?.containerStatuses?.[0]?.state

const logsOf = async (pod: string) => {
  let text = ''
  for await (const chunk of agent.pods.logs({ namespace: 'default', pod, container: 'main' }, {})) {
    text += Buffer.from(chunk).toString()
  }
  return text
}

const eventsOf = async (pod: string) => {
  await vi.waitUntil(() => agent.isIdle(), { timeout: 15_000, interval: 20 })
  const { items } = await client.list({ ...kindRef('v1', 'Event'), namespace: 'default' })
  return items
    .filter(({ involvedObject }) => involvedObject.name === pod)
    .map(({ reason, message }) => `${reason}: ${message}`)
}

const configMap = (name: string, data: Record<string, string>) =>
  client.create<ConfigMap>({
    ...kindRef('v1', 'ConfigMap'),
    metadata: { namespace: 'default', name },
    data,
  } as ConfigMap)

describe('the environment of a container', () => {
  it('has values, fields, keys and the address of the API', async () => {
    await configMap('settings', { colour: 'blue', size: '7' })
    await createPod('env', {
      ...sh(
        'echo "$GREETING|$COLOUR|$P_size|$NAME|$MISSING|$LIMIT|$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT"; echo "$0"',
      ),
      args: ['$(NAME)-$$(NAME)-$(NOBODY)'],
      resources: { limits: { memory: '64Mi' } },
      envFrom: [{ configMapRef: { name: 'settings' }, prefix: 'P_' }],
      env: [
        { name: 'NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
        { name: 'GREETING', value: 'hello $(NAME)' },
        { name: 'COLOUR', valueFrom: { configMapKeyRef: { name: 'settings', key: 'colour' } } },
        { name: 'MISSING', valueFrom: { secretKeyRef: { name: 'nothing', key: 'x', optional: true } } },
        { name: 'LIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } },
      ],
    })
    await until('env', isDone)
    expect(await logsOf('env')).toBe('hello env|blue|7|env||64|10.96.0.1:443\nenv-$(NAME)-$(NOBODY)\n')
  })

  it('holds the container back while a key is missing', async () => {
    await configMap('settings', {})
    await createPod('waiting', {
      ...sh('true'),
      env: [{ name: 'COLOUR', valueFrom: { configMapKeyRef: { name: 'settings', key: 'colour' } } }],
    })
    const pod = await until('waiting', pod => stateOf(pod)?.waiting?.reason === 'CreateContainerConfigError')
    expect(stateOf(pod)?.waiting?.message).toBe("couldn't find key colour in ConfigMap default/settings")
    expect(pod.status?.phase).toBe('Pending')
  })
})

describe('the volumes of a pod', () => {
  it('hold what the API says, a token and shared files', async () => {
    await configMap('settings', { 'app.conf': 'a=1\n' })
    await createPod(
      'volumes',
      {
        ...sh(
          'cat {/config}/app.conf {/one}; cat {/labels}/labels; echo; wc -c < {/var/run/secrets/kubernetes.io/serviceaccount}/token; ls {/data}',
        ),
        volumeMounts: [
          { name: 'config', mountPath: '/config' },
          { name: 'config', mountPath: '/one', subPath: 'app.conf' },
          { name: 'labels', mountPath: '/labels' },
          { name: 'data', mountPath: '/data', subPathExpr: '$(DIR)/deep' },
        ],
        env: [{ name: 'DIR', value: 'there' }],
      },
      {
        volumes: [
          { name: 'config', configMap: { name: 'settings' } },
          { name: 'labels', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
          { name: 'data', emptyDir: {} },
        ],
        initContainers: [
          {
            name: 'init',
            image: 'x',
            ...sh('mkdir -p {/data}/there/deep && touch {/data}/there/deep/file'),
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
      },
    )
    const pod = await until('volumes', isDone)
    const [first, second, labels, size, file] = (await logsOf('volumes')).split('\n')
    expect([first, second, labels, file]).toEqual(['a=1', 'a=1', 'app="volumes"', 'file'])
    expect(Number(size)).toBeGreaterThan(200)
    await vi.waitFor(() => expect(existsSync(join(directory, 'pods', pod.metadata.uid ?? ''))).toBe(false), {
      timeout: 15_000,
    })
  })

  it('are waited for, and an Event says what is missing', async () => {
    await createPod('missing', sh('true'), { volumes: [{ name: 'config', configMap: { name: 'later' } }] })
    await vi.waitFor(
      async () =>
        expect(await eventsOf('missing')).toContain(
          'FailedMount: MountVolume.SetUp failed for volume "config" : configmap "later" not found',
        ),
      { timeout: 10_000 },
    )
    expect(stateOf(await getPod('missing'))?.waiting?.reason).toBe('ContainerCreating')
    await configMap('later', {})
    await until('missing', isDone)
  })

  it('of an unknown kind are refused with a word', async () => {
    await createPod('nfs', sh('true'), { volumes: [{ name: 'data', nfs: { server: 'x', path: '/' } }] })
    await vi.waitFor(
      async () =>
        expect(await eventsOf('nfs')).toContain(
          'FailedMount: MountVolume.SetUp failed for volume "data" : volumes of the type nfs are not supported by this node',
        ),
      { timeout: 10_000 },
    )
  })
})

describe('the end of a container', () => {
  it('leaves its termination message', async () => {
    await createPod('message', sh('printf "the end" > {/dev/termination-log}; exit 4'))
    const pod = await until('message', isDone)
    expect(stateOf(pod)?.terminated).toMatchObject({ exitCode: 4, reason: 'Error', message: 'the end' })
  })

  it('leaves the end of its log when it is told to', async () => {
    await createPod('fallback', { ...sh('echo broken; exit 1'), terminationMessagePolicy: 'FallbackToLogsOnError' })
    expect(stateOf(await until('fallback', isDone))?.terminated?.message).toBe('broken\n')
  })

  it('says that a program could not be started', async () => {
    await createPod('impossible', { command: ['/no/such/program'] })
    const { terminated } = stateOf(await until('impossible', isDone)) ?? {}
    expect(terminated).toMatchObject({ exitCode: 128, reason: 'StartError' })
    expect(terminated?.message).toMatch(/ENOENT/u)
  })

  it('says what to do about an image that nothing is known of', async () => {
    await createPod('unknown', {})
    const pod = await until('unknown', pod => stateOf(pod)?.waiting?.reason === 'ErrImageNeverPull')
    expect(stateOf(pod)?.waiting?.message).toBe('nothing is known of the image example')
  })

  it('comes after the preStop hook, and by force when it does not come by itself', async () => {
    const spec = { restartPolicy: 'Always', terminationGracePeriodSeconds: 1 }
    const marker = join(directory, 'hook')
    const lifecycle = { preStop: { exec: { command: ['touch', marker] } } }
    await createPod('stubborn', { ...sh('trap "" TERM; while true; do sleep 0.1; done'), lifecycle }, spec)
    await until('stubborn', ({ status }) => status?.phase === 'Running')
    await client.delete({ ...POD, namespace: 'default', name: 'stubborn' })
    await vi.waitFor(() => expect(getPod('stubborn')).rejects.toThrow(/not found/u), { timeout: 10_000 })
    expect(existsSync(marker)).toBe(true)
    await vi.waitFor(async () => expect(await readdir(join(directory, 'pods'))).toEqual([]), { timeout: 15_000 })
  })
})

describe('what a pod left behind that went while the agent was away', () => {
  it('is removed, and nothing else', async () => {
    const { metadata } = await createPod('stays', sh('while true; do sleep 0.1; done'), { restartPolicy: 'Always' })
    await until('stays', ({ status }) => status?.phase === 'Running')
    await agent.stop()
    await mkdir(join(directory, 'pods/gone/volumes'), { recursive: true })
    await mkdir(join(directory, 'logs/default_gone_gone/main'), { recursive: true })
    const runtime = createPlainRuntime(systemEnv)
    agent = createNodeAgent({ client, env: systemEnv, runtime, name: 'node-1', directory })
    await vi.waitFor(async () => expect(await readdir(join(directory, 'logs'))).toEqual([]), { timeout: 10_000 })
    await until('stays', ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1)
    expect(await readdir(join(directory, 'pods'))).toEqual([metadata.uid])
  })
})

describe('probes', () => {
  let web: Server
  let answer = 200
  let port: number

  beforeEach(async () => {
    web = createServer((_, response) => response.writeHead(answer).end())
    await new Promise<void>(resolve => web.listen(0, '127.0.0.1', resolve))
    port = (web.address() as AddressInfo).port
  })

  afterEach(() => new Promise(resolve => web.close(resolve)))

  it('make a pod ready, unready, and restart it', async () => {
    answer = 503
    // The probe takes the file away as it fails, so that it fails once, however late the next container starts.
    const ill = join(directory, 'ill')
    await createPod(
      'probed',
      {
        ...sh('exec sleep 1000'),
        readinessProbe: { httpGet: { port, path: '/ready' }, periodSeconds: 1, failureThreshold: 1 },
        livenessProbe: { exec: sh(`! rm ${ill}`), periodSeconds: 1, failureThreshold: 1 },
        startupProbe: { tcpSocket: { port }, periodSeconds: 1 },
      },
      { restartPolicy: 'Always' },
    )
    const isReady = ({ status }: Pod) => status?.containerStatuses?.[0]?.ready === true
    await until('probed', pod => pod.status?.containerStatuses?.[0]?.started === true && !isReady(pod))
    await vi.waitFor(
      async () =>
        expect((await eventsOf('probed')).join()).toContain(
          'Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503',
        ),
      { timeout: 15_000 },
    )
    answer = 200
    await until('probed', isReady)
    await writeFile(ill, '')
    await until('probed', pod => pod.status?.containerStatuses?.[0]?.restartCount === 1 && isReady(pod))
    expect(await eventsOf('probed')).toContain('Killing: Container main failed liveness probe, will be restarted')
  })
})
