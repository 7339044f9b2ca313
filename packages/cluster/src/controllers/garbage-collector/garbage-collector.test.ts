import { type KubeObject, kindRef, type OwnerReference, type Status } from '@tiphys/kube'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createStage, type Stage } from '../stage.ts'
import { createGarbageCollectorController } from './garbage-collector.ts'

let stage: Stage
beforeEach(async () => {
  stage = await createStage(createGarbageCollectorController)
})
afterEach(() => stage.stop())

const CONFIG_MAP = kindRef('v1', 'ConfigMap')
const ref = (name: string, namespace = 'default') => ({ ...CONFIG_MAP, name, namespace })

const ownerOf = ({ apiVersion, kind, metadata }: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  ...more,
})

const configMap = (name: string, owners: OwnerReference[] = [], metadata: Partial<KubeObject['metadata']> = {}) =>
  stage.client.create({
    ...CONFIG_MAP,
    metadata: { name, namespace: 'default', ...(owners.length > 0 && { ownerReferences: owners }), ...metadata },
  })

const namesIn = async (namespace = 'default') =>
  (await stage.client.list({ ...CONFIG_MAP, namespace })).items
    .map(({ metadata }) => metadata.name ?? '')
    .filter(name => name !== 'kube-root-ca.crt')
    .sort()

type Policy = 'Background' | 'Foreground' | 'Orphan'
const remove = (name: string, propagationPolicy: Policy) =>
  stage.client.delete(ref(name), { propagationPolicy }) as Promise<KubeObject | Status>

describe('background deletion', () => {
  test('takes dependents and their dependents along', async () => {
    const a = await configMap('a')
    const b = await configMap('b', [ownerOf(a)])
    await configMap('c', [ownerOf(b)])
    await configMap('unrelated')
    await stage.settle()
    await remove('a', 'Background')
    await stage.settle()
    expect(await namesIn()).toEqual(['unrelated'])
  })

  test('an object with another living owner stays, without the reference to the dead one', async () => {
    const a = await configMap('a')
    const other = await configMap('other')
    await configMap('c', [ownerOf(a), ownerOf(other)])
    await stage.settle()
    await remove('a', 'Background')
    await stage.settle()
    const { metadata } = await stage.client.get(ref('c'))
    expect(metadata.ownerReferences).toEqual([ownerOf(other)])
  })

  test('a dependent that is made after its owner is gone goes too', async () => {
    const a = await configMap('a')
    await remove('a', 'Background')
    await stage.settle()
    await configMap('late', [ownerOf(a)])
    await stage.settle()
    expect(await namesIn()).toEqual([])
  })

  test('a namesake with another uid is no owner', async () => {
    await configMap('a')
    await configMap('b', [{ ...ownerOf(await stage.client.get(ref('a'))), uid: 'another' }])
    await stage.settle()
    expect(await namesIn()).toEqual(['a'])
  })

  test('a dependent that waits for a finalizer keeps waiting, and its own dependents with it', async () => {
    const a = await configMap('a')
    const b = await configMap('b', [ownerOf(a)], { finalizers: ['example.com/mine'] })
    await configMap('c', [ownerOf(b)])
    await stage.settle()
    await remove('a', 'Background')
    await stage.settle()
    expect(await namesIn()).toEqual(['b', 'c'])
    await stage.client.patch(ref('b'), { type: 'merge', patch: { metadata: { finalizers: null } } })
    await stage.settle()
    expect(await namesIn()).toEqual([])
  })

  test('two objects that own each other are left alone until one is deleted', async () => {
    const a = await configMap('a')
    const b = await configMap('b', [ownerOf(a)])
    await stage.client.patch(ref('a'), { type: 'merge', patch: { metadata: { ownerReferences: [ownerOf(b)] } } })
    await stage.settle()
    expect(await namesIn()).toEqual(['a', 'b'])
    await remove('a', 'Background')
    await stage.settle()
    expect(await namesIn()).toEqual([])
  })

  test('dependents of what was deleted before the start are found', async () => {
    const a = await configMap('a')
    await stage.stop()
    expect(a.metadata.uid).toBeDefined()
    stage = await createStage()
    await configMap('b', [{ ...ownerOf(a) }])
    const { createGarbageCollectorController: create } = await import('./garbage-collector.ts')
    const collector = create(stage.context)
    await stage.settle()
    while (!collector.isIdle()) await stage.settle()
    await stage.settle()
    expect(await namesIn()).toEqual([])
    await collector.stop()
  })
})

