import { type KubeObject, kindRef, type ObjectRef } from '@tiphys/kube'
import type { Pod, PodSpec } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createStage, type Stage } from '../controllers/stage.ts'
import { createScheduler } from './scheduler.ts'

let stage: Stage

beforeEach(async () => {
  stage = await createStage(createScheduler)
})

afterEach(() => stage.stop())

const addNode = async (name: string, cpu = '4') => {
  const metadata = { name, labels: { 'kubernetes.io/hostname': name } }
  await stage.client.create({ apiVersion: 'v1', kind: 'Node', metadata })
  const ref = { ...kindRef('v1', 'Node'), name }
  await stage.client.patch(ref, { type: 'merge', patch: { spec: { taints: null } } })
  const status = { allocatable: { cpu, memory: '8Gi', pods: '110' } }
  await stage.client.patch(ref, { type: 'merge', patch: { status } }, { subresource: 'status' })
}

const addPriority = (name: string, value: number) => {
  const priority = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value }
  return stage.client.create<KubeObject>(priority)
}

const podNamed = (name: string, cpu?: string, spec: Partial<PodSpec> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'x', ...(cpu && { resources: { requests: { cpu } } }) }], ...spec },
})

const podRef = (name: string): ObjectRef<Pod> => ({ ...kindRef<Pod>('v1', 'Pod'), namespace: 'default', name })
const get = (name: string) => stage.client.get(podRef(name))
const nodeOf = async (name: string) => (await get(name)).spec?.nodeName

it('binds a pod and says so', async () => {
  await addNode('one')
  await stage.client.create(podNamed('web'))
  await stage.settle()
  const { spec, status } = await get('web')
  expect(spec?.nodeName).toBe('one')
  expect(status?.conditions).toMatchObject([{ type: 'PodScheduled', status: 'True' }])
  expect(await stage.events('web')).toEqual(['Scheduled Successfully assigned default/web to one'])
})

it('says why a pod has no node, and binds it when a node comes', async () => {
  await addNode('small', '1')
  await stage.client.create(podNamed('big', '2'))
  await stage.settle()
  const message =
    '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.'
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }
  expect((await get('big')).status?.conditions).toMatchObject([condition])
  expect(await stage.events('big')).toEqual([`FailedScheduling ${message}`])
  await addNode('large')
  await stage.settle()
  expect(await nodeOf('big')).toBe('large')
})

it('binds a pod when another one frees its place', async () => {
  await addNode('one')
  await stage.client.create(podNamed('first', '3'))
  await stage.settle()
  await stage.client.create(podNamed('second', '3'))
  await stage.pass(5)
  expect(await nodeOf('second')).toBeUndefined()
  await stage.client.delete(podRef('first'), { gracePeriodSeconds: 0 })
  await stage.settle()
  expect(await nodeOf('second')).toBe('one')
})

it('schedules the more important pod first, and leaves gated and foreign pods alone', async () => {
  await addPriority('high', 100)
  await stage.client.create(podNamed('low', '3'))
  await stage.client.create(podNamed('high', '3', { priorityClassName: 'high' }))
  await stage.client.create(podNamed('gated', '1', { schedulingGates: [{ name: 'example.com/wait' }] }))
  await stage.client.create(podNamed('foreign', '1', { schedulerName: 'other' }))
  await stage.settle()
  await addNode('one')
  await stage.settle()
  expect(await nodeOf('high')).toBe('one')
  expect(await nodeOf('low')).toBeUndefined()
  expect(await nodeOf('gated')).toBeUndefined()
  expect(await nodeOf('foreign')).toBeUndefined()
  await stage.client.patch(podRef('gated'), { type: 'merge', patch: { spec: { schedulingGates: null } } })
  await stage.settle()
  expect(await nodeOf('gated')).toBe('one')
})

it('makes room for a more important pod', async () => {
  await addNode('one')
  await addPriority('high', 100)
  await stage.client.create(podNamed('victim', '3', { terminationGracePeriodSeconds: 0 }))
  await stage.settle()
  await stage.client.create(podNamed('urgent', '3', { priorityClassName: 'high' }))
  await stage.pass(1)
  expect(await stage.exists(podRef('victim'))).toBe(false)
  expect(await nodeOf('urgent')).toBe('one')
})

it('spreads many pods evenly', async () => {
  for (let i = 0; i < 5; i++) await addNode(`node-${i}`)
  for (let i = 0; i < 50; i++) await stage.client.create(podNamed(`p${i}`))
  await stage.settle()
  const { items } = await stage.client.list(kindRef('v1', 'Pod'))
  const countOn = (node: number) => items.filter(({ spec }) => spec?.nodeName === `node-${node}`).length
  expect(Array.from({ length: 5 }, (_, i) => countOn(i))).toEqual(Array(5).fill(10))
})

it('writes nothing when nothing changes', async () => {
  await addNode('one', '1')
  await stage.client.create(podNamed('big', '2'))
  await stage.settle()
  const { revision } = stage.server.storage
  await stage.pass(600)
  expect(stage.server.storage.revision).toBe(revision)
})
