import { kindRef } from '@tiphys/kube'
import type { ControllerRevision, DaemonSet, DaemonSetSpec, Node, Pod, Taint } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createWorkloadStage, type WorkloadStage } from '../workload-stage.ts'
import { nodeOf } from './daemon-pod.ts'
import { createDaemonSetController } from './daemon-set.ts'

const sets = { ...kindRef('apps/v1', 'DaemonSet'), namespace: 'default' }
const podKind = { ...kindRef('v1', 'Pod'), namespace: 'default' }
const nodeKind = kindRef('v1', 'Node')
let stage: WorkloadStage

beforeEach(async () => {
  stage = await createWorkloadStage([createDaemonSetController])
  for (const name of ['a', 'b', 'c']) await addNode(name)
})
afterEach(() => stage.stop())

/** A node is created with a taint that says it is not ready yet. */
const addNode = async (name: string, labels: Record<string, string> = {}, taints: Taint[] = []) => {
  await stage.client.create<Node>({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels } })
  await stage.client.patch({ ...nodeKind, name }, { type: 'merge', patch: { spec: { taints } } })
}

const agent = (spec: Partial<DaemonSetSpec> = {}): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'default' },
  spec: { selector: { matchLabels: { app: 'agent' } }, template: template('agent:1'), ...spec },
})

const template = (image: string, spec: Partial<Pod['spec'] & object> = {}) => ({
  metadata: { labels: { app: 'agent' } },
  spec: { ...spec, containers: [{ name: 'main', image }] },
})

const rolling = (maxUnavailable: number | string, maxSurge: number | string = 0) => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxUnavailable, maxSurge },
})

const current = () => stage.client.get({ ...sets, name: 'agent' })
const nodesOfPods = async () => (await stage.pods()).map(pod => nodeOf(pod) ?? '').toSorted()
const images = async () =>
  (await stage.pods()).map(pod => `${nodeOf(pod)} ${pod.spec?.containers[0]?.image}`).toSorted()
const revisions = async (): Promise<ControllerRevision[]> => {
  const { items } = await stage.client.list({ ...kindRef('apps/v1', 'ControllerRevision'), namespace: 'default' })
  return items.toSorted((a, b) => a.revision - b.revision)
}
const change = async (spec: object) => {
  await stage.client.patch({ ...sets, name: 'agent' }, { type: 'merge', patch: { spec } })
  await stage.settle()
}
const changeNode = async (name: string, patch: object) => {
  await stage.client.patch({ ...nodeKind, name }, { type: 'merge', patch })
  await stage.settle()
}

describe('a DaemonSet', () => {
  test('has one pod for each node, pinned to it', async () => {
    await stage.client.create(agent())
    await stage.keepReady()
    expect(await nodesOfPods()).toEqual(['a', 'b', 'c'])
    const [pod] = await stage.pods()
    const [revision] = await revisions()
    expect(pod?.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution).toEqual({
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeOf(pod as Pod)] }] }],
    })
    expect(pod?.metadata.labels).toEqual({
      app: 'agent',
      'pod-template-generation': '1',
      'controller-revision-hash': revision?.metadata.labels?.['controller-revision-hash'],
    })
    expect((await current()).status).toEqual({
      observedGeneration: 1,
      desiredNumberScheduled: 3,
      currentNumberScheduled: 3,
      numberMisscheduled: 0,
      numberReady: 3,
      numberAvailable: 3,
      updatedNumberScheduled: 3,
    })
    expect(await stage.events('agent')).toEqual(
      Array.from({ length: 3 }, () => expect.stringMatching(/^SuccessfulCreate Created pod: agent-/)),
    )
  })

  test('tolerates the troubles of nodes', async () => {
    const own = { key: 'dedicated', operator: 'Exists' }
    await stage.client.create(agent({ template: template('agent:1', { tolerations: [own] }) }))
    await stage.settle()
    const [pod] = await stage.pods()
    expect(pod?.spec?.tolerations?.map(({ key, effect }) => `${key} ${effect}`)).toEqual([
      'dedicated undefined',
      'node.kubernetes.io/not-ready NoExecute',
      'node.kubernetes.io/unreachable NoExecute',
      'node.kubernetes.io/disk-pressure NoSchedule',
      'node.kubernetes.io/memory-pressure NoSchedule',
      'node.kubernetes.io/pid-pressure NoSchedule',
      'node.kubernetes.io/unschedulable NoSchedule',
    ])
  })

  test('comes to a node that is added', async () => {
    await stage.client.create(agent())
    await stage.settle()
    await addNode('d')
    await stage.settle()
    expect(await nodesOfPods()).toEqual(['a', 'b', 'c', 'd'])
    expect((await current()).status).toMatchObject({ desiredNumberScheduled: 4, currentNumberScheduled: 4 })
  })

  test('follows its node selector', async () => {
    await addNode('disk', { disk: 'ssd' })
    await stage.client.create(agent({ template: template('agent:1', { nodeSelector: { disk: 'ssd' } }) }))
    await stage.settle()
    expect(await nodesOfPods()).toEqual(['disk'])
    await changeNode('a', { metadata: { labels: { disk: 'ssd' } } })
    await changeNode('disk', { metadata: { labels: { disk: null } } })
    expect(await nodesOfPods()).toEqual(['a'])
  })

  test('follows required node affinity', async () => {
    const requirement = { key: 'metadata.name', operator: 'In', values: ['b'] }
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [requirement] }] },
      },
    }
    await stage.client.create(agent({ template: template('agent:1', { affinity }) }))
    await stage.settle()
    expect(await nodesOfPods()).toEqual(['b'])
  })

  test('does not come to a node with a taint, stays through NoSchedule and leaves for NoExecute', async () => {
    await addNode('tainted', {}, [{ key: 'gpu', effect: 'NoSchedule' }])
    await stage.client.create(agent())
    await stage.keepReady()
    expect(await nodesOfPods()).toEqual(['a', 'b', 'c'])
    await changeNode('a', { spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] } })
    expect(await nodesOfPods()).toEqual(['a', 'b', 'c'])
    await changeNode('a', { spec: { taints: [{ key: 'gpu', effect: 'NoExecute' }] } })
    expect(await nodesOfPods()).toEqual(['b', 'c'])
    expect((await current()).status).toMatchObject({ desiredNumberScheduled: 2 })
  })

  test('replaces pods that ended, failed ones not all the time', async () => {
    await stage.client.create(agent())
    await stage.keepReady()
    const failing = async () => (await stage.pods()).find(pod => nodeOf(pod) === 'a') as Pod
    await stage.setPhase(await failing(), 'Failed')
    await stage.settle()
    expect((await failing()).status?.phase).toBe('Pending')
    await stage.setPhase(await failing(), 'Failed')
    await stage.settle()
    expect((await failing()).status?.phase).toBe('Failed')
    await stage.pass(2)
    expect((await failing()).status?.phase).toBe('Pending')
    expect(await stage.events('agent')).toContainEqual(
      expect.stringMatching(
        /^FailedDaemonPod Found failed daemon pod default\/agent-\w+ on node a, will try to kill it$/,
      ),
    )
  })

  test('keeps its template as a revision', async () => {
    await stage.client.create(agent())
    await stage.settle()
    const [revision] = await revisions()
    const hash = revision?.metadata.labels?.['controller-revision-hash']
    expect(revision).toMatchObject({
      metadata: { name: `agent-${hash}`, labels: { app: 'agent' }, ownerReferences: [{ kind: 'DaemonSet' }] },
      revision: 1,
      data: { spec: { template: { $patch: 'replace' } } },
    })
  })

  test('writes nothing once everything is as wanted', async () => {
    await stage.client.create(agent({ minReadySeconds: 5 }))
    await stage.keepReady()
    expect((await current()).status).toMatchObject({ numberReady: 3, numberUnavailable: 3 })
    await stage.pass(6)
    const before = await current()
    expect(before.status).toMatchObject({ numberAvailable: 3 })
    await stage.pass(600)
    expect((await current()).metadata.resourceVersion).toBe(before.metadata.resourceVersion)
  })
})

