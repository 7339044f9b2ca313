import { kindRef } from '@tiphys/kube'
import type { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet, StatefulSetSpec } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createWorkloadStage, type WorkloadStage } from '../workload-stage.ts'
import { createStatefulSetController } from './stateful-set.ts'

const sets = { ...kindRef('apps/v1', 'StatefulSet'), namespace: 'default' }
const podKind = { ...kindRef('v1', 'Pod'), namespace: 'default' }
const claimKind = { ...kindRef('v1', 'PersistentVolumeClaim'), namespace: 'default' }
const revisionKind = { ...kindRef('apps/v1', 'ControllerRevision'), namespace: 'default' }
let stage: WorkloadStage

beforeEach(async () => {
  stage = await createWorkloadStage([createStatefulSetController])
})
afterEach(() => stage.stop())

const db = (spec: Partial<StatefulSetSpec> = {}): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db', namespace: 'default' },
  spec: {
    replicas: 3,
    serviceName: 'db',
    selector: { matchLabels: { app: 'db' } },
    template: template('postgres:1'),
    ...spec,
  },
})

const template = (image: string, spec: Partial<Pod['spec'] & object> = {}) => ({
  metadata: { labels: { app: 'db' } },
  spec: { ...spec, containers: [{ name: 'main', image }] },
})

const volumeClaimTemplates: PersistentVolumeClaim[] = [
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
]

const current = () => stage.client.get({ ...sets, name: 'db' })
const names = async () => (await stage.pods()).map(({ metadata }) => metadata.name)
const images = async () => (await stage.pods()).map(({ spec }) => spec?.containers[0]?.image)
const claims = async () => (await stage.client.list(claimKind)).items
const revisions = async (): Promise<ControllerRevision[]> =>
  (await stage.client.list(revisionKind)).items.toSorted((a, b) => a.revision - b.revision)
const change = async (spec: object) => {
  await stage.client.patch({ ...sets, name: 'db' }, { type: 'merge', patch: { spec } })
  await stage.settle()
}
const makeReady = async () => {
  for (const pod of await stage.pods()) if (pod.status?.phase === 'Pending') await stage.setReady(pod)
  await stage.settle()
}

