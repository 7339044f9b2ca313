import type {
  Node,
  NodeSpec,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  StorageClass,
} from '@tiphys/kube/kinds'
import { describe, expect, it } from 'vitest'
import { chooseNode } from './choose-node.ts'
import { findPreemption } from './preemption.ts'
import { factsOf, SchedulingState } from './scheduling-state.ts'
import { unschedulableMessage } from './unschedulable-message.ts'

interface Scene {
  nodes: Node[]
  /** Pods that run, by node. */
  running?: Record<string, Pod[]>
  claims?: PersistentVolumeClaim[]
  volumes?: PersistentVolume[]
  classes?: StorageClass[]
  namespaces?: Record<string, Record<string, string>>
}

let count = 0

const node = (
  name: string,
  options: { labels?: Record<string, string>; spec?: NodeSpec; cpu?: string } = {},
): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...options.labels } },
  ...(options.spec && { spec: options.spec }),
  status: { allocatable: { cpu: options.cpu ?? '4', memory: '8Gi', pods: '110', 'example.com/gpu': '1' } },
})

const pod = (spec: Partial<PodSpec> = {}, labels: Record<string, string> = {}, namespace = 'default'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `p${++count}`, namespace, uid: `uid-${count}`, labels },
  spec: { containers: [{ name: 'c' }], ...spec },
})

const requesting = (requests: Record<string, string>, spec: Partial<PodSpec> = {}) =>
  pod({ ...spec, containers: [{ name: 'c', resources: { requests } }] })

const stateOf = ({ nodes, running = {}, claims = [], volumes = [], classes = [], namespaces = {} }: Scene) => {
  const state = new SchedulingState(
    {
      claim: (_, name) => claims.find(({ metadata }) => metadata.name === name),
      volume: name => volumes.find(({ metadata }) => metadata.name === name),
      volumesOfClass: name => volumes.filter(({ spec }) => spec?.storageClassName === name),
      storageClass: name => classes.find(({ metadata }) => metadata.name === name),
    },
    name => namespaces[name],
  )
  for (const each of nodes) state.setNode(each)
  for (const [name, pods] of Object.entries(running)) for (const each of pods) state.place(factsOf(each), name)
  return state
}

/** The node's name, or the message. */
const outcome = (subject: Pod, scene: Scene): string => {
  const state = stateOf(scene)
  const choice = chooseNode(subject, state.nodes(), state)
  if ('node' in choice) return choice.node
  const preemption = findPreemption(subject, 'misfits' in choice ? choice.misfits : new Map(), state)
  const tail = 'refusal' in preemption ? preemption.refusal : `${preemption.victims.length} on ${preemption.node}`
  return unschedulableMessage(choice, scene.nodes.length, tail)
}

const required = (expressions: { key: string; operator: string; values?: string[] }[]): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: expressions }] },
    },
  },
})

const near = (labels: Record<string, string>, topologyKey = 'kubernetes.io/hostname') => ({
  requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: labels }, topologyKey }],
})

const UNHELPFUL = 'Preemption is not helpful for scheduling'
const zones = [
  node('a', { labels: { 'topology.kubernetes.io/zone': 'east' } }),
  node('b', { labels: { 'topology.kubernetes.io/zone': 'west' } }),
  node('c', { labels: { 'topology.kubernetes.io/zone': 'west' } }),
]

