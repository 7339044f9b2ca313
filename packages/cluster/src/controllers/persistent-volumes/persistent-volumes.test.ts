import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kindRef } from '@tiphys/kube'
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
  Pod,
  StorageClass,
} from '@tiphys/kube/kinds'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createScheduler } from '../../scheduler/scheduler.ts'
import { createStage, type Stage } from '../stage.ts'
import { createLocalProvisioner } from './local-provisioner.ts'
import { createPersistentVolumeController } from './persistent-volume-controller.ts'
import { createClaimProtectionController, createVolumeProtectionController } from './storage-protection.ts'

let stage: Stage
let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tiphys-volumes-'))
  stage = await createStage(
    createPersistentVolumeController,
    createClaimProtectionController,
    createVolumeProtectionController,
    createScheduler,
    context => createLocalProvisioner(context, { directory }),
  )
  await stage.settle()
})

afterEach(async () => {
  await stage.stop()
  await rm(directory, { recursive: true, force: true })
})

const addVolume = (name: string, spec: Partial<PersistentVolumeSpec> = {}) =>
  stage.client.create<PersistentVolume>({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '5Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/data' },
      persistentVolumeReclaimPolicy: 'Retain',
      ...spec,
    },
  })

const addClaim = (name: string, spec: Partial<PersistentVolumeClaimSpec> = {}) =>
  stage.client.create<PersistentVolumeClaim>({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  })

const claimRef = (name: string) => ({
  ...kindRef<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim'),
  namespace: 'default',
  name,
})
const volumeRef = (name: string) => ({ ...kindRef<PersistentVolume>('v1', 'PersistentVolume'), name })
const claimed = (name: string) => stage.client.get(claimRef(name))
const volume = (name: string) => stage.client.get(volumeRef(name))

const podWith = (claimName: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'user', namespace: 'default' },
  spec: {
    containers: [{ name: 'c', image: 'x' }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
  },
})

it('binds a claim to the smallest volume that is large enough', async () => {
  await addVolume('large', { capacity: { storage: '10Gi' } })
  await addVolume('fitting', { capacity: { storage: '2Gi' } })
  await addVolume('small', { capacity: { storage: '500Mi' } })
  await stage.settle()
  await addClaim('data', { storageClassName: '' })
  await stage.settle()
  const { spec, status, metadata } = await claimed('data')
  expect(spec?.volumeName).toBe('fitting')
  expect(status).toEqual({ phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '2Gi' } })
  expect(metadata.annotations).toEqual({
    'pv.kubernetes.io/bind-completed': 'yes',
    'pv.kubernetes.io/bound-by-controller': 'yes',
  })
  const bound = await volume('fitting')
  expect(bound.status?.phase).toBe('Bound')
  expect(bound.spec?.claimRef).toMatchObject({ kind: 'PersistentVolumeClaim', name: 'data', namespace: 'default' })
  expect((await volume('large')).status?.phase).toBe('Available')
})

it('keeps a volume that is reserved for its claim', async () => {
  await addVolume('reserved', { claimRef: { namespace: 'default', name: 'mine' } })
  await addClaim('other', { storageClassName: '' })
  await stage.settle()
  expect((await claimed('other')).status?.phase).toBe('Pending')
  expect(await stage.events('other')).toEqual([
    'FailedBinding no persistent volumes available for this claim and no storage class is set',
  ])
  await addClaim('mine', { storageClassName: '' })
  await stage.settle()
  expect((await claimed('mine')).spec?.volumeName).toBe('reserved')
  expect((await volume('reserved')).metadata.annotations).toBeUndefined()
})

it('honours selectors, access modes and storage classes', async () => {
  await addVolume('labelled')
  await stage.client.patch(volumeRef('labelled'), { type: 'merge', patch: { metadata: { labels: { tier: 'fast' } } } })
  await addVolume('shared', { accessModes: ['ReadWriteMany'] })
  await addVolume('classed', { storageClassName: 'manual' })
  await addClaim('a', { storageClassName: '', selector: { matchLabels: { tier: 'fast' } } })
  await addClaim('b', { storageClassName: '', accessModes: ['ReadWriteMany'] })
  await addClaim('c', { storageClassName: 'manual' })
  await stage.settle()
  expect((await claimed('a')).spec?.volumeName).toBe('labelled')
  expect((await claimed('b')).spec?.volumeName).toBe('shared')
  expect((await claimed('c')).spec?.volumeName).toBe('classed')
})

