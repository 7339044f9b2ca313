import { kindRef } from '@tiphys/kube'
import type { Lease, Node, Pod } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createNodeIpamController } from './node-ipam.ts'
import { createNodeLifecycleController } from './node-lifecycle.ts'
import { createStage, type Stage } from './stage.ts'
import { createTaintEvictionController } from './taint-eviction.ts'

let stage: Stage

beforeEach(async () => {
  stage = await createStage(createNodeLifecycleController, createTaintEvictionController, createNodeIpamController)
})

afterEach(() => stage.stop())

const nodeRef = { ...kindRef<Node>('v1', 'Node'), name: 'one' }
const podRef = { ...kindRef<Pod>('v1', 'Pod'), namespace: 'default', name: 'web' }
const leaseRef = { ...kindRef<Lease>('coordination.k8s.io/v1', 'Lease'), namespace: 'kube-node-lease', name: 'one' }
const time = () => new Date(stage.clock.now()).toISOString()

const addNode = async () => {
  await stage.client.create<Node>({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'one', labels: { 'kubernetes.io/os': 'linux' } },
  })
  const { apiVersion, kind, namespace, name } = leaseRef
  const spec = { holderIdentity: 'one', renewTime: time().replace('Z', '000Z') }
  await stage.client.create({ apiVersion, kind, metadata: { namespace, name }, spec })
  await setReady('True')
}

const setReady = (status: string) => {
  const condition = {
    type: 'Ready',
    status,
    reason: 'KubeletReady',
    lastHeartbeatTime: time(),
    lastTransitionTime: time(),
  }
  return stage.client.patch(
    nodeRef,
    { type: 'merge', patch: { status: { conditions: [condition] } } },
    { subresource: 'status' },
  )
}

const renew = () =>
  stage.client.patch(leaseRef, { type: 'merge', patch: { spec: { renewTime: time().replace('Z', '000Z') } } })

const addPod = async () => {
  await stage.client.create<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default' },
    spec: { nodeName: 'one', containers: [{ name: 'c', image: 'x' }] },
  })
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: time() }]
  await stage.client.patch(
    podRef,
    { type: 'merge', patch: { status: { phase: 'Running', conditions } } },
    { subresource: 'status' },
  )
}

const node = () => stage.client.get(nodeRef)
const taints = async () => ((await node()).spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`)

it('frees a node of its first taint when it is ready, and gives it addresses', async () => {
  await addNode()
  await stage.settle()
  const { spec, metadata } = await node()
  expect(spec?.taints).toBeUndefined()
  expect(spec?.podCIDR).toBe('10.244.0.0/24')
  expect(metadata.labels).toMatchObject({ 'beta.kubernetes.io/os': 'linux' })
  expect(await stage.events('one')).toEqual(['RegisteredNode Node one event: Registered Node one in Controller'])
})

it('leaves a node alone as long as it renews its lease', async () => {
  await addNode()
  for (let i = 0; i < 10; i++) {
    await stage.pass(10)
    await renew()
  }
  expect((await node()).status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }])
})

it('marks a silent node unreachable, its pods not ready, and evicts them after their toleration', async () => {
  await addNode()
  await addPod()
  await stage.pass(51)
  expect((await node()).status?.conditions).toMatchObject([
    { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' },
    { type: 'MemoryPressure', status: 'Unknown', reason: 'NodeStatusNeverUpdated' },
    { type: 'DiskPressure', status: 'Unknown' },
    { type: 'PIDPressure', status: 'Unknown' },
  ])
  expect(await taints()).toEqual([
    'node.kubernetes.io/unreachable:NoSchedule',
    'node.kubernetes.io/unreachable:NoExecute',
  ])
  expect((await stage.client.get(podRef)).status?.conditions).toMatchObject([{ type: 'Ready', status: 'False' }])
  expect(await stage.events('web')).toEqual(['NodeNotReady Node is not ready'])
  await stage.pass(290)
  expect((await stage.client.get(podRef)).metadata.deletionTimestamp).toBeUndefined()
  await stage.pass(15)
  const evicted = await stage.client.get(podRef)
  expect(evicted.metadata.deletionTimestamp).toBeDefined()
  expect(evicted.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'DisruptionTarget', reason: 'DeletionByTaintManager' }),
  )
})

it('takes an eviction back when the node returns', async () => {
  await addNode()
  await addPod()
  await stage.pass(51)
  await setReady('True')
  await stage.pass(5)
  expect(await taints()).toEqual([])
  for (let i = 0; i < 40; i++) {
    await stage.pass(10)
    await renew()
  }
  expect((await stage.client.get(podRef)).metadata.deletionTimestamp).toBeUndefined()
  expect(await stage.events('web')).toContain('TaintManagerEviction Cancelling deletion of Pod default/web')
})

it('evicts at once what does not tolerate a taint', async () => {
  await addNode()
  await addPod()
  await stage.settle()
  await stage.client.patch(nodeRef, { type: 'merge', patch: { spec: { taints: [{ key: 'x', effect: 'NoExecute' }] } } })
  await stage.settle()
  expect((await stage.client.get(podRef)).metadata.deletionTimestamp).toBeDefined()
})

it('taints a node that is cordoned', async () => {
  await addNode()
  await stage.client.patch(nodeRef, { type: 'merge', patch: { spec: { unschedulable: true } } })
  await stage.settle()
  expect(await taints()).toEqual(['node.kubernetes.io/unschedulable:NoSchedule'])
})
