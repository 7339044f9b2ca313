import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { type Env, uuid } from '@tiphys/env'
import type { User } from '../request/api-request.ts'

export const DEFAULT_AUDIENCE = 'https://kubernetes.default.svc.cluster.local'

export interface TokenSubject {
  namespace: string
  name: string
  uid: string
  pod?: { name: string; uid: string }
  secret?: { name: string; uid: string }
  node?: { name: string; uid: string }
}

interface Claims {
  aud: string[]
  exp: number
  iat: number
  nbf: number
  iss: string
  jti: string
  sub: string
  'kubernetes.io': {
    namespace: string
    serviceaccount: { name: string; uid: string }
    pod?: { name: string; uid: string }
    secret?: { name: string; uid: string }
    node?: { name: string; uid: string }
  }
}

/** Whether the things that a token is bound to still exist with the same uid. */
export type IsAlive = (
  resource: 'serviceaccounts' | 'pods' | 'secrets' | 'nodes',
  namespace: string,
  name: string,
  uid: string,
) => boolean

/** Signs and checks the tokens of ServiceAccounts. A token dies with its account and with the object it is bound to. */
export class ServiceAccountTokens {
  readonly #env: Env
  readonly #key: KeyObject
  readonly #publicKey: KeyObject
  readonly #keyId: string
  readonly #isAlive: IsAlive

  constructor(env: Env, isAlive: IsAlive, pem?: string) {
    this.#env = env
    this.#isAlive = isAlive
    this.#key =
      pem === undefined ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : createPrivateKey(pem)
    this.#publicKey = createPublicKey(this.#key)
    this.#keyId = createHash('sha256')
      .update(this.#publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64url')
  }

  exportKey(): string {
    return this.#key.export({ type: 'pkcs8', format: 'pem' }) as string
  }

  issue(
    subject: TokenSubject,
    audiences: readonly string[],
    lifetimeSeconds: number,
  ): { token: string; expires: number } {
    const now = Math.floor(this.#env.clock.now() / 1000)
    const { namespace, name, uid, pod, secret, node } = subject
    const claims: Claims = {
      aud: [...audiences],
      exp: now + lifetimeSeconds,
      iat: now,
      iss: DEFAULT_AUDIENCE,
      jti: uuid(this.#env.random),
      'kubernetes.io': {
        namespace,
        ...(node ? { node } : {}),
        ...(pod ? { pod } : {}),
        ...(secret ? { secret } : {}),
        serviceaccount: { name, uid },
      },
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
    }
    const body = `${encode({ alg: 'ES256', kid: this.#keyId })}.${encode(claims)}`
    const signature = sign('sha256', Buffer.from(body), { key: this.#key, dsaEncoding: 'ieee-p1363' })
    return { token: `${body}.${signature.toString('base64url')}`, expires: claims.exp * 1000 }
  }

  /** The account behind a token and the audiences it is meant for; undefined for what is not a valid token of ours. */
  check(token: string): { user: User; audiences: readonly string[] } | undefined {
    const claims = this.#verified(token)
    if (!claims) return undefined
    const now = this.#env.clock.now() / 1000
    if (claims.iss !== DEFAULT_AUDIENCE || now >= claims.exp || now < claims.nbf - 1) return undefined
    const { namespace, serviceaccount, pod, secret, node } = claims['kubernetes.io']
    if (!this.#isAlive('serviceaccounts', namespace, serviceaccount.name, serviceaccount.uid)) return undefined
    if (pod && !this.#isAlive('pods', namespace, pod.name, pod.uid)) return undefined
    if (secret && !this.#isAlive('secrets', namespace, secret.name, secret.uid)) return undefined
    return {
      user: {
        name: claims.sub,
        uid: serviceaccount.uid,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
        extra: {
          'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti}`],
          ...(node
            ? {
                'authentication.kubernetes.io/node-name': [node.name],
                'authentication.kubernetes.io/node-uid': [node.uid],
              }
            : {}),
          ...(pod
            ? { 'authentication.kubernetes.io/pod-name': [pod.name], 'authentication.kubernetes.io/pod-uid': [pod.uid] }
            : {}),
        },
      },
      audiences: claims.aud,
    }
  }

  #verified(token: string): Claims | undefined {
    const [head, body, signature, ...rest] = token.split('.')
    if (head === undefined || body === undefined || signature === undefined || rest.length > 0) return undefined
    const key = { key: this.#publicKey, dsaEncoding: 'ieee-p1363' as const }
    if (!verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))) return undefined
    return JSON.parse(Buffer.from(body, 'base64url').toString()) as Claims
  }
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
