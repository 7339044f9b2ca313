import { type ApiServer, createApiServer } from '@tiphys/apiserver'
import { type Env, seededRandom, silentLog, VirtualClock } from '@tiphys/env'
import { type Client, createCaches, kindRef } from '@tiphys/kube'
import type { ConfigMap, Node, Pod, PodSpec } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSimulatedRuntime } from '../runtime/simulated/simulated-runtime.ts'
import { createNodeAgent, type NodeAgent } from './node-agent.ts'
import { createSharedPodFeed } from './pod-feed.ts'

const POD = kindRef('v1', 'Pod')
const NODE = kindRef('v1', 'Node')

let clock: VirtualClock
let env: Env
let server: ApiServer
let client: Client
let agent: NodeAgent

const startAgent = () => createNodeAgent({ client, env, runtime: createSimulatedRuntime({ env }), name: 'node-1' })

/** Lets everything happen that needs no time to pass. */
const settle = async (node = agent) => {
  for (let turn = 0, quiet = 0; quiet < 5; turn++) {
    if (turn > 100_000) throw new Error('the node does not come to rest')
    await clock.advance(0)
    quiet = node.isIdle() ? quiet + 1 : 0
  }
}

const advance = async (ms: number) => {
  await clock.advance(ms)
  await settle()
}

const createPod = async (
  name: string,
  spec: Partial<PodSpec> = {},
  simulate?: object,
  metadata: Partial<Pod['metadata']> = {},
): Promise<Pod> => {
  const annotations = simulate ? { 'tiphys.dev/simulate': JSON.stringify(simulate) } : {}
  const pod = await client.create<Pod>({
    ...POD,
    metadata: { namespace: 'default', name, annotations, ...metadata },
    spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'example' }], ...spec },
  } as Pod)
  await settle()
  return pod
}

const getPod = (name: string) => client.get({ ...POD, namespace: 'default', name })
const deletePod = async (name: string) => {
  await client.delete({ ...POD, namespace: 'default', name })
  await settle()
}
const stateOf = ({ status }: Pod) => status?.containerStatuses?.[0]?.state
const conditionsOf = ({ status }: Pod) =>
  Object.fromEntries(
    (status?.conditions ?? []).map(({ type, status: value, reason }) => [type, reason ? `${value} ${reason}` : value]),
  )

beforeEach(async () => {
  clock = new VirtualClock()
  env = { clock, random: seededRandom(1), log: silentLog }
  server = await createApiServer({ env, clusterDefaults: true })
  client = server.client()
  agent = startAgent()
  await agent.registered
})

afterEach(async () => {
  await agent.stop()
  await server.close()
})

describe('a node', () => {
  it('registers itself and renews its lease', async () => {
    const node = await client.get({ ...NODE, name: 'node-1' })
    expect(node.status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'True',
      reason: 'KubeletReady',
    })
    const lease = { ...kindRef('coordination.k8s.io/v1', 'Lease'), namespace: 'kube-node-lease', name: 'node-1' }
    const before = await client.get(lease)
    await advance(15_000)
    const after = await client.get(lease)
    expect(after.spec?.renewTime).not.toBe(before.spec?.renewTime)
  })
})

