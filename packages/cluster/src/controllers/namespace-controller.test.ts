import { kindRef } from '@tiphys/kube'
import type { NamespaceCondition } from '@tiphys/kube/kinds'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { namespaceConditions } from './namespace/conditions.ts'
import type { Remainder } from './namespace/content.ts'
import { createNamespaceController } from './namespace-controller.ts'
import { createStage, type Stage } from './stage.ts'

const NAMESPACE = kindRef('v1', 'Namespace')

describe('deleting a namespace', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await createStage(createNamespaceController)
    await stage.client.create({ ...NAMESPACE, metadata: { name: 'gone' } })
  })
  afterEach(() => stage.stop())

  const configMap = (name: string, finalizers: string[] = []) =>
    stage.client.create({
      ...kindRef('v1', 'ConfigMap'),
      metadata: { name, namespace: 'gone', ...(finalizers.length > 0 && { finalizers }) },
    })
  const pod = (name: string, more: object = {}) =>
    stage.client.create({
      ...kindRef('v1', 'Pod'),
      metadata: { name, namespace: 'gone' },
      spec: { containers: [{ name: 'c', image: 'c' }], nodeName: 'n', ...more },
    })
  const remove = async () => {
    await stage.client.delete({ ...NAMESPACE, name: 'gone' })
    await stage.settle()
  }
  const exists = () => stage.exists({ ...NAMESPACE, name: 'gone' })
  const conditions = async () =>
    (await stage.client.get({ ...NAMESPACE, name: 'gone' })).status?.conditions?.map(
      ({ type, status, reason, message }) => `${type} ${status} ${reason} ${message}`,
    )
  const release = (kind: string, name: string) =>
    stage.client.patch(
      { apiVersion: 'v1', kind, namespace: 'gone', name },
      { type: 'merge', patch: { metadata: { finalizers: null } } },
    )

  test('takes everything in it along', async () => {
    await configMap('a')
    await stage.client.create({
      ...kindRef('apps/v1', 'Deployment'),
      metadata: { name: 'd', namespace: 'gone' },
      spec: {
        selector: { matchLabels: { app: 'd' } },
        template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'c' }] } },
      },
    })
    await remove()
    expect(await exists()).toBe(false)
    for (const kind of ['ConfigMap', 'ServiceAccount'])
      expect((await stage.client.list({ apiVersion: 'v1', kind, namespace: 'gone' })).items).toEqual([])
    expect((await stage.client.list({ ...kindRef('apps/v1', 'Deployment'), namespace: 'gone' })).items).toEqual([])
  })

  test('others stay', async () => {
    await remove()
    expect((await stage.client.list(NAMESPACE)).items.map(({ metadata }) => metadata.name ?? '').sort()).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ])
  })

  test('says what remains and why, and goes on as soon as that is gone', async () => {
    await configMap('a', ['example.com/mine'])
    await configMap('b', ['example.com/mine', 'example.com/other'])
    await remove()
    expect(await conditions()).toEqual([
      'NamespaceDeletionDiscoveryFailure False ResourcesDiscovered All resources successfully discovered',
      'NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions All legacy kube types successfully parsed',
      'NamespaceDeletionContentFailure False ContentDeleted All content successfully deleted, may be waiting on finalization',
      'NamespaceContentRemaining True SomeResourcesRemain Some resources are remaining: configmaps. has 2 resource instances',
      'NamespaceFinalizersRemaining True SomeFinalizersRemain Some content in the namespace has finalizers remaining: example.com/mine in 2 resource instances, example.com/other in 1 resource instances',
    ])
    await release('ConfigMap', 'a')
    await release('ConfigMap', 'b')
    await stage.settle()
    expect(await exists()).toBe(false)
  })

  test('waits for pods to end before it touches the rest', async () => {
    await configMap('used-by-pod')
    await pod('p')
    await remove()
    expect(await stage.exists({ ...kindRef('v1', 'ConfigMap'), name: 'used-by-pod', namespace: 'gone' })).toBe(true)
    await stage.client.delete({ ...kindRef('v1', 'Pod'), name: 'p', namespace: 'gone' }, { gracePeriodSeconds: 0 })
    await stage.settle()
    expect(await exists()).toBe(false)
  })

  test('a pod that outlives its grace period is a failure that is said', async () => {
    await pod('p', { terminationGracePeriodSeconds: 10 })
    await remove()
    await stage.pass(30)
    expect((await conditions())?.find(condition => condition.startsWith('NamespaceDeletionContentFailure'))).toBe(
      'NamespaceDeletionContentFailure True ContentDeletionFailed Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: gone for gvr: /v1, Resource=pods',
    )
  })

  test('a finalizer of somebody else in spec stays', async () => {
    const { metadata } = await stage.client.get({ ...NAMESPACE, name: 'gone' })
    await stage.client.subresource('update', { ...NAMESPACE, name: 'gone' }, 'finalize', {
      ...NAMESPACE,
      metadata,
      spec: { finalizers: ['example.com/mine', 'kubernetes'] },
    })
    await remove()
    const namespace = await stage.client.get({ ...NAMESPACE, name: 'gone' })
    expect(namespace.spec?.finalizers).toEqual(['example.com/mine'])
  })

  test('nothing is written while nothing changes', async () => {
    await configMap('a', ['example.com/mine'])
    await remove()
    const before = (await stage.client.get({ ...NAMESPACE, name: 'gone' })).metadata.resourceVersion
    await stage.pass(120)
    expect((await stage.client.get({ ...NAMESPACE, name: 'gone' })).metadata.resourceVersion).toBe(before)
  })
})

describe('conditions', () => {
  const pods = { group: '', version: 'v1', resource: 'pods' } as Remainder['resource']
  const remainder = (more: Partial<Remainder>): Remainder => ({
    resource: pods,
    count: 0,
    finalizers: new Map(),
    estimateSeconds: 0,
    ...more,
  })
  const find = (conditions: NamespaceCondition[], type: string) => conditions.find(one => one.type === type)

  test('keep their time as long as their status stays', () => {
    const first = namespaceConditions([], { remainders: [remainder({ count: 2 })], isPartial: false }, 'then')
    const second = namespaceConditions(first, { remainders: [remainder({ count: 1 })], isPartial: false }, 'now')
    expect(find(second, 'NamespaceContentRemaining')).toEqual({
      type: 'NamespaceContentRemaining',
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: 'Some resources are remaining: pods. has 1 resource instances',
      lastTransitionTime: 'then',
    })
    const third = namespaceConditions(second, { remainders: [], isPartial: false }, 'now')
    expect(find(third, 'NamespaceContentRemaining')?.lastTransitionTime).toBe('now')
  })

  test('errors are counted and sorted', () => {
    const remainders = [remainder({ error: new Error('b') }), remainder({ error: new Error('a') })]
    const conditions = namespaceConditions([], { remainders, isPartial: false }, 'now')
    expect(find(conditions, 'NamespaceDeletionContentFailure')?.message).toBe(
      'Failed to delete all resource types, 2 remaining: a, b',
    )
  })

  test('a discovery that failed is said', () => {
    const conditions = namespaceConditions([], { discoveryError: 'no', remainders: [], isPartial: false }, 'now')
    expect(find(conditions, 'NamespaceDeletionDiscoveryFailure')).toMatchObject({
      status: 'True',
      reason: 'DiscoveryFailed',
      message: 'no',
    })
  })
})
