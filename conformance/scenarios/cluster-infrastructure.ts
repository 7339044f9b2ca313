import { clusterArea } from '../src/cluster/cluster-scenario.ts'
import type { ClusterSession } from '../src/cluster/cluster-session.ts'
import type { Json } from '../src/http.ts'

/** Where pods go, and why nowhere. Nothing here makes nodes: messages tell how many there are. */
export const clusterScheduling = clusterArea('cluster-scheduling')

const scheduling = (behaviour: string, run: (t: ClusterSession) => Promise<void>) =>
  clusterScheduling.scenario(behaviour, async t => {
    // What a node is born with would show in messages.
    for (const name of ['node-a', 'node-b']) await t.until(`v1 Node ${name}`, ({ spec }) => spec.taints === undefined)
    await run(t)
  })

/** What pods need around them: services and volumes. */
export const clusterInfrastructure = clusterArea('cluster-infrastructure')
/** What becomes of nodes, and of pods on them. */
export const clusterNodes = clusterArea('cluster-nodes')

const pod = (name: string, spec = '', labels = '{}') => `
apiVersion: v1
kind: Pod
metadata: { name: ${name}, labels: ${labels} }
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - { name: main, image: nginx }
${spec}
---`

const asking = (name: string, requests: string, spec = '') => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  containers:
  - { name: main, image: nginx, resources: { requests: ${requests}, limits: ${requests} } }
${spec}
---`

const scheduled = ({ status }: { status?: { conditions?: { type: string; status: string }[] } }) =>
  status?.conditions?.some(({ type, status: is }) => type === 'PodScheduled' && is === 'True')

const refused = ({ status }: { status?: { conditions?: { type: string; reason?: string }[] } }) =>
  status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable')

async function recordRefusal(t: ClusterSession, name: string): Promise<void> {
  await t.until(`v1 Pod ${name}`, refused)
  await t.untilEvent('FailedScheduling')
  await t.record(`v1 Pod ${name}`)
  await recordTold(t, 'Pod', name)
}

/** What was said, each once: how often depends on how fast a cluster is. */
async function recordTold(t: ClusterSession, kind: string, name: string): Promise<void> {
  const said = (events: Awaited<ReturnType<ClusterSession['list']>>): string[] => {
    const about = events.filter(
      ({ involvedObject, source }) =>
        involvedObject.kind === kind && involvedObject.name === name && source?.component !== 'kubelet',
    )
    const lines = about.map(({ type, reason, message, source, reportingComponent }) =>
      `${type} ${reason} from ${source?.component ?? reportingComponent}: ${message}`
        .replaceAll(t.namespace, 'NS')
        .replace(/ to node-[ab]$/, ' to a node'),
    )
    return [...new Set(lines)].sort()
  }
  await t.recordOf(`Events of ${kind} ${name}`, 'v1 Event', said)
}

const refusals: [behaviour: string, manifests: string][] = [
  ['a node selector that no node has', pod('p', '  nodeSelector: { example.com/disk: ssd }')],
  ['more CPU than any node has', asking('p', '{ cpu: "5000" }')],
  ['more memory, and a resource that no node has', asking('p', '{ memory: 9000Gi, example.com/gpu: "1" }')],
  [
    'a node named by a field that is not there',
    pod(
      'p',
      `  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchFields: [{ key: metadata.name, operator: In, values: [absent] }]`,
    ),
  ],
  [
    'a required node affinity that nothing meets',
    pod(
      'p',
      `  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{ key: kubernetes.io/hostname, operator: NotIn, values: [node-a, node-b] }]`,
    ),
  ],
  ['a claim that is not there', pod('p', '  volumes: [{ name: v, persistentVolumeClaim: { claimName: absent } }]')],
  [
    'a claim that is bound to nothing',
    `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: open }
