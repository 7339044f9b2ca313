import { configMap, container, definition, deployment, pod, service, widget } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'

/** Server-side apply, and who owns which field. */
export const apply = area('apply', { managedFields: true })
const { scenario } = apply

const quiet = { unrecorded: true }

scenario('creates what does not exist, and owns what it applied', async t => {
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, configMap('a', { x: '1', y: '2' }))
})

scenario('changes nothing when the same is applied again', async t => {
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, configMap('a', { x: '1' }))
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, configMap('a', { x: '1' }))
})

scenario('removes what its manager no longer applies', async t => {
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, configMap('a', { x: '1', y: '2' }))
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, configMap('a', { x: '1' }))
})

scenario('keeps what another manager owns too', async t => {
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, configMap('a', { x: '1', y: '2' }))
  await t.apply(`${t.core('configmaps/a')}?fieldManager=two`, configMap('a', { y: '2', z: '3' }))
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, configMap('a', { x: '1' }))
})

scenario('refuses to change what another manager owns', async t => {
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, configMap('a', { x: '1', y: '2' }))
  await t.apply(`${t.core('configmaps/a')}?fieldManager=two`, configMap('a', { x: 'other' }))
  await t.apply(`${t.core('configmaps/a')}?fieldManager=two`, configMap('a', { x: 'other', y: 'other' }))
})

scenario('names every owner in a conflict', async t => {
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, configMap('a', { x: '1' }))
  await t.apply(`${t.core('configmaps/a')}?fieldManager=two`, configMap('a', { x: '1' }))
  await t.mergePatch(`${t.core('configmaps/a')}?fieldManager=hand`, { data: { y: 'by hand' } })
  await t.apply(`${t.core('configmaps/a')}?fieldManager=three`, configMap('a', { x: 'other', y: 'other' }))
})

scenario('takes over by force', async t => {
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, configMap('a', { x: '1', y: '2' }))
  await t.apply(`${t.core('configmaps/a')}?fieldManager=two&force=true`, configMap('a', { x: 'other' }))
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, configMap('a', { y: '2' }))
})

scenario('requires a manager', async t => {
  await t.apply(t.core('configmaps/a'), configMap('a'))
  await t.apply(`${t.core('configmaps/a')}?fieldManager=${'x'.repeat(129)}`, configMap('a'))
  await t.apply(`${t.core('configmaps/a')}?fieldManager=bad%0Aname`, configMap('a'))
})

scenario('refuses managed fields, a missing kind or another name in the configuration', async t => {
  const at = `${t.core('configmaps/a')}?fieldManager=one`
  await t.apply(at, { ...configMap('a'), metadata: { name: 'a', managedFields: [{ manager: 'x' }] } })
  await t.apply(at, { metadata: { name: 'a' } })
  await t.apply(at, configMap('b'))
  await t.apply(at, { ...configMap('a'), kind: 'Secret' })
  await t.apply(at, { ...configMap('a'), apiVersion: 'v9' })
  await t.apply(at, configMap('a', {}, { namespace: 'other' }))
  await t.apply(at, { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} })
})

scenario('reads YAML', async t => {
  await t.apply(
    `${t.core('configmaps/a')}?fieldManager=one`,
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {on: "yes"}\ndata:\n  multi: |\n    one\n    two\n',
  )
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, 'not: [valid')
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, '')
})

scenario('locks by uid and version in the configuration', async t => {
  const created = await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, configMap('a'))
  await t.apply(
    `${t.core('configmaps/a')}?fieldManager=one`,
    configMap('a', { x: '1' }, { resourceVersion: created.resourceVersion }),
  )
  await t.apply(
    `${t.core('configmaps/a')}?fieldManager=one`,
    configMap('a', { x: '2' }, { resourceVersion: created.resourceVersion }),
  )
  await t.apply(
    `${t.core('configmaps/b')}?fieldManager=one`,
    configMap('b', {}, { uid: '11111111-2222-3333-4444-555555555555' }),
  )
  await t.apply(`${t.core('configmaps/b')}?fieldManager=one`, configMap('b', {}, { resourceVersion: '1' }))
})

