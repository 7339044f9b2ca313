import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { kindRef, type OperatorCluster, testCluster } from 'tiphys/testing'

const DATABASE = kindRef('stable.imaginedata.com/v1', 'Database')
const SECRET = kindRef('v1', 'Secret')
const SERVICE = kindRef('v1', 'Service')
const STATEFUL_SET = kindRef('apps/v1', 'StatefulSet')
const CLAIM = kindRef('v1', 'PersistentVolumeClaim')

let cluster: OperatorCluster
before(async () => {
  cluster = await testCluster({ manifests: import.meta.dirname })
})
after(() => cluster.close())

const orders = (spec: object) => ({ ...DATABASE, metadata: { name: 'orders' }, spec })

test('a database is a service and a stateful set with a volume', async () => {
  await cluster.apply(orders({ name: 'orders', 'storage-size': '5Gi', port: 6000 }))
  const service = await cluster.get({ ...SERVICE, name: 'orders' })
  assert.equal(service?.spec?.ports?.[0]?.port, 6000)
  const set = await cluster.get({ ...STATEFUL_SET, name: 'orders' })
  assert.equal(set?.spec?.template.spec?.containers[0]?.image, 'postgres:15')
  const claim = await cluster.get({ ...CLAIM, name: 'data-orders-0' })
  assert.equal(claim?.spec?.resources?.requests?.storage, '5Gi')
})

test('its status says how many are ready: none without the password, then one', async () => {
  const status = async () => ((await cluster.get({ ...DATABASE, name: 'orders' })) as { status?: object }).status
  assert.deepEqual(await status(), { ready: '0/1', replicas: 1, selector: 'app=database,database=orders' })
  await cluster.apply({ ...SECRET, metadata: { name: 'orders' }, stringData: { password: 'secret' } })
  // Time stands still until it is told to pass; a pod that lacks something is tried again after a while.
  await cluster.advance(60_000)
  assert.deepEqual(await status(), { ready: '1/1', replicas: 1, selector: 'app=database,database=orders' })
})

test('what would lose data is refused', async () => {
  const larger = orders({ name: 'orders', 'storage-size': '6Gi', port: 6000 })
  await assert.rejects(cluster.apply(larger), /cannot be changed, as a volume that is there keeps its size/)
})

test('nothing is written when nothing changes', async () => {
  const before = await cluster.get({ ...STATEFUL_SET, name: 'orders' })
  await cluster.apply(orders({ name: 'orders', 'storage-size': '5Gi', port: 6000 }))
  const now = await cluster.get({ ...STATEFUL_SET, name: 'orders' })
  assert.equal(now?.metadata.resourceVersion, before?.metadata.resourceVersion)
})

test('its objects go with it, its data stays', async () => {
  await cluster.delete({ ...DATABASE, name: 'orders' })
  assert.equal(await cluster.get({ ...STATEFUL_SET, name: 'orders' }), undefined)
  assert.equal(await cluster.get({ ...SERVICE, name: 'orders' }), undefined)
  assert.ok(await cluster.get({ ...CLAIM, name: 'data-orders-0' }))
})
