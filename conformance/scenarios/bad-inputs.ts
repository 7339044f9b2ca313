import { configMap, definition, deployment, pod, widget } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'
import { crdPath } from '../src/session.ts'

/** The inputs that a hostile or broken client sends; the numbers are those of the project's list. */
export const badInputs = area('bad-inputs')
const { scenario } = badInputs

const quiet = { unrecorded: true }
const yaml = { type: 'application/yaml' }

scenario('1: a YAML alias bomb', async t => {
  const levels = Array.from(
    { length: 9 },
    (_, index) => `  l${index + 1}: &l${index + 1} [${Array(9).fill(`*l${index}`).join(',')}]`,
  )
  await t.post(t.core('configmaps'), `metadata: {name: a}\ndata:\n  l0: &l0 ["lol"]\n${levels.join('\n')}\n`, yaml)
})

scenario('2: JSON that is 10,000 levels deep', async t => {
  await t.post(t.core('configmaps'), `{"metadata":{"name":"a"},"data":${'['.repeat(10_000)}${']'.repeat(10_000)}}`)
  await t.post(
    t.core('configmaps'),
    `{"metadata":{"name":"a"},"other":${'{"a":'.repeat(10_001)}1${'}'.repeat(10_001)}}`,
  )
})

scenario('3: a body of 4 MiB', async t => {
  await t.post(t.core('configmaps'), configMap('a', { x: 'x'.repeat(4 * 1024 * 1024) }))
})

scenario('4: a config map of 1.1 MiB', async t => {
  await t.post(t.core('configmaps'), configMap('a', { x: 'x'.repeat(1_150_000) }))
})

scenario('5: a key given twice', async t => {
  await t.post(t.core('configmaps'), '{"metadata":{"name":"a"},"data":{"k":"1","k":"2"}}')
  await t.post(`${t.core('configmaps')}?fieldValidation=Strict`, '{"metadata":{"name":"b"},"data":{"k":"1","k":"2"}}')
})

scenario('6: an unknown field', async t => {
  await t.post(t.core('configmaps'), { ...configMap('a'), surprise: true })
  await t.post(`${t.core('configmaps')}?fieldValidation=Strict`, { ...configMap('b'), surprise: true })
})

scenario('7: __proto__ as data and as label', async t => {
  await t.post(t.core('configmaps'), '{"metadata":{"name":"a"},"data":{"__proto__":"x","constructor":"y"}}')
  await t.get(t.core('configmaps/a'))
  await t.post(t.core('configmaps'), '{"metadata":{"name":"b","labels":{"__proto__":"x"}}}')
})

scenario('8: patches of __proto__', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  await t.jsonPatch(t.core('configmaps/a'), [{ op: 'add', path: '/__proto__/x', value: 'y' }])
  await t.jsonPatch(t.core('configmaps/a'), [{ op: 'add', path: '/data/__proto__', value: 'y' }])
  await t.mergePatch(t.core('configmaps/a'), '{"data":{"__proto__":"z"}}')
  await t.mergePatch(t.core('configmaps/a'), '{"__proto__":{"polluted":"yes"}}')
  await t.strategicPatch(t.core('configmaps/a'), '{"metadata":{"annotations":{"__proto__":"z"}}}')
})

scenario('9: a patch of 10,001 operations', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  await t.jsonPatch(t.core('configmaps/a'), Array(10_001).fill({ op: 'test', path: '/data/color', value: 'blue' }))
})

scenario('10: a patch that copies and copies', async t => {
  await t.post(t.core('configmaps'), configMap('a', { x: 'x'.repeat(1000) }), quiet)
  const doubling = Array.from({ length: 40 }, () => ({ op: 'copy', from: '/metadata', path: '/metadata/annotations' }))
  await t.jsonPatch(t.core('configmaps/a'), [
    { op: 'add', path: '/metadata/annotations', value: { a: 'b' } },
    ...doubling,
  ])
  const copies = Array.from({ length: 9000 }, (_, index) => ({ op: 'copy', from: '/data/x', path: `/data/k${index}` }))
  await t.jsonPatch(t.core('configmaps/a'), copies)
})

