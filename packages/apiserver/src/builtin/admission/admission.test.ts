import type { KubeObject } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../registry/admission.ts'
import type { AdmissionPlugin } from '../../registry/admission-chain.ts'
import type { Resource } from '../../registry/resource.ts'
import type { ClusterLookup } from './cluster-lookup.ts'
import { defaultIngressClassAdmission, defaultStorageClassAdmission } from './default-class.ts'
import { limitRangerAdmission } from './limit-ranger.ts'
import { priorityAdmission } from './priority.ts'
import { runtimeClassAdmission } from './runtime-class.ts'
import { serviceAccountAdmission } from './service-account.ts'

const random = { next: () => 0, bytes: (length: number) => new Uint8Array(length) }

function cluster(...objects: [resource: string, object: KubeObject][]): ClusterLookup {
  return {
    get: ({ resource }, _, name) => objects.find(([r, object]) => r === resource && object.metadata.name === name)?.[1],
    list: ({ resource }) => objects.filter(([r]) => r === resource).map(([, object]) => object),
  }
}

function create(plugin: AdmissionPlugin, resource: string, object: KubeObject, group = ''): KubeObject {
  const request = {
    operation: 'CREATE',
    resource: { group, name: resource } as Resource,
    subresource: '',
    namespace: 'ns',
    name: object.metadata.name ?? '',
    object,
    old: undefined,
    warnings: [],
  } as unknown as AdmissionRequest
  void plugin.mutate?.(request)
  void plugin.validate?.(request)
  return object
}

const named = (name: string, rest: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'X',
  metadata: { name },
  ...rest,
})
const pod = (spec: Record<string, unknown> = {}): KubeObject =>
  named('p', { spec: { containers: [{ name: 'a', image: 'b' }], ...spec } })
const specOf = (object: KubeObject) => object.spec as Record<string, unknown>

describe('ServiceAccount', () => {
  it('refuses a pod whose account is not there', () => {
    const plugin = serviceAccountAdmission(cluster(), random)
    expect(() => create(plugin, 'pods', pod())).toThrow(
      'pods "p" is forbidden: error looking up service account ns/default: serviceaccount "default" not found',
    )
  })

  it('calls a pod whose name is still to be drawn by what it begins with', () => {
    const plugin = serviceAccountAdmission(cluster(), random)
    const unnamed = { ...pod(), metadata: { generateName: 'web-' } }
    expect(() => create(plugin, 'pods', unnamed)).toThrow('pods "web-" is forbidden: ')
  })

  it('mounts no token when the account says so, and takes its pull secrets', () => {
    const account = named('default', { automountServiceAccountToken: false, imagePullSecrets: [{ name: 's' }] })
    const admitted = create(serviceAccountAdmission(cluster(['serviceaccounts', account]), random), 'pods', pod())
    expect(specOf(admitted)).toMatchObject({ serviceAccountName: 'default', imagePullSecrets: [{ name: 's' }] })
    expect(specOf(admitted).volumes).toBeUndefined()
  })

  it('leaves a container that mounts something at the token’s place alone', () => {
    const mount = { name: 'own', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }
    const own = pod({ containers: [{ name: 'a', image: 'b', volumeMounts: [mount] }] })
    create(serviceAccountAdmission(cluster(['serviceaccounts', named('default')]), random), 'pods', own)
    expect(specOf(own)).toMatchObject({ containers: [{ volumeMounts: [mount] }] })
    expect(specOf(own).volumes).toBeUndefined()
  })
})

