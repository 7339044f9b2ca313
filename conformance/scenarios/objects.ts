import { configMap, deployment, pod, secret, service } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'

/** Create, read and update. */
export const objects = area('objects')
const { scenario } = objects

scenario('creates an object and returns it', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.get(t.core('configmaps/a'))
})

scenario('does not need kind and apiVersion in the body', async t => {
  await t.post(t.core('configmaps'), { metadata: { name: 'a' }, data: { x: '1' } })
})

scenario('refuses a body of another kind or version', async t => {
  await t.post(t.core('configmaps'), secret('a'))
  await t.post(t.core('configmaps'), { ...configMap('a'), apiVersion: 'v2' })
  await t.post(t.core('configmaps'), { ...configMap('a'), apiVersion: 'apps/v1' })
  await t.post(t.core('configmaps'), { kind: 'ConfigMap', metadata: { name: 'a' } })
  await t.post(t.core('configmaps'), { apiVersion: 'v1', metadata: { name: 'b' } })
})

scenario('refuses a second object of the same name', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.post(t.core('configmaps'), configMap('a'))
  await t.post(t.api('apps/v1', 'deployments'), deployment('web'))
  await t.post(t.api('apps/v1', 'deployments'), deployment('web'))
})

scenario('generates a name from a prefix', async t => {
  await t.post(t.core('configmaps'), { metadata: { generateName: 'item-' } })
  await t.post(t.core('configmaps'), { metadata: { generateName: 'item-' } })
})

scenario('truncates a long prefix before it generates a name', async t => {
  await t.post(t.core('configmaps'), { metadata: { generateName: `${'p'.repeat(70)}-` } })
})

scenario('prefers a name to a prefix', async t => {
  await t.post(t.core('configmaps'), { metadata: { name: 'given', generateName: 'item-' } })
})

scenario('requires a name or a prefix', async t => {
  await t.post(t.core('configmaps'), { metadata: {} })
  await t.post(t.core('configmaps'), {})
})

scenario('refuses a resourceVersion on creation', async t => {
  await t.post(t.core('configmaps'), configMap('a', {}, { resourceVersion: '5' }))
})

scenario('ignores the system fields of a new object', async t => {
  await t.post(
    t.core('configmaps'),
    configMap(
      'a',
      {},
      {
        uid: '11111111-2222-3333-4444-555555555555',
        creationTimestamp: '2001-01-01T00:00:00Z',
        generation: 7,
        selfLink: '/somewhere',
        deletionTimestamp: '2001-01-01T00:00:00Z',
        deletionGracePeriodSeconds: 5,
      },
    ),
  )
})

scenario('takes the namespace from the path and refuses another', async t => {
  await t.post(t.core('configmaps'), configMap('a', {}, { namespace: t.namespace }))
  await t.post(t.core('configmaps'), configMap('b', {}, { namespace: 'other' }))
})

scenario('refuses objects in a namespace that does not exist', async t => {
  await t.post('/api/v1/namespaces/no-such-namespace/configmaps', configMap('a'))
  await t.post('/apis/apps/v1/namespaces/no-such-namespace/deployments', deployment('web'))
  await t.get('/api/v1/namespaces/no-such-namespace/configmaps')
  await t.get('/api/v1/namespaces/no-such-namespace/configmaps/a')
})

scenario('refuses a namespaced object without a namespace in the path', async t => {
  await t.post('/api/v1/configmaps', configMap('a'))
})

scenario('reports what it cannot find', async t => {
  await t.get(t.core('configmaps/none'))
  await t.get(t.api('apps/v1', 'deployments/none'))
  await t.put(t.core('configmaps/none'), configMap('none'))
  await t.delete(t.core('configmaps/none'))
  await t.mergePatch(t.core('configmaps/none'), {})
  await t.get('/apis/rbac.authorization.k8s.io/v1/clusterroles/none')
})

scenario('replaces an object with its version', async t => {
  const created = await t.post(t.core('configmaps'), configMap('a'))
  await t.put(t.core('configmaps/a'), { ...created.object(), data: { color: 'red' } })
  await t.get(t.core('configmaps/a'))
})