describe('an ordered StatefulSet', () => {
  test('creates one pod after the other, each when those before are ready', async () => {
    await stage.client.create(db())
    await stage.settle()
    expect(await names()).toEqual(['db-0'])
    await makeReady()
    expect(await names()).toEqual(['db-0', 'db-1'])
    await makeReady()
    expect(await names()).toEqual(['db-0', 'db-1', 'db-2'])
    await makeReady()
    const [revision] = await revisions()
    expect((await current()).status).toEqual({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: revision?.metadata.name,
      updateRevision: revision?.metadata.name,
      collisionCount: 0,
    })
    expect(await stage.events('db')).toEqual([
      'SuccessfulCreate Create Pod db-0 in StatefulSet db successful',
      'SuccessfulCreate Create Pod db-1 in StatefulSet db successful',
      'SuccessfulCreate Create Pod db-2 in StatefulSet db successful',
    ])
  })

  test('gives each pod its name', async () => {
    await stage.client.create(db())
    await stage.settle()
    const [pod] = await stage.pods()
    const [revision] = await revisions()
    expect(pod?.metadata).toMatchObject({
      generateName: 'db-',
      labels: {
        app: 'db',
        'statefulset.kubernetes.io/pod-name': 'db-0',
        'apps.kubernetes.io/pod-index': '0',
        'controller-revision-hash': revision?.metadata.name,
      },
      ownerReferences: [{ kind: 'StatefulSet', name: 'db', controller: true, blockOwnerDeletion: true }],
    })
    expect(pod?.spec).toMatchObject({ hostname: 'db-0', subdomain: 'db' })
  })

  test('keeps its template as a revision', async () => {
    await stage.client.create(db())
    await stage.settle()
    const [revision] = await revisions()
    const hash = revision?.metadata.labels?.['controller.kubernetes.io/hash']
    expect(revision).toMatchObject({
      metadata: { name: `db-${hash}`, labels: { app: 'db' }, ownerReferences: [{ kind: 'StatefulSet', name: 'db' }] },
      revision: 1,
      data: { spec: { template: { $patch: 'replace', metadata: { labels: { app: 'db' } } } } },
    })
  })

  test('shrinks from the last to the first', async () => {
    await stage.client.create(db())
    await stage.keepReady()
    await change({ replicas: 1 })
    expect(await names()).toEqual(['db-0'])
    expect((await stage.events('db')).slice(3)).toEqual([
      'SuccessfulDelete Delete Pod db-2 in StatefulSet db successful',
      'SuccessfulDelete Delete Pod db-1 in StatefulSet db successful',
    ])
  })

  test('waits for a pod to be gone before the next one goes', async () => {
    await stage.client.create(db({ template: template('postgres:1', { nodeName: 'node-1' }) }))
    await stage.keepReady()
    await change({ replicas: 1 })
    const leaving = async () =>
      (await stage.pods()).filter(pod => pod.metadata.deletionTimestamp).map(p => p.metadata.name)
    expect(await leaving()).toEqual(['db-2'])
    await stage.client.delete({ ...podKind, name: 'db-2' }, { gracePeriodSeconds: 0 })
    await stage.settle()
    expect(await leaving()).toEqual(['db-1'])
  })

  test('does not shrink while a pod that stays is not ready', async () => {
    await stage.client.create(db())
    await stage.keepReady()
    await stage.setReady((await stage.pods())[0] as Pod, false)
    await change({ replicas: 1 })
    expect(await names()).toEqual(['db-0', 'db-1', 'db-2'])
  })

  test('replaces a pod that failed under its name', async () => {
    await stage.client.create(db())
    await stage.keepReady()
    const [first] = await stage.pods()
    await stage.setPhase(first as Pod, 'Failed')
    await stage.keepReady()
    const [replaced] = await stage.pods()
    expect(replaced?.metadata.name).toBe('db-0')
    expect(replaced?.metadata.uid).not.toBe(first?.metadata.uid)
    expect((await current()).status).toMatchObject({ replicas: 3, readyReplicas: 3 })
  })

  test('waits for minReadySeconds between pods', async () => {
    await stage.client.create(db({ replicas: 2, minReadySeconds: 10 }))
    await stage.settle()
    await makeReady()
    expect(await names()).toEqual(['db-0'])
    await stage.pass(11)
    expect(await names()).toEqual(['db-0', 'db-1'])
  })

  test('begins where spec.ordinals says', async () => {
    await stage.client.create(db({ replicas: 2, ordinals: { start: 5 } }))
    await stage.keepReady()
    expect(await names()).toEqual(['db-5', 'db-6'])
    await change({ ordinals: { start: 6 } })
    await stage.keepReady()
    expect(await names()).toEqual(['db-6', 'db-7'])
  })

  test('writes nothing once everything is as wanted', async () => {
    await stage.client.create(db({ volumeClaimTemplates }))
    await stage.keepReady()
    const before = (await current()).metadata.resourceVersion
    await stage.pass(600)
    expect((await current()).metadata.resourceVersion).toBe(before)
  })
})

describe('a parallel StatefulSet', () => {
  test('creates and deletes all pods at once', async () => {
    await stage.client.create(db({ podManagementPolicy: 'Parallel' }))
    await stage.settle()
    expect(await names()).toEqual(['db-0', 'db-1', 'db-2'])
    await change({ replicas: 0 })
    expect(await names()).toEqual([])
  })
})