scenario('11: bad UTF-8 and lone surrogates', async t => {
  const bad = Buffer.concat([
    Buffer.from('{"metadata":{"name":"a"},"data":{"x":"'),
    Buffer.from([0xff, 0xfe, 0x61]),
    Buffer.from('"}}'),
  ])
  await t.post(t.core('configmaps'), bad)
  await t.post(t.core('configmaps'), '{"metadata":{"name":"b"},"data":{"x":"\\ud800 and \\udc00"}}')
})

scenario('12: whole numbers beyond 2^53', async t => {
  await t.define(definition(t, { spec: { type: 'object', properties: { n: { type: 'integer', format: 'int64' } } } }))
  await t.post(
    t.custom('widgets'),
    `{"apiVersion":"${t.group}/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"n":9007199254740993}}`,
  )
  await t.get(t.custom('widgets/w'))
})

scenario('13: numbers that fit nothing', async t => {
  await t.define(definition(t, { spec: { type: 'object', properties: { n: { type: 'integer', format: 'int64' } } } }))
  for (const [index, number] of ['1e400', '9223372036854775808', '1.5', '1.0', '-0', '1e2', '01', '.5'].entries()) {
    await t.post(
      t.custom('widgets'),
      `{"apiVersion":"${t.group}/v1","kind":"Widget","metadata":{"name":"w${index}"},"spec":{"n":${number}}}`,
    )
  }
})

scenario('13: whole numbers that are not written as such', async t => {
  const manifest = (name: string, replicas: string, port: string) =>
    JSON.stringify({
      ...deployment(name, { replicas: '<replicas>' }),
      metadata: { name, annotations: { note: '{"replicas":1.0}' } },
    })
      .replace('"<replicas>"', replicas)
      .replace('"containers":[{', `"containers":[{"livenessProbe":{"httpGet":{"port":${port}}},`)
  for (const [index, number] of ['1.0', '1e0', '1.50', '0.0', '-0', '1'].entries())
    await t.post(t.api('apps/v1', 'deployments?dryRun=All'), manifest(`replicas-${index}`, number, '80'))
  for (const [index, number] of ['80.0', '8e1'].entries())
    await t.post(t.api('apps/v1', 'deployments?dryRun=All'), manifest(`port-${index}`, '1', number))
  // To a reader of YAML it is a number like any other.
  await t.post(t.api('apps/v1', 'deployments'), manifest('d', '1.0', '80.0'), { type: 'application/yaml' })
  const scale = `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"d","namespace":"${t.namespace}"},"spec":{"replicas":2.0}}`
  await t.put(t.api('apps/v1', 'deployments/d/scale'), scale)
  await t.strategicPatch(t.api('apps/v1', 'deployments/d'), '{"spec":{"replicas":3.0}}')
  await t.delete(t.api('apps/v1', 'deployments/d?dryRun=All'), '{"gracePeriodSeconds":0.0}')
  await t.delete(t.api('apps/v1', 'deployments/d?dryRun=All'), '{"gracePeriodSeconds":"0"}')
  // The answer to a patch shows the whole object, so it is a small one.
  const leases = 'coordination.k8s.io/v1'
  await t.post(t.api(leases, 'leases'), { metadata: { name: 'l' }, spec: { holderIdentity: 'me' } }, quiet)
  await t.mergePatch(t.api(leases, 'leases/l'), '{"spec":{"leaseDurationSeconds":1.0}}')
  await t.jsonPatch(t.api(leases, 'leases/l'), '[{"op":"add","path":"/spec/leaseDurationSeconds","value":2e0}]')
})

scenario('14: names that are none', async t => {
  for (const name of ['Bad_Name', 'x'.repeat(254), '../x', '']) await t.post(t.core('configmaps'), configMap(name))
})

scenario('15: escaped dots and slashes in paths', async t => {
  await t.get(t.core('configmaps/%2e%2e'))
  await t.get(t.core('configmaps/a%2Fb'))
  await t.get(t.core('configmaps/..'))
  await t.get(t.core('configmaps/%00'))
  await t.get(t.core('configmaps/%zz'))
  await t.get(`//api/v1/namespaces/${t.namespace}/configmaps`)
  await t.get(`${t.core('configmaps')}/`)
  await t.get(`${t.core('configmaps')}//a`)
})