scenario('refuses an update of an old version', async t => {
  const created = await t.post(t.core('configmaps'), configMap('a'))
  await t.put(t.core('configmaps/a'), configMap('a', { color: 'red' }))
  await t.put(t.core('configmaps/a'), { ...created.object(), data: { color: 'green' } })
})

scenario('updates built-in kinds without a version', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.put(t.core('configmaps/a'), configMap('a', { color: 'red' }))
  await t.put(t.core('configmaps/a'), configMap('a', { color: 'red' }, { resourceVersion: '' }))
  await t.put(t.core('configmaps/a'), configMap('a', { color: 'green' }, { resourceVersion: '0' }))
})

scenario('keeps version and silence on an update that changes nothing', async t => {
  const created = await t.post(t.core('configmaps'), configMap('a'))
  await t.put(t.core('configmaps/a'), created.object())
  await t.put(t.core('configmaps/a'), configMap('a'))
  await t.mergePatch(t.core('configmaps/a'), {})
  await t.jsonPatch(t.core('configmaps/a'), [])
})

scenario('refuses an update with another uid', async t => {
  const created = await t.post(t.core('configmaps'), configMap('a'))
  await t.put(t.core('configmaps/a'), configMap('a', {}, { uid: '11111111-2222-3333-4444-555555555555' }))
  await t.put(t.core('configmaps/a'), configMap('a', {}, { uid: created.uid }))
})

scenario('refuses an update with another name or namespace', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.put(t.core('configmaps/a'), configMap('b'))
  await t.put(t.core('configmaps/a'), configMap('a', {}, { namespace: 'other' }))
  await t.put(t.core('configmaps/a'), { data: {} })
})

scenario('keeps the system fields on update whatever the body says', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.put(
    t.core('configmaps/a'),
    configMap('a', { color: 'red' }, { creationTimestamp: '2001-01-01T00:00:00Z', generation: 9, generateName: 'x-' }),
  )
})

scenario('creates by update where the kind allows it', async t => {
  await t.put(t.api('coordination.k8s.io/v1', 'leases/fresh'), {
    metadata: { name: 'fresh' },
    spec: { holderIdentity: 'me' },
  })
  await t.put(t.api('rbac.authorization.k8s.io/v1', 'roles/fresh'), { metadata: { name: 'fresh' }, rules: [] })
  await t.put(t.core('limitranges/fresh'), { metadata: { name: 'fresh' }, spec: { limits: [] } })
  await t.put(t.core('secrets/fresh'), secret('fresh'))
  await t.put(t.core('pods/fresh'), pod('fresh'))
})

scenario('counts generations by changes of the spec', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web'))
  await t.mergePatch(t.api('apps/v1', 'deployments/web'), { metadata: { labels: { a: '1' } } })
  await t.mergePatch(t.api('apps/v1', 'deployments/web'), { spec: { replicas: 3 } })
  await t.mergePatch(t.api('apps/v1', 'deployments/web/status'), { status: { replicas: 3 } })
  await t.mergePatch(t.api('apps/v1', 'deployments/web'), { spec: { replicas: 3 } })
})

scenario('changes only the status through the status subresource', async t => {
  const created = await t.post(t.api('apps/v1', 'deployments'), deployment('web'))
  const changed = created.object()
  await t.put(t.api('apps/v1', 'deployments/web/status'), {
    ...changed,
    metadata: { name: 'web', labels: { added: 'yes' }, annotations: { note: 'x' } },
    spec: { ...(changed.spec as object), replicas: 9 },
    status: { replicas: 1, observedGeneration: 1 },
  })
  await t.get(t.api('apps/v1', 'deployments/web/status'))
})

scenario('drops the status from writes of the object', async t => {
  await t.post(t.api('apps/v1', 'deployments'), { ...deployment('web'), status: { replicas: 5 } })
  await t.mergePatch(t.api('apps/v1', 'deployments/web'), { status: { replicas: 5 } })
  await t.post(t.core('pods'), { ...pod('p'), status: { phase: 'Running' } })
})