spec: { accessModes: [ReadWriteOnce], storageClassName: "", resources: { requests: { storage: 1Gi } } }
---
${pod('p', '  volumes: [{ name: v, persistentVolumeClaim: { claimName: open } }]')}`,
  ],
  [
    'pods to be near to that are not there',
    pod(
      'p',
      `  affinity:
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - { topologyKey: kubernetes.io/hostname, labelSelector: { matchLabels: { app: absent } } }`,
    ),
  ],
  [
    'a topology that no node has',
    pod(
      'p',
      `  topologySpreadConstraints:
  - { maxSkew: 1, topologyKey: example.com/rack, whenUnsatisfiable: DoNotSchedule, labelSelector: { matchLabels: { app: x } } }`,
    ),
  ],
]

for (const [behaviour, manifests] of refusals) {
  scheduling(`a pod waits, and says why: ${behaviour}`, async t => {
    await t.apply(manifests)
    await recordRefusal(t, 'p')
  })
}

scheduling('a pod waits, and says why: that it may not preempt', async t => {
  await t.apply(`
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: { name: NS }
value: 1000
preemptionPolicy: Never`)
  try {
    await t.apply(asking('p', '{ cpu: "5000" }', '  priorityClassName: NS'))
    await recordRefusal(t, 'p')
  } finally {
    await t.delete('scheduling.k8s.io/v1 PriorityClass NS')
  }
})

const fullOnBoth: [behaviour: string, spec: string][] = [
  [
    'pods that avoid each other',
    `  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - { topologyKey: kubernetes.io/hostname, labelSelector: { matchLabels: { app: shy } } }`,
  ],
  [
    'pods that take the same port of the machine',
    `  initContainers:
  - { name: port, image: nginx, restartPolicy: Always, ports: [{ containerPort: 80, hostPort: 31999 }] }`,
  ],
]

for (const [behaviour, spec] of fullOnBoth) {
  scheduling(`two nodes have room for two ${behaviour}`, async t => {
    for (const name of ['a', 'b']) {
      await t.apply(pod(name, spec, '{ app: shy }'))
      await t.until(`v1 Pod ${name}`, scheduled)
    }
    await t.apply(pod('c', spec, '{ app: shy }'))
    await recordRefusal(t, 'c')
    await t.delete('v1 Pod a')
    await t.until('v1 Pod c', scheduled)
  })
}

scheduling('a more important pod takes the place of a less important one', async t => {
  const avoiding = `  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - { topologyKey: kubernetes.io/hostname, labelSelector: { matchLabels: { app: seat } } }`
  await t.apply(`
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: { name: NS }
value: 1000`)
  try {
    for (const name of ['a', 'b']) {
      await t.apply(pod(name, avoiding, '{ app: seat }'))
      await t.until(`v1 Pod ${name}`, scheduled)
    }
    await t.apply(pod('urgent', `${avoiding}\n  priorityClassName: NS`, '{ app: seat }'))
    await t.until('v1 Pod urgent', scheduled)
    const pods = await t.untilAll('v1 Pod', all => all.length === 2)
    t.note('one of the others had to go', pods.length)
    // An Event follows what it tells of, and nothing waits for it.
    await t.untilEvent('Preempted')
    await t.recordOf('and why is said', 'v1 Event', all => all.filter(({ reason }) => reason === 'Preempted').length)
  } finally {
    await t.delete('scheduling.k8s.io/v1 PriorityClass NS')
  }
})

scheduling('a pod stays away from pods that object to it', async t => {
  const objecting = `  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - { topologyKey: kubernetes.io/hostname, labelSelector: { matchExpressions: [{ key: app, operator: In, values: [quiet, loud] }] } }`
  for (const name of ['a', 'b']) {
    await t.apply(pod(name, objecting, '{ app: quiet }'))
    await t.until(`v1 Pod ${name}`, scheduled)
  }
  await t.apply(pod('c', '', '{ app: loud }'))
  await recordRefusal(t, 'c')
})

scheduling('pods that want to be together are', async t => {
  const together = `  affinity:
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - { topologyKey: kubernetes.io/hostname, labelSelector: { matchLabels: { app: friends } } }`
  for (const name of ['a', 'b', 'c']) {
    await t.apply(pod(name, together, '{ app: friends }'))
    await t.until(`v1 Pod ${name}`, scheduled)
  }
  const pods = await t.list('v1 Pod')
  t.note('nodes used', new Set(pods.map(({ spec }) => spec.nodeName)).size)
})

scheduling('a spread constraint keeps the skew', async t => {
  const spread = `  topologySpreadConstraints:
  - { maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: { matchLabels: { app: even } } }`
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    await t.apply(pod(name, spread, '{ app: even }'))
    await t.until(`v1 Pod ${name}`, scheduled)
  }
  t.note('pods by node', await countByNode(t))
})

scheduling('the pods of a Deployment are spread without being asked', async t => {
  await t.apply(`
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 6
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: main, image: nginx }] }`)
  await t.untilAll('v1 Pod', pods => pods.length === 6 && pods.every(scheduled))
  t.note('pods by node', await countByNode(t))
})

async function countByNode(t: ClusterSession): Promise<number[]> {
  const counts = new Map<string, number>()
  for (const { spec } of await t.list('v1 Pod')) counts.set(spec.nodeName, (counts.get(spec.nodeName) ?? 0) + 1)
  return [...counts.values()].sort((a, b) => a - b)
}

scheduling('a pod goes to the node that a field names', async t => {
  await t.apply(
    pod(
      'p',
      `  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchFields: [{ key: metadata.name, operator: In, values: [node-b] }]`,
    ),
  )
  const { spec } = await t.until('v1 Pod p', scheduled)
  t.note('it is on node-b', spec.nodeName === 'node-b')
  await t.untilEvent('Scheduled')
  await recordTold(t, 'Pod', 'p')
})

scheduling('a gated pod waits for its gate to go', async t => {
  await t.apply(pod('p', '  schedulingGates: [{ name: example.com/wait }]'))
  await t.record('v1 Pod p')
  await recordTold(t, 'Pod', 'p')
  await t.json('v1 Pod p', [{ op: 'remove', path: '/spec/schedulingGates' }])
  await t.until('v1 Pod p', scheduled)
  await t.untilEvent('Scheduled')
  await recordTold(t, 'Pod', 'p')
})

scheduling('a pod of another scheduler is left alone', async t => {
  await t.apply(pod('p', '  schedulerName: somebody-else'))
  await t.record('v1 Pod p')
  await recordTold(t, 'Pod', 'p')
})

scheduling('a pod is scheduled when what it lacked is there', async t => {
  await t.apply(pod('p', '  nodeSelector: { example.com/NS: here }'.replace('NS', t.namespace)))
  await t.until('v1 Pod p', refused)
  await t.merge('v1 Node node-a', { metadata: { labels: { [`example.com/${t.namespace}`]: 'here' } } })
  const { spec } = await t.until('v1 Pod p', scheduled)
  t.note('it is on node-a', spec.nodeName === 'node-a')
  await t.merge('v1 Node node-a', { metadata: { labels: { [`example.com/${t.namespace}`]: null } } })
})

const web = (spec = '  ports: [{ port: 80 }]', labels = '{}') => `
apiVersion: v1
kind: Service
metadata: { name: web, labels: ${labels} }
spec:
  selector: { app: web }