scenario('16: the wrong namespace and a missing one', async t => {
  await t.post(t.core('configmaps'), configMap('a', {}, { namespace: 'default' }))
  await t.post('/api/v1/namespaces/no-such-namespace/configmaps', configMap('a'))
})

scenario('17: bodies that are no object', async t => {
  for (const body of [
    '[]',
    '',
    '{"metadata":',
    '{"metadata":{"name":"a"}} trailing',
    'null',
    '"text"',
    '5',
    '{"metadata":{"name":"b"}}{"metadata":{"name":"c"}}',
  ]) {
    await t.post(t.core('configmaps'), body)
  }
})

scenario('18: wrong media types', async t => {
  await t.post(t.core('configmaps'), configMap('a'), { type: 'text/plain' })
  await t.get(t.core('configmaps'), { accept: 'text/html' })
})

scenario('19: long labels and large annotations', async t => {
  await t.post(t.core('configmaps'), configMap('a', {}, { labels: { x: 'y'.repeat(64) } }))
  await t.post(t.core('configmaps'), configMap('a', {}, { annotations: { x: 'y'.repeat(257 * 1024) } }))
})

scenario('20: stale versions, wrong uids and wrong names', async t => {
  const created = await t.post(t.core('configmaps'), configMap('a'))
  await t.mergePatch(t.core('configmaps/a'), { data: { x: 'y' } })
  await t.put(t.core('configmaps/a'), configMap('a', {}, { resourceVersion: created.resourceVersion }))
  await t.put(t.core('configmaps/a'), configMap('a', {}, { uid: '11111111-2222-3333-4444-555555555555' }))
  await t.put(t.core('configmaps/a'), configMap('other'))
})

scenario('21: a version that is no number', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  await t.get(`${t.core('configmaps/a')}?resourceVersion=abc`)
  await t.put(t.core('configmaps/a'), configMap('a', {}, { resourceVersion: 'abc' }))
  await t.get(`${t.core('configmaps')}?resourceVersion=-5`)
})

scenario('22: a deletion with the wrong uid', async t => {
  await t.post(t.core('configmaps'), configMap('a'))
  await t.delete(t.core('configmaps/a'), { preconditions: { uid: '11111111-2222-3333-4444-555555555555' } })
})

scenario('23: an apply without manager, with managed fields, in conflict', async t => {
  await t.apply(t.core('configmaps/a'), configMap('a'))
  await t.apply(`${t.core('configmaps/a')}?fieldManager=m`, configMap('a', {}, { managedFields: [{}] }))
  await t.apply(`${t.core('configmaps/a')}?fieldManager=one`, configMap('a', { x: '1' }))
  await t.apply(`${t.core('configmaps/a')}?fieldManager=two`, configMap('a', { x: '2' }))
})

scenario('24: a future version, a bad token and a bad selector in a list', async t => {
  await t.get(`${t.core('configmaps')}?resourceVersion=999999999`)
  await t.get(`${t.core('configmaps')}?limit=1&continue=%00`)
  await t.get(`${t.core('configmaps')}?labelSelector=%3D`)
})

scenario('26: no token, a garbled one, another user', async t => {
  await t.get(t.core('secrets'), { as: 'nobody' })
  await t.get(t.core('secrets'), { token: 'garbage' })
  await t.get(t.core('secrets'), { as: 'joe' })
})

scenario('27: definitions over budget, with look-ahead, not structural', async t => {
  const expensive = {
    type: 'array',
    items: { type: 'array', items: { type: 'string' } },
    'x-kubernetes-validations': [{ rule: 'self.all(a, a.all(b, a.all(c, b == c)))' }],
  }
  await t.post(crdPath(), definition(t, { spec: expensive }))
  await t.post(crdPath(), definition(t, { spec: { type: 'string', pattern: '^(?=a)b' } }))
  await t.post(
    crdPath(),
    definition(t, { schema: { type: 'object', properties: { spec: { properties: { a: {} } } } } }),
  )
})

scenario('28: a pattern that explodes elsewhere', async t => {
  await t.define(
    definition(t, { spec: { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } } }),
  )
  const reply = await t.post(t.custom('widgets'), widget(t, 'w', { spec: { text: `${'a'.repeat(50_000)}!` } }), quiet)
  t.note('answer', {
    status: reply.status,
    reason: reply.at('reason') ?? null,
    field: reply.at('details.causes.0.field') ?? null,
  })
})

