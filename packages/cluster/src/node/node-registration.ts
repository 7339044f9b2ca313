import { asError, type Env, type Timer } from '@tiphys/env'
import { type Client, isAlreadyExists, isConflict, isNotFound, kindRef } from '@tiphys/kube'
import type { Lease, Node, NodeCondition, NodeStatus, Taint } from '@tiphys/kube/kinds'
import { formatTime } from '../timestamp.ts'

const NODE = kindRef('v1', 'Node')
const LEASE = kindRef('coordination.k8s.io/v1', 'Lease')
const LEASE_NAMESPACE = 'kube-node-lease'
const LEASE_SECONDS = 40

/** The kubelet renews four times in a lease's duration. */
const RENEW_MS = (LEASE_SECONDS * 1000) / 4

const RETRY_MS = 1_000

/** A status that does not change is still written this often. */
const HEARTBEAT_MS = 300_000

export interface NodeDescription {
  name: string
  labels: Readonly<Record<string, string>>
  taints: readonly Taint[]
  addresses: NonNullable<NodeStatus['addresses']>
  capacity: Readonly<Record<string, string>>
  allocatable: Readonly<Record<string, string>>
  nodeInfo: NonNullable<NodeStatus['nodeInfo']>
  kubeletPort: number | undefined
  declaredFeatures: readonly string[]
}

export interface NodeRegistration {
  /** Resolves when the Node is in the API and ready. */
  readonly registered: Promise<void>
  isIdle(): boolean
  /** Whether the disk is nearly full. The API hears of a change with the next beat. */
  tellDiskPressure(isUnder: boolean): void
  /** Nothing can run here any more: the node is not ready, for this reason. The API hears of it at once. */
  tellBroken(why: string): void
  /** The node's object and lease stay, as after a kubelet that is stopped. */
  stop(): Promise<void>
}

/** Makes this machine a node of the cluster and keeps it one: the Node object, and a lease that says it is alive. */
export function registerNode(client: Client, env: Env, description: NodeDescription): NodeRegistration {
  const { name } = description
  const abort = new AbortController()
  let timer: Timer | undefined
  let lease: Lease | undefined
  let lastStatusAt = Number.NEGATIVE_INFINITY
  const health: NodeHealth = { isDiskFull: false, broken: undefined }
  let inFlight: Promise<void> | undefined
  let tellRegistered = () => {}
  const registered = new Promise<void>(resolve => {
    tellRegistered = resolve
  })

  const beat = async () => {
    if (env.clock.now() - lastStatusAt >= HEARTBEAT_MS) {
      await writeNode(client, description, health, env.clock.now())
      lastStatusAt = env.clock.now()
    }
    lease = await renewLease(client, name, lease, env.clock.now())
    tellRegistered()
  }

  const run = () => {
    inFlight = beat()
      .catch(thrown => {
        if (abort.signal.aborted) return
        lease = undefined
        // Somebody deleted the node: it is registered anew.
        if (isNotFound(thrown)) lastStatusAt = Number.NEGATIVE_INFINITY
        env.log.warn(`node ${name} could not tell that it is alive`, { error: asError(thrown) })
      })
      .finally(() => {
        inFlight = undefined
        if (abort.signal.aborted) return
        // Many nodes of one process do not write all at once.
        const afterMs = lease ? RENEW_MS * (0.96 + env.random.next() * 0.04) : RETRY_MS
        timer = env.clock.schedule(afterMs, run)
      })
  }
  run()
  return {
    registered,
    isIdle: () => inFlight === undefined,
    tellDiskPressure(isUnder) {
      if (isUnder !== health.isDiskFull) lastStatusAt = Number.NEGATIVE_INFINITY
      health.isDiskFull = isUnder
    },
    tellBroken(why) {
      health.broken = why
      lastStatusAt = Number.NEGATIVE_INFINITY
      // What is under way may have passed the point where it looks.
      void Promise.resolve(inFlight).then(() => {
        if (abort.signal.aborted || inFlight) return
        timer?.cancel()
        run()
      })
    },
    async stop() {
      abort.abort()
      timer?.cancel()
      await inFlight
    },
  }
}