${spec}
---`

const server = (name: string, ports = '[{ name: http, containerPort: 8080 }]', spec = '', annotations = '{}') => `
apiVersion: v1
kind: Pod
metadata: { name: ${name}, labels: { app: web }, annotations: ${annotations} }
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - { name: main, image: nginx, ports: ${ports} }
${spec}
---`

const SLICE = 'discovery.k8s.io/v1 EndpointSlice'
const ready = ({ status }: { status?: { conditions?: { type: string; status: string }[] } }) =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')

interface Slice {
  metadata: { labels?: Record<string, string>; ownerReferences?: { kind: string; name: string }[] }
  addressType: string
  ports?: { name?: string; port?: number; protocol?: string; appProtocol?: string }[]
  endpoints?: {
    addresses: string[]
    conditions: Record<string, boolean>
    hostname?: string
    nodeName?: string
    targetRef?: { name: string }
  }[]
}

interface LegacyEndpoints {
  metadata: Slice['metadata']
  subsets?: { addresses?: LegacyAddress[]; notReadyAddresses?: LegacyAddress[]; ports?: Slice['ports'] }[]
}

interface LegacyAddress {
  ip: string
  hostname?: string
  targetRef?: { name: string }
}

const addressCount = (slices: Slice[]) => slices.reduce((sum, { endpoints }) => sum + (endpoints?.length ?? 0), 0)

/** In an order of its own: real controllers order ports and endpoints by hashes. */
const inOrder = (values: Json[]): Json[] => values.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

const shownSlice = ({ metadata, addressType, ports, endpoints }: Slice): Json => ({
  labels: metadata.labels ?? {},
  owners: (metadata.ownerReferences ?? []).map(({ kind, name }) => `${kind} ${name}`),
  addressType,
  ports: inOrder(ports ?? []),
  endpoints: inOrder(
    (endpoints ?? []).map(({ addresses, conditions, hostname, nodeName, targetRef }) => ({
      conditions,
      hostname: hostname ?? '',
      hasNode: nodeName !== undefined,
      target: targetRef?.name ?? addresses[0] ?? '',
    })),
  ),
})

const shownEndpoints = ({ metadata, subsets }: LegacyEndpoints): Json => {
  const shown = (addresses: LegacyAddress[] | undefined) =>
    inOrder((addresses ?? []).map(({ ip, hostname, targetRef }) => `${targetRef?.name ?? ip} ${hostname ?? ''}`))
  const shownSubsets = (subsets ?? []).map(({ addresses, notReadyAddresses, ports }) => ({
    ready: shown(addresses),
    notReady: shown(notReadyAddresses),
    ports: inOrder(ports ?? []),
  }))
  return { labels: metadata.labels ?? {}, subsets: inOrder(shownSubsets) }
}

async function recordEndpoints(t: ClusterSession, addresses: number): Promise<void> {
  await t.untilAll(SLICE, slices => addressCount(slices) === addresses)
  await t.recordOf('slices', SLICE, all => inOrder(all.map(shownSlice)))
  await t.recordOf('endpoints', 'v1 Endpoints', all => inOrder(all.map(shownEndpoints)))
}

const services: [behaviour: string, manifests: string, addresses: number][] = [
  ['without pods', web(), 0],
  ['with two pods', `${web()}${server('a')}${server('b')}`, 2],
  [
    'with ports by name, which differ between pods',
    `${web('  ports: [{ name: http, port: 80, targetPort: http }]')}${server('a')}${server('b', '[{ name: http, containerPort: 9090 }]')}`,
    2,
  ],
  [
    'with a port that one of its pods lacks',
    `${web('  ports: [{ name: http, port: 80, targetPort: http }, { name: metrics, port: 81, targetPort: metrics }]')}${server('a')}`,
    1,
  ],
  [
    'with several ports and protocols',
    `${web('  ports: [{ name: http, port: 80, targetPort: 8080, appProtocol: kubernetes.io/h2c }, { name: dns, port: 53, protocol: UDP }]')}${server('a')}`,
    1,
  ],
  [
    'without a cluster address, with host names',
    `${web('  clusterIP: None\n  ports: [{ port: 80 }]')}${server('a', '[]', '  hostname: first\n  subdomain: web')}${server('b')}`,
    2,
  ],
  ['without a cluster address and without ports', `${web('  clusterIP: None')}${server('a')}`, 1],
  [
    'with a pod that is not ready',
    `${web()}${server('a')}${server('b', '[]', '', '{ tiphys.dev/simulate: "{ readyAfter: 10m }" }')}`,
    2,
  ],
  [
    'that publishes addresses that are not ready',
    `${web('  publishNotReadyAddresses: true\n  ports: [{ port: 80 }]')}${server('a', '[]', '', '{ tiphys.dev/simulate: "{ readyAfter: 10m }" }')}`,
    1,
  ],
  ['with labels', `${web(undefined, '{ team: x, service.kubernetes.io/headless: "" }')}${server('a')}`, 1],
]

for (const [behaviour, manifests, addresses] of services) {
  clusterInfrastructure.scenario(`endpoints of a service ${behaviour}`, async t => {
    await t.apply(manifests)
    const waiting = manifests.includes('readyAfter') ? 0 : addresses
    await t.untilAll('v1 Pod', pods => pods.filter(ready).length >= waiting)
    await recordEndpoints(t, addresses)
  })
}

clusterInfrastructure.scenario('endpoints follow the selector, the labels and the life of pods', async t => {
  await t.apply(`${web()}${server('a')}${server('b')}${server('c')}`)
  await t.untilAll(SLICE, slices => addressCount(slices) === 3)
  await t.merge('v1 Pod a', { metadata: { labels: { app: 'other' } } })
  await recordEndpoints(t, 2)
  await t.delete('v1 Pod b')
  await recordEndpoints(t, 1)
  await t.merge('v1 Service web', { spec: { selector: { app: 'other' } }, metadata: { labels: { now: 'other' } } })
  await t.untilAll(SLICE, ([slice]) => slice?.endpoints?.[0]?.targetRef.name === 'a')
  await recordEndpoints(t, 1)
})

clusterInfrastructure.scenario('a pod that has ended is no endpoint', async t => {
  await t.apply(`${web()}${server('a', '[]', '  restartPolicy: Never')}`)
  await t.until('v1 Pod a', ({ status }) => status?.phase === 'Succeeded')
  await recordEndpoints(t, 0)
})

clusterInfrastructure.scenario('endpoints go with their service', async t => {
  await t.apply(`${web()}${server('a')}`)
  await t.untilAll(SLICE, slices => addressCount(slices) === 1)
  await t.delete('v1 Service web')
  await t.untilAll(SLICE, slices => slices.length === 0)
  await t.untilAll('v1 Endpoints', endpoints => endpoints.length === 0)
})

clusterInfrastructure.scenario('services without a selector or with an external name have no endpoints', async t => {
  await t.apply(`