scenario('29: fields that the schema does not declare', async t => {
  await t.define(definition(t, { spec: { type: 'object', properties: { known: { type: 'string' } } } }))
  await t.post(t.custom('widgets'), widget(t, 'w', { spec: { known: 'x', unknown: 'y' } }))
})

scenario('30: YAML booleans as text, and several documents', async t => {
  await t.post(t.core('configmaps'), 'metadata: {name: a}\ndata: {a: no}\n', yaml)
  await t.post(t.core('configmaps'), 'metadata: {name: b}\n---\nmetadata: {name: c}\n', yaml)
  await t.get(t.core('configmaps/c'))
})

scenario('31: bad finalizers, owners and dry runs, and a header of 2 MB', async t => {
  await t.post(t.core('configmaps'), configMap('a', {}, { finalizers: ['x'] }))
  await t.post(t.core('configmaps'), configMap('a', {}, { ownerReferences: [{}] }))
  await t.post(`${t.core('configmaps')}?dryRun=x`, configMap('a'))
  await t.exchangeBytes(
    'a header of 2 MB',
    `GET /version HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(2_000_000)}\r\n\r\n`,
  )
})

scenario('a request that is smuggled or malformed', async t => {
  const start = 'POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token\r\n'
  await t.exchangeBytes(
    'both lengths',
    `${start}Content-Length: 5\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`,
  )
  await t.exchangeBytes('two lengths', `${start}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`)
  await t.exchangeBytes('a negative length', `${start}Content-Length: -5\r\n\r\n`)
  await t.exchangeBytes('a bad chunk', `${start}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`)
  await t.exchangeBytes('an unknown coding', `${start}Transfer-Encoding: gzip\r\n\r\n`)
  await t.exchangeBytes('no host', 'GET /version HTTP/1.1\r\n\r\n')
  await t.exchangeBytes('a broken line', 'GET\r\n\r\n')
  await t.exchangeBytes('a space in a header name', 'GET /version HTTP/1.1\r\nHost: x\r\nBad Name: x\r\n\r\n')
  await t.exchangeBytes(
    'a folded header',
    'GET /version HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\nConnection: close\r\n\r\n',
  )
})

scenario('requests that are pipelined', async t => {
  const request = 'GET /version HTTP/1.1\r\nHost: x\r\n\r\n'
  await t.exchangeBytes('three at once', `${request}${request}${request.replace('Host', 'Connection: close\r\nHost')}`)
})

scenario('a body that is larger than it says', async t => {
  const body = '{"metadata":{"name":"BAD"}}'
  await t.exchangeBytes(
    'rest is the next request',
    `POST ${t.core('configmaps')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}garbage\r\n\r\n`,
  )
})

scenario('a GET with a body', async t => {
  await t.request('GET', t.core('configmaps'), { ignored: true })
})

scenario('query parameters that do not exist or come twice', async t => {
  await t.post(t.core('configmaps'), configMap('a'), quiet)
  await t.get(`${t.core('configmaps/a')}?nonsense=1`)
  await t.get(`${t.core('configmaps')}?labelSelector=a%3Db&labelSelector=c%3Dd`)
  await t.get(`${t.core('configmaps')}?limit=1&limit=x`)
  await t.get(`${t.core('configmaps')}?%zz`)
  await t.get(`${t.core('configmaps')}?;;;&&&===`)
})

scenario('objects whose fields are null', async t => {
  await t.post(t.core('configmaps'), '{"metadata":{"name":"a","labels":null,"finalizers":null},"data":null}')
  await t.post(t.core('configmaps'), '{"metadata":null}')
  await t.post(
    t.core('pods'),
    pod('p', {
      volumes: null,
      nodeSelector: null,
      containers: [{ name: 'main', image: 'x', env: null, command: null }],
    }),
  )
})

scenario('25: a watch from a version that is forgotten', async t => {
  await t.define(definition(t))
  const stream = await t.watch(`${t.custom('widgets')}?watch=true&resourceVersion=1&timeoutSeconds=5`)
  await stream.next(1)
})