describe('Priority', () => {
  const classes = cluster(['priorityclasses', named('high', { value: 7, preemptionPolicy: 'Never' })])

  it('takes number and policy from the class', () => {
    const admitted = create(priorityAdmission(classes), 'pods', pod({ priorityClassName: 'high' }))
    expect(specOf(admitted)).toMatchObject({ priority: 7, preemptionPolicy: 'Never' })
  })

  it('refuses a class that is not there and a number that the class does not have', () => {
    expect(() => create(priorityAdmission(classes), 'pods', pod({ priorityClassName: 'no' }))).toThrow(
      'pods "p" is forbidden: no PriorityClass with name no was found',
    )
    expect(() => create(priorityAdmission(classes), 'pods', pod({ priority: 3 }))).toThrow(
      'the integer value of priority (3) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    )
  })
})

describe('LimitRanger', () => {
  const ranges = cluster([
    'limitranges',
    named('l', {
      spec: {
        limits: [
          {
            type: 'Container',
            default: { cpu: '1' },
            defaultRequest: { cpu: '100m' },
            max: { cpu: '2' },
            min: { cpu: '50m' },
          },
        ],
      },
    }),
  ])

  it('fills in what a container does not say, and notes it', () => {
    const admitted = create(limitRangerAdmission(ranges), 'pods', pod())
    expect(specOf(admitted)).toMatchObject({
      containers: [{ resources: { requests: { cpu: '100m' }, limits: { cpu: '1' } } }],
    })
    expect(admitted.metadata.annotations).toEqual({
      'kubernetes.io/limit-ranger': 'LimitRanger plugin set: cpu request for container a; cpu limit for container a',
    })
  })

  it('refuses what is out of bounds', () => {
    const resources = { requests: { cpu: '10m' }, limits: { cpu: '3' } }
    const greedy = pod({ containers: [{ name: 'a', image: 'b', resources }] })
    expect(() => create(limitRangerAdmission(ranges), 'pods', greedy)).toThrow(
      'pods "p" is forbidden: [minimum cpu usage per Container is 50m, but request is 10m, maximum cpu usage per Container is 2, but limit is 3]',
    )
  })
})

describe('default classes', () => {
  const marked = (name: string, annotation: string, creationTimestamp: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'X',
    metadata: { name, creationTimestamp, annotations: { [annotation]: 'true' } },
  })

  it('give a claim the newest default storage class', () => {
    const annotation = 'storageclass.kubernetes.io/is-default-class'
    const classes = cluster(
      ['storageclasses', marked('old', annotation, '2025-01-01T00:00:00Z')],
      ['storageclasses', marked('new', annotation, '2026-01-01T00:00:00Z')],
      ['storageclasses', named('other')],
    )
    const claim = create(defaultStorageClassAdmission(classes), 'persistentvolumeclaims', named('c'))
    expect(specOf(claim)).toEqual({ storageClassName: 'new' })
    const chosen = named('c', { spec: { storageClassName: '' } })
    expect(specOf(create(defaultStorageClassAdmission(classes), 'persistentvolumeclaims', chosen))).toEqual({
      storageClassName: '',
    })
  })

  it('give an ingress the default class unless it has the old annotation', () => {
    const annotation = 'ingressclass.kubernetes.io/is-default-class'
    const classes = cluster(['ingressclasses', marked('nginx', annotation, '2025-01-01T00:00:00Z')])
    const plugin = defaultIngressClassAdmission(classes)
    const group = 'networking.k8s.io'
    expect(specOf(create(plugin, 'ingresses', named('i'), group))).toEqual({ ingressClassName: 'nginx' })
    const annotated = named('i')
    annotated.metadata.annotations = { 'kubernetes.io/ingress.class': 'x' }
    expect(create(plugin, 'ingresses', annotated, group).spec).toBeUndefined()
  })
})

describe('RuntimeClass', () => {
  const classes = cluster([
    'runtimeclasses',
    named('sandbox', {
      overhead: { podFixed: { cpu: '100m' } },
      scheduling: { nodeSelector: { sandbox: 'yes' }, tolerations: [{ key: 'sandbox', operator: 'Exists' }] },
    }),
  ])

  it('adds the overhead and where such pods run', () => {
    const admitted = create(runtimeClassAdmission(classes), 'pods', pod({ runtimeClassName: 'sandbox' }))
    expect(specOf(admitted)).toMatchObject({
      overhead: { cpu: '100m' },
      nodeSelector: { sandbox: 'yes' },
      tolerations: [{ key: 'sandbox', operator: 'Exists' }],
    })
  })

  it('refuses a class that is not there and a selector that contradicts it', () => {
    expect(() => create(runtimeClassAdmission(classes), 'pods', pod({ runtimeClassName: 'no' }))).toThrow(
      'pods "p" is forbidden: pod rejected: RuntimeClass "no" not found',
    )
    const contradicting = pod({ runtimeClassName: 'sandbox', nodeSelector: { sandbox: 'no' } })
    expect(() => create(runtimeClassAdmission(classes), 'pods', contradicting)).toThrow(
      'conflict: runtimeClass.scheduling.nodeSelector[sandbox] = yes; pod.spec.nodeSelector[sandbox] = no',
    )
  })
})
