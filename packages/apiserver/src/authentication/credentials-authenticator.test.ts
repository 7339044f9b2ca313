import { systemEnv } from '@tiphys/env'
import { describe, expect, it } from 'vitest'
import type { ApiRequest } from '../request/api-request.ts'
import { CredentialsAuthenticator } from './credentials-authenticator.ts'
import { DEFAULT_AUDIENCE, ServiceAccountTokens } from './service-account-tokens.ts'

const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { uid: 'u' } }
const accounts = new ServiceAccountTokens(systemEnv, () => account)
const authenticator = new CredentialsAuthenticator(
  [{ token: 'secret', user: 'joe', uid: 'u-joe', groups: ['dev'] }],
  accounts,
)

function authenticate(authorization?: string, certificate?: ApiRequest['certificate']) {
  return authenticator.authenticate({
    method: 'GET',
    path: '/',
    query: new URLSearchParams(),
    headers: authorization === undefined ? {} : { authorization },
    body: async () => ({ value: null }),
    signal: new AbortController().signal,
    ...(certificate ? { certificate } : {}),
  })
}

const JOE = { name: 'joe', uid: 'u-joe', groups: ['dev', 'system:authenticated'] }

describe('credentials', () => {
  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['another scheme', 'Basic YTpi'],
    ['a scheme without a token', 'Bearer'],
    ['spaces in place of the token', 'Bearer  secret'],
  ])('leave a request anonymous: %s', (_, header) => {
    expect(authenticate(header)).toBe('anonymous')
  })

  it.each(['Bearer wrong', 'bearer wrong', 'Bearer a.b.c', 'Bearer secre', 'Bearer secrets'])(
    'are refused: %s',
    header => {
      expect(authenticate(header)).toBe('refused')
    },
  )

  it.each(['Bearer secret', 'bearer secret', 'BEARER secret', 'Bearer secret more'])('name a user: %s', header => {
    expect(authenticate(header)).toEqual(JOE)
  })

  it('name the account of a token that is meant for this server', () => {
    const subject = { namespace: 'ns', name: 'robot', uid: 'u' }
    const { token } = accounts.issue(subject, [DEFAULT_AUDIENCE], 600)
    expect(authenticate(`Bearer ${token}`)).toMatchObject({ name: 'system:serviceaccount:ns:robot' })
    expect(authenticate(`Bearer ${accounts.issue(subject, ['elsewhere'], 600).token}`)).toBe('refused')
  })

  it('are the certificate first', () => {
    const certificate = { commonName: 'jane', organizations: ['ops'] }
    expect(authenticate('Bearer secret', certificate)).toEqual({
      name: 'jane',
      groups: ['ops', 'system:authenticated'],
    })
    expect(authenticate('Bearer secret', { commonName: '', organizations: ['system:masters'] })).toEqual(JOE)
  })

  it('of a static token are for this server alone', () => {
    expect(authenticator.checkToken('secret', ['elsewhere'])).toEqual({ is: 'unknown' })
    expect(authenticator.checkToken('secret', ['elsewhere', DEFAULT_AUDIENCE])).toMatchObject({
      is: 'valid',
      audiences: [DEFAULT_AUDIENCE],
    })
  })
})