scenario('scales through the scale subresource', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web', { replicas: 2 }))
  const scale = await t.get(t.api('apps/v1', 'deployments/web/scale'))
  await t.put(t.api('apps/v1', 'deployments/web/scale'), { ...scale.object(), spec: { replicas: 4 } })
  await t.mergePatch(t.api('apps/v1', 'deployments/web/scale'), { spec: { replicas: 6 } })
  await t.mergePatch(t.api('apps/v1', 'deployments/web/scale'), { spec: { replicas: -1 } })
  await t.put(t.api('apps/v1', 'deployments/web/scale'), { ...scale.object(), spec: { replicas: 7 } })
  await t.get(t.api('apps/v1', 'deployments/none/scale'))
})

scenario('turns stringData of a secret into data', async t => {
  await t.post(
    t.core('secrets'),
    secret('s', { stringData: { user: 'joe', pass: 'ü' }, data: { user: 'YWRtaW4=', more: 'AA==' } }),
  )
  await t.get(t.core('secrets/s'))
})

scenario('allows no change of an immutable config map or secret', async t => {
  await t.post(t.core('configmaps'), { ...configMap('fixed'), immutable: true })
  await t.mergePatch(t.core('configmaps/fixed'), { data: { color: 'red' } })
  await t.mergePatch(t.core('configmaps/fixed'), { immutable: false })
  await t.mergePatch(t.core('configmaps/fixed'), { metadata: { labels: { still: 'allowed' } } })
  await t.post(t.core('secrets'), secret('fixed', { immutable: true, stringData: { a: '1' } }))
  await t.mergePatch(t.core('secrets/fixed'), { stringData: { a: '2' } })
})

scenario('allows no change of fields that are fixed at creation', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web'))
  await t.mergePatch(t.api('apps/v1', 'deployments/web'), {
    spec: { selector: { matchLabels: { app: 'other' } }, template: { metadata: { labels: { app: 'other' } } } },
  })
  await t.post(t.core('secrets'), secret('s', { type: 'Opaque' }))
  await t.mergePatch(t.core('secrets/s'), { type: 'other' })
  await t.post(t.core('pods'), pod('p'))
  await t.mergePatch(t.core('pods/p'), { spec: { nodeName: 'n2', restartPolicy: 'Never' } })
  await t.strategicPatch(t.core('pods/p'), { spec: { containers: [{ name: 'main', image: 'example.test/other:2' }] } })
  await t.post(t.core('services'), service('s'))
  await t.mergePatch(t.core('services/s'), { spec: { clusterIP: '10.96.77.77', clusterIPs: ['10.96.77.77'] } })
})

scenario('dry run of a creation stores nothing', async t => {
  await t.post(`${t.core('configmaps')}?dryRun=All`, configMap('a'))
  await t.get(t.core('configmaps/a'))
  await t.post(`${t.core('configmaps')}?dryRun=All`, { metadata: { generateName: 'gen-' } })
  await t.post(`${t.core('configmaps')}?dryRun=All`, configMap('Bad_Name'))
})

scenario('dry run of updates, patches and deletions changes nothing', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.put(`${t.core('configmaps/a')}?dryRun=All`, configMap('a', { color: 'red' }))
  await t.mergePatch(`${t.core('configmaps/a')}?dryRun=All`, { data: { color: 'green' } })
  await t.delete(`${t.core('configmaps/a')}?dryRun=All`)
  await t.delete(t.core('configmaps/a'), { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] })
  await t.get(t.core('configmaps/a'))
})

scenario('refuses unknown dry runs', async t => {
  await t.post(`${t.core('configmaps')}?dryRun=Some`, configMap('a'))
  await t.post(`${t.core('configmaps')}?dryRun=`, configMap('a'))
  await t.put(`${t.core('configmaps/a')}?dryRun=true`, configMap('a'))
  await t.delete(`${t.core('configmaps/a')}?dryRun=Server`)
})

