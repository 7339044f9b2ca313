import type { JsonObject } from '../src/http.ts'
import { pod } from '../src/manifests.ts'
import { area } from '../src/scenario.ts'
import type { Session } from '../src/session.ts'

/** Tokens of service accounts. */
export const tokens = area('tokens')
const { scenario } = tokens

const quiet = { unrecorded: true }
const request = (t: Session, spec: JsonObject, account = 'default') =>
  t.post(t.core(`serviceaccounts/${account}/token`), {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec,
  })
const review = (t: Session, spec: JsonObject) => t.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec })

scenario('issues a token for a service account', async t => {
  await request(t, {})
  await request(t, { audiences: ['one', 'two'], expirationSeconds: 1200 })
})

scenario('binds a token to an object', async t => {
  const bound = await t.post(t.core('pods'), pod('p'), quiet)
  const secret = await t.post(t.core('secrets'), { metadata: { name: 's' } }, quiet)
  await request(t, { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: bound.uid } })
  await request(t, { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 's', uid: secret.uid } })
  await request(t, {
    boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '11111111-2222-3333-4444-555555555555' },
  })
  await request(t, { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'none' } })
  await request(t, { boundObjectRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'x' } })
})

scenario('refuses bad token requests', async t => {
  await request(t, { expirationSeconds: 10 })
  await request(t, { expirationSeconds: 4294967297 })
  await request(t, {}, 'none')
  await t.post(t.core('serviceaccounts/default/token'), { kind: 'Pod', apiVersion: 'v1' })
})

scenario('knows the account behind a token', async t => {
  const issued = await t.post(t.core('serviceaccounts/default/token'), { spec: {} }, quiet)
  const token = issued.string('status.token')
  await t.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { token })
  await t.get(t.core('configmaps'), { token })
})

scenario('reviews tokens', async t => {
  const issued = await t.post(t.core('serviceaccounts/default/token'), { spec: {} }, quiet)
  await review(t, { token: issued.string('status.token') })
  await review(t, { token: 'admin-token' })
  await review(t, { token: 'garbage' })
  await review(t, { token: '' })
  await review(t, { token: issued.string('status.token'), audiences: ['other'] })
})

scenario('refuses the token of another audience', async t => {
  const issued = await t.post(t.core('serviceaccounts/default/token'), { spec: { audiences: ['elsewhere'] } }, quiet)
  await t.get('/api', { token: issued.string('status.token') })
  await review(t, { token: issued.string('status.token'), audiences: ['elsewhere'] })
})

scenario('refuses a token whose account or object is gone', async t => {
  await t.post(t.core('serviceaccounts'), { metadata: { name: 'short' } }, quiet)
  const secret = await t.post(t.core('secrets'), { metadata: { name: 's' } }, quiet)
  const bound = await t.post(
    t.core('serviceaccounts/default/token'),
    { spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 's', uid: secret.uid } } },
    quiet,
  )
  const issued = await t.post(t.core('serviceaccounts/short/token'), { spec: {} }, quiet)
  await t.delete(t.core('serviceaccounts/short'), undefined, quiet)
  await t.delete(t.core('secrets/s'), undefined, quiet)
  await t.until(
    () => t.get('/api', { token: issued.string('status.token') }),
    reply => reply.status === 401,
  )
  await t.until(
    () => t.get('/api', { token: bound.string('status.token') }),
    reply => reply.status === 401,
  )
})

scenario('mounts a token into pods unless told not to', async t => {
  await t.post(t.core('pods'), pod('with'))
  await t.post(t.core('pods'), pod('without', { automountServiceAccountToken: false }))
  await t.post(
    t.core('serviceaccounts'),
    { metadata: { name: 'quiet' }, automountServiceAccountToken: false, imagePullSecrets: [{ name: 'pull' }] },
    quiet,
  )
  await t.post(t.core('pods'), pod('quiet', { serviceAccountName: 'quiet' }))
})

scenario('serves the keys that sign tokens', async t => {
  await t.get('/.well-known/openid-configuration')
  const keys = await t.get('/openid/v1/jwks', quiet)
  t.note('keys', {
    status: keys.status,
    type: keys.headers.get('content-type') ?? null,
    algorithm: keys.at('keys.0.alg') ?? null,
    use: keys.at('keys.0.use') ?? null,
  })
})