scenario('records creations and updates by their user agent or manager', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.put(`${t.core('configmaps/a')}?fieldManager=updater`, configMap('a', { color: 'red', extra: '1' }))
  await t.mergePatch(
    t.core('configmaps/a'),
    { data: { more: '2' } },
    { headers: { 'User-Agent': 'other-client/v1.2 (linux)' } },
  )
  await t.post(t.core('configmaps'), configMap('b'), { headers: { 'User-Agent': '' } })
})

scenario('merges entries of the same manager and operation', async t => {
  await t.post(`${t.core('configmaps')}?fieldManager=one`, configMap('a', { x: '1' }))
  await t.mergePatch(`${t.core('configmaps/a')}?fieldManager=one`, { data: { y: '2' } })
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, configMap('a', { z: '3' }))
})

scenario('moves ownership with the last writer of a value', async t => {
  await t.post(`${t.core('configmaps')}?fieldManager=one`, configMap('a', { x: '1', y: '1' }))
  await t.mergePatch(`${t.core('configmaps/a')}?fieldManager=two`, { data: { x: '2' } })
  await t.mergePatch(`${t.core('configmaps/a')}?fieldManager=three`, { data: { y: null } })
})

scenario('forgets ownership when the entries are emptied', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.mergePatch(t.core('configmaps/a'), { metadata: { managedFields: [{}] } })
  await t.mergePatch(t.core('configmaps/a'), { data: { later: '1' } })
})

scenario('applies to an object that nobody owned', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  await t.mergePatch(t.core('configmaps/a'), { metadata: { managedFields: [{}] } }, quiet)
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, configMap('a', { color: 'red' }))
})

scenario('keeps status ownership apart', async t => {
  await t.apply(`${t.api('apps/v1', 'deployments/web')}?fieldManager=one`, deployment('web'))
  await t.mergePatch(`${t.api('apps/v1', 'deployments/web/status')}?fieldManager=controller`, {
    status: { replicas: 1 },
  })
  await t.apply(`${t.api('apps/v1', 'deployments/web/status')}?fieldManager=controller`, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    status: { readyReplicas: 1 },
  })
})

scenario('owns scale through the scale subresource', async t => {
  await t.apply(`${t.api('apps/v1', 'deployments/web')}?fieldManager=one`, deployment('web', { replicas: 1 }))
  await t.mergePatch(`${t.api('apps/v1', 'deployments/web/scale')}?fieldManager=scaler`, { spec: { replicas: 3 } })
  await t.get(t.api('apps/v1', 'deployments/web'))
  await t.apply(`${t.api('apps/v1', 'deployments/web')}?fieldManager=one`, deployment('web', { replicas: 1 }))
})

scenario('merges keyed lists by key', async t => {
  await t.apply(
    `${t.api('apps/v1', 'deployments/web')}?fieldManager=one`,
    deployment('web', {}, [container('a', { ports: [{ containerPort: 80 }] })]),
  )
  await t.apply(`${t.api('apps/v1', 'deployments/web')}?fieldManager=two`, {
    ...deployment('web'),
    spec: {
      template: {
        spec: {
          containers: [
            { name: 'b', image: 'example.test/b:1' },
            { name: 'a', ports: [{ containerPort: 443, protocol: 'TCP' }] },
          ],
        },
      },
    },
  })
  await t.apply(`${t.api('apps/v1', 'deployments/web')}?fieldManager=one`, deployment('web', {}, [container('a')]))
})

scenario('treats atomic lists and maps as one value', async t => {
  await t.apply(
    `${t.core('pods/p')}?fieldManager=one`,
    pod('p', { containers: [container('main', { command: ['a', 'b'] })] }),
  )
  await t.apply(`${t.core('pods/p')}?fieldManager=two`, pod('p', { containers: [{ name: 'main', command: ['c'] }] }))
  await t.apply(`${t.api('apps/v1', 'deployments/web')}?fieldManager=one`, deployment('web'))
  await t.apply(`${t.api('apps/v1', 'deployments/web')}?fieldManager=two`, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: { app: 'web', more: 'x' } } },
  })
})

scenario('merges sets of values', async t => {
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, configMap('a', {}, { finalizers: ['example.test/x'] }))
  await t.apply(`${t.core('configmaps/a')}?fieldManager=two`, configMap('a', {}, { finalizers: ['example.test/y'] }))
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, configMap('a', {}, { finalizers: [] }))
})

