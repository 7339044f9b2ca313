import { configMap, container, definition, deployment, pod, service, widget } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'

export const patches = area('patches')
const { scenario } = patches

const quiet = { unrecorded: true }

scenario('merges and deletes by merge patch', async t => {
  await t.post(t.core('configmaps'), configMap('a', { one: '1', two: '2' }, { labels: { x: '1', y: '2' } }), quiet)
  await t.mergePatch(t.core('configmaps/a'), { data: { one: null, three: '3' }, metadata: { labels: { y: null } } })
  await t.mergePatch(t.core('configmaps/a'), { data: null })
})

scenario('replaces lists by merge patch', async t => {
  await t.post(t.core('pods'), pod('p', { tolerations: [{ key: 'a', operator: 'Exists' }] }), quiet)
  await t.mergePatch(t.core('pods/p'), { metadata: { finalizers: ['example.test/a', 'example.test/b'] } })
  await t.mergePatch(t.core('pods/p'), { metadata: { finalizers: ['example.test/b'] } })
})

scenario('refuses patches that are not objects', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  await t.mergePatch(t.core('configmaps/a'), '[]')
  await t.mergePatch(t.core('configmaps/a'), '"text"')
  await t.mergePatch(t.core('configmaps/a'), 'null')
  await t.mergePatch(t.core('configmaps/a'), '{')
  await t.strategicPatch(t.core('configmaps/a'), '[]')
  await t.strategicPatch(t.core('configmaps/a'), '{')
  await t.jsonPatch(t.core('configmaps/a'), '{}')
  await t.jsonPatch(t.core('configmaps/a'), '[')
})

scenario('refuses a patch that puts a wrong type', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  await t.mergePatch(t.core('configmaps/a'), { data: 'text' })
  await t.mergePatch(t.core('configmaps/a'), { data: { n: 1 } })
  await t.strategicPatch(t.core('configmaps/a'), { data: { n: 1 } })
  await t.jsonPatch(t.core('configmaps/a'), [{ op: 'add', path: '/data/n', value: 1 }])
})

scenario('adds, replaces and removes by JSON patch', async t => {
  await t.post(t.core('configmaps'), configMap('a', { one: '1', two: '2' }), quiet)
  await t.jsonPatch(t.core('configmaps/a'), [
    { op: 'add', path: '/data/three', value: '3' },
    { op: 'replace', path: '/data/one', value: 'eins' },
    { op: 'remove', path: '/data/two' },
  ])
})

scenario('moves, copies and tests by JSON patch', async t => {
  await t.post(t.core('configmaps'), configMap('a', { one: '1', two: '2' }), quiet)
  await t.jsonPatch(t.core('configmaps/a'), [
    { op: 'test', path: '/data/one', value: '1' },
    { op: 'copy', from: '/data/one', path: '/data/copy' },
    { op: 'move', from: '/data/two', path: '/data/moved' },
  ])
})

scenario('follows escapes and array positions in JSON patch paths', async t => {
  await t.post(t.core('pods'), pod('p', {}, { finalizers: ['example.test/a', 'example.test/b'] }), quiet)
  await t.jsonPatch(t.core('pods/p'), [
    { op: 'add', path: '/metadata/annotations', value: {} },
    { op: 'add', path: '/metadata/annotations/example.test~1key', value: 'x' },
    { op: 'add', path: '/metadata/annotations/til~0de', value: 'y' },
    { op: 'add', path: '/metadata/finalizers/-', value: 'example.test/c' },
    { op: 'add', path: '/metadata/finalizers/0', value: 'example.test/first' },
    { op: 'remove', path: '/metadata/finalizers/1' },
    { op: 'replace', path: '/metadata/finalizers/-1', value: 'example.test/last' },
  ])
})

scenario('refuses JSON patches that fail', async t => {
  await t.post(t.core('configmaps'), configMap('a', { one: '1' }), quiet)
  const at = t.core('configmaps/a')
  await t.jsonPatch(at, [{ op: 'test', path: '/data/one', value: '2' }])
  await t.jsonPatch(at, [{ op: 'remove', path: '/data/none' }])
  await t.jsonPatch(at, [{ op: 'replace', path: '/data/none', value: 'x' }])
  await t.jsonPatch(at, [{ op: 'add', path: '/none/deep', value: 'x' }])
  await t.jsonPatch(at, [{ op: 'copy', from: '/data/none', path: '/data/x' }])
  await t.jsonPatch(at, [{ op: 'move', from: '/data/none', path: '/data/x' }])
  await t.jsonPatch(at, [{ op: 'dance', path: '/data/one' }])
  await t.jsonPatch(at, [{ path: '/data/one', value: 'x' }])
  await t.jsonPatch(at, [{ op: 'add', value: 'x' }])
  await t.jsonPatch(at, [{ op: 'add', path: 'data/one', value: 'x' }])
  await t.jsonPatch(at, [{ op: 'add', path: '/data/one' }])
  await t.get(at)
})

