import { kindRef } from '@tiphys/kube'
import type { Deployment, DeploymentSpec, Pod, ReplicaSet } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createReplicaSetController } from '../replica-set/replica-set.ts'
import { createWorkloadStage, type WorkloadStage } from '../workload-stage.ts'
import { createDeploymentController } from './deployment.ts'

const deployments = { ...kindRef('apps/v1', 'Deployment'), namespace: 'default' }
const replicaSets = { ...kindRef('apps/v1', 'ReplicaSet'), namespace: 'default' }
let stage: WorkloadStage

beforeEach(async () => {
  stage = await createWorkloadStage([createReplicaSetController, createDeploymentController])
})
afterEach(() => stage.stop())

const web = (spec: Partial<DeploymentSpec> = {}, metadata: Deployment['metadata'] = {}): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', ...metadata },
  spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: template('nginx:1'), ...spec },
})

const template = (image: string, spec: Partial<Pod['spec'] & object> = {}) => ({
  metadata: { labels: { app: 'web' } },
  spec: { ...spec, containers: [{ name: 'main', image }] },
})

const current = () => stage.client.get({ ...deployments, name: 'web' })
const sets = async (): Promise<ReplicaSet[]> => {
  const { items } = await stage.client.list(replicaSets)
  return items.toSorted((a, b) => Number(revisionOf(a)) - Number(revisionOf(b)))
}
const revisionOf = ({ metadata }: ReplicaSet | Deployment) =>
  metadata.annotations?.['deployment.kubernetes.io/revision']
const sizes = async () => (await sets()).map(({ spec }) => spec?.replicas)
const change = async (spec: object) => {
  await stage.client.patch({ ...deployments, name: 'web' }, { type: 'merge', patch: { spec } })
  await stage.settle()
}
const setImage = (image: string) => change({ template: template(image) })
const conditionsOf = async () =>
  Object.fromEntries(((await current()).status?.conditions ?? []).map(({ type, ...others }) => [type, others]))

describe('a new Deployment', () => {
  test('makes a ReplicaSet of its template and becomes available with it', async () => {
    const { metadata } = await stage.client.create(web({}, { annotations: { team: 'blue' } }))
    await stage.keepReady()
    const [set, ...others] = await sets()
    expect(others).toEqual([])
    const hash = set?.metadata.labels?.['pod-template-hash'] ?? ''
    expect(set?.metadata).toMatchObject({
      name: `web-${hash}`,
      labels: { app: 'web', 'pod-template-hash': hash },
      annotations: {
        team: 'blue',
        'deployment.kubernetes.io/revision': '1',
        'deployment.kubernetes.io/desired-replicas': '3',
        'deployment.kubernetes.io/max-replicas': '4',
      },
      ownerReferences: [
        { kind: 'Deployment', name: 'web', uid: metadata.uid, controller: true, blockOwnerDeletion: true },
      ],
    })
    expect(set?.spec).toMatchObject({
      replicas: 3,
      selector: { matchLabels: { app: 'web', 'pod-template-hash': hash } },
      template: { metadata: { labels: { app: 'web', 'pod-template-hash': hash } } },
    })
    const deployment = await current()
    expect(revisionOf(deployment)).toBe('1')
    expect(deployment.status).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
    })
    expect(deployment.status?.unavailableReplicas).toBeUndefined()
    expect(await conditionsOf()).toMatchObject({
      Available: {
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      },
      Progressing: {
        status: 'True',
        reason: 'NewReplicaSetAvailable',
        message: `ReplicaSet "web-${hash}" has successfully progressed.`,
      },
    })
    expect(await stage.events('web')).toEqual([`ScalingReplicaSet Scaled up replica set web-${hash} from 0 to 3`])
  })

  test('is unavailable and progressing until its pods are ready', async () => {
    await stage.client.create(web())
    await stage.settle()
    expect((await current()).status).toMatchObject({ replicas: 3, unavailableReplicas: 3, updatedReplicas: 3 })
    expect(await conditionsOf()).toMatchObject({
      Available: { status: 'False', reason: 'MinimumReplicasUnavailable' },
      Progressing: { status: 'True', reason: 'ReplicaSetUpdated' },
    })
  })

  test('writes nothing once it is complete', async () => {
    await stage.client.create(web())
    await stage.keepReady()
    const before = (await current()).metadata.resourceVersion
    await stage.pass(3600)
    expect((await current()).metadata.resourceVersion).toBe(before)
  })

  test('with no replicas is complete at once', async () => {
    await stage.client.create(web({ replicas: 0 }))
    await stage.settle()
    expect(await conditionsOf()).toMatchObject({
      Available: { status: 'True' },
      Progressing: { status: 'True', reason: 'NewReplicaSetAvailable' },
    })
    expect(await stage.events('web')).toEqual([])
  })

  test('takes over a ReplicaSet with its template', async () => {
    await stage.client.create({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'by-hand', namespace: 'default', labels: { app: 'web' } },
      spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template: template('nginx:1') },
    } satisfies ReplicaSet)
    await stage.client.create(web())
    await stage.keepReady()
    const [set, ...others] = await sets()
    expect(others).toEqual([])
    expect(set).toMatchObject({
      metadata: { name: 'by-hand', ownerReferences: [{ name: 'web', controller: true }] },
      spec: { replicas: 3 },
    })
  })

  test('takes another name when its ReplicaSet’s is taken', async () => {
    await stage.client.create(web())
    await stage.settle()
    const name = (await sets())[0]?.metadata.name ?? ''
    await stage.client.delete({ ...deployments, name: 'web' })
    await stage.client.delete({ ...replicaSets, name })
    const foreign = { matchLabels: { app: 'foreign' } }
    await stage.client.create({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name, namespace: 'default' },
      spec: {
        replicas: 0,
        selector: foreign,
        template: { ...template('x'), metadata: { labels: foreign.matchLabels } },
      },
    } satisfies ReplicaSet)
    await stage.client.create(web())
    await stage.pass(5)
    expect((await current()).status?.collisionCount).toBe(1)
    expect(await sets()).toHaveLength(2)
  })
})

