import { configMap, deployment } from '../src/manifests.ts'
import { bytes, envelope, message, text, varint } from '../src/protobuf.ts'
import { area } from '../src/scenario.ts'

/** Bodies and answers other than JSON. */
export const encodings = area('encodings')
const { scenario } = encodings

const protobuf = 'application/vnd.kubernetes.protobuf'
const objectMeta = (name: string, labels: Record<string, string> = {}) =>
  message(
    text(1, name),
    ...Object.entries(labels).map(([key, value]) => bytes(11, message(text(1, key), text(2, value)))),
  )

scenario('reads YAML bodies', async t => {
  await t.post(
    t.core('configmaps'),
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "1"\n  y: |\n    two\n    lines\n',
    { type: 'application/yaml' },
  )
  await t.put(t.core('configmaps/a'), 'metadata: {name: a}\ndata: {x: "2"}\n', { type: 'application/yaml' })
})

scenario('reads only the first of several YAML documents', async t => {
  await t.post(t.core('configmaps'), 'metadata: {name: a}\n---\nmetadata: {name: b}\n', { type: 'application/yaml' })
  await t.get(t.core('configmaps/b'))
})

scenario('refuses YAML it cannot read', async t => {
  await t.post(t.core('configmaps'), 'metadata: [unclosed', { type: 'application/yaml' })
  await t.post(t.core('configmaps'), 'just text', { type: 'application/yaml' })
  await t.post(t.core('configmaps'), '\tmetadata: {}', { type: 'application/yaml' })
})

scenario('answers in YAML when asked', async t => {
  await t.post(t.core('configmaps'), configMap('a', { x: '1', y: 'two\nlines\n', z: 'yes' }), { unrecorded: true })
  const answer = await t.get(t.core('configmaps/a'), { accept: 'application/yaml', unrecorded: true })
  t.note('content type', answer.headers.get('content-type') ?? null)
  t.note('data', answer.text.split('\n').slice(0, 8))
  await t.get(t.core('configmaps/none'), { accept: 'application/yaml' })
})

scenario('creates a namespace from protobuf', async t => {
  const name = `${t.namespace}-second`
  await t.post(
    '/api/v1/namespaces',
    envelope('v1', 'Namespace', message(bytes(1, objectMeta(name, { from: 'protobuf' })))),
    { type: protobuf },
  )
})

scenario('creates a config map and a secret from protobuf', async t => {
  const entry = (key: string, value: string) => bytes(2, message(text(1, key), text(2, value)))
  await t.post(
    t.core('configmaps'),
    envelope('v1', 'ConfigMap', message(bytes(1, objectMeta('a')), entry('x', '1'), entry('y', 'ü'))),
    { type: protobuf },
  )
  await t.post(
    t.core('secrets'),
    envelope('v1', 'Secret', message(bytes(1, objectMeta('s')), entry('x', '\u0001\u0002'), text(3, 'Opaque'))),
    { type: protobuf },
  )
})

scenario('updates a lease from protobuf', async t => {
  const lease = (holder: string, seconds: number) =>
    envelope(
      'coordination.k8s.io/v1',
      'Lease',
      message(bytes(1, objectMeta('l')), bytes(2, message(text(1, holder), varint(2, seconds)))),
    )
  await t.post(t.api('coordination.k8s.io/v1', 'leases'), lease('one', 15), { type: protobuf })
  await t.put(t.api('coordination.k8s.io/v1', 'leases/l'), lease('two', 30), { type: protobuf })
})

scenario('creates a deployment from protobuf', async t => {
  const labels = bytes(1, message(text(1, 'app'), text(2, 'web')))
  const container = message(text(1, 'main'), text(2, 'example.test/main:1'), bytes(6, message(varint(3, 80))))
  const podSpec = message(bytes(2, container))
  const template = message(bytes(1, objectMeta('', { app: 'web' })), bytes(2, podSpec))
  const spec = message(varint(1, 2), bytes(2, message(labels)), bytes(3, template))
  await t.post(
    t.api('apps/v1', 'deployments'),
    envelope('apps/v1', 'Deployment', message(bytes(1, objectMeta('web')), bytes(2, spec))),
    { type: protobuf },
  )
})