scenario('changes nothing when one operation fails', async t => {
  await t.post(t.core('configmaps'), configMap('a', { one: '1' }), quiet)
  await t.jsonPatch(t.core('configmaps/a'), [
    { op: 'add', path: '/data/two', value: '2' },
    { op: 'test', path: '/data/one', value: 'other' },
  ])
  await t.get(t.core('configmaps/a'))
})

scenario('locks by the version in a patch', async t => {
  const created = await t.post(t.core('configmaps'), configMap('a'), quiet)
  const version = created.resourceVersion
  await t.mergePatch(t.core('configmaps/a'), { metadata: { resourceVersion: version }, data: { color: 'red' } })
  await t.mergePatch(t.core('configmaps/a'), { metadata: { resourceVersion: version }, data: { color: 'green' } })
  await t.strategicPatch(t.core('configmaps/a'), { metadata: { resourceVersion: version }, data: { color: 'green' } })
})

scenario('merges containers by name', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web', {}, [container('one'), container('two')]), quiet)
  await t.strategicPatch(t.api('apps/v1', 'deployments/web'), {
    spec: {
      template: {
        spec: {
          containers: [
            { name: 'two', image: 'example.test/two:2' },
            { name: 'three', image: 'example.test/three:1' },
          ],
        },
      },
    },
  })
})

scenario('deletes a list item by directive', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web', {}, [container('one'), container('two')]), quiet)
  await t.strategicPatch(t.api('apps/v1', 'deployments/web'), {
    spec: { template: { spec: { containers: [{ name: 'one', $patch: 'delete' }] } } },
  })
})

scenario('replaces a list by directive', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web', {}, [container('one'), container('two')]), quiet)
  await t.strategicPatch(t.api('apps/v1', 'deployments/web'), {
    spec: {
      template: { spec: { containers: [{ $patch: 'replace' }, { name: 'only', image: 'example.test/only:1' }] } },
    },
  })
})

scenario('replaces a map by directive', async t => {
  await t.post(
    t.api('apps/v1', 'deployments'),
    deployment('web', { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2 } } }),
    quiet,
  )
  await t.strategicPatch(t.api('apps/v1', 'deployments/web'), {
    spec: { strategy: { $patch: 'replace', type: 'Recreate' } },
  })
})

scenario('deletes a map by directive', async t => {
  await t.post(t.core('configmaps'), configMap('a', { one: '1' }, { labels: { x: 'y' } }), quiet)
  await t.strategicPatch(t.core('configmaps/a'), { data: { $patch: 'delete' } })
  await t.strategicPatch(t.core('configmaps/a'), { metadata: { labels: { $patch: 'merge', z: '1' } } })
  await t.strategicPatch(t.core('configmaps/a'), { metadata: { labels: { $patch: 'nonsense' } } })
})

scenario('retains only named keys by directive', async t => {
  await t.post(
    t.api('apps/v1', 'deployments'),
    deployment('web', { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2 } } }),
    quiet,
  )
  await t.strategicPatch(t.api('apps/v1', 'deployments/web'), {
    spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
  })
  await t.strategicPatch(t.api('apps/v1', 'deployments/web'), {
    spec: { strategy: { $retainKeys: [], type: 'Recreate' } },
  })
})

scenario('deletes from a list of primitives by directive', async t => {
  await t.post(
    t.core('configmaps'),
    configMap('a', {}, { finalizers: ['example.test/a', 'example.test/b', 'example.test/c'] }),
    quiet,
  )
  await t.strategicPatch(t.core('configmaps/a'), {
    metadata: { '$deleteFromPrimitiveList/finalizers': ['example.test/b'] },
  })
  await t.strategicPatch(t.core('configmaps/a'), { metadata: { finalizers: ['example.test/d'] } })
})

scenario('orders list items by directive', async t => {
  await t.post(
    t.api('apps/v1', 'deployments'),
    deployment('web', {}, [container('one'), container('two'), container('three')]),
    quiet,
  )
  await t.strategicPatch(t.api('apps/v1', 'deployments/web'), {
    spec: {
      template: {
        spec: {
          '$setElementOrder/containers': [{ name: 'three' }, { name: 'four' }, { name: 'one' }, { name: 'two' }],
          containers: [{ name: 'four', image: 'example.test/four:1' }],
        },
      },
    },
  })
  await t.strategicPatch(t.core('configmaps/none'), { metadata: { '$setElementOrder/finalizers': ['x'] } })
})

