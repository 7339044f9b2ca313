import { kindRef } from '@tiphys/kube'
import type { Pod, ReplicaSet } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createWorkloadStage, type WorkloadStage } from '../workload-stage.ts'
import { createReplicaSetController } from './replica-set.ts'
import { createReplicationControllerController } from './replication-controller.ts'

const replicaSets = kindRef('apps/v1', 'ReplicaSet')
const podKind = kindRef('v1', 'Pod')
let stage: WorkloadStage

beforeEach(async () => {
  stage = await createWorkloadStage([createReplicaSetController, createReplicationControllerController])
})
afterEach(() => stage.stop())

const web = (spec: Partial<ReplicaSet['spec'] & object> = {}): ReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web', tier: 'front' }, annotations: { note: 'kept' } },
      spec: { containers: [{ name: 'main', image: 'nginx' }] },
    },
    ...spec,
  },
})

const barePod = (name: string, labels: Record<string, string>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', labels },
  spec: { containers: [{ name: 'main', image: 'nginx' }] },
})

const current = () => stage.client.get({ ...replicaSets, namespace: 'default', name: 'web' })
const setReplicas = async (replicas: number) => {
  const ref = { ...replicaSets, namespace: 'default', name: 'web' }
  await stage.client.patch(ref, { type: 'merge', patch: { spec: { replicas } } })
  await stage.settle()
}