apiVersion: v1
kind: Service
metadata: { name: manual }
spec: { ports: [{ port: 80 }] }
---
apiVersion: v1
kind: Service
metadata: { name: away }
spec: { type: ExternalName, externalName: example.com }`)
  await t.recordAll(SLICE)
  await t.recordAll('v1 Endpoints')
})

clusterInfrastructure.scenario('endpoints written by hand are mirrored', async t => {
  await t.apply(`
apiVersion: v1
kind: Service
metadata: { name: manual }
spec: { ports: [{ port: 80 }] }
---
apiVersion: v1
kind: Endpoints
metadata: { name: manual, labels: { team: x }, annotations: { note: kept } }
subsets:
- addresses: [{ ip: 192.0.2.1, hostname: one }, { ip: 192.0.2.2 }]
  notReadyAddresses: [{ ip: 192.0.2.3 }]
  ports: [{ name: http, port: 8080 }]
- addresses: [{ ip: "2001:db8::1" }]
  ports: [{ port: 9090, protocol: UDP }]`)
  await t.untilAll(SLICE, slices => slices.length === 2)
  await recordEndpoints(t, 4)
  await t.merge('v1 Endpoints manual', {
    subsets: [{ addresses: [{ ip: '192.0.2.9' }], ports: [{ name: 'http', port: 8080 }] }],
  })
  await t.untilAll(SLICE, slices => slices.length === 1)
  await recordEndpoints(t, 1)
  await t.merge('v1 Endpoints manual', {
    metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
  })
  await t.untilAll(SLICE, slices => slices.length === 0)
})

const volume = (name: string, size: string, spec = '', labels = '{}') => `
apiVersion: v1
kind: PersistentVolume
metadata: { name: NS-${name}, labels: ${labels} }
spec:
  capacity: { storage: ${size} }
  accessModes: [ReadWriteOnce]
  storageClassName: NS
  nfs: { server: 192.0.2.1, path: / }
  persistentVolumeReclaimPolicy: Retain