scenario('merges env, volumes, mounts and ports by their keys', async t => {
  const main = container('main', {
    env: [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ],
    volumeMounts: [{ name: 'v', mountPath: '/a' }],
    ports: [{ containerPort: 80 }, { containerPort: 443, protocol: 'TCP' }],
  })
  const created = deployment('web', {}, [main]) as { spec: { template: { spec: { volumes?: unknown } } } }
  created.spec.template.spec.volumes = [{ name: 'v', emptyDir: {} }]
  await t.post(t.api('apps/v1', 'deployments'), created as never, quiet)
  await t.strategicPatch(t.api('apps/v1', 'deployments/web'), {
    spec: {
      template: {
        spec: {
          volumes: [{ name: 'w', configMap: { name: 'c' } }],
          containers: [
            {
              name: 'main',
              env: [
                { name: 'B', value: 'two' },
                { name: 'C', value: '3' },
              ],
              volumeMounts: [{ mountPath: '/b', name: 'w' }],
              ports: [{ containerPort: 80, name: 'http' }],
            },
          ],
        },
      },
    },
  })
})

scenario('changes the source of a volume', async t => {
  const created = deployment('web') as { spec: { template: { spec: { volumes?: unknown } } } }
  created.spec.template.spec.volumes = [{ name: 'v', emptyDir: {} }]
  await t.post(t.api('apps/v1', 'deployments'), created as never, quiet)
  await t.strategicPatch(t.api('apps/v1', 'deployments/web'), {
    spec: {
      template: { spec: { volumes: [{ $retainKeys: ['name', 'configMap'], name: 'v', configMap: { name: 'c' } }] } },
    },
  })
  await t.strategicPatch(t.api('apps/v1', 'deployments/web'), {
    spec: { template: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } } },
  })
})

scenario('merges the ports of a service by port', async t => {
  await t.post(
    t.core('services'),
    service('s', {
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 81 },
      ],
    }),
    quiet,
  )
  await t.strategicPatch(t.core('services/s'), {
    spec: {
      ports: [
        { port: 81, targetPort: 8081 },
        { name: 'c', port: 82 },
      ],
    },
  })
  await t.strategicPatch(t.core('services/s'), { spec: { ports: [{ port: 80, $patch: 'delete' }] } })
})

scenario('replaces lists without a merge key', async t => {
  await t.post(
    t.core('pods'),
    pod('p', {
      containers: [container('main', { args: ['a', 'b'] })],
      tolerations: [{ key: 'x', operator: 'Exists' }],
    }),
    quiet,
  )
  await t.strategicPatch(t.core('pods/p'), {
    spec: {
      tolerations: [
        { key: 'x', operator: 'Exists' },
        { key: 'y', operator: 'Exists' },
      ],
    },
  })
})

scenario('refuses list items without their merge key', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web'), quiet)
  await t.strategicPatch(t.api('apps/v1', 'deployments/web'), {
    spec: { template: { spec: { containers: [{ image: 'x' }] } } },
  })
})

scenario('deletes by null in a strategic patch', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web', { minReadySeconds: 5 }), quiet)
  await t.strategicPatch(t.api('apps/v1', 'deployments/web'), { spec: { minReadySeconds: null, replicas: null } })
})

scenario('has no strategic patch for custom resources', async t => {
  await t.define(definition(t))
  await t.post(t.custom('widgets'), widget(t, 'a', { spec: { list: [1, 2], keep: 1 } }), quiet)
  await t.strategicPatch(t.custom('widgets/a'), { spec: {} })
  await t.mergePatch(t.custom('widgets/a'), { spec: { list: [3], keep: null } })
  await t.jsonPatch(t.custom('widgets/a'), [{ op: 'add', path: '/spec/list/-', value: 4 }])
})

scenario('refuses patch types that it does not know', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  await t.request('PATCH', t.core('configmaps/a'), {}, { type: 'application/json' })
  await t.request('PATCH', t.core('configmaps/a'), {}, { type: 'text/plain' })
  await t.request('PATCH', t.core('configmaps/a'), {}, { type: 'application/merge-patch+json; charset=utf-8' })
})

scenario('refuses force outside apply', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  await t.mergePatch(`${t.core('configmaps/a')}?force=true`, {})
})

scenario('cannot patch what does not exist', async t => {
  await t.strategicPatch(t.core('configmaps/none'), { data: {} })
  await t.jsonPatch(t.core('configmaps/none'), [])
})

scenario('patches the status alone', async t => {
  await t.post(t.core('pods'), pod('p'), quiet)
  await t.strategicPatch(t.core('pods/p/status'), {
    metadata: { labels: { a: 'b' } },
    spec: { priority: 5 },
    status: { conditions: [{ type: 'Ready', status: 'False' }] },
  })
  await t.strategicPatch(t.core('pods/p/status'), {
    status: {
      conditions: [
        { type: 'Initialized', status: 'True' },
        { type: 'Ready', status: 'True' },
      ],
    },
  })
})

scenario('defaults and validates the result of a patch', async t => {
  await t.post(t.api('apps/v1', 'deployments'), deployment('web'), quiet)
  await t.strategicPatch(t.api('apps/v1', 'deployments/web'), {
    spec: { template: { spec: { containers: [{ name: 'main', livenessProbe: { httpGet: { port: 80 } } }] } } },
  })
  await t.strategicPatch(t.api('apps/v1', 'deployments/web'), { spec: { replicas: -3 } })
})