describe('a pod', () => {
  it('runs and becomes ready', async () => {
    await createPod('server')
    const pod = await getPod('server')
    expect(pod.status).toMatchObject({ phase: 'Running', podIP: '10.88.0.1', observedGeneration: 1 })
    expect(conditionsOf(pod)).toEqual({
      PodReadyToStartContainers: 'True',
      Initialized: 'True',
      Ready: 'True',
      ContainersReady: 'True',
      PodScheduled: 'True',
      'tiphys.dev/simulated': 'True Simulated',
    })
    expect(pod.status?.containerStatuses?.[0]).toMatchObject({ ready: true, started: true, restartCount: 0 })
  })

  it('completes', async () => {
    await createPod('work', { restartPolicy: 'Never' }, { runFor: '30s' })
    expect((await getPod('work')).status?.phase).toBe('Running')
    await advance(30_000)
    const pod = await getPod('work')
    expect(pod.status?.phase).toBe('Succeeded')
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' })
    expect(conditionsOf(pod)).toMatchObject({ Ready: 'False PodCompleted', Initialized: 'True PodCompleted' })
  })

  it('that has succeeded says that nothing was printed in it, where it is asked to', async () => {
    const spec: Partial<PodSpec> = { restartPolicy: 'Never' }
    const annotations = (simulate: object) => ({
      annotations: { 'tiphys.dev/simulate': JSON.stringify(simulate), 'tiphys.dev/tell-silence': 'true' },
    })
    await createPod('silent', spec, undefined, annotations({}))
    await createPod('talking', spec, undefined, annotations({ log: 'done' }))
    await createPod('failing', spec, undefined, annotations({ exitCode: 1 }))
    await createPod('unasked', spec, {})
    const told = async (name: string) => conditionsOf(await getPod(name))['tiphys.dev/silent']
    expect(await Promise.all(['silent', 'talking', 'failing', 'unasked'].map(told))).toEqual([
      'True NothingPrinted',
      undefined,
      undefined,
      undefined,
    ])
  })

  it('waits longer after every crash', async () => {
    await createPod('crashing', {}, { exitCode: 3 })
    const { metadata, status } = await getPod('crashing')
    expect(status?.phase).toBe('Running')
    expect(status?.containerStatuses?.[0]).toMatchObject({
      restartCount: 1,
      state: {
        waiting: {
          reason: 'CrashLoopBackOff',
          message: `back-off 10s restarting failed container=main pod=crashing_default(${metadata.uid})`,
        },
      },
      lastState: { terminated: { exitCode: 3, reason: 'Error' } },
    })
    await advance(10_000)
    expect((await getPod('crashing')).status?.containerStatuses?.[0]?.state?.waiting?.message).toMatch(/back-off 20s /u)
  })

  it('goes when it is deleted', async () => {
    await createPod('server')
    await deletePod('server')
    await expect(getPod('server')).rejects.toThrow(/not found/u)
    expect(agent.pods.pods()).toEqual([])
  })

  it('says what it came to before its finalizers let it go', async () => {
    await createPod('kept', {}, undefined, { finalizers: ['example.com/keep'] })
    await deletePod('kept')
    const pod = await getPod('kept')
    expect(pod.status?.phase).toBe('Succeeded')
    expect(pod.metadata.deletionGracePeriodSeconds).toBe(0)
    await client.patch(
      { ...POD, namespace: 'default', name: 'kept' },
      { type: 'merge', patch: { metadata: { finalizers: null } } },
    )
    await settle()
    expect(agent.pods.pods()).toEqual([])
  })

  it('is killed when it does not end within its grace period', async () => {
    await createPod(
      'stubborn',
      { terminationGracePeriodSeconds: 5 },
      { stopAfter: 'never' },
      { finalizers: ['example.com/keep'] },
    )
    await deletePod('stubborn')
    await advance(4_900)
    expect(stateOf(await getPod('stubborn'))?.running).toBeDefined()
    await advance(200)
    const pod = await getPod('stubborn')
    expect(pod.status?.phase).toBe('Failed')
    expect(stateOf(pod)?.terminated).toMatchObject({ exitCode: 137, reason: 'Error' })
  })

  it('runs its init containers first and its sidecars beside', async () => {
    await createPod(
      'ordered',
      {
        initContainers: [
          { name: 'proxy', image: 'x', restartPolicy: 'Always' },
          { name: 'setup', image: 'x' },
        ],
      },
      { containers: { proxy: { readyAfter: '5s' }, setup: { runFor: '10s' } } },
    )
    expect(stateOf(await getPod('ordered'))?.waiting?.reason).toBe('PodInitializing')
    expect(conditionsOf(await getPod('ordered'))['Initialized']).toBe('False ContainersNotInitialized')
    await advance(5_000)
    const [proxy, setup] = (await getPod('ordered')).status?.initContainerStatuses ?? []
    expect([proxy?.started, setup?.state?.running !== undefined]).toEqual([true, true])
    await advance(10_000)
    const pod = await getPod('ordered')
    expect(pod.status?.phase).toBe('Running')
    expect(conditionsOf(pod)).toMatchObject({ Initialized: 'True', Ready: 'True' })
    expect(pod.status?.initContainerStatuses?.[1]).toMatchObject({
      ready: true,
      state: { terminated: { exitCode: 0 } },
    })
  })

  it('is done when its work is done, and its sidecars end', async () => {
    const initContainers = [{ name: 'proxy', image: 'x', restartPolicy: 'Always' }]
    await createPod('job', { restartPolicy: 'Never', initContainers }, { containers: { main: { runFor: '1s' } } })
    await advance(1_000)
    const pod = await getPod('job')
    expect(pod.status?.phase).toBe('Succeeded')
    expect(pod.status?.initContainerStatuses?.[0]?.state?.terminated?.exitCode).toBe(0)
  })

  it('fails when an init container of a pod that never restarts fails', async () => {
    const initContainers = [{ name: 'setup', image: 'x' }]
    await createPod('broken', { restartPolicy: 'Never', initContainers }, { containers: { setup: { exitCode: 2 } } })
    const pod = await getPod('broken')
    expect(pod.status?.phase).toBe('Failed')
    expect(stateOf(pod)?.waiting?.reason).toBe('PodInitializing')
  })

  it('shows that it ran out of memory', async () => {
    await createPod('greedy', { restartPolicy: 'Never' }, { oom: true, message: 'too much' })
    expect(stateOf(await getPod('greedy'))?.terminated).toMatchObject({
      exitCode: 137,
      reason: 'OOMKilled',
      message: 'too much',
    })
  })

  it('recovers after as many failures as it was told', async () => {
    await createPod('flaky', {}, { failures: 2 })
    expect((await getPod('flaky')).status?.containerStatuses?.[0]).toMatchObject({ restartCount: 1, ready: false })
    await advance(10_000)
    expect((await getPod('flaky')).status?.containerStatuses?.[0]).toMatchObject({ restartCount: 2, ready: true })
  })

  it('is ready when it said, and when others agree', async () => {
    const readinessGates = [{ conditionType: 'example.com/gate' }]
    await createPod('gated', { readinessGates }, { readyAfter: '20s' })
    expect(conditionsOf(await getPod('gated'))['Ready']).toBe('False ContainersNotReady')
    await advance(20_000)
    expect(conditionsOf(await getPod('gated'))).toMatchObject({
      Ready: 'False ReadinessGatesNotReady',
      ContainersReady: 'True',
    })
    const conditions = [{ type: 'example.com/gate', status: 'True' }]
    const ref = { ...POD, namespace: 'default', name: 'gated' }
    await client.patch(ref, { type: 'strategic', patch: { status: { conditions } } }, { subresource: 'status' })
    await settle()
    expect(conditionsOf(await getPod('gated'))).toMatchObject({ Ready: 'True', 'example.com/gate': 'True' })
  })

  it('takes in a container that somebody adds to look into it', async () => {
    await createPod('watched')
    const ref = { ...POD, namespace: 'default', name: 'watched' }
    const ephemeralContainers = [{ name: 'debugger', image: 'x' }]
    await client.patch(
      ref,
      { type: 'strategic', patch: { spec: { ephemeralContainers } } },
      { subresource: 'ephemeralcontainers' },
    )
    await settle()
    const pod = await getPod('watched')
    expect(pod.status?.ephemeralContainerStatuses?.[0]?.state?.running).toBeDefined()
    expect(conditionsOf(pod)['Ready']).toBe('True')
    await deletePod('watched')
    await expect(getPod('watched')).rejects.toThrow(/not found/u)
  })

  it('ends at its deadline', async () => {
    await createPod('late', { activeDeadlineSeconds: 30, restartPolicy: 'Never' }, { runFor: '1h' })
    await advance(30_000)
    const { status } = await getPod('late')
    expect(status).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    })
    expect(status?.containerStatuses?.[0]?.state?.terminated).toBeDefined()
  })

  it('waits for a ConfigMap that is missing', async () => {
    const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'later', key: 'a' } } }]
    await createPod('waiting', { containers: [{ name: 'main', image: 'x', env }] })
    expect(stateOf(await getPod('waiting'))?.waiting).toEqual({
      reason: 'CreateContainerConfigError',
      message: 'configmap "later" not found',
    })
    await client.create({
      ...kindRef('v1', 'ConfigMap'),
      metadata: { namespace: 'default', name: 'later' },
      data: { a: '1' },
    } as ConfigMap)
    await advance(10_000)
    expect((await getPod('waiting')).status?.phase).toBe('Running')
  })

  it('shows a failed pull, then the wait for the next', async () => {
    await createPod('unpullable', {}, { imageFailure: 'no such image' })
    expect(stateOf(await getPod('unpullable'))?.waiting).toEqual({ reason: 'ErrImagePull', message: 'no such image' })
    await advance(2_000)
    expect(stateOf(await getPod('unpullable'))?.waiting?.reason).toBe('ImagePullBackOff')
  })

  it('keeps the log of its run before', async () => {
    await createPod('talking', {}, { log: 'hello', failures: 1, runFor: '1s' })
    await advance(1_000)
    const read = async (previous: boolean) => {
      let text = ''
      const container = { namespace: 'default', pod: 'talking', container: 'main' }
      for await (const chunk of agent.pods.logs(container, { previous, timestamps: true })) text += Buffer.from(chunk)
      return text
    }
    expect(await read(true)).toBe('2024-01-01T00:00:00.000000000Z hello\n')
    expect(await read(false)).toBe('2024-01-01T00:00:01.000000000Z hello\n')
  })

  it('is left in peace once it runs', async () => {
    await createPod('quiet')
    const before = server.storage.revision
    const { metadata } = await getPod('quiet')
    await advance(9_000)
    expect(server.storage.revision).toBe(before)
    await advance(3_600_000)
    expect((await getPod('quiet')).metadata.resourceVersion).toBe(metadata.resourceVersion)
  })

  it('tells its story in Events', async () => {
    await createPod('told', {}, { exitCode: 1 })
    await deletePod('told')
    const { items } = await client.list({ ...kindRef('v1', 'Event'), namespace: 'default' })
    const told = items.filter(({ involvedObject }) => involvedObject.name === 'told').map(({ reason }) => reason)
    expect(new Set(told)).toEqual(new Set(['Pulled', 'Created', 'Started', 'BackOff']))
  })
})

