import { silentLog, systemRandom, VirtualClock } from '@tiphys/env'
import type { KubeObject } from '@tiphys/kube'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { User } from '../request/api-request.ts'
import { type ApiServer, createApiServer } from '../server/api-server.ts'
import { call, type TestAnswer } from '../server/test-call.ts'

const AUTHORIZATION = '/apis/authorization.k8s.io/v1'
const AUTHENTICATION = '/apis/authentication.k8s.io/v1'
const TOKENS = '/api/v1/namespaces/default/serviceaccounts/robot/token'
const ADMIN: User = { name: 'root', groups: ['system:masters', 'system:authenticated'] }
const JOE: User = { name: 'joe', uid: 'u-joe', groups: ['dev', 'system:authenticated'], extra: { scope: ['x'] } }
const MINUTE = 60_000

let clock: VirtualClock
let server: ApiServer

beforeEach(async () => {
  clock = new VirtualClock(Date.parse('2026-01-02T03:04:05Z'))
  server = await createApiServer({
    env: { clock, random: systemRandom, log: silentLog },
    tokens: [{ token: 'secret', user: 'joe', groups: ['dev'] }],
  })
  await create('v1', 'ServiceAccount', 'robot')
  await create('rbac.authorization.k8s.io/v1', 'Role', 'reader', {
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
  })
  await create('rbac.authorization.k8s.io/v1', 'RoleBinding', 'reader', {
    roleRef: { kind: 'Role', name: 'reader' },
    subjects: [{ kind: 'Group', name: 'dev' }],
  })
})
afterEach(() => server.close())

const create = (apiVersion: string, kind: string, name: string, rest: object = {}) =>
  server.client().create<KubeObject>({ apiVersion, kind, metadata: { name, namespace: 'default' }, ...rest })
const post = (path: string, body: object, as: User = ADMIN) => call(server, { path, body, as })
const status = ({ body }: TestAnswer) => body.status as Record<string, unknown>
const getPods = { namespace: 'default', verb: 'get', resource: 'pods' }

describe('a review of access', () => {
  it('answers for the caller, and says why', async () => {
    const review = (resourceAttributes: object) =>
      post(`${AUTHORIZATION}/selfsubjectaccessreviews`, { spec: { resourceAttributes } }, JOE)
    expect(status(await review(getPods))).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "reader/default" of Role "reader" to Group "dev"',
    })
    expect(status(await review({ ...getPods, verb: 'delete' }))).toEqual({ allowed: false })
    expect(status(await review({ ...getPods, namespace: 'kube-system' }))).toEqual({ allowed: false })
    expect(status(await review({ ...getPods, subresource: 'log' }))).toEqual({ allowed: false })
  })

  it('answers for somebody else, when the caller may ask', async () => {
    const spec = { user: 'somebody', groups: ['dev'], resourceAttributes: getPods }
    expect(status(await post(`${AUTHORIZATION}/subjectaccessreviews`, { spec }))).toMatchObject({ allowed: true })
    expect((await post(`${AUTHORIZATION}/subjectaccessreviews`, { spec }, JOE)).status).toBe(403)
  })

  it('answers in one namespace about that namespace only', async () => {
    const at = `${AUTHORIZATION}/namespaces/default/localsubjectaccessreviews`
    const spec = { user: 'somebody', groups: ['dev'], resourceAttributes: getPods }
    expect(status(await post(at, { spec }))).toMatchObject({ allowed: true })
    const elsewhere = await post(at, { spec: { ...spec, resourceAttributes: { ...getPods, namespace: 'other' } } })
    expect(elsewhere.body.message).toContain('Invalid value: "other": must match metadata.namespace')
    const path = await post(at, { spec: { user: 'x', nonResourceAttributes: { path: '/', verb: 'get' } } })
    expect(path.body.message).toContain('{"Path":"/","Verb":"get"}: disallowed on this kind of request')
  })

  it.each([
    [{}, 'exactly one of nonResourceAttributes or resourceAttributes must be specified'],
    [{ resourceAttributes: getPods, nonResourceAttributes: { path: '/' } }, 'cannot be specified in combination with'],
    [{ resourceAttributes: getPods, user: '' }, 'spec.user: Invalid value: "": at least one of user or group'],
    [
      { user: 'x', resourceAttributes: { ...getPods, fieldSelector: {} } },
      'when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required',
    ],
  ])('refuses a question without a meaning: %j', async (spec, message) => {
    const answer = await post(`${AUTHORIZATION}/subjectaccessreviews`, { spec })
    expect(answer.status).toBe(422)
    expect(answer.body.message).toContain(message)
  })

  it('refuses a question with a name', async () => {
    const answer = await post(`${AUTHORIZATION}/selfsubjectaccessreviews`, {
      metadata: { name: 'x' },
      spec: { resourceAttributes: getPods },
    })
    expect(answer.body.message).toContain('metadata: Invalid value: {"name":"x"}: must be empty')
  })

  it('lists the caller’s rules in a namespace', async () => {
    const at = `${AUTHORIZATION}/selfsubjectrulesreviews`
    const answer = status(await post(at, { spec: { namespace: 'default' } }, JOE))
    expect(answer.resourceRules).toContainEqual({ verbs: ['get'], apiGroups: [''], resources: ['pods'] })
    const elsewhere = status(await post(at, { spec: { namespace: 'kube-system' } }, JOE))
    expect(elsewhere.resourceRules).not.toContainEqual({ verbs: ['get'], apiGroups: [''], resources: ['pods'] })
  })
})