scenario('defaults the keys of lists', async t => {
  await t.apply(
    `${t.core('services/s')}?fieldManager=one`,
    service('s', {
      ports: [
        { port: 80, name: 'a' },
        { port: 53, protocol: 'UDP', name: 'b' },
      ],
    }),
  )
  await t.apply(`${t.core('services/s')}?fieldManager=two`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: { ports: [{ port: 80, targetPort: 8080 }] },
  })
})

scenario('refuses items without or with the same key', async t => {
  await t.apply(`${t.api('apps/v1', 'deployments/web')}?fieldManager=one`, deployment('web', {}, [{ image: 'x' }]))
  await t.apply(
    `${t.api('apps/v1', 'deployments/web')}?fieldManager=one`,
    deployment('web', {}, [container('a'), container('a')]),
  )
})

scenario('applies without storing in a dry run', async t => {
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one&dryRun=All`, configMap('a'))
  await t.get(t.core('configmaps/a'))
})

scenario('applies custom resources by their schema', async t => {
  await t.define(
    definition(t, {
      spec: {
        type: 'object',
        properties: {
          tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
          parts: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['id'],
            items: {
              type: 'object',
              required: ['id'],
              properties: { id: { type: 'string' }, size: { type: 'integer' } },
            },
          },
          whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
          plain: { type: 'array', items: { type: 'string' } },
        },
      },
    }),
  )
  await t.apply(
    `${t.custom('widgets/w')}?fieldManager=one`,
    widget(t, 'w', { spec: { tags: ['a'], parts: [{ id: 'x', size: 1 }], whole: { k: 'v' }, plain: ['1'] } }),
  )
  await t.apply(
    `${t.custom('widgets/w')}?fieldManager=two`,
    widget(t, 'w', { spec: { tags: ['b'], parts: [{ id: 'y' }] } }),
  )
  await t.apply(
    `${t.custom('widgets/w')}?fieldManager=two`,
    widget(t, 'w', { spec: { whole: { other: 'v' }, plain: ['2'], parts: [{ id: 'x', size: 2 }] } }),
  )
  await t.apply(`${t.custom('widgets/w')}?fieldManager=one`, widget(t, 'w', { spec: { tags: ['a'] } }))
})

scenario('applies custom resources without a schema of their fields', async t => {
  await t.define(definition(t))
  await t.apply(`${t.custom('widgets/w')}?fieldManager=one`, widget(t, 'w', { spec: { a: { b: [1, 2], c: 'x' } } }))
  await t.apply(`${t.custom('widgets/w')}?fieldManager=two`, widget(t, 'w', { spec: { a: { c: 'y' } } }))
})

scenario('turns client-side ownership into applied ownership by patch', async t => {
  const annotations = {
    'kubectl.kubernetes.io/last-applied-configuration':
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1"}}',
  }
  await t.post(
    `${t.core('configmaps')}?fieldManager=kubectl-client-side-apply`,
    configMap('a', { x: '1', y: '2' }, { annotations }),
  )
  await t.apply(`${t.core('configmaps/a')}?fieldManager=kubectl`, configMap('a', { x: '1' }))
})

scenario('sets the managed fields by a patch of them', async t => {
  const created = await t.post(t.core('configmaps'), configMap('a'))
  const entries = created.at('metadata.managedFields')
  await t.jsonPatch(t.core('configmaps/a'), [
    {
      op: 'replace',
      path: '/metadata/managedFields',
      value: Array.isArray(entries) ? entries.map(entry => ({ ...(entry as object), manager: 'renamed' })) : [],
    },
  ])
})

scenario('refuses managed fields that it cannot read', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  await t.mergePatch(t.core('configmaps/a'), {
    metadata: { managedFields: [{ manager: 'x', operation: 'Dance', apiVersion: 'v1' }] },
  })
  await t.mergePatch(t.core('configmaps/a'), {
    metadata: {
      managedFields: [{ manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV2', fieldsV1: {} }],
    },
  })
  await t.mergePatch(t.core('configmaps/a'), {
    metadata: {
      managedFields: [
        { manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { nonsense: {} } },
      ],
    },
  })
})

scenario('shows no ownership of the system’s own fields', async t => {
  await t.post(t.core('pods'), pod('p'))
  await t.post(t.core('services'), service('s'))
  await t.post(t.core('namespaces').replace(`/namespaces/${t.namespace}`, ''), {
    metadata: { name: `${t.namespace}-second`, labels: { a: 'b' } },
  })
})