scenario('reads delete options from protobuf', async t => {
  await t.post(t.core('configmaps'), configMap('a'), { unrecorded: true })
  const options = message(text(4, 'Foreground'))
  await t.delete(t.core('configmaps/a'), envelope('v1', 'DeleteOptions', options), { type: protobuf })
  const wrongUid = message(bytes(2, message(text(1, '11111111-2222-3333-4444-555555555555'))))
  await t.delete(t.core('configmaps/a'), envelope('v1', 'DeleteOptions', wrongUid), { type: protobuf })
})

scenario('reviews access asked in protobuf', async t => {
  const attributes = message(text(1, t.namespace), text(2, 'list'), text(5, 'pods'))
  await t.post(
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    envelope('authorization.k8s.io/v1', 'SelfSubjectAccessReview', message(bytes(2, message(bytes(1, attributes))))),
    { type: protobuf },
  )
})

scenario('refuses protobuf that it cannot read', async t => {
  await t.post(t.core('configmaps'), Buffer.from('garbage'), { type: protobuf })
  await t.post(t.core('configmaps'), Buffer.from('k8s\0garbage', 'latin1'), { type: protobuf })
  await t.post(t.core('configmaps'), Buffer.alloc(0), { type: protobuf })
  await t.post(t.core('configmaps'), envelope('v1', 'Secret', message(bytes(1, objectMeta('a')))), { type: protobuf })
})

scenario('answers in the first acceptable form', async t => {
  await t.get(t.core('configmaps'), { accept: '*/*' })
  await t.get(t.core('configmaps'), { accept: 'application/*' })
  await t.get(t.core('configmaps'), { accept: 'text/html, application/json;q=0.5' })
  await t.get(t.core('configmaps'), { accept: 'application/json; charset=utf-8' })
  await t.get(t.core('configmaps'), { accept: '' })
})

scenario('refuses forms that it does not have', async t => {
  await t.get(t.core('configmaps'), { accept: 'text/html' })
  await t.get(t.core('configmaps'), { accept: 'application/xml' })
  await t.post(t.core('configmaps'), configMap('a'), { accept: 'text/html' })
  await t.get(t.core('configmaps'), { accept: 'application/json;as=Nothing;v=v1;g=meta.k8s.io' })
  await t.get('/version', { accept: 'text/html' })
})

scenario('refuses bodies of types that it does not know', async t => {
  await t.post(t.core('configmaps'), configMap('a'), { type: 'text/plain' })
  await t.post(t.core('configmaps'), configMap('a'), { type: 'application/xml' })
  await t.put(t.core('configmaps/a'), configMap('a'), { type: 'application/x-www-form-urlencoded' })
  await t.post(t.core('configmaps'), configMap('a'), { type: 'nonsense' })
})

scenario('takes a body without a type for JSON', async t => {
  await t.post(t.core('configmaps'), configMap('a'), { type: '' })
})

scenario('reads JSON with a charset', async t => {
  await t.post(t.core('configmaps'), configMap('a'), { type: 'application/json; charset=utf-8' })
})

scenario('keeps numbers and text of every kind', async t => {
  await t.post(
    t.core('configmaps'),
    configMap('a', { empty: '', unicode: '日本 🎉 \u0000 \u2028', html: '<a href="x">&</a>', quote: '"\\' }),
  )
  await t.post(t.api('apps/v1', 'deployments'), deployment('web', { replicas: 2147483647 }))
})

scenario('does not read protobuf for custom resources’ answers', async t => {
  await t.get(t.core('configmaps'), {
    accept: 'application/vnd.kubernetes.protobuf,application/json',
    unrecorded: true,
  })
  await t.post(t.core('configmaps'), configMap('a'), { accept: 'application/json,application/vnd.kubernetes.protobuf' })
})

scenario('answers who reads nothing but protobuf', async t => {
  await t.post(t.core('configmaps'), configMap('a'), { unrecorded: true })
  const table = `${protobuf};as=Table;v=v1;g=meta.k8s.io`
  for (const [path, accept] of [
    ['configmaps/a', protobuf],
    ['configmaps/none', protobuf],
    ['configmaps', protobuf],
    ['configmaps', table],
  ] as const) {
    const answer = await t.get(t.core(path), { accept, unrecorded: true })
    t.note(`status of ${path} as ${accept}`, answer.status)
    t.note('content type', answer.headers.get('content-type') ?? null)
  }
})