describe('which node a pod gets', () => {
  it.each<[string, Pod, Scene, string]>([
    ['the first of equal nodes', pod(), { nodes: [node('b'), node('a')] }, 'a'],
    ['the emptier node', pod(), { nodes: [node('a'), node('b')], running: { a: [pod()] } }, 'b'],
    [
      'the node with more left of what it has',
      requesting({ cpu: '1' }),
      { nodes: [node('a', { cpu: '4' }), node('b', { cpu: '16' })] },
      'b',
    ],
    [
      'the node that its selector names',
      pod({ nodeSelector: { disk: 'ssd' } }),
      { nodes: [node('a'), node('b', { labels: { disk: 'ssd' } })] },
      'b',
    ],
    [
      'the node that its affinity asks for',
      pod(required([{ key: 'cores', operator: 'Gt', values: ['8'] }])),
      { nodes: [node('a', { labels: { cores: '8' } }), node('b', { labels: { cores: '16' } })] },
      'b',
    ],
    [
      'the node that a field names',
      pod({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }],
            },
          },
        },
      }),
      { nodes: [node('a'), node('b')] },
      'b',
    ],
    [
      'the node that it prefers',
      pod({
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 10, preference: { matchExpressions: [{ key: 'disk', operator: 'Exists' }] } },
            ],
          },
        },
      }),
      { nodes: [node('a'), node('b', { labels: { disk: 'ssd' } })] },
      'b',
    ],
    [
      'a node whose taint it tolerates',
      pod({ tolerations: [{ key: 'team', operator: 'Equal', value: 'x', effect: 'NoSchedule' }] }),
      {
        nodes: [
          node('a', { spec: { taints: [{ key: 'team', value: 'y', effect: 'NoSchedule' }] } }),
          node('b', { spec: { taints: [{ key: 'team', value: 'x', effect: 'NoSchedule' }] } }),
        ],
      },
      'b',
    ],
    [
      'a node without a taint that it would rather avoid',
      pod(),
      { nodes: [node('a', { spec: { taints: [{ key: 'x', effect: 'PreferNoSchedule' }] } }), node('b')] },
      'b',
    ],
    [
      'the node with a free host port',
      pod({ containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort: 80 }] }] }),
      {
        nodes: [node('a'), node('b')],
        running: {
          a: [pod({ containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort: 80, hostIP: '10.0.0.1' }] }] })],
        },
      },
      'b',
    ],
    [
      'the zone of the pods it wants to be near',
      pod({ affinity: { podAffinity: near({ app: 'db' }, 'topology.kubernetes.io/zone') } }),
      { nodes: zones, running: { c: [pod({}, { app: 'db' })] } },
      'b',
    ],
    [
      'any node, as the first of pods that want to be together',
      pod({ affinity: { podAffinity: near({ app: 'web' }) } }, { app: 'web' }),
      { nodes: zones },
      'a',
    ],
    [
      'the zone without pods it must avoid',
      pod({ affinity: { podAntiAffinity: near({ app: 'web' }, 'topology.kubernetes.io/zone') } }, { app: 'web' }),
      { nodes: zones, running: { b: [pod({}, { app: 'web' })] } },
      'a',
    ],
    [
      'a node where nobody objects to it',
      pod({}, { app: 'noisy' }),
      {
        nodes: [node('a'), node('b')],
        running: { a: [pod({ affinity: { podAntiAffinity: near({ app: 'noisy' }) } })] },
      },
      'b',
    ],
    [
      'a node near pods of a namespace that a selector finds',
      pod({
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              {
                labelSelector: {},
                namespaceSelector: { matchLabels: { team: 'x' } },
                topologyKey: 'kubernetes.io/hostname',
              },
            ],
          },
        },
      }),
      { nodes: [node('a'), node('b')], running: { b: [pod({}, {}, 'other')] }, namespaces: { other: { team: 'x' } } },
      'b',
    ],
    [
      'the zone that evens out the skew',
      pod(
        {
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'topology.kubernetes.io/zone',
              whenUnsatisfiable: 'DoNotSchedule',
              labelSelector: { matchLabels: { app: 'web' } },
            },
          ],
        },
        { app: 'web' },
      ),
      { nodes: zones, running: { a: [pod({}, { app: 'web' })] } },
      'b',
    ],
    [
      'the node of its local volume',
      pod({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] }),
      {
        nodes: [node('a'), node('b')],
        claims: [
          {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            metadata: { name: 'data', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
            spec: { volumeName: 'v' },
          },
        ],
        volumes: [
          {
            apiVersion: 'v1',
            kind: 'PersistentVolume',
            metadata: { name: 'v' },
            spec: {
              nodeAffinity: {
                required: {
                  nodeSelectorTerms: [
                    { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['b'] }] },
                  ],
                },
              },
            },
          },
        ],
      },
      'b',
    ],
  ])('%s', (_, subject, scene, expected) => {
    expect(outcome(subject, scene)).toBe(expected)
  })

  it('counts an init container that needs more than the containers, a sidecar and the overhead', () => {
    const subject = pod({
      containers: [{ name: 'c', resources: { requests: { cpu: '500m' } } }],
      initContainers: [
        { name: 's', restartPolicy: 'Always', resources: { requests: { cpu: '250m' } } },
        { name: 'i', resources: { requests: { cpu: '1' } } },
      ],
      overhead: { cpu: '50m' },
    })
    expect(factsOf(subject).requests.get('cpu')).toBe(1300)
  })
})