describe('an update', () => {
  test('replaces pods from the last to the first, each when the one after is ready', async () => {
    await stage.client.create(db())
    await stage.keepReady()
    await change({ template: template('postgres:2') })
    expect(await images()).toEqual(['postgres:1', 'postgres:1', 'postgres:2'])
    const [old, update] = await revisions()
    expect((await current()).status).toMatchObject({
      currentReplicas: 2,
      updatedReplicas: 1,
      currentRevision: old?.metadata.name,
      updateRevision: update?.metadata.name,
    })
    await makeReady()
    expect(await images()).toEqual(['postgres:1', 'postgres:2', 'postgres:2'])
    await stage.keepReady()
    expect(await images()).toEqual(['postgres:2', 'postgres:2', 'postgres:2'])
    expect((await current()).status).toMatchObject({
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: update?.metadata.name,
    })
  })

  test('leaves pods below the partition, also when they come back', async () => {
    await stage.client.create(db({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } }))
    await stage.keepReady()
    await change({ template: template('postgres:2') })
    await stage.keepReady()
    expect(await images()).toEqual(['postgres:1', 'postgres:1', 'postgres:2'])
    await stage.client.delete({ ...podKind, name: 'db-0' })
    await stage.client.delete({ ...podKind, name: 'db-2' })
    await stage.keepReady()
    expect(await images()).toEqual(['postgres:1', 'postgres:1', 'postgres:2'])
    expect((await current()).status).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 })
  })

  test('on deletion changes only pods that somebody deletes', async () => {
    await stage.client.create(db({ updateStrategy: { type: 'OnDelete' } }))
    await stage.keepReady()
    await change({ template: template('postgres:2') })
    await stage.keepReady()
    expect(await images()).toEqual(['postgres:1', 'postgres:1', 'postgres:1'])
    await stage.client.delete({ ...podKind, name: 'db-1' })
    await stage.keepReady()
    expect(await images()).toEqual(['postgres:1', 'postgres:2', 'postgres:1'])
  })

  test('back to a former template uses its revision again', async () => {
    await stage.client.create(db({ replicas: 1 }))
    await stage.keepReady()
    const [first] = await revisions()
    await change({ template: template('postgres:2') })
    await stage.keepReady()
    await change({ template: template('postgres:1') })
    await stage.keepReady()
    expect(
      (await revisions()).map(({ metadata, revision }) => [metadata.name === first?.metadata.name, revision]),
    ).toEqual([
      [false, 2],
      [true, 3],
    ])
  })

  test('keeps as many revisions as the history may have', async () => {
    await stage.client.create(db({ replicas: 1, revisionHistoryLimit: 1 }))
    await stage.keepReady()
    for (const version of [2, 3, 4]) {
      await change({ template: template(`postgres:${version}`) })
      await stage.keepReady()
    }
    expect((await revisions()).map(({ revision }) => revision)).toEqual([3, 4])
  })
})