describe('a ReplicaSet', () => {
  test('creates its pods from the template and counts them', async () => {
    const { metadata } = await stage.client.create(web())
    await stage.settle()
    const pods = await stage.pods()
    expect(pods.map(({ metadata }) => metadata.name?.replace(/-[a-z0-9]{5}$/, ''))).toEqual(['web', 'web', 'web'])
    expect(pods[0]?.metadata).toMatchObject({
      generateName: 'web-',
      labels: { app: 'web', tier: 'front' },
      annotations: { note: 'kept' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'web',
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    })
    expect((await current()).status).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      terminatingReplicas: 0,
      observedGeneration: 1,
    })
    expect(await stage.events('web')).toEqual(
      pods.map(() => expect.stringMatching(/^SuccessfulCreate Created pod: web-/)),
    )
  })

  test('writes nothing once everything is as wanted', async () => {
    await stage.client.create(web())
    await stage.keepReady()
    const before = await current()
    await stage.pass(600)
    expect(before.status).toMatchObject({ readyReplicas: 3, availableReplicas: 3 })
    expect((await current()).metadata.resourceVersion).toBe(before.metadata.resourceVersion)
  })

  test('counts a pod as available after it was ready for minReadySeconds', async () => {
    await stage.client.create(web({ minReadySeconds: 30 }))
    await stage.keepReady()
    expect((await current()).status).toMatchObject({ readyReplicas: 3 })
    expect((await current()).status?.availableReplicas).toBeUndefined()
    await stage.pass(31)
    expect((await current()).status).toMatchObject({ readyReplicas: 3, availableReplicas: 3 })
  })

  test('replaces pods that failed or were deleted', async () => {
    await stage.client.create(web())
    await stage.keepReady()
    const [failed, deleted] = await stage.pods()
    await stage.setPhase(failed as Pod, 'Failed')
    await stage.client.delete({ ...podKind, namespace: 'default', name: deleted?.metadata.name ?? '' })
    await stage.keepReady()
    const phases = (await stage.pods()).map(({ status }) => status?.phase ?? '').toSorted()
    expect(phases).toEqual(['Failed', 'Running', 'Running', 'Running'])
    expect((await current()).status).toMatchObject({ replicas: 3, readyReplicas: 3 })
  })

  test('deletes pods that are not ready first', async () => {
    await stage.client.create(web())
    await stage.settle()
    const [first, second] = await stage.pods()
    await stage.setReady(first as Pod)
    await stage.setReady(second as Pod)
    await setReplicas(2)
    expect((await stage.pods()).map(pod => pod.metadata.name)).toEqual([first?.metadata.name, second?.metadata.name])
    expect(await stage.events('web')).toContainEqual(expect.stringMatching(/^SuccessfulDelete Deleted pod: web-/))
  })

  test('adopts orphans that match and creates only what is missing', async () => {
    await stage.client.create(barePod('orphan', { app: 'web' }))
    await stage.client.create(barePod('stranger', { app: 'other' }))
    await stage.client.create(web())
    await stage.settle()
    const pods = await stage.pods()
    expect(pods).toHaveLength(4)
    const orphan = pods.find(({ metadata }) => metadata.name === 'orphan')
    expect(orphan?.metadata.ownerReferences).toMatchObject([{ name: 'web', controller: true }])
    expect((await current()).status).toMatchObject({ replicas: 3, fullyLabeledReplicas: 2 })
  })

  test('adopts a pod that comes later and deletes one too many', async () => {
    await stage.client.create(web())
    await stage.keepReady()
    await stage.client.create(barePod('late', { app: 'web' }))
    await stage.settle()
    expect(await stage.pods()).toHaveLength(3)
    expect(await stage.events('web')).toContain('SuccessfulDelete Deleted pod: late')
  })

  test('releases a pod whose labels changed and replaces it', async () => {
    await stage.client.create(web())
    await stage.keepReady()
    const name = (await stage.pods())[0]?.metadata.name ?? ''
    const patch = { metadata: { labels: { app: 'debug' } } }
    await stage.client.patch({ ...podKind, namespace: 'default', name }, { type: 'merge', patch })
    await stage.keepReady()
    const pods = await stage.pods()
    expect(pods).toHaveLength(4)
    expect(pods.find(({ metadata }) => metadata.name === name)?.metadata.ownerReferences).toBeUndefined()
    expect((await current()).status).toMatchObject({ replicas: 3 })
  })

  test('says why it cannot create pods, once, and goes on when it can', async () => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'builder', namespace: 'default' } }
    const template = web().spec?.template
    await stage.client.create(
      web({
        template: {
          ...template,
          spec: { containers: [{ name: 'main', image: 'nginx' }], serviceAccountName: 'builder' },
        },
      }),
    )
    await stage.settle()
    const { conditions, ...counts } = (await current()).status ?? {}
    expect(counts).toEqual({ replicas: 0, terminatingReplicas: 0, observedGeneration: 1 })
    expect(conditions).toMatchObject([
      {
        type: 'ReplicaFailure',
        status: 'True',
        reason: 'FailedCreate',
        message: expect.stringContaining(
          'is forbidden: error looking up service account default/builder: serviceaccount "builder" not found',
        ),
      },
    ])
    await stage.client.create(account)
    await stage.pass(60)
    expect((await current()).status).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      terminatingReplicas: 0,
      observedGeneration: 1,
    })
  })

  test('counts pods that are on their way out', async () => {
    const template = web().spec?.template
    await stage.client.create(
      web({ template: { ...template, spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'nginx' }] } } }),
    )
    await stage.keepReady()
    await setReplicas(1)
    expect((await current()).status).toMatchObject({ replicas: 1, terminatingReplicas: 2 })
  })

  test('being deleted, leaves its pods to the garbage collector', async () => {
    const set = web()
    await stage.client.create({ ...set, metadata: { ...set.metadata, finalizers: ['example.com/hold'] } })
    await stage.settle()
    await stage.client.delete({ ...replicaSets, namespace: 'default', name: 'web' })
    const name = (await stage.pods())[0]?.metadata.name ?? ''
    await stage.client.delete({ ...podKind, namespace: 'default', name })
    await stage.settle()
    expect(await stage.pods()).toHaveLength(2)
    expect((await current()).status).toMatchObject({ replicas: 2 })
  })
})

test('a ReplicationController keeps its pods and does not count those that terminate', async () => {
  const controllers = kindRef('v1', 'ReplicationController')
  await stage.client.create({
    ...controllers,
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: { name: 'old', namespace: 'default' },
    spec: {
      replicas: 2,
      selector: { app: 'old' },
      template: { metadata: { labels: { app: 'old' } }, spec: { containers: [{ name: 'main', image: 'nginx' }] } },
    },
  })
  await stage.keepReady()
  expect(await stage.pods()).toHaveLength(2)
  const { status } = await stage.client.get({ ...controllers, namespace: 'default', name: 'old' })
  expect(status).toEqual({
    replicas: 2,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    observedGeneration: 1,
  })
})