describe('why a pod gets no node', () => {
  const tainted = node('t', { spec: { taints: [{ key: 'x', value: 'y', effect: 'NoSchedule' }] } })
  it.each<[string, Pod, Scene, string]>([
    [
      'taints and shortage',
      requesting({ cpu: '5' }),
      { nodes: [tainted, node('a'), node('b')] },
      `0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 ${UNHELPFUL}.`,
    ],
    [
      'nodes that are full',
      requesting({ cpu: '3', 'example.com/gpu': '1' }),
      { nodes: [node('a')], running: { a: [requesting({ cpu: '2', 'example.com/gpu': '1' })] } },
      '0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient example.com/gpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
    ],
    [
      'a node that takes no pods',
      pod(),
      { nodes: [node('a', { spec: { unschedulable: true } })] },
      `0/1 nodes are available: 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/1 nodes are available: 1 ${UNHELPFUL}.`,
    ],
    [
      'a selector that nothing has',
      pod({ nodeSelector: { disk: 'ssd' } }),
      { nodes: [node('a')] },
      `0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/1 nodes are available: 1 ${UNHELPFUL}.`,
    ],
    [
      'a claim that is not there',
      pod({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'gone' } }] }),
      { nodes: [node('a')] },
      `0/1 nodes are available: persistentvolumeclaim "gone" not found. not found`,
    ],
    [
      'a claim that another pod has for itself',
      pod({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'own' } }] }),
      {
        nodes: [node('a')],
        claims: [
          {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            metadata: {
              name: 'own',
              namespace: 'default',
              annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
            },
            spec: { volumeName: 'v', accessModes: ['ReadWriteOncePod'] },
          },
        ],
        volumes: [{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'v' } }],
        running: { a: [pod({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'own' } }] })] },
      },
      '0/1 nodes are available: 1 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
    ],
    [
      'no pods to be near to',
      pod({ affinity: { podAffinity: near({ app: 'db' }) } }),
      { nodes: [node('a')] },
      `0/1 nodes are available: 1 node(s) didn't match pod affinity rules. no new claims to deallocate, preemption: 0/1 nodes are available: 1 ${UNHELPFUL}.`,
    ],
    [
      'less important pods, which have to go: as few as possible',
      requesting({ cpu: '3' }, { priority: 10 }),
      {
        nodes: [node('a'), node('b')],
        running: {
          a: [requesting({ cpu: '2' }), requesting({ cpu: '2' })],
          b: [requesting({ cpu: '1' }), requesting({ cpu: '1' })],
        },
      },
      '0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 1 on b',
    ],
    [
      'that it may not take the place of others',
      requesting({ cpu: '3' }, { priority: 10, preemptionPolicy: 'Never' }),
      { nodes: [node('a')], running: { a: [requesting({ cpu: '3' })] } },
      '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.',
    ],
    ['that there are none', pod(), { nodes: [] }, 'no nodes available to schedule pods'],
  ])('%s', (_, subject, scene, expected) => {
    expect(outcome(subject, scene)).toBe(expected)
  })
})

it('leaves its sums as they were after looking for room', () => {
  const victim = requesting({ cpu: '3' })
  const state = stateOf({ nodes: [node('a')], running: { a: [victim] } })
  const subject = requesting({ cpu: '2' }, { priority: 5 })
  const choice = chooseNode(subject, state.nodes(), state)
  expect(findPreemption(subject, 'misfits' in choice ? choice.misfits : new Map(), state)).toEqual({
    node: 'a',
    victims: [victim],
  })
  expect(state.node('a')?.requested.get('cpu')).toBe(3000)
  expect(state.node('a')?.pods.size).toBe(1)
})
