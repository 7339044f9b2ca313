import { area } from '../src/scenario.ts'

export const connection = area('connection')
const { scenario } = connection

scenario('tells its version to anyone', async t => {
  await t.get('/version')
  await t.get('/version', { as: 'nobody' })
  await t.get('/version/', { as: 'nobody' })
})

scenario('says that it is healthy, alive and ready, as text', async t => {
  for (const path of ['/healthz', '/livez', '/readyz']) await t.get(path, { as: 'nobody' })
})

scenario('has a health check for a single part', async t => {
  await t.get('/healthz/ping')
  await t.get('/readyz/ping')
  await t.get('/livez/ping')
  await t.get('/healthz/no-such-check')
})

scenario('excludes health checks by name', async t => {
  await t.get('/livez?exclude=ping')
})

scenario('sends nothing but the head to HEAD', async t => {
  await t.request('HEAD', '/healthz')
})

scenario('answers an unknown path with plain text for the administrator', async t => {
  await t.get('/no/such/path')
  await t.get('/apis/no.such.group/v1')
  await t.get('/apis/apps/v9')
  await t.get('/api/v2')
})

scenario('answers an unknown resource of a known group with a Status', async t => {
  await t.get('/api/v1/nosuchthings')
  await t.get(t.core('nosuchthings'))
  await t.get(t.core('nosuchthings/x'))
  await t.post(t.core('nosuchthings'), {})
  await t.get('/apis/apps/v1/nosuchthings')
  await t.delete(t.api('apps/v1', 'nosuchthings/x'))
})

scenario('refuses methods that a resource does not have', async t => {
  await t.post(t.core('configmaps/x'), {})
  await t.put(t.core('configmaps'), {})
  await t.request('PATCH', t.core('configmaps'), {}, { type: 'application/merge-patch+json' })
  await t.get(t.core('pods/x/binding'))
  await t.get('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews')
  await t.delete('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/x')
})

scenario('refuses unknown methods', async t => {
  await t.request('OPTIONS', t.core('configmaps'))
  await t.request('PROPFIND', t.core('configmaps'))
  await t.request('TRACE', t.core('configmaps'))
})

scenario('marks every answer with its headers', async t => {
  await t.get(t.core('configmaps'), { showHeaders: ['cache-control', 'x-content-type-options', 'vary'] })
  await t.get(t.core('configmaps/none'), { showHeaders: ['cache-control', 'x-content-type-options', 'vary'] })
})

scenario('compresses large answers only when asked', async t => {
  await t.post(
    t.core('configmaps'),
    { metadata: { name: 'large' }, data: { text: 'x'.repeat(200_000) } },
    { unrecorded: true },
  )
  const small = await t.get('/version', { headers: { 'Accept-Encoding': 'gzip' }, unrecorded: true })
  const large = await t.get(t.core('configmaps/large'), { headers: { 'Accept-Encoding': 'gzip' }, unrecorded: true })
  const plain = await t.get(t.core('configmaps/large'), { unrecorded: true })
  t.note('content-encoding', {
    small: small.headers.get('content-encoding') ?? null,
    large: large.headers.get('content-encoding') ?? null,
    plain: plain.headers.get('content-encoding') ?? null,
  })
})

scenario('serves pretty JSON when asked', async t => {
  await t.post(t.core('configmaps'), { metadata: { name: 'pretty' }, data: { a: '1' } }, { unrecorded: true })
  const pretty = await t.get(`${t.core('configmaps/pretty')}?pretty=true`, { unrecorded: true })
  t.note('first line', pretty.text.split('\n').slice(0, 3))
})