it('makes a folder for a claim of the default class, and removes it with the claim', async () => {
  await addClaim('data')
  await stage.settle()
  const { spec, status, metadata } = await claimed('data')
  const name = `pvc-${metadata.uid}`
  expect(spec).toMatchObject({ storageClassName: 'standard', volumeName: name })
  expect(status?.phase).toBe('Bound')
  expect(await readdir(directory)).toEqual([name])
  expect((await volume(name)).spec?.hostPath?.path).toBe(join(directory, name))
  expect((await stage.events('data')).sort()).toEqual([
    `ExternalProvisioning Waiting for a volume to be created either by the external provisioner 'tiphys.dev/local' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
    'Provisioning External provisioner is provisioning volume for claim "default/data"',
    `ProvisioningSucceeded Successfully provisioned volume ${name}`,
  ])
  await stage.client.delete(claimRef('data'))
  await stage.settle()
  expect(await stage.exists(claimRef('data'))).toBe(false)
  expect(await stage.exists(volumeRef(name))).toBe(false)
  expect(await readdir(directory)).toEqual([])
})

it('retains a volume after its claim, and says that it was released', async () => {
  await addVolume('kept')
  await addClaim('data', { storageClassName: '' })
  await stage.settle()
  await stage.client.delete(claimRef('data'))
  await stage.settle()
  expect((await volume('kept')).status?.phase).toBe('Released')
})

it('waits for the first pod, and binds where that goes', async () => {
  await stage.client.create<StorageClass>({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'late' },
    provisioner: 'tiphys.dev/local',
    volumeBindingMode: 'WaitForFirstConsumer',
  })
  await addClaim('data', { storageClassName: 'late' })
  await stage.settle()
  expect((await claimed('data')).status?.phase).toBe('Pending')
  expect(await stage.events('data')).toEqual([
    'WaitForFirstConsumer waiting for first consumer to be created before binding',
  ])
  await stage.client.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'one' } })
  const node = { ...kindRef('v1', 'Node'), name: 'one' }
  await stage.client.patch(node, { type: 'merge', patch: { spec: { taints: null } } })
  const status = { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } }
  await stage.client.patch(node, { type: 'merge', patch: { status } }, { subresource: 'status' })
  await stage.client.create(podWith('data'))
  await stage.settle()
  const bound = await claimed('data')
  expect(bound.status?.phase).toBe('Bound')
  expect(bound.metadata.annotations).toHaveProperty(['volume.kubernetes.io/selected-node'], 'one')
  const pod = await stage.client.get({ ...kindRef<Pod>('v1', 'Pod'), namespace: 'default', name: 'user' })
  expect(pod.spec?.nodeName).toBe('one')
})

it('keeps a claim as long as a pod uses it', async () => {
  await addClaim('data')
  await stage.settle()
  const pod = podWith('data')
  await stage.client.create({ ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName: 'one' } })
  await stage.settle()
  await stage.client.delete(claimRef('data'))
  await stage.settle()
  expect((await claimed('data')).metadata.deletionTimestamp).toBeDefined()
  await stage.client.delete({ ...kindRef('v1', 'Pod'), namespace: 'default', name: 'user' }, { gracePeriodSeconds: 0 })
  await stage.settle()
  expect(await stage.exists(claimRef('data'))).toBe(false)
})

it('says that a claim lost its volume', async () => {
  await addVolume('v')
  await addClaim('data', { storageClassName: '' })
  await stage.settle()
  await stage.client.delete(volumeRef('v'))
  await stage.client.patch(volumeRef('v'), { type: 'merge', patch: { metadata: { finalizers: null } } })
  await stage.settle()
  expect(await stage.exists(volumeRef('v'))).toBe(false)
  expect((await claimed('data')).status).toEqual({ phase: 'Lost' })
})