describe('a rolling update', () => {
  test('never has more than the surge nor fewer than may be unavailable', async () => {
    await stage.client.create(
      web({ replicas: 4, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }),
    )
    await stage.keepReady()
    await setImage('nginx:2')
    expect(await sizes()).toEqual([3, 2])
    for (const pod of (await stage.pods()).filter(({ status }) => status?.phase === 'Pending'))
      await stage.setReady(pod)
    await stage.settle()
    expect(await sizes()).toEqual([1, 4])
    await stage.keepReady()
    expect(await sizes()).toEqual([0, 4])
    expect(revisionOf(await current())).toBe('2')
    expect((await current()).status).toMatchObject({ replicas: 4, updatedReplicas: 4, availableReplicas: 4 })
    expect((await stage.events('web')).map(event => event.replace(/web-\w+/, 'web-X')).slice(0, 4)).toEqual([
      'ScalingReplicaSet Scaled up replica set web-X from 0 to 4',
      'ScalingReplicaSet Scaled up replica set web-X from 0 to 1',
      'ScalingReplicaSet Scaled down replica set web-X from 4 to 3',
      'ScalingReplicaSet Scaled up replica set web-X from 1 to 2',
    ])
  })

  test('takes the limits as percentages, the surge rounded up and the other down', async () => {
    await stage.client.create(web({ replicas: 10 }))
    await stage.keepReady()
    await setImage('nginx:2')
    expect(await sizes()).toEqual([8, 5])
  })

  test('with new pods that never get ready stops and misses its deadline', async () => {
    await stage.client.create(web({ replicas: 3, progressDeadlineSeconds: 60 }))
    await stage.keepReady()
    await setImage('broken')
    expect(await sizes()).toEqual([3, 1])
    await stage.pass(30)
    expect((await conditionsOf())['Progressing']).toMatchObject({ status: 'True', reason: 'ReplicaSetUpdated' })
    await stage.pass(40)
    const broken = (await sets())[1]?.metadata.name
    expect(await conditionsOf()).toMatchObject({
      Available: { status: 'True' },
      Progressing: {
        status: 'False',
        reason: 'ProgressDeadlineExceeded',
        message: `ReplicaSet "${broken}" has timed out progressing.`,
      },
    })
  })

  test('replaces pods that are not available before it takes from those that are', async () => {
    await stage.client.create(web({ replicas: 4 }))
    await stage.settle()
    for (const pod of (await stage.pods()).slice(0, 3)) await stage.setReady(pod)
    await setImage('broken')
    expect(await sizes()).toEqual([3, 2])
    const old = (await stage.pods()).filter(({ spec }) => spec?.containers[0]?.image === 'nginx:1')
    expect(old.map(({ status }) => status?.phase)).toEqual(['Running', 'Running', 'Running'])
  })

  test('waits for minReadySeconds', async () => {
    await stage.client.create(web({ replicas: 2, minReadySeconds: 10 }))
    await stage.keepReady()
    expect((await conditionsOf())['Available']).toMatchObject({ status: 'False' })
    await stage.pass(11)
    expect((await conditionsOf())['Available']).toMatchObject({ status: 'True' })
    await setImage('nginx:2')
    await stage.keepReady()
    expect(await sizes()).toEqual([2, 1])
    await stage.pass(11)
    await stage.keepReady()
    await stage.pass(11)
    await stage.keepReady()
    expect(await sizes()).toEqual([0, 2])
  })

  test('back to a former template uses its ReplicaSet again and remembers its revisions', async () => {
    await stage.client.create(web())
    await stage.keepReady()
    const first = (await sets())[0]?.metadata.name
    await setImage('nginx:2')
    await stage.keepReady()
    await setImage('nginx:1')
    await stage.keepReady()
    const [, latest] = await sets()
    expect(latest?.metadata.name).toBe(first)
    expect(latest?.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/revision-history': '1',
    })
    expect(revisionOf(await current())).toBe('3')
    expect(await sizes()).toEqual([0, 3])
  })

  test('keeps as many former ReplicaSets as the history may have', async () => {
    await stage.client.create(web({ replicas: 1, revisionHistoryLimit: 2 }))
    await stage.keepReady()
    for (const version of [2, 3, 4, 5]) {
      await setImage(`nginx:${version}`)
      await stage.keepReady()
    }
    expect((await sets()).map(revisionOf)).toEqual(['3', '4', '5'])
  })

  test('begun anew before it is done leaves no old pods', async () => {
    await stage.client.create(web({ replicas: 4 }))
    await stage.keepReady()
    await setImage('nginx:2')
    await setImage('nginx:3')
    await stage.keepReady()
    expect(await sizes()).toEqual([0, 0, 4])
  })
})