${spec}
---`

const claim = (name: string, spec = '', size = '1Gi') => `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: ${name} }
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: NS
  resources: { requests: { storage: ${size} } }
${spec}
---`

const storageClass = (provisioner: string, mode = 'Immediate') => `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: NS }
provisioner: ${provisioner}
volumeBindingMode: ${mode}
---`

const VOLUME = 'v1 PersistentVolume'
const CLAIM = 'v1 PersistentVolumeClaim'
const isPhase = (phase: string) => (object: { status?: { phase?: string } }) => object.status?.phase === phase

/** Volumes and classes belong to no namespace: they are taken away at the end. */
async function withStorage(t: ClusterSession, names: string[], run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } finally {
    for (const { metadata } of await t.list('v1 Pod'))
      await t.delete(`v1 Pod ${metadata.name}`, { gracePeriodSeconds: 0 })
    for (const { metadata } of await t.list(CLAIM)) await t.delete(`${CLAIM} ${metadata.name}`)
    for (const name of names) {
      const words = `${VOLUME} NS-${name}`
      if (await t.find(words)) await t.delete(words)
    }
    if (await t.find('storage.k8s.io/v1 StorageClass NS')) await t.delete('storage.k8s.io/v1 StorageClass NS')
  }
}

const storage = (behaviour: string, names: string[], run: (t: ClusterSession) => Promise<void>) =>
  clusterInfrastructure.scenario(behaviour, t => withStorage(t, names, () => run(t)))

storage('a claim is bound to the smallest volume that is large enough', ['large', 'right', 'small'], async t => {
  await t.apply(volume('large', '5Gi') + volume('right', '2Gi') + volume('small', '500Mi'))
  for (const name of ['large', 'right', 'small']) await t.until(`${VOLUME} NS-${name}`, isPhase('Available'))
  await t.apply(claim('data'))
  await t.until(`${CLAIM} data`, isPhase('Bound'))
  await t.record(`${CLAIM} data`)
  await t.record(`${VOLUME} NS-right`)
  await t.record(`${VOLUME} NS-large`)
})

storage('a volume that is held for a claim waits for it', ['held'], async t => {
  await t.apply(volume('held', '2Gi', '  claimRef: { namespace: NS, name: data }'))
  await t.until(`${VOLUME} NS-held`, isPhase('Available'))
  await t.record(`${VOLUME} NS-held`)
  await t.apply(claim('data'))
  await t.until(`${CLAIM} data`, isPhase('Bound'))
  await t.record(`${CLAIM} data`)
  await t.record(`${VOLUME} NS-held`)
})

storage('a claim with a selector takes a volume with the labels', ['plain', 'marked'], async t => {
  await t.apply(volume('plain', '1Gi') + volume('marked', '5Gi', '', '{ tier: fast }'))
  await t.until(`${VOLUME} NS-marked`, isPhase('Available'))
  await t.apply(claim('data', '  selector: { matchLabels: { tier: fast } }'))
  await t.until(`${CLAIM} data`, isPhase('Bound'))
  await t.record(`${CLAIM} data`)
})

const mismatches: [behaviour: string, volumeSpec: string, claimSpec: string, size: string][] = [
  ['that is too small', '', '', '10Gi'],
  ['with other access modes', '', '  accessModes: [ReadWriteMany]', '1Gi'],
  ['with another volume mode', '  volumeMode: Block', '', '1Gi'],
]
for (const [behaviour, volumeSpec, claimSpec, size] of mismatches) {
  storage(`a claim that asks for a volume ${behaviour} is told`, ['v'], async t => {
    await t.apply(volume('v', '2Gi', volumeSpec))
    await t.until(`${VOLUME} NS-v`, isPhase('Available'))
    const wanted = claim('data', `  volumeName: NS-v\n${claimSpec}`, size)
    await t.apply(claimSpec === '' ? wanted : wanted.replace('  accessModes: [ReadWriteOnce]\n', ''))
    await t.untilEvent('VolumeMismatch')
    await t.record(`${CLAIM} data`)
    await recordTold(t, 'PersistentVolumeClaim', 'data')
  })
}

storage("a claim that asks for another one's volume is told", ['v'], async t => {
  await t.apply(volume('v', '2Gi') + claim('first'))
  await t.until(`${CLAIM} first`, isPhase('Bound'))
  await t.apply(claim('second', '  volumeName: NS-v'))
  await t.untilEvent('FailedBinding')
  await t.record(`${CLAIM} second`)
  await recordTold(t, 'PersistentVolumeClaim', 'second')
})

storage('a claim of no class waits for a volume', [], async t => {
  await t.apply(claim('data').replace('storageClassName: NS', 'storageClassName: ""'))
  await t.untilEvent('FailedBinding')
  await t.record(`${CLAIM} data`)
  await recordTold(t, 'PersistentVolumeClaim', 'data')
})

storage('a claim of a class that is not there is told', [], async t => {
  await t.apply(claim('data'))
  await t.untilEvent('ProvisioningFailed')
  await t.record(`${CLAIM} data`)
  await recordTold(t, 'PersistentVolumeClaim', 'data')
})

storage('a claim of a class without a provisioner is told', [], async t => {
  await t.apply(storageClass('kubernetes.io/no-provisioner') + claim('data'))
  await t.untilEvent('ProvisioningFailed')
  await t.record(`${CLAIM} data`)
  await recordTold(t, 'PersistentVolumeClaim', 'data')
})

storage('a claim waits for a provisioner', [], async t => {
  await t.apply(storageClass('example.com/nobody') + claim('data'))
  await t.untilEvent('ExternalProvisioning')
  await t.record(`${CLAIM} data`)
  await recordTold(t, 'PersistentVolumeClaim', 'data')
})

storage('a claim that waits for a consumer is provisioned where that goes', [], async t => {
  await t.apply(storageClass('example.com/nobody', 'WaitForFirstConsumer') + claim('data'))
  await t.untilEvent('WaitForFirstConsumer')
  await t.record(`${CLAIM} data`)
  await recordTold(t, 'PersistentVolumeClaim', 'data')
  await t.apply(pod('p', '  volumes: [{ name: v, persistentVolumeClaim: { claimName: data } }]'))
  await t.untilEvent('ExternalProvisioning')
  await t.record(`${CLAIM} data`)
})

storage('a claim that waits for a consumer gets a volume that the consumer reaches', ['far', 'near'], async t => {
  const on = (node: string) =>
    `  nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: kubernetes.io/hostname, operator: In, values: [${node}] }] }] } }`
  const local = (name: string, node: string) =>
    volume(name, '2Gi', on(node)).replace('nfs: { server: 192.0.2.1, path: / }', 'local: { path: /mnt }')
  await t.apply(storageClass('kubernetes.io/no-provisioner', 'WaitForFirstConsumer'))
  await t.apply(local('far', 'elsewhere') + local('near', 'node-a') + claim('data'))
  await t.until(`${VOLUME} NS-near`, isPhase('Available'))
  await t.apply(pod('p', '  volumes: [{ name: v, persistentVolumeClaim: { claimName: data } }]'))
  await t.until(`${CLAIM} data`, isPhase('Bound'))
  const { spec } = await t.until('v1 Pod p', scheduled)
  t.note('it is on node-a', spec.nodeName === 'node-a')
  await t.record(`${CLAIM} data`)
  await t.record(`${VOLUME} NS-near`)
})

storage('a pod waits for a volume that no node reaches', ['far'], async t => {
  await t.apply(storageClass('kubernetes.io/no-provisioner', 'WaitForFirstConsumer') + claim('data'))
  await t.apply(pod('p', '  volumes: [{ name: v, persistentVolumeClaim: { claimName: data } }]'))
  await t.until('v1 Pod p', refused)
  await t.untilEvent('FailedScheduling')
  await recordTold(t, 'Pod', 'p')
  await t.untilEvent('WaitForPodScheduled')
})

storage('a volume is retained when its claim goes', ['v'], async t => {
  await t.apply(volume('v', '2Gi') + claim('data'))
  await t.until(`${CLAIM} data`, isPhase('Bound'))
  await t.delete(`${CLAIM} data`)
  await t.until(`${VOLUME} NS-v`, isPhase('Released'))
  await t.record(`${VOLUME} NS-v`)
})

storage('a volume that nobody can delete fails', ['v'], async t => {
  await t.apply(volume('v', '2Gi').replace('Retain', 'Delete') + claim('data'))
  await t.until(`${CLAIM} data`, isPhase('Bound'))
  await t.delete(`${CLAIM} data`)
  await t.until(`${VOLUME} NS-v`, isPhase('Failed'))
  await t.record(`${VOLUME} NS-v`)
})

storage('a claim stays as long as a pod uses it', ['v'], async t => {
  await t.apply(volume('v', '2Gi') + claim('data'))
  await t.apply(pod('p', '  volumes: [{ name: v, persistentVolumeClaim: { claimName: data } }]'))
  await t.until('v1 Pod p', scheduled)
  await t.delete(`${CLAIM} data`)
  await t.record(`${CLAIM} data`)
  await t.delete('v1 Pod p', { gracePeriodSeconds: 0 })
  await t.untilGone(`${CLAIM} data`)
  await t.until(`${VOLUME} NS-v`, isPhase('Released'))
})

storage('a volume stays as long as it is bound', ['v'], async t => {
  await t.apply(volume('v', '2Gi') + claim('data'))
  await t.until(`${CLAIM} data`, isPhase('Bound'))
  await t.delete(`${VOLUME} NS-v`)
  await t.record(`${VOLUME} NS-v`)
  await t.delete(`${CLAIM} data`)
  await t.untilGone(`${VOLUME} NS-v`)
})

storage('a claim whose volume is gone is lost', ['v'], async t => {
  await t.apply(volume('v', '2Gi'))
  await t.until(`${VOLUME} NS-v`, isPhase('Available'))
  await t.apply(claim('data'))
  await t.until(`${CLAIM} data`, isPhase('Bound'))
  await t.delete(`${VOLUME} NS-v`)
  await t.merge(`${VOLUME} NS-v`, { metadata: { finalizers: null } })
  await t.until(`${CLAIM} data`, isPhase('Lost'))
  await t.untilEvent('ClaimLost')
  await t.record(`${CLAIM} data`)
  await recordTold(t, 'PersistentVolumeClaim', 'data')
})

storage('a pod gets the claims of its own volumes', [], async t => {
  await t.apply(
    pod(
      'p',
      `  volumes:
  - name: scratch
    ephemeral:
      volumeClaimTemplate:
        metadata: { labels: { for: scratch } }
        spec: { accessModes: [ReadWriteOnce], storageClassName: "", resources: { requests: { storage: 1Gi } } }`,
    ),
  )
  await t.until(`${CLAIM} p-scratch`, isPhase('Pending'))
  await t.record(`${CLAIM} p-scratch`)
})

const fakeNode = `
apiVersion: v1
kind: Node
metadata: { name: NS, labels: { kubernetes.io/os: linux, kubernetes.io/arch: amd64 } }
spec:
  taints: [{ key: example.com/fake, effect: NoSchedule }]`

const stuck = (name: string, tolerations = '[]') => pod(name, `  nodeName: NS\n  tolerations: ${tolerations}`)

const say = (t: ClusterSession, conditions: Record<string, string>) => {
  const now = `${new Date().toISOString().slice(0, 19)}Z`
  return t.merge(
    'v1 Node NS',
    {
      status: {
        conditions: Object.entries(conditions).map(([type, status]) => ({
          type,
          status,
          reason: 'Said',
          message: 'said so',
          lastHeartbeatTime: now,
          lastTransitionTime: now,
        })),
      },
    },
    'status',
  )
}

const onNode = (behaviour: string, run: (t: ClusterSession) => Promise<void>) =>
  clusterNodes.scenario(behaviour, async t => {
    await t.apply(fakeNode)
    try {
      await run(t)
    } finally {
      for (const { metadata } of await t.list('v1 Pod'))
        await t.delete(`v1 Pod ${metadata.name}`, { gracePeriodSeconds: 0 })
      await t.delete('v1 Node NS')
    }
  })

const taintsOf = ({ spec }: { spec?: { taints?: { key: string; effect: string }[] } }) =>
  (spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`).sort()