describe('after a restart of the agent', () => {
  const restart = async () => {
    await agent.stop()
    await clock.advance(5_000)
    agent = startAgent()
    await agent.registered
    await settle()
  }

  it('servers start again', async () => {
    await createPod('server')
    await restart()
    expect((await getPod('server')).status).toMatchObject({
      phase: 'Running',
      containerStatuses: [
        { ready: true, restartCount: 1, lastState: { terminated: { exitCode: 255, reason: 'Unknown' } } },
      ],
    })
  })

  it('work that ran is lost', async () => {
    await createPod('work', { restartPolicy: 'OnFailure' }, { runFor: '1h' })
    await restart()
    expect((await getPod('work')).status).toMatchObject({
      phase: 'Failed',
      reason: 'NodeLost',
      containerStatuses: [{ state: { terminated: { exitCode: 255, reason: 'Unknown' } } }],
    })
  })

  it('what was done stays done, and can be deleted', async () => {
    await createPod('work', { restartPolicy: 'Never' })
    const before = await getPod('work')
    await restart()
    expect(await getPod('work')).toEqual(before)
    await deletePod('work')
    await expect(getPod('work')).rejects.toThrow(/not found/u)
  })
})

describe('many nodes of one process', () => {
  it('is not ready any more, and says why, when nothing can run on it', async () => {
    let breakDown = (_why: string) => {}
    const broken = new Promise<string>(resolve => {
      breakDown = resolve
    })
    const runtime = { ...createSimulatedRuntime({ env }), broken }
    const other = createNodeAgent({ client, env, runtime, name: 'node-2' })
    try {
      await settle(other)
      const ready = async () => {
        const { status } = await client.get<Node>({ ...NODE, name: 'node-2' })
        return status?.conditions?.find(({ type }) => type === 'Ready')
      }
      expect(await ready()).toMatchObject({ status: 'True', reason: 'KubeletReady' })
      breakDown('it was killed')
      await settle(other)
      expect(await ready()).toMatchObject({
        status: 'False',
        reason: 'KubeletNotReady',
        message: 'container runtime is down: it was killed',
      })
    } finally {
      await other.stop()
    }
  })

  it('share one stream of pods', async () => {
    const caches = createCaches(client, { env })
    const feed = createSharedPodFeed(caches)
    const runtime = createSimulatedRuntime({ env })
    const names = ['node-a', 'node-b', 'node-c']
    const agents = names.map(name => createNodeAgent({ client, env, runtime, name, feed }))
    await Promise.all(agents.map(({ registered }) => registered))
    for (const name of names) await createPod(`on-${name}`, { nodeName: name })
    for (const each of agents) await settle(each)
    for (const name of names) expect((await getPod(`on-${name}`)).status?.phase).toBe('Running')
    expect(agents.map(({ pods }) => pods.pods().length)).toEqual([1, 1, 1])
    await Promise.all(agents.map(each => each.stop()))
    caches.stop()
  })
})
