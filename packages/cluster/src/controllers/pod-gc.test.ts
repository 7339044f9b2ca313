import { kindRef } from '@tiphys/kube'
import type { Pod } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createPodGcController } from './pod-gc.ts'
import { createStage, type Stage } from './stage.ts'

describe('pods that nobody else deletes', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await createStage(context => createPodGcController(context, { terminatedPodThreshold: 2 }))
  })
  afterEach(() => stage.stop())

  const POD = kindRef('v1', 'Pod')
  const ref = (name: string) => ({ ...POD, namespace: 'default', name })
  const node = (name: string, spec: object = {}) =>
    stage.client.create({ ...kindRef('v1', 'Node'), metadata: { name }, spec })
  const pod = (name: string, spec: object = {}, finalizers: string[] = []) =>
    stage.client.create({
      ...POD,
      metadata: { namespace: 'default', name, ...(finalizers.length > 0 && { finalizers }) },
      spec: { containers: [{ name: 'c', image: 'c' }], ...spec },
    })
  const setStatus = (name: string, status: object) =>
    stage.client.patch(ref(name), { type: 'merge', patch: { status } }, { subresource: 'status' })
  const names = async () =>
    (await stage.client.list({ ...POD, namespace: 'default' })).items.map(({ metadata }) => metadata.name ?? '').sort()

  test('those of a node that is gone, after a while, marked as failed', async () => {
    await node('n')
    await pod('p', { nodeName: 'n' }, ['example.com/mine'])
    await setStatus('p', { phase: 'Running' })
    await stage.settle()
    await stage.client.delete({ ...kindRef('v1', 'Node'), name: 'n' })
    await stage.pass(39)
    expect((await stage.client.get(ref('p'))).metadata.deletionTimestamp).toBeUndefined()
    await stage.pass(2)
    const { status, metadata }: Pod = await stage.client.get(ref('p'))
    expect(metadata.deletionTimestamp).toBeDefined()
    expect(status?.phase).toBe('Failed')
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByPodGC',
        message: 'PodGC: node no longer exists',
      }),
    )
  })

  test('not those of a node that comes back in time', async () => {
    await node('n')
    await pod('p', { nodeName: 'n' })
    await stage.settle()
    await stage.client.delete({ ...kindRef('v1', 'Node'), name: 'n' })
    await stage.pass(30)
    await node('n')
    await stage.pass(60)
    expect(await names()).toEqual(['p'])
  })

  test('those that are to go and were never scheduled, at once', async () => {
    await pod('p', {}, ['example.com/mine'])
    await stage.client.delete(ref('p'))
    await stage.settle()
    expect((await stage.client.get(ref('p'))).status?.phase).toBe('Failed')
    await stage.client.patch(ref('p'), { type: 'merge', patch: { metadata: { finalizers: null } } })
    await stage.settle()
    expect(await names()).toEqual([])
  })

  test('those that are to go on a node that is out of service', async () => {
    await node('n', { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] })
    await pod('p', { nodeName: 'n' })
    await pod('q', { nodeName: 'n' })
    await stage.client.delete(ref('p'))
    await stage.settle()
    expect(await names()).toEqual(['q'])
  })

  test('the oldest finished ones above the threshold, evicted ones first', async () => {
    await node('n')
    for (const name of ['a', 'b', 'c', 'd']) {
      await pod(name, { nodeName: 'n' })
      await setStatus(name, name === 'd' ? { phase: 'Failed', reason: 'Evicted' } : { phase: 'Succeeded' })
      await stage.clock.advance(1000)
    }
    await stage.pass(21)
    expect(await names()).toEqual(['b', 'c'])
  })
})