onNode('a node that is ready loses its first taint and has addresses for pods', async t => {
  await say(t, { Ready: 'True' })
  await t.until('v1 Node NS', node => taintsOf(node).length === 1 && node.spec.podCIDR)
  await t.until('v1 Node NS', ({ metadata }) => metadata.labels['beta.kubernetes.io/os'] === 'linux')
  await t.record('v1 Node NS')
})

for (const [ready_, key] of [
  ['False', 'not-ready'],
  ['Unknown', 'unreachable'],
] as const) {
  onNode(`a node whose readiness is ${ready_} is tainted, its pods stay as they are`, async t => {
    await say(t, { Ready: 'True' })
    await t.until('v1 Node NS', node => taintsOf(node).length === 1)
    await t.apply(stuck('p', '[{ operator: Exists }]'))
    const now = `${new Date().toISOString().slice(0, 19)}Z`
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: now }]
    await t.merge('v1 Pod p', { status: { phase: 'Running', conditions } }, 'status')
    await say(t, { Ready: ready_ })
    await t.until('v1 Node NS', node => taintsOf(node).includes(`node.kubernetes.io/${key}:NoExecute`))
    const node = await t.until('v1 Node NS', object => taintsOf(object).length === 3)
    t.note('taints', taintsOf(node))
    await t.record('v1 Pod p')
    await recordTold(t, 'Pod', 'p')
  })
}

