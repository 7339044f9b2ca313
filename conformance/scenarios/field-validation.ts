import { configMap, definition, deployment, pod, widget } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'

/** Unknown and duplicate fields. */
export const fieldValidation = area('field-validation')
const { scenario } = fieldValidation

const duplicate = '{"metadata":{"name":"a"},"data":{"x":"1","x":"2"}}'

scenario('warns of unknown fields by default', async t => {
  await t.post(t.core('configmaps'), { ...configMap('a'), foo: 1, metadata: { name: 'a', bar: 2 } })
})

scenario('drops unknown fields silently when told to ignore them', async t => {
  await t.post(`${t.core('configmaps')}?fieldValidation=Ignore`, { ...configMap('a'), foo: 1 })
})

scenario('refuses unknown fields when strict', async t => {
  await t.post(`${t.core('configmaps')}?fieldValidation=Strict`, {
    ...configMap('a'),
    foo: 1,
    metadata: { name: 'a', bar: 2 },
  })
  await t.post(`${t.api('apps/v1', 'deployments')}?fieldValidation=Strict`, {
    ...deployment('web', {}, [
      { name: 'main', image: 'x', imagePolicy: 'no', ports: [{ containerPort: 1, hostport: 2 }] },
    ]),
  })
})

scenario('warns of, refuses or ignores duplicate fields', async t => {
  await t.post(t.core('configmaps'), duplicate)
  await t.delete(t.core('configmaps/a'), undefined, { unrecorded: true })
  await t.post(`${t.core('configmaps')}?fieldValidation=Strict`, duplicate)
  await t.post(`${t.core('configmaps')}?fieldValidation=Ignore`, duplicate)
})

scenario('refuses a mode that does not exist', async t => {
  await t.post(`${t.core('configmaps')}?fieldValidation=Sometimes`, configMap('a'))
  await t.put(`${t.core('configmaps/a')}?fieldValidation=Sometimes`, configMap('a'))
  await t.mergePatch(`${t.core('configmaps/a')}?fieldValidation=Sometimes`, {})
})

scenario('reads field names with their exact case', async t => {
  await t.post(`${t.core('configmaps')}?fieldValidation=Strict`, {
    Metadata: { name: 'a' },
    metadata: { name: 'a' },
    Data: {},
  })
})

scenario('checks updates too', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.put(t.core('configmaps/a'), { ...configMap('a'), foo: 1 })
  await t.put(`${t.core('configmaps/a')}?fieldValidation=Strict`, { ...configMap('a'), foo: 1 })
})

scenario('checks patches of every type', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.mergePatch(t.core('configmaps/a'), { foo: 1 })
  await t.mergePatch(`${t.core('configmaps/a')}?fieldValidation=Strict`, { foo: 1 })
  await t.strategicPatch(t.core('configmaps/a'), { foo: 1 })
  await t.strategicPatch(`${t.core('configmaps/a')}?fieldValidation=Strict`, { foo: 1 })
  await t.jsonPatch(`${t.core('configmaps/a')}?fieldValidation=Strict`, [{ op: 'add', path: '/foo', value: 1 }])
  await t.jsonPatch(
    `${t.core('configmaps/a')}?fieldValidation=Strict`,
    '[{"op":"add","op":"add","path":"/data/x","value":"1"}]',
  )
  await t.mergePatch(`${t.core('configmaps/a')}?fieldValidation=Strict`, '{"data":{"x":"1","x":"2"}}')
})

scenario('checks applied configurations', async t => {
  await t.apply(`${t.core('configmaps/a')}?fieldManager=m&fieldValidation=Strict`, { ...configMap('a'), foo: 1 })
  await t.apply(`${t.core('configmaps/a')}?fieldManager=m`, { ...configMap('a'), foo: 1 })
  await t.apply(
    `${t.core('configmaps/a')}?fieldManager=m&fieldValidation=Strict`,
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "1"\n  x: "2"\n',
  )
})

scenario('checks YAML', async t => {
  const yaml = 'metadata:\n  name: a\n  surprise: 1\ndata:\n  x: "1"\n  x: "2"\n'
  await t.post(`${t.core('configmaps')}?fieldValidation=Strict`, yaml, { type: 'application/yaml' })
  await t.post(t.core('configmaps'), yaml, { type: 'application/yaml' })
})

scenario('checks custom resources against their schema', async t => {
  await t.define(
    definition(t, {
      spec: {
        type: 'object',
        properties: {
          size: { type: 'integer' },
          parts: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    }),
  )
  const surprising = { spec: { size: 1, extra: true, parts: [{ id: 'x', more: 1 }], free: { any: 'thing' } }, other: 1 }
  await t.post(t.custom('widgets'), widget(t, 'a', surprising))
  await t.post(`${t.custom('widgets')}?fieldValidation=Strict`, widget(t, 'b', surprising))
  await t.post(`${t.custom('widgets')}?fieldValidation=Ignore`, widget(t, 'c', surprising))
  await t.post(`${t.custom('widgets')}?fieldValidation=Strict`, {
    ...widget(t, 'd'),
    metadata: { name: 'd', unknown: 1 },
  })
  await t.mergePatch(`${t.custom('widgets/a')}?fieldValidation=Strict`, { spec: { extra: 1 } })
  await t.apply(
    `${t.custom('widgets/a')}?fieldManager=m&fieldValidation=Strict`,
    widget(t, 'a', { spec: { extra: 1 } }),
  )
})

scenario('reports many problems at once up to a limit', async t => {
  const many = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`x${index}`, 1]))
  await t.post(t.core('configmaps'), { ...configMap('a'), ...many })
})

scenario('warns of deprecated and doubtful pod fields', async t => {
  await t.post(
    t.core('pods'),
    pod('p', {
      containers: [
        {
          name: 'main',
          image: 'x',
          env: [
            { name: 'A', value: '1' },
            { name: 'A', value: '2' },
          ],
          ports: [{ containerPort: 80 }, { containerPort: 80 }],
        },
      ],
    }),
  )
  await t.post(
    t.core('pods'),
    pod('q', {}, { annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default' } }),
  )
  await t.post(t.core('pods'), pod('r', { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } }))
})

scenario('warns that endpoints are deprecated', async t => {
  await t.get(t.core('endpoints'))
  await t.post(t.core('endpoints'), { metadata: { name: 'e' } })
  await t.get('/api/v1/componentstatuses?labelSelector=none')
})