async function renewLease(client: Client, name: string, known: Lease | undefined, now: number): Promise<Lease> {
  const ref = { ...LEASE, namespace: LEASE_NAMESPACE, name }
  const renewTime = new Date(now).toISOString().replace('Z', '000Z')
  const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime }
  try {
    const current = known ?? (await client.get(ref))
    return await client.update({ ...current, spec: { ...current.spec, ...spec } })
  } catch (thrown) {
    if (isConflict(thrown)) return renewLease(client, name, undefined, now)
    if (!isNotFound(thrown)) throw thrown
  }
  const node = await client.get({ ...NODE, name })
  const owner = { apiVersion: 'v1', kind: 'Node', name, uid: node.metadata.uid ?? '' }
  const metadata = { namespace: LEASE_NAMESPACE, name, ownerReferences: [owner] }
  return client.create<Lease>({ ...LEASE, metadata, spec } as Lease)
}

/** Creates the node, or brings what is there up to date. Labels and taints of others stay. */
async function writeNode(client: Client, description: NodeDescription, health: NodeHealth, now: number): Promise<void> {
  const { name } = description
  const known = await client.get({ ...NODE, name }).catch(thrown => {
    if (isNotFound(thrown)) return undefined
    throw thrown
  })
  const node = known ?? (await createNode(client, description))
  const labelled = await keepLabels(client, node, description)
  const status = nodeStatus(description, labelled.status, now, health)
  // A patch: controllers write to a new node at the same time.
  await client.patch({ ...NODE, name }, { type: 'strategic', patch: { status } }, { subresource: 'status' })
}

async function createNode(client: Client, { name, labels, taints }: NodeDescription): Promise<Node> {
  const spec = taints.length > 0 ? { taints: [...taints] } : {}
  const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' }
  try {
    return await client.create<Node>({ ...NODE, metadata: { name, labels: { ...labels }, annotations }, spec } as Node)
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown
    return client.get({ ...NODE, name })
  }
}

async function keepLabels(client: Client, node: Node, { name, labels }: NodeDescription): Promise<Node> {
  const missing = Object.entries(labels).filter(([key, value]) => node.metadata.labels?.[key] !== value)
  if (missing.length === 0) return node
  const patch = { metadata: { labels: Object.fromEntries(missing) } }
  return client.patch({ ...NODE, name }, { type: 'merge', patch })
}

const HEALTHY: readonly Pick<NodeCondition, 'type' | 'status' | 'reason' | 'message'>[] = [
  {
    type: 'MemoryPressure',
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  {
    type: 'DiskPressure',
    status: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
  },
  {
    type: 'PIDPressure',
    status: 'False',
    reason: 'KubeletHasSufficientPID',
    message: 'kubelet has sufficient PID available',
  },
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
]

const DISK_PRESSURE: (typeof HEALTHY)[number] = {
  type: 'DiskPressure',
  status: 'True',
  reason: 'KubeletHasDiskPressure',
  message: 'kubelet has disk pressure',
}

export interface NodeHealth {
  isDiskFull: boolean
  /** Why nothing can run here. */
  broken: string | undefined
}

const notReady = (why: string): (typeof HEALTHY)[number] => ({
  type: 'Ready',
  status: 'False',
  reason: 'KubeletNotReady',
  message: `container runtime is down: ${why}`,
})

/** What a node says of itself; conditions of others stay. */
export function nodeStatus(
  description: NodeDescription,
  before: NodeStatus | undefined,
  now: number,
  { isDiskFull, broken }: NodeHealth = { isDiskFull: false, broken: undefined },
): NodeStatus {
  const heartbeat = formatTime(now)
  const troubles = [...(isDiskFull ? [DISK_PRESSURE] : []), ...(broken === undefined ? [] : [notReady(broken)])]
  const own = HEALTHY.map((healthy): NodeCondition => {
    const condition = troubles.find(({ type }) => type === healthy.type) ?? healthy
    const known = before?.conditions?.find(({ type }) => type === condition.type)
    const isSame = known?.status === condition.status
    return {
      ...condition,
      lastHeartbeatTime: heartbeat,
      lastTransitionTime: (isSame ? known.lastTransitionTime : undefined) ?? heartbeat,
    }
  })
  const others = before?.conditions?.filter(({ type }) => !HEALTHY.some(healthy => healthy.type === type)) ?? []
  const { kubeletPort, declaredFeatures } = description
  return {
    ...before,
    addresses: [...description.addresses],
    capacity: { ...description.capacity },
    allocatable: { ...description.allocatable },
    conditions: [...others, ...own],
    nodeInfo: description.nodeInfo,
    ...(kubeletPort !== undefined && { daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } } }),
    ...(declaredFeatures.length > 0 && { declaredFeatures: [...declaredFeatures] }),
  }
}