describe('an update', () => {
  test('replaces as many pods at a time as may be unavailable', async () => {
    await stage.client.create(agent())
    await stage.keepReady()
    await change({ template: template('agent:2') })
    expect(await images()).toEqual(['a agent:2', 'b agent:1', 'c agent:1'])
    expect((await current()).status).toMatchObject({ updatedNumberScheduled: 1, numberUnavailable: 1 })
    await stage.keepReady()
    expect(await images()).toEqual(['a agent:2', 'b agent:2', 'c agent:2'])
  })

  test('takes the limit as a percentage, rounded up', async () => {
    await stage.client.create(agent({ updateStrategy: rolling('50%') }))
    await stage.keepReady()
    await change({ template: template('agent:2') })
    expect(await images()).toEqual(['a agent:2', 'b agent:2', 'c agent:1'])
  })

  test('with a surge keeps the old pod until the new one is available', async () => {
    await stage.client.create(agent({ updateStrategy: rolling(0, 1) }))
    await stage.keepReady()
    await change({ template: template('agent:2') })
    expect(await images()).toEqual(['a agent:1', 'a agent:2', 'b agent:1', 'c agent:1'])
    await stage.keepReady()
    expect(await images()).toEqual(['a agent:2', 'b agent:2', 'c agent:2'])
  })

  test('on deletion changes only pods that somebody deletes', async () => {
    await stage.client.create(agent({ updateStrategy: { type: 'OnDelete' } }))
    await stage.keepReady()
    await change({ template: template('agent:2') })
    expect(await images()).toEqual(['a agent:1', 'b agent:1', 'c agent:1'])
    const pod = (await stage.pods()).find(pod => nodeOf(pod) === 'b')
    await stage.client.delete({ ...podKind, name: pod?.metadata.name ?? '' })
    await stage.settle()
    expect(await images()).toEqual(['a agent:1', 'b agent:2', 'c agent:1'])
  })

  test('back to a former template uses its revision again', async () => {
    await stage.client.create(agent())
    await stage.keepReady()
    const [first] = await revisions()
    await change({ template: template('agent:2') })
    await stage.keepReady()
    await change({ template: template('agent:1') })
    await stage.keepReady()
    expect(
      (await revisions()).map(({ metadata, revision }) => [metadata.name === first?.metadata.name, revision]),
    ).toEqual([
      [false, 2],
      [true, 3],
    ])
  })

  test('keeps as many revisions as the history may have', async () => {
    await stage.client.create(agent({ revisionHistoryLimit: 1 }))
    await stage.keepReady()
    for (const version of [2, 3, 4]) {
      await change({ template: template(`agent:${version}`) })
      await stage.keepReady()
    }
    expect((await revisions()).map(({ revision }) => revision)).toEqual([3, 4])
  })
})
