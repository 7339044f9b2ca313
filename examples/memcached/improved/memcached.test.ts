import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { kindRef, type OperatorCluster, testCluster } from 'tiphys/testing'

const MEMCACHED = kindRef('cache.example.com/v1', 'Memcached')
const DEPLOYMENT = kindRef('apps/v1', 'Deployment')
const SERVICE = kindRef('v1', 'Service')

let cluster: OperatorCluster
before(async () => {
  cluster = await testCluster({ manifests: import.meta.dirname, runtime: 'process' })
})
after(() => cluster.close())

const size = async (name: string) => (await cluster.get({ ...DEPLOYMENT, name }))?.spec?.replicas

test('two memcacheds do not collide', async () => {
  assert.equal(await size('sample'), 3)
  assert.equal(await size('other'), 1)
  const service = await cluster.get({ ...SERVICE, name: 'other' })
  assert.deepEqual(service?.spec?.selector, { app: 'memcached', memcached: 'other' })
})

test('changes in quick succession end with the last', async () => {
  const resized = (wanted: number) => ({ ...MEMCACHED, metadata: { name: 'other' }, spec: { size: wanted } })
  await cluster.apply(resized(2), resized(3), resized(0))
  assert.equal(await size('other'), 0)
})

test('a change of the status starts nothing', async () => {
  const runs = async () => (await cluster.client.list(kindRef('argoproj.io/v1alpha1', 'Workflow'))).items.length
  const before = await runs()
  const ref = { ...MEMCACHED, namespace: 'default', name: 'other' }
  await cluster.client.patch(ref, { type: 'merge', patch: { status: { ready: 7 } } }, { subresource: 'status' })
  await cluster.settle()
  assert.equal(await runs(), before)
})

test('deployment and service go with their memcached', async () => {
  await cluster.delete({ ...MEMCACHED, name: 'other' })
  assert.equal(await cluster.get({ ...DEPLOYMENT, name: 'other' }), undefined)
  assert.equal(await cluster.get({ ...SERVICE, name: 'other' }), undefined)
  assert.equal(await size('sample'), 3)
})
