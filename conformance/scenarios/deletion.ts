import type { JsonObject } from '../src/http.ts'
import { configMap, deployment, pod } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'

export const deletion = area('deletion')
const { scenario } = deletion

const options = (rest: JsonObject): JsonObject => ({ kind: 'DeleteOptions', apiVersion: 'v1', ...rest })

scenario('deletes an object and says which', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.delete(t.core('configmaps/a'))
  await t.get(t.core('configmaps/a'))
  await t.delete(t.core('configmaps/a'))
})

scenario('names the group of a deleted object', async t => {
  await t.post(t.api('coordination.k8s.io/v1', 'leases'), { metadata: { name: 'l' } })
  await t.delete(t.api('coordination.k8s.io/v1', 'leases/l'))
})

scenario('waits for finalizers', async t => {
  await t.post(t.core('configmaps'), configMap('a', {}, { finalizers: ['example.test/one', 'example.test/two'] }))
  await t.delete(t.core('configmaps/a'))
  await t.delete(t.core('configmaps/a'))
  await t.mergePatch(t.core('configmaps/a'), { metadata: { finalizers: ['example.test/two'] } })
  await t.mergePatch(t.core('configmaps/a'), { metadata: { finalizers: null } })
  await t.get(t.core('configmaps/a'))
})

scenario('accepts no new finalizer on an object that is going away', async t => {
  await t.post(t.core('configmaps'), configMap('a', {}, { finalizers: ['example.test/one'] }))
  await t.delete(t.core('configmaps/a'))
  await t.mergePatch(t.core('configmaps/a'), { metadata: { finalizers: ['example.test/one', 'example.test/new'] } })
  await t.mergePatch(t.core('configmaps/a'), { metadata: { finalizers: ['example.test/new'] } })
  await t.mergePatch(t.core('configmaps/a'), { data: { still: 'writable' } })
  await t.mergePatch(t.core('configmaps/a'), { metadata: { deletionTimestamp: null } })
})

scenario('raises the generation of a kind with a spec when it goes away', async t => {
  const created = deployment('web') as { metadata: JsonObject }
  await t.post(t.api('apps/v1', 'deployments'), {
    ...created,
    metadata: { name: 'web', finalizers: ['example.test/hold'] },
  })
  await t.delete(t.api('apps/v1', 'deployments/web'))
})

scenario('deletes only the uid that the caller means', async t => {
  const created = await t.post(t.core('configmaps'), configMap('a'))
  await t.delete(t.core('configmaps/a'), options({ preconditions: { uid: '11111111-2222-3333-4444-555555555555' } }))
  await t.delete(t.core('configmaps/a'), options({ preconditions: { uid: created.uid } }))
})

scenario('deletes only the version that the caller means', async t => {
  const created = await t.post(t.core('configmaps'), configMap('a'))
  await t.mergePatch(t.core('configmaps/a'), { data: { color: 'red' } })
  await t.delete(t.core('configmaps/a'), options({ preconditions: { resourceVersion: created.resourceVersion } }))
  const current = await t.get(t.core('configmaps/a'))
  await t.delete(t.core('configmaps/a'), options({ preconditions: { resourceVersion: current.resourceVersion } }))
})

scenario('deletes in the foreground by a finalizer', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.delete(t.core('configmaps/a'), options({ propagationPolicy: 'Foreground' }))
  await t.mergePatch(t.core('configmaps/a'), { metadata: { finalizers: [] } })
  await t.get(t.core('configmaps/a'))
})

scenario('orphans by a finalizer', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web'))
  await t.delete(`${t.api('apps/v1', 'deployments/web')}?propagationPolicy=Orphan`)
})

scenario('deletes in the background at once', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web'))
  await t.delete(t.api('apps/v1', 'deployments/web'), options({ propagationPolicy: 'Background' }))
})

scenario('knows the old orphanDependents', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.post(t.core('configmaps'), configMap('b'))
  await t.delete(t.core('configmaps/a'), options({ orphanDependents: true }))
  await t.delete(t.core('configmaps/b'), options({ orphanDependents: false }))
})