describe('foreground deletion', () => {
  const blocking = { blockOwnerDeletion: true }

  test('the owner goes after what blocks it', async () => {
    const a = await configMap('a')
    await configMap('b', [ownerOf(a, blocking)], { finalizers: ['example.com/mine'] })
    await stage.settle()
    await remove('a', 'Foreground')
    await stage.settle()
    expect(await namesIn()).toEqual(['a', 'b'])
    expect((await stage.client.get(ref('b'))).metadata.deletionTimestamp).toBeDefined()
    await stage.client.patch(ref('b'), { type: 'merge', patch: { metadata: { finalizers: null } } })
    await stage.settle()
    expect(await namesIn()).toEqual([])
  })

  test('a dependent that does not block is deleted, and not waited for', async () => {
    const a = await configMap('a')
    await configMap('b', [ownerOf(a)], { finalizers: ['example.com/mine'] })
    await stage.settle()
    await remove('a', 'Foreground')
    await stage.settle()
    expect(await namesIn()).toEqual(['b'])
    expect((await stage.client.get(ref('b'))).metadata.deletionTimestamp).toBeDefined()
  })

  test('goes down the whole tree, leaves first', async () => {
    const a = await configMap('a')
    const b = await configMap('b', [ownerOf(a, blocking)])
    await configMap('c', [ownerOf(b, blocking)], { finalizers: ['example.com/mine'] })
    await stage.settle()
    await remove('a', 'Foreground')
    await stage.settle()
    expect(await namesIn()).toEqual(['a', 'b', 'c'])
    expect((await stage.client.get(ref('b'))).metadata.finalizers).toEqual(['foregroundDeletion'])
    await stage.client.patch(ref('c'), { type: 'merge', patch: { metadata: { finalizers: null } } })
    await stage.settle()
    expect(await namesIn()).toEqual([])
  })

  test('a dependent with another living owner stays, and the owner goes', async () => {
    const a = await configMap('a')
    const other = await configMap('other')
    await configMap('c', [ownerOf(a, blocking), ownerOf(other)])
    await stage.settle()
    await remove('a', 'Foreground')
    await stage.settle()
    expect(await namesIn()).toEqual(['c', 'other'])
    expect((await stage.client.get(ref('c'))).metadata.ownerReferences).toEqual([ownerOf(other)])
  })

  test('a circle that blocks itself ends', async () => {
    const a = await configMap('a')
    const b = await configMap('b', [ownerOf(a, blocking)])
    await stage.client.patch(ref('a'), {
      type: 'merge',
      patch: { metadata: { ownerReferences: [ownerOf(b, blocking)] } },
    })
    await stage.settle()
    await remove('a', 'Foreground')
    await stage.settle()
    expect(await namesIn()).toEqual([])
  })

  test('a dependent that ceases to block lets the owner go', async () => {
    const a = await configMap('a')
    await configMap('b', [ownerOf(a, blocking)], { finalizers: ['example.com/mine'] })
    await stage.settle()
    await remove('a', 'Foreground')
    await stage.settle()
    await stage.client.patch(ref('b'), {
      type: 'merge',
      patch: { metadata: { ownerReferences: [ownerOf(a, { blockOwnerDeletion: false })] } },
    })
    await stage.settle()
    expect(await namesIn()).toEqual(['b'])
  })
})

describe('orphaning', () => {
  test('dependents stay, without the reference', async () => {
    const a = await configMap('a')
    const other = await configMap('other')
    await configMap('b', [ownerOf(a)])
    await configMap('c', [ownerOf(a), ownerOf(other)])
    await stage.settle()
    await remove('a', 'Orphan')
    await stage.settle()
    expect(await namesIn()).toEqual(['b', 'c', 'other'])
    expect((await stage.client.get(ref('b'))).metadata.ownerReferences).toBeUndefined()
    expect((await stage.client.get(ref('c'))).metadata.ownerReferences).toEqual([ownerOf(other)])
  })
})