onNode('a node is tainted by its other conditions, and freed of those taints', async t => {
  await say(t, {
    Ready: 'True',
    MemoryPressure: 'True',
    DiskPressure: 'True',
    PIDPressure: 'True',
    NetworkUnavailable: 'True',
  })
  t.note('taints', taintsOf(await t.until('v1 Node NS', node => taintsOf(node).length === 5)))
  await say(t, { Ready: 'True', MemoryPressure: 'False', DiskPressure: 'Unknown' })
  t.note('taints', taintsOf(await t.until('v1 Node NS', node => taintsOf(node).length === 1)))
})

onNode('a node that is cordoned is tainted until it is uncordoned', async t => {
  await say(t, { Ready: 'True' })
  await t.until('v1 Node NS', node => taintsOf(node).length === 1)
  await t.merge('v1 Node NS', { spec: { unschedulable: true } })
  t.note('taints', taintsOf(await t.until('v1 Node NS', node => taintsOf(node).length === 2)))
  await t.merge('v1 Node NS', { spec: { unschedulable: null } })
  t.note('taints', taintsOf(await t.until('v1 Node NS', node => taintsOf(node).length === 1)))
})

onNode('pods are evicted that do not tolerate a taint, or only for a moment', async t => {
  await say(t, { Ready: 'True' })
  await t.until('v1 Node NS', node => taintsOf(node).length === 1)
  await t.apply(stuck('intolerant').replace('PeriodSeconds: 0', 'PeriodSeconds: 30'))
  await t.apply(stuck('patient', '[{ operator: Exists }]'))
  await t.apply(
    stuck('hasty', '[{ key: example.com/out, operator: Exists, effect: NoExecute, tolerationSeconds: 2 }]').replace(
      'Seconds: 0',
      'Seconds: 30',
    ),
  )
  await t.merge('v1 Node NS', {
    spec: {
      taints: [
        { key: 'example.com/fake', effect: 'NoSchedule' },
        { key: 'example.com/out', effect: 'NoExecute' },
      ],
    },
  })
  await t.until('v1 Pod intolerant', ({ metadata }) => metadata.deletionTimestamp)
  await t.until('v1 Pod hasty', ({ metadata }) => metadata.deletionTimestamp)
  await t.record('v1 Pod intolerant')
  await t.record('v1 Pod hasty')
  await recordTold(t, 'Pod', 'hasty')
  t.note('the patient one stays', (await t.get('v1 Pod patient')).metadata.deletionTimestamp === undefined)
})
