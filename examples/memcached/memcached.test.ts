import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { kindRef, type OperatorCluster, testCluster } from 'tiphys/testing'

const MEMCACHED = kindRef('cache.example.com/v1', 'Memcached')
const DEPLOYMENT = kindRef('apps/v1', 'Deployment')
const SERVICE = kindRef('v1', 'Service')

// The steps of its workflow are run: the script in Python decides what is written.
let cluster: OperatorCluster
before(async () => {
  cluster = await testCluster({ manifests: import.meta.dirname, runtime: 'process' })
})
after(() => cluster.close())

const size = async () => (await cluster.get({ ...DEPLOYMENT, name: 'memcached' }))?.spec?.replicas

test('the sample has a deployment of its size, and a service', async () => {
  assert.equal(await size(), 3)
  assert.ok(await cluster.get({ ...SERVICE, name: 'memcached' }))
})

test('the deployment follows when it is resized', async () => {
  await cluster.apply({ ...MEMCACHED, metadata: { name: 'sample' }, spec: { size: 1 } })
  assert.equal(await size(), 1)
})

test('a size that makes no sense is refused', async () => {
  const huge = { ...MEMCACHED, metadata: { name: 'huge' }, spec: { size: 10 } }
  await assert.rejects(cluster.apply(huge), /should be less than or equal to 9/)
})

test('both go with the memcached', async () => {
  await cluster.delete({ ...MEMCACHED, name: 'sample' })
  assert.equal(await cluster.get({ ...DEPLOYMENT, name: 'memcached' }), undefined)
  assert.equal(await cluster.get({ ...SERVICE, name: 'memcached' }), undefined)
})