describe('volume claims', () => {
  test('are made for each place and used by its pod', async () => {
    await stage.client.create(db({ replicas: 2, volumeClaimTemplates }))
    await stage.keepReady()
    expect((await claims()).map(({ metadata }) => [metadata.name, metadata.labels, metadata.ownerReferences])).toEqual([
      ['data-db-0', { app: 'db' }, undefined],
      ['data-db-1', { app: 'db' }, undefined],
    ])
    expect((await stage.pods())[1]?.spec?.volumes?.[0]).toEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'data-db-1' },
    })
    expect((await stage.events('db')).slice(0, 2)).toEqual([
      'SuccessfulCreate Create Claim data-db-0 Pod db-0 in StatefulSet db success',
      'SuccessfulCreate Create Pod db-0 in StatefulSet db successful',
    ])
  })

  test('stay when the set shrinks and are used again when it grows', async () => {
    await stage.client.create(db({ replicas: 2, volumeClaimTemplates }))
    await stage.keepReady()
    const before = (await claims()).map(({ metadata }) => metadata.uid)
    await change({ replicas: 0 })
    await change({ replicas: 2 })
    await stage.keepReady()
    expect((await claims()).map(({ metadata }) => metadata.uid)).toEqual(before)
  })

  test('belong to the set where they go with it', async () => {
    const persistentVolumeClaimRetentionPolicy = { whenDeleted: 'Delete', whenScaled: 'Retain' }
    await stage.client.create(db({ replicas: 1, volumeClaimTemplates, persistentVolumeClaimRetentionPolicy }))
    await stage.keepReady()
    const owners = (await claims())[0]?.metadata.ownerReferences
    expect(owners).toMatchObject([{ kind: 'StatefulSet', name: 'db', controller: true, blockOwnerDeletion: true }])
    await change({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain' } })
    expect((await claims())[0]?.metadata.ownerReferences).toBeUndefined()
  })

  test('belong to a pod that is scaled away where they go with it', async () => {
    const persistentVolumeClaimRetentionPolicy = { whenDeleted: 'Retain', whenScaled: 'Delete' }
    const onNode = template('postgres:1', { nodeName: 'node-1' })
    await stage.client.create(
      db({ replicas: 2, template: onNode, volumeClaimTemplates, persistentVolumeClaimRetentionPolicy }),
    )
    await stage.keepReady()
    expect((await claims()).map(({ metadata }) => metadata.ownerReferences)).toEqual([undefined, undefined])
    await change({ replicas: 1 })
    expect((await claims()).map(({ metadata }) => metadata.ownerReferences)).toMatchObject([
      undefined,
      [{ kind: 'Pod', name: 'db-1', controller: true }],
    ])
  })

  test('that are being deleted hold their place up', async () => {
    await stage.client.create(db({ replicas: 1, volumeClaimTemplates }))
    await stage.keepReady()
    const hold = { metadata: { finalizers: ['example.com/hold'] } }
    await stage.client.patch({ ...claimKind, name: 'data-db-0' }, { type: 'merge', patch: hold })
    await stage.client.delete({ ...claimKind, name: 'data-db-0' })
    await stage.client.delete({ ...podKind, name: 'db-0' })
    await stage.settle()
    expect(await names()).toEqual([])
    expect(await stage.events('db')).toContain(
      'FailedCreate Create Pod db-0 in StatefulSet db failed error: pvc data-db-0 is being deleted',
    )
    const release = { metadata: { finalizers: null } }
    await stage.client.patch({ ...claimKind, name: 'data-db-0' }, { type: 'merge', patch: release })
    await stage.pass(60)
    expect(await names()).toEqual(['db-0'])
  })
})

test('a pod of another name is not adopted, one of the right name is', async () => {
  const orphan = (name: string): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: 'db' } },
    spec: { containers: [{ name: 'main', image: 'postgres:1' }] },
  })
  await stage.client.create(orphan('other-0'))
  await stage.client.create(orphan('db-0'))
  await stage.client.create(db({ replicas: 1, updateStrategy: { type: 'OnDelete' } }))
  await stage.settle()
  await makeReady()
  const [adopted, other] = await stage.pods()
  expect(other?.metadata.ownerReferences).toBeUndefined()
  expect(adopted?.metadata).toMatchObject({
    name: 'db-0',
    labels: { 'statefulset.kubernetes.io/pod-name': 'db-0' },
    ownerReferences: [{ name: 'db' }],
  })
})

test('in a namespace that is being deleted nothing is created and nobody complains', async () => {
  await stage.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ending' } })
  const set = db({ volumeClaimTemplates })
  await stage.client.create({ ...set, metadata: { ...set.metadata, namespace: 'ending' } })
  await stage.settle()
  await stage.client.delete({ ...kindRef('v1', 'Namespace'), name: 'ending' })
  await stage.client.delete({ ...kindRef('v1', 'Pod'), namespace: 'ending', name: 'db-0' })
  await stage.pass(60)
  expect((await stage.client.list({ ...kindRef('v1', 'Pod'), namespace: 'ending' })).items).toEqual([])
  expect(stage.warnings.filter(({ message }) => message.startsWith('statefulset'))).toEqual([])
})
