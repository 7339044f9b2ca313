import { createPublicKey, verify } from 'node:crypto'
import { silentLog, systemRandom, VirtualClock } from '@tiphys/env'
import type { KubeObject } from '@tiphys/kube'
import { beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_AUDIENCE, ServiceAccountTokens, type TokenSubject } from './service-account-tokens.ts'

const MINUTE = 60_000
const ACCOUNT: TokenSubject = { namespace: 'ns', name: 'robot', uid: 'u-robot' }

let clock: VirtualClock
let objects: Map<string, KubeObject>
let tokens: ServiceAccountTokens

beforeEach(() => {
  clock = new VirtualClock()
  objects = new Map()
  tokens = issuer()
  put('serviceaccounts/ns/robot', 'u-robot')
})

function issuer(key?: string): ServiceAccountTokens {
  const env = { clock, random: systemRandom, log: silentLog }
  return new ServiceAccountTokens(env, (resource, ...path) => objects.get([resource, ...path].join('/')), key)
}

function put(path: string, uid: string, deletionTimestamp?: string): void {
  const metadata = { uid, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) }
  objects.set(path, { apiVersion: 'v1', kind: '', metadata })
}

const issue = (subject: TokenSubject = ACCOUNT, audiences = [DEFAULT_AUDIENCE], seconds = 600) =>
  tokens.issue(subject, audiences, seconds).token
const why = (token: string, audiences = [DEFAULT_AUDIENCE]) => {
  const check = tokens.check(token, audiences)
  return check.is === 'invalid' ? check.why : check.is
}

describe('a token of a service account', () => {
  it('tells the account', () => {
    const check = tokens.check(issue(), [DEFAULT_AUDIENCE])
    expect(check).toMatchObject({
      is: 'valid',
      audiences: [DEFAULT_AUDIENCE],
      user: {
        name: 'system:serviceaccount:ns:robot',
        uid: 'u-robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
      },
    })
  })

  it('tells the pod and the node it is bound to', () => {
    put('pods/ns/p', 'u-p')
    const check = tokens.check(issue({ ...ACCOUNT, pod: { name: 'p', uid: 'u-p' }, node: { name: 'n', uid: 'u-n' } }), [
      DEFAULT_AUDIENCE,
    ])
    expect(check).toMatchObject({
      user: {
        extra: {
          'authentication.kubernetes.io/node-name': ['n'],
          'authentication.kubernetes.io/node-uid': ['u-n'],
          'authentication.kubernetes.io/pod-name': ['p'],
          'authentication.kubernetes.io/pod-uid': ['u-p'],
        },
      },
    })
  })

  it('ends a minute after its time, also when it was used before', async () => {
    const token = issue(ACCOUNT, [DEFAULT_AUDIENCE], 600)
    await clock.advance(11 * MINUTE)
    expect(why(token)).toBe('valid')
    await clock.advance(1)
    expect(why(token)).toBe('service account token has expired')
  })

  it('is not valid long before it was issued', async () => {
    await clock.advance(10 * MINUTE)
    const token = issue()
    clock = new VirtualClock()
    tokens = issuer(tokens.exportKey())
    expect(why(token)).toBe('service account token is not valid yet')
  })

  it('is for its audiences only', () => {
    const token = issue(ACCOUNT, ['a', 'b'])
    expect(tokens.check(token, ['c', 'b'])).toMatchObject({ is: 'valid', audiences: ['b'] })
    expect(why(token, ['c'])).toBe('token audiences ["a" "b"] is invalid for the target audiences ["c"]')
  })

  it('dies with its account, and does not come back with another of the same name', () => {
    const token = issue()
    expect(why(token)).toBe('valid')
    objects.delete('serviceaccounts/ns/robot')
    expect(why(token)).toBe('serviceaccounts "robot" not found')
    put('serviceaccounts/ns/robot', 'u-other')
    expect(why(token)).toBe('service account UID (u-other) does not match claim (u-robot)')
  })

  it.each(['pod', 'secret', 'node'] as const)('dies with the %s it is bound to', kind => {
    const path = kind === 'node' ? 'nodes//x' : `${kind}s/ns/x`
    const token = issue({ ...ACCOUNT, [kind]: { name: 'x', uid: 'u-x' } })
    put(path, 'u-x')
    expect(why(token)).toBe('valid')
    objects.delete(path)
    expect(why(token)).toBe('service account token has been invalidated')
    put(path, 'u-y')
    expect(why(token)).toBe(`${kind} UID (u-y) does not match service account ${kind} ref claim (u-x)`)
  })

  it('dies a minute after the deletion of its pod began', async () => {
    const token = issue({ ...ACCOUNT, pod: { name: 'p', uid: 'u-p' } })
    put('pods/ns/p', 'u-p', new Date(clock.now()).toISOString())
    await clock.advance(MINUTE)
    expect(why(token)).toBe('valid')
    await clock.advance(1)
    expect(why(token)).toBe('service account token has been invalidated')
  })

  it('does not die with the node that its pod ran on', () => {
    put('pods/ns/p', 'u-p')
    expect(why(issue({ ...ACCOUNT, pod: { name: 'p', uid: 'u-p' }, node: { name: 'gone', uid: 'u' } }))).toBe('valid')
  })

  it('is refused when anything of it was changed', () => {
    const [head = '', body = '', signature = ''] = issue().split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const longer = encode({ ...claims, exp: 9_999_999_999 })
    const broken = 'go-jose/go-jose: error in cryptographic primitive'
    expect(why(`${head}.${longer}.${signature}`)).toBe(broken)
    expect(why(`${head}.${body}.`)).toBe(broken)
    expect(why(`${encode({ alg: 'none' })}.${body}.`)).toBe(broken)
    expect(why(`${encode({ alg: 'HS256', kid: 'x' })}.${body}.${signature}`)).toBe('invalid signature, no keys found')
    expect(why(`${head}.${encode({ ...claims, iss: 'https://example.com' })}.${signature}`)).toBe('unknown')
  })

  it.each(['', 'garbage', 'a.b', 'a.b.c', '....', 'bnVsbA.bnVsbA.bnVsbA', `${'x'.repeat(100_000)}.y.z`])(
    'is not %j',
    text => {
      expect(why(text)).toBe('unknown')
    },
  )

  it('of another key is refused, of a restored key accepted', () => {
    const token = issue()
    const key = tokens.exportKey()
    tokens = issuer()
    expect(why(token)).toBe('invalid signature, no keys found')
    tokens = issuer(key)
    expect(why(token)).toBe('valid')
  })

  it('can be verified with the published key', () => {
    const [head, body, signature = ''] = issue().split('.')
    const key = createPublicKey({ key: tokens.publicKey(), format: 'jwk' })
    const signed = Buffer.from(`${head}.${body}`)
    expect(verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))).toBe(true)
    expect(tokens.publicKey()).not.toHaveProperty('d')
  })
})
