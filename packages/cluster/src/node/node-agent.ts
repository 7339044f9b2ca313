import { arch, cpus, hostname, networkInterfaces, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { asError, type Env, uuid } from '@tiphys/env'
import {
  type Client,
  compareVersions,
  createListWatch,
  createWorkQueue,
  kindRef,
  type ObjectChange,
} from '@tiphys/kube'
import type { NodeStatus, Pod, Taint } from '@tiphys/kube/kinds'
import { createEventRecorder, type EventRecorder } from '../event-recorder.ts'
import type { PodRuntime } from '../runtime/pod-runtime.ts'
import { createNodePods } from './agent-pods.ts'
import { createBareSetup } from './bare-setup.ts'
import { createFileSetup } from './file-setup.ts'
import { createEventBudget, type EventBudget, limitEvents } from './limited-recorder.ts'
import { guardStorage } from './local-storage.ts'
import { createFileLogs } from './logs/file-logs.ts'
import { createMemoryLogs } from './logs/memory-logs.ts'
import type { NodePods } from './node-pods.ts'
import { type NodeDescription, registerNode } from './node-registration.ts'
import { createNodePodFeed, type PodFeed } from './pod-feed.ts'
import { PodWorker } from './pod-worker.ts'
import { PodWorkers } from './pod-workers.ts'
import { resumePod } from './resume.ts'

export interface NodeAgentOptions {
  client: Client
  env: Env
  runtime: PodRuntime
  /** The node's name in the cluster. */
  name: string
  /** Where volumes and logs live. Not needed by a runtime that mounts no files. */
  directory?: string
  labels?: Readonly<Record<string, string>>
  taints?: readonly Taint[]
  /** What differs from what this machine has: `cpu`, `memory`, `pods`, … */
  capacity?: Readonly<Record<string, string>>
  addresses?: NonNullable<NodeStatus['addresses']>
  /** Where the kubelet's HTTPS endpoints answer. */
  kubeletPort?: number
  /** What pods have for DNS; the runtime's own unless given. */
  clusterDns?: readonly string[]
  /** For the many nodes of one process: a stream they share. */
  feed?: PodFeed
  recorder?: EventRecorder
  /** How many Events it may write; as many as a kubelet unless given. Nodes of one process can share it. */
  eventBudget?: EventBudget
}

/** A node of a cluster: runs the pods that are bound to it and says how they are. It speaks to the cluster through its
 *  client alone. */
export interface NodeAgent {
  readonly name: string
  readonly pods: NodePods
  /** Resolves when the Node is in the API and ready. */
  readonly registered: Promise<void>
  /** Nothing is being done, and nothing waits to be told. (What waits for time to pass does not count.) */
  isIdle(): boolean
  /** Ends all containers at once. The API is not told: a new agent of the same name finds the pods and resumes. */
  stop(): Promise<void>
}

const WRITES_AT_ONCE = 16

export function createNodeAgent(options: NodeAgentOptions): NodeAgent {
  const { client, env, runtime, name } = options
  const description = describeNode(options)
  const hostIps = description.addresses.filter(({ type }) => type === 'InternalIP').map(({ address }) => address)
  const recorder = limitEvents(
    options.recorder ?? createEventRecorder(client, env, 'kubelet', name),
    options.eventBudget ?? createEventBudget(env.clock),
    env.log,
  )
  const mountsFiles = runtime.mountsFiles ?? true
  if (mountsFiles && options.directory === undefined) {
    throw new Error(`the ${runtime.name} runtime needs a directory for volumes and logs`)
  }
  const logs =
    mountsFiles && options.directory !== undefined
      ? createFileLogs(env, join(options.directory, 'logs'))
      : createMemoryLogs(env)
  const services = mountsFiles ? createListWatch(client, kindRef('v1', 'Service'), { env }) : undefined
  const setup =
    services && options.directory !== undefined
      ? createFileSetup({
          client,
          env,
          recorder,
          runtime,
          logs,
          services,
          directory: options.directory,
          nodeName: name,
          hostIps,
          allocatable: description.allocatable,
          ...(options.clusterDns && { clusterDns: options.clusterDns }),
        })
      : createBareSetup({ client, nodeName: name, hostIps, allocatable: description.allocatable })
  const workers = new PodWorkers()

  const writes = createWorkQueue<PodWorker>({
    env,
    concurrency: WRITES_AT_ONCE,
    backoff: { initialMs: 50, maxMs: 30_000 },
    process: worker => worker.settle(),
    onError(worker, error, { attempt, inMs }) {
      if (attempt < 3) return
      const { namespace, name: pod } = worker.pod.metadata
      env.log.warn(`the status of pod ${namespace}/${pod} could not be written`, { error, attempt, inMs })
    },
  })

  const begin = (pod: Pod) => {
    const host = {
      client,
      env,
      runtime,
      recorder,
      setup,
      logs,
      node: { hostIps },
      requestWrite: (worker: PodWorker, delayMs: number) => void writes.add(worker, delayMs > 0 ? { delayMs } : {}),
      finished(worker: PodWorker) {
        const { uid = '', namespace = '', name: pod = '' } = worker.pod.metadata
        workers.remove(worker)
        void logs.remove({ uid, namespace, pod })
      },
    }
    workers.add(new PodWorker(host, pod, resumePod(pod, env.clock.now())))
  }

  const onChange = ({ type, object }: ObjectChange<Pod>) => {
    const worker = workers.get(object.metadata.uid ?? '')
    if (type === 'deleted') return worker?.disappear()
    if (!worker) return begin(object)
    if (isNewer(object, worker.pod)) worker.update(object)
  }

  const registration = registerNode(client, env, description)
  void runtime.broken?.then(why => registration.tellBroken(why))
  const unguard =
    mountsFiles && options.directory !== undefined
      ? guardStorage({
          env,
          directory: options.directory,
          pods: () => Array.from(workers.all(), ({ pod }) => pod),
          evict: ({ metadata }, verdict) => workers.get(metadata.uid ?? '')?.judge(verdict),
          onPressure: isUnder => registration.tellDiskPressure(isUnder),
        })
      : () => {}
  const feed = options.feed ?? createNodePodFeed(client, env)
  const unfollow = feed.follow(name, onChange)
  const removeOthers = async () => {
    await feed.whenSynced()
    // Asked for each, because pods come meanwhile; and other nodes of this process may use the same directory.
    const isKnown = (uid: string) => workers.get(uid) !== undefined || feed.isKnown(uid)
    await setup.removeOthers?.(isKnown)
    await logs.removeOthers(isKnown)
  }
  removeOthers().catch(thrown => env.log.warn('what old pods left behind stays', { error: asError(thrown) }))

  return {
    name,
    pods: createNodePods(workers, logs),
    registered: registration.registered,
    isIdle() {
      const { waiting, processing } = writes.metrics()
      if (waiting.fresh + waiting.backlog + processing > 0) return false
      if (!feed.hasSynced() || !registration.isIdle() || !recorder.isIdle()) return false
      for (const worker of workers.all()) if (worker.isBusy) return false
      return true
    },
    async stop() {
      unfollow()
      unguard()
      await Promise.all([writes.shutdown(), registration.stop()])
      setup.stop?.()
      services?.stop()
      await Promise.all(Array.from(workers.all(), worker => worker.stop()))
    },
  }
}

const isNewer = (one: Pod, other: Pod) =>
  (compareVersions(one.metadata.resourceVersion ?? '', other.metadata.resourceVersion ?? '') ?? 1) > 0

function describeNode(options: NodeAgentOptions): NodeDescription {
  const { env, runtime, name, labels = {}, taints = [], kubeletPort } = options
  const architecture = arch() === 'x64' ? 'amd64' : arch()
  const isSimulated = runtime.name === 'simulated'
  const capacity = {
    ...machineCapacity(),
    'ephemeral-storage': '100Gi',
    pods: '110',
    ...(isSimulated && { cpu: '64', memory: '256Gi', pods: '500' }),
    ...options.capacity,
  }
  return {
    name,
    labels: {
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': architecture,
      'beta.kubernetes.io/os': 'linux',
      'beta.kubernetes.io/arch': architecture,
      ...(isSimulated && { 'tiphys.dev/simulated': 'true' }),
      ...labels,
    },
    taints,
    addresses: options.addresses ?? [
      { type: 'InternalIP', address: firstAddress() },
      { type: 'Hostname', address: isSimulated ? name : hostname() },
    ],
    capacity,
    allocatable: capacity,
    nodeInfo: {
      architecture,
      bootID: uuid(env.random),
      containerRuntimeVersion: `${runtime.name}://0.1.0`,
      kernelVersion: release(),
      kubeProxyVersion: '',
      kubeletVersion: 'v1.36.3',
      machineID: uuid(env.random).replaceAll('-', ''),
      // Containers are Linux's, also where an engine runs them in a virtual machine.
      operatingSystem: 'linux',
      osImage: 'Tiphys',
      systemUUID: uuid(env.random),
    },
    kubeletPort,
    declaredFeatures: kubeletPort === undefined ? [] : ['ExtendWebSocketsToKubelet'],
  }
}

/** The machine is asked once: asking takes milliseconds, and a process may have a hundred nodes. */
const machineCapacity = once(() => ({
  cpu: String(cpus().length || 1),
  memory: `${Math.floor(totalmem() / 1024)}Ki`,
}))

const firstAddress = once(() => {
  const all = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? [])
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
})

function once<T>(ask: () => T): () => T {
  let answer: { value: T } | undefined
  return () => (answer ??= { value: ask() }).value
}