describe('recreating', () => {
  const onNode = (image: string) => template(image, { nodeName: 'node-1' })

  test('waits for the last old pod before the first new one', async () => {
    await stage.client.create(web({ strategy: { type: 'Recreate' }, template: onNode('nginx:1') }))
    await stage.keepReady()
    await change({ template: onNode('nginx:2') })
    expect(await sizes()).toEqual([0])
    expect((await current()).status).toMatchObject({ terminatingReplicas: 3 })
    for (const { metadata } of await stage.pods()) {
      const ref = { ...kindRef('v1', 'Pod'), namespace: 'default', name: metadata.name ?? '' }
      await stage.client.delete(ref, { gracePeriodSeconds: 0 })
    }
    await stage.keepReady()
    expect(await sizes()).toEqual([0, 3])
    expect((await current()).status).toMatchObject({ updatedReplicas: 3, availableReplicas: 3, terminatingReplicas: 0 })
  })
})

describe('scaling', () => {
  test('resizes the one ReplicaSet', async () => {
    await stage.client.create(web())
    await stage.keepReady()
    await change({ replicas: 5 })
    await stage.keepReady()
    const [set] = await sets()
    expect(set?.spec?.replicas).toBe(5)
    expect(set?.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/desired-replicas': '5',
      'deployment.kubernetes.io/max-replicas': '7',
    })
    expect(await stage.events('web')).toContain(
      `ScalingReplicaSet Scaled up replica set ${set?.metadata.name} from 3 to 5`,
    )
  })

  test('in the middle of a rollout is shared by both ReplicaSets', async () => {
    await stage.client.create(
      web({ replicas: 10, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } }),
    )
    await stage.keepReady()
    await setImage('broken')
    expect(await sizes()).toEqual([8, 5])
    await change({ replicas: 15 })
    expect(await sizes()).toEqual([11, 7])
    await change({ replicas: 5 })
    // Shrunk in proportion to 5 and 3; then the rollout goes on.
    expect(await sizes()).toEqual([3, 5])
    const events = (await stage.events('web')).map(event => event.replace(/^.* from/, 'from'))
    expect(events).toContain('from 11 to 5')
    expect(events).toContain('from 7 to 3')
  })
})

describe('a paused Deployment', () => {
  test('rolls out nothing until it is resumed', async () => {
    await stage.client.create(web())
    await stage.keepReady()
    await change({ paused: true, template: template('nginx:2') })
    expect(await sizes()).toEqual([3])
    expect((await conditionsOf())['Progressing']).toMatchObject({
      status: 'Unknown',
      reason: 'DeploymentPaused',
      message: 'Deployment is paused',
    })
    await change({ paused: false })
    await stage.keepReady()
    expect(await sizes()).toEqual([0, 3])
    expect((await conditionsOf())['Progressing']).toMatchObject({ status: 'True', reason: 'NewReplicaSetAvailable' })
  })

  test('can be scaled', async () => {
    await stage.client.create(web())
    await stage.keepReady()
    await change({ paused: true })
    await change({ replicas: 1 })
    expect(await sizes()).toEqual([1])
  })

  test('does not run into its deadline', async () => {
    await stage.client.create(web({ progressDeadlineSeconds: 10 }))
    await stage.settle()
    await change({ paused: true })
    await stage.pass(60)
    expect((await conditionsOf())['Progressing']).toMatchObject({ reason: 'DeploymentPaused' })
    await change({ paused: false })
    expect((await conditionsOf())['Progressing']).toMatchObject({ status: 'Unknown', reason: 'DeploymentResumed' })
  })
})

test('the failure to create pods is told by the Deployment, too', async () => {
  await stage.client.create(web({ template: template('nginx:1', { serviceAccountName: 'nobody' }) }))
  await stage.settle()
  expect((await conditionsOf())['ReplicaFailure']).toMatchObject({
    status: 'True',
    reason: 'FailedCreate',
    message: expect.stringContaining('serviceaccount "nobody" not found'),
  })
})

test('a Deployment that is being deleted is left as it is', async () => {
  await stage.client.create(web({}, { finalizers: ['example.com/hold'] }))
  await stage.keepReady()
  await stage.client.delete({ ...deployments, name: 'web' })
  await change({ template: template('nginx:2') })
  expect(await sizes()).toEqual([3])
})