scenario('reads an object at least as new as a version', async t => {
  const created = await t.post(t.core('configmaps'), configMap('a'))
  await t.get(`${t.core('configmaps/a')}?resourceVersion=0`)
  await t.get(`${t.core('configmaps/a')}?resourceVersion=${created.resourceVersion}`)
})

scenario('lets no one change the server’s own metadata through a patch', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.mergePatch(t.core('configmaps/a'), { metadata: { uid: '11111111-2222-3333-4444-555555555555' } })
  await t.mergePatch(t.core('configmaps/a'), { metadata: { name: 'b' } })
  await t.mergePatch(t.core('configmaps/a'), { metadata: { namespace: 'other' } })
  await t.mergePatch(t.core('configmaps/a'), { metadata: { creationTimestamp: null, generation: 12 } })
  await t.mergePatch(t.core('configmaps/a'), { kind: 'Secret' })
  await t.mergePatch(t.core('configmaps/a'), { apiVersion: 'v2' })
})

scenario('binds a pod to a node', async t => {
  await t.post(t.core('pods'), pod('p'))
  await t.post(t.core('pods/p/binding'), {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name: 'p' },
    target: { apiVersion: 'v1', kind: 'Node', name: 'node-1' },
  })
  await t.get(t.core('pods/p'))
  await t.post(t.core('pods/p/binding'), { metadata: { name: 'p' }, target: { kind: 'Node', name: 'node-2' } })
})

scenario('evicts a pod', async t => {
  await t.post(t.core('pods'), pod('p'))
  await t.post(t.core('pods/p/eviction'), { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } })
  await t.get(t.core('pods/p'))
  await t.post(t.core('pods/none/eviction'), { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'none' } })
})

scenario('adds ephemeral containers to a pod and never changes them', async t => {
  await t.post(t.core('pods'), pod('p'))
  await t.strategicPatch(t.core('pods/p/ephemeralcontainers'), {
    spec: { ephemeralContainers: [{ name: 'debug', image: 'example.test/debug:1' }] },
  })
  await t.strategicPatch(t.core('pods/p/ephemeralcontainers'), {
    spec: { ephemeralContainers: [{ name: 'debug', image: 'example.test/debug:2' }] },
  })
})

scenario('finalizes a namespace through its subresource', async t => {
  const name = `${t.namespace}-second`
  await t.post('/api/v1/namespaces', { metadata: { name } })
  await t.delete(`/api/v1/namespaces/${name}`)
  const terminating = await t.get(`/api/v1/namespaces/${name}`)
  await t.post(`/api/v1/namespaces/${name}/configmaps`, configMap('late'))
  await t.put(`/api/v1/namespaces/${name}/finalize`, { ...terminating.object(), spec: { finalizers: [] } })
  await t.get(`/api/v1/namespaces/${name}`)
})

scenario('has the namespaces that clients look for', async t => {
  for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
    await t.until(
      () => t.get(`/api/v1/namespaces/${name}`),
      reply => reply.status === 200,
    )
  }
})

scenario('has the service of the API itself', async t => {
  await t.until(
    () => t.get('/api/v1/namespaces/default/services/kubernetes'),
    reply => reply.status === 200,
  )
})

scenario('allocates addresses and ports for services', async t => {
  await t.post(t.core('services'), service('one'))
  await t.post(t.core('services'), service('two', { type: 'NodePort' }))
  await t.post(t.core('services'), service('three', { clusterIP: 'None' }))
  await t.post(t.core('services'), service('four', { type: 'ExternalName', externalName: 'example.test', ports: [] }))
  await t.post(t.core('services'), service('five', { type: 'LoadBalancer' }))
  await t.post(t.core('services'), service('six', { clusterIP: '192.168.77.1' }))
})

scenario('refuses an address or port that another service has', async t => {
  const first = await t.post(t.core('services'), service('first', { type: 'NodePort' }), { unrecorded: true })
  const address = first.string('spec.clusterIP')
  await t.post(t.core('services'), service('second', { clusterIP: address }))
  await t.post(t.core('services'), service('third', { type: 'NodePort', ports: [{ port: 80, nodePort: 29999 }] }))
})