describe('namespaces and scopes', () => {
  test('an owner in another namespace is no owner: a warning, and the object goes', async () => {
    await stage.client.create({ ...kindRef('v1', 'Namespace'), metadata: { name: 'other' } })
    const a = await configMap('a')
    await stage.settle()
    const b = await configMap('b', [ownerOf(a)], { namespace: 'other' })
    await stage.settle()
    expect(await namesIn('other')).toEqual([])
    expect(await stage.events('b')).toEqual([
      `OwnerRefInvalidNamespace ownerRef [v1/ConfigMap, namespace: other, name: a, uid: ${a.metadata.uid}] does not exist in namespace "other"`,
    ])
    expect(b.metadata.uid).not.toBe(a.metadata.uid)
  })

  test('a cluster-scoped owner may own objects of a namespace', async () => {
    const role = await stage.client.create({
      ...kindRef('rbac.authorization.k8s.io/v1', 'ClusterRole'),
      metadata: { name: 'owner' },
      rules: [],
    })
    await configMap('b', [ownerOf(role)])
    await stage.settle()
    expect(await namesIn()).toEqual(['b'])
    await stage.client.delete({ ...kindRef('rbac.authorization.k8s.io/v1', 'ClusterRole'), name: 'owner' })
    await stage.settle()
    expect(await namesIn()).toEqual([])
  })

  test('a cluster-scoped object that names a namespaced owner is left alone', async () => {
    const a = await configMap('a')
    const role = kindRef('rbac.authorization.k8s.io/v1', 'ClusterRole')
    await stage.client.create({ ...role, metadata: { name: 'child', ownerReferences: [ownerOf(a)] }, rules: [] })
    await stage.settle()
    await remove('a', 'Background')
    await stage.settle()
    expect(await stage.exists({ ...role, name: 'child' })).toBe(true)
  })

  test('an owner of a kind that does not exist keeps the object', async () => {
    await configMap('b', [{ apiVersion: 'example.com/v1', kind: 'Nothing', name: 'x', uid: 'x' }])
    await stage.pass(60)
    expect(await namesIn()).toEqual(['b'])
  })
})

describe('custom kinds', () => {
  const WIDGET = kindRef('example.com/v1', 'Widget')
  const definition = {
    ...kindRef('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  } as unknown as KubeObject
  const widget = (name: string, owners: OwnerReference[] = []) =>
    stage.client.create({
      ...WIDGET,
      metadata: { name, namespace: 'default', ...(owners.length > 0 && { ownerReferences: owners }) },
    })

  test('own and are owned, from the moment they exist', async () => {
    await stage.settle()
    await stage.client.create(definition)
    await stage.settle()
    const top = await widget('top')
    const child = await widget('child', [ownerOf(top)])
    await configMap('leaf', [ownerOf(child)])
    await stage.settle()
    await stage.client.delete({ ...WIDGET, name: 'top', namespace: 'default' })
    await stage.settle()
    expect((await stage.client.list({ ...WIDGET, namespace: 'default' })).items).toEqual([])
    expect(await namesIn()).toEqual([])
  })

  test('lose a reference by a merge patch', async () => {
    await stage.client.create(definition)
    await stage.settle()
    const a = await configMap('a')
    await widget('child', [ownerOf(a)])
    await stage.settle()
    await remove('a', 'Orphan')
    await stage.settle()
    const { metadata } = await stage.client.get({ ...WIDGET, name: 'child', namespace: 'default' })
    expect(metadata.ownerReferences ?? []).toEqual([])
  })

  test('take their dependents along when the kind itself goes', async () => {
    await stage.client.create(definition)
    await stage.settle()
    await configMap('leaf', [ownerOf(await widget('top'))])
    await stage.settle()
    await stage.client.delete({
      ...kindRef('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
      name: 'widgets.example.com',
    })
    await stage.settle()
    expect(await namesIn()).toEqual([])
  })
})