describe('a review of identity', () => {
  it('says who the caller is', async () => {
    const { body } = await post(`${AUTHENTICATION}/selfsubjectreviews`, { metadata: { name: 'ignored' } }, JOE)
    expect(body).toMatchObject({
      metadata: { creationTimestamp: '2026-01-02T03:04:05Z' },
      status: { userInfo: { username: 'joe', uid: 'u-joe', groups: JOE.groups, extra: { scope: ['x'] } } },
    })
    expect(body.metadata).not.toHaveProperty('name')
  })

  it('says whose a token is, or what is wrong with it', async () => {
    const review = async (token: string, audiences?: string[]) =>
      status(await post(`${AUTHENTICATION}/tokenreviews`, { spec: { token, ...(audiences ? { audiences } : {}) } }))
    expect(await review('secret')).toMatchObject({ authenticated: true, user: { username: 'joe' } })
    expect(await review('garbage')).toEqual({ user: {}, error: 'invalid bearer token' })
    const { token } = status(await post(TOKENS, { spec: {} })) as { token: string }
    expect(await review(token)).toMatchObject({ user: { username: 'system:serviceaccount:default:robot' } })
    expect((await review(token, ['other'])).error).toContain('is invalid for the target audiences ["other"]')
  })
})

describe('a request for a token', () => {
  const use = async (token: string) => (await call(server, { path: '/api', token })).status
  const tokenOf = (answer: TestAnswer) => status(answer).token as string

  it('gives a token that lasts as long as was asked', async () => {
    const answer = await post(TOKENS, { spec: { expirationSeconds: 1200 } })
    expect(answer).toMatchObject({
      status: 201,
      body: {
        metadata: { name: 'robot', namespace: 'default' },
        spec: { expirationSeconds: 1200 },
        status: { expirationTimestamp: '2026-01-02T03:24:05Z' },
      },
    })
    await clock.advance(20 * MINUTE)
    expect(await use(tokenOf(answer))).toBe(200)
    await clock.advance(2 * MINUTE)
    expect(await use(tokenOf(answer))).toBe(401)
  })

  it('gives a token that dies with the account', async () => {
    const token = tokenOf(await post(TOKENS, { spec: {} }))
    expect(await use(token)).toBe(200)
    await server.client().delete({ apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'default', name: 'robot' })
    expect(await use(token)).toBe(401)
    await create('v1', 'ServiceAccount', 'robot')
    expect(await use(token)).toBe(401)
  })

  it('gives a token that dies with the object it is bound to', async () => {
    const secret = await create('v1', 'Secret', 's')
    const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: 's', uid: secret.metadata.uid }
    const token = tokenOf(await post(TOKENS, { spec: { boundObjectRef } }))
    expect(await use(token)).toBe(200)
    await server.client().delete({ apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 's' })
    expect(await use(token)).toBe(401)
  })

  it('is bound to pods that run as the account only', async () => {
    const containers = [{ name: 'c', image: 'i' }]
    await create('v1', 'ServiceAccount', 'other')
    await create('v1', 'Pod', 'mine', { spec: { serviceAccountName: 'robot', nodeName: 'n', containers } })
    await create('v1', 'Pod', 'foreign', { spec: { serviceAccountName: 'other', containers } })
    const bind = (name: string) => post(TOKENS, { spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name } } })
    const { body } = await call(server, {
      path: `${AUTHENTICATION}/selfsubjectreviews`,
      body: {},
      token: tokenOf(await bind('mine')),
    })
    expect(body).toMatchObject({
      status: { userInfo: { extra: { 'authentication.kubernetes.io/node-name': ['n'] } } },
    })
    expect((await bind('foreign')).body.message).toBe(
      'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    )
    expect((await bind('none')).status).toBe(404)
  })

  it.each([
    [{ spec: { expirationSeconds: 10 } }, 422, 'may not specify a duration less than 10 minutes'],
    [{ spec: { expirationSeconds: 2 ** 33 } }, 422, 'may not specify a duration larger than 2^32 seconds'],
    [{ metadata: { name: 'x' }, spec: {} }, 422, 'must match the service account name if specified'],
    [{ metadata: { namespace: 'x' }, spec: {} }, 400, 'the namespace of the provided object does not match'],
    [{ metadata: { uid: 'x' }, spec: {} }, 409, 'the UID in the token request (x) does not match the UID'],
    [{ spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Node', name: 'x' } } }, 404, 'nodes "x" not found'],
    [{ spec: { boundObjectRef: { kind: 'constructor' } } }, 400, 'cannot bind token to object of type'],
    [{ apiVersion: 'v1', kind: 'Pod' }, 400, 'Pod in version "v1" cannot be handled as a TokenRequest'],
    [{ spec: { expirationSeconds: 'x' } }, 400, 'TokenRequest in version "v1" cannot be handled as a TokenRequest'],
  ])('is refused when it makes no sense: %j', async (body, code, message) => {
    const answer = await post(TOKENS, body)
    expect(answer.status).toBe(code)
    expect(answer.body.message).toContain(message)
  })

  it('is refused for accounts and namespaces that are not there', async () => {
    const at = (namespace: string) => `/api/v1/namespaces/${namespace}/serviceaccounts/none/token`
    expect((await post(at('default'), {})).body.message).toBe('serviceaccounts "none" not found')
    expect((await post(at('nowhere'), {})).body.message).toBe('namespaces "nowhere" not found')
  })
})

describe('the issuer of tokens', () => {
  it('publishes its key', async () => {
    const discovery = await call(server, { path: '/.well-known/openid-configuration', as: ADMIN })
    expect(discovery.body).toMatchObject({ issuer: 'https://kubernetes.default.svc.cluster.local' })
    const { body } = await call(server, { path: '/openid/v1/jwks', as: ADMIN })
    expect(body.keys).toMatchObject([{ use: 'sig', kty: 'EC', alg: 'ES256' }])
    expect((await call(server, { path: '/openid/v1/jwks', as: ADMIN, method: 'POST' })).status).toBe(405)
    const headers = { accept: 'application/json' }
    expect((await call(server, { path: '/openid/v1/jwks', as: ADMIN, headers })).status).toBe(406)
  })

  it('shows it to service accounts and not to everybody', async () => {
    expect((await call(server, { path: '/openid/v1/jwks', as: JOE })).status).toBe(403)
    const { token } = status(await post(TOKENS, { spec: {} })) as { token: string }
    expect((await call(server, { path: '/openid/v1/jwks', token })).status).toBe(200)
  })
})