scenario('changes the policy of an object that is going away', async t => {
  await t.post(t.core('configmaps'), configMap('a', {}, { finalizers: ['example.test/hold'] }))
  await t.delete(t.core('configmaps/a'), options({ propagationPolicy: 'Foreground' }))
  await t.delete(t.core('configmaps/a'), options({ propagationPolicy: 'Orphan' }))
  await t.delete(t.core('configmaps/a'), options({ propagationPolicy: 'Background' }))
})

scenario('refuses bad options', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.delete(t.core('configmaps/a'), options({ propagationPolicy: 'Sideways' }))
  await t.delete(t.core('configmaps/a'), options({ propagationPolicy: 'Orphan', orphanDependents: true }))
  await t.delete(`${t.core('configmaps/a')}?propagationPolicy=Sideways`)
  await t.delete(`${t.core('configmaps/a')}?gracePeriodSeconds=abc`)
  await t.delete(t.core('configmaps/a'), { kind: 'Pod', apiVersion: 'v1' })
  await t.delete(t.core('configmaps/a'), '{"kind":"DeleteOptions"')
})

scenario('reads options of any API group', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.delete(t.core('configmaps/a'), { kind: 'DeleteOptions', apiVersion: 'apps/v1', gracePeriodSeconds: 0 })
})

scenario('deletes a pod that runs nowhere at once', async t => {
  await t.post(t.core('pods'), pod('p'))
  await t.delete(t.core('pods/p'))
  await t.get(t.core('pods/p'))
})

scenario('gives a scheduled pod its grace period', async t => {
  await t.post(t.core('pods'), pod('p', { nodeName: 'node-1' }))
  await t.delete(t.core('pods/p'))
  await t.delete(t.core('pods/p'), options({ gracePeriodSeconds: 5 }))
  await t.get(t.core('pods/p'))
  await t.delete(t.core('pods/p'), options({ gracePeriodSeconds: 0 }))
  await t.get(t.core('pods/p'))
})

scenario('takes the grace period from the query too', async t => {
  await t.post(t.core('pods'), pod('p', { nodeName: 'node-1', terminationGracePeriodSeconds: 7 }))
  await t.delete(`${t.core('pods/p')}?gracePeriodSeconds=3`)
})

scenario('deletes a collection and returns what it deleted', async t => {
  for (const name of ['a', 'b', 'c'])
    await t.post(t.core('configmaps'), configMap(name, {}, { labels: { part: name } }))
  await t.delete(`${t.core('configmaps')}?labelSelector=part%20in%20(a,b)`)
  await t.get(t.core('configmaps'))
  await t.delete(`${t.core('configmaps')}?fieldSelector=metadata.name%3Dc`)
  await t.delete(t.core('configmaps'))
})

scenario('deletes a collection with options in the body', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.delete(t.core('configmaps'), options({ dryRun: ['All'] }))
  await t.delete(t.core('configmaps'), options({ propagationPolicy: 'Foreground' }))
  await t.get(t.core('configmaps'))
})

scenario('keeps a namespace until its finalizer is gone', async t => {
  const name = `${t.namespace}-second`
  await t.post('/api/v1/namespaces', { metadata: { name } })
  await t.delete(`/api/v1/namespaces/${name}`)
  await t.delete(`/api/v1/namespaces/${name}`)
})

scenario('protects the namespaces that the system needs', async t => {
  await t.delete('/api/v1/namespaces/default')
  await t.delete('/api/v1/namespaces/kube-system')
})

scenario('refuses deletion of an object that still has unknown owners no more than others', async t => {
  const owner = await t.post(t.core('configmaps'), configMap('owner'))
  await t.post(
    t.core('configmaps'),
    configMap(
      'owned',
      {},
      {
        ownerReferences: [
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            name: 'owner',
            uid: owner.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
    ),
  )
  await t.delete(t.core('configmaps/owned'))
})

scenario('ignores the collection’s limit rules it does not have', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.post(t.core('configmaps'), configMap('b'))
  await t.delete(`${t.core('configmaps')}?limit=1`)
  await t.get(t.core('configmaps'))
})
