import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { type Env, uuid } from '@tiphys/env'
import type { KubeObject } from '@tiphys/kube'
import { formatTexts } from '../authorization/policy-rule.ts'
import type { User } from '../request/api-request.ts'
import { AUTHENTICATED_GROUP } from './authenticator.ts'
import { accountGroups, accountName, NODE_NAME_KEY } from './service-account-name.ts'

export const ISSUER = 'https://kubernetes.default.svc.cluster.local'
/** Whom a token is for when nobody says so: the API itself. */
export const DEFAULT_AUDIENCE = ISSUER
export const SIGNING_ALGORITHM = 'ES256'

interface ObjectRef {
  name: string
  /** Absent for a node that a pod names and that does not exist. */
  uid?: string
}

export interface TokenSubject {
  namespace: string
  name: string
  uid: string
  pod?: ObjectRef
  secret?: ObjectRef
  node?: ObjectRef
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
    serviceaccount: ObjectRef
    pod?: ObjectRef
    secret?: ObjectRef
    node?: ObjectRef
  }
}

/** What a token was issued for: the current state, undefined when it is gone. */
export type FindSubject = (
  resource: 'serviceaccounts' | 'pods' | 'secrets' | 'nodes',
  namespace: string,
  name: string,
) => KubeObject | undefined

export type TokenCheck =
  | { is: 'valid'; user: User; audiences: readonly string[] }
  /** Not a token of this issuer; somebody else may know it. */
  | { is: 'unknown' }
  | { is: 'invalid'; why: string }

/** Clocks of those who ask may be this far off; the real server gives a token as much after its end. */
const LEEWAY_SECONDS = 60
const REMEMBERED_SIGNATURES = 1024

/** Signs and checks the tokens of ServiceAccounts. A token dies with its account and with the object it is bound to. */
export class ServiceAccountTokens {
  readonly #env: Env
  readonly #find: FindSubject
  readonly #pem: string | undefined
  #keys: { private: KeyObject; public: KeyObject; id: string } | undefined
  /** Claims by the token's digest. Checking a signature costs more than the rest of a small request, and never changes. */
  readonly #verified = new Map<string, Claims>()

  constructor(env: Env, find: FindSubject, pem?: string) {
    this.#env = env
    this.#find = find
    this.#pem = pem
  }

  exportKey(): string {
    return this.#signer().private.export({ type: 'pkcs8', format: 'pem' }) as string
  }

  /** The public key that verifies the tokens. */
  publicKey(): JsonWebKey {
    const { public: key, id } = this.#signer()
    return { use: 'sig', ...key.export({ format: 'jwk' }), kid: id, alg: SIGNING_ALGORITHM }
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
      iss: ISSUER,
      jti: uuid(this.#env.random),
      'kubernetes.io': {
        namespace,
        ...(node ? { node } : {}),
        ...(pod ? { pod } : {}),
        ...(secret ? { secret } : {}),
        serviceaccount: { name, uid },
      },
      nbf: now,
      sub: accountName(namespace, name),
    }
    const { private: key, id } = this.#signer()
    const body = `${encode({ alg: SIGNING_ALGORITHM, kid: id })}.${encode(claims)}`
    const signature = sign('sha256', Buffer.from(body), { key, dsaEncoding: 'ieee-p1363' })
    return { token: `${body}.${signature.toString('base64url')}`, expires: claims.exp * 1000 }
  }

  /** Says whose the token is, if it is meant for one of the audiences. */
  check(token: string, audiences: readonly string[], digest = tokenDigest(token)): TokenCheck {
    const claims = this.#read(token, digest)
    if (typeof claims === 'string') return { is: 'invalid', why: claims }
    if (!claims) return { is: 'unknown' }
    const shared = audiences.filter(audience => claims.aud.includes(audience))
    if (shared.length === 0) {
      const why = `token audiences ${formatTexts(claims.aud)} is invalid for the target audiences ${formatTexts(audiences)}`
      return { is: 'invalid', why }
    }
    const why = this.#outOfTime(claims) ?? this.#withoutSubject(claims)
    return why === undefined ? { is: 'valid', user: userOf(claims), audiences: shared } : { is: 'invalid', why }
  }

  /** Keys are made when they are first needed: most servers in tests never issue a token. */
  #signer() {
    if (this.#keys) return this.#keys
    const pem = this.#pem
    const key =
      pem === undefined ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : createPrivateKey(pem)
    const publicKey = createPublicKey(key)
    const id = createHash('sha256').update(publicKey.export({ type: 'spki', format: 'der' }))
    this.#keys = { private: key, public: publicKey, id: id.digest('base64url') }
    return this.#keys
  }

  /** The claims of a token whose signature is right; a text that says what is wrong with one of ours; undefined for what
   *  this issuer never wrote. */
  #read(token: string, digest: string): Claims | string | undefined {
    const known = this.#verified.get(digest)
    if (known) return known
    const [head = '', body = '', signature, ...rest] = token.split('.')
    if (signature === undefined || rest.length > 0) return undefined
    const claims = decode(body) as Claims | undefined
    const header: { alg?: unknown; kid?: unknown } | undefined = decode(head)
    if (claims?.iss !== ISSUER || !header) return undefined
    const { public: key, id } = this.#signer()
    if (header.kid !== undefined && header.kid !== id) return 'invalid signature, no keys found'
    const isSigned =
      header.alg === SIGNING_ALGORITHM &&
      verify(
        'sha256',
        Buffer.from(`${head}.${body}`),
        { key, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      )
    if (!isSigned) return 'go-jose/go-jose: error in cryptographic primitive'
    if (this.#verified.size >= REMEMBERED_SIGNATURES) this.#verified.clear()
    this.#verified.set(digest, claims)
    return claims
  }

  #outOfTime({ exp, nbf }: Claims): string | undefined {
    const now = this.#env.clock.now() / 1000
    if (now + LEEWAY_SECONDS < nbf) return 'service account token is not valid yet'
    return now - LEEWAY_SECONDS > exp ? 'service account token has expired' : undefined
  }

  #withoutSubject({ 'kubernetes.io': { namespace, serviceaccount, secret, pod, node } }: Claims): string | undefined {
    const account = this.#find('serviceaccounts', namespace, serviceaccount.name)
    if (!account) return `serviceaccounts ${JSON.stringify(serviceaccount.name)} not found`
    const { uid } = account.metadata
    if (uid !== serviceaccount.uid) return `service account UID (${uid}) does not match claim (${serviceaccount.uid})`
    if (this.#isLongDeleted(account)) return `service account ${namespace}/${serviceaccount.name} has been deleted`
    if (secret) return this.#unbound('secret', namespace, secret)
    if (pod) return this.#unbound('pod', namespace, pod)
    return node && this.#unbound('node', '', node)
  }

  #unbound(kind: 'secret' | 'pod' | 'node', namespace: string, { name, uid }: ObjectRef): string | undefined {
    const object = this.#find(`${kind}s`, namespace, name)
    if (!object || this.#isLongDeleted(object)) return 'service account token has been invalidated'
    if (object.metadata.uid === uid) return undefined
    return `${kind} UID (${object.metadata.uid}) does not match service account ${kind} ref claim (${uid})`
  }

  #isLongDeleted({ metadata: { deletionTimestamp } }: KubeObject): boolean {
    const earliest = this.#env.clock.now() - LEEWAY_SECONDS * 1000
    return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < earliest
  }
}

function userOf({ sub, jti, 'kubernetes.io': { namespace, serviceaccount, pod, node } }: Claims): User {
  const extra: Record<string, string[]> = { 'authentication.kubernetes.io/credential-id': [`JTI=${jti}`] }
  if (node) {
    extra[NODE_NAME_KEY] = [node.name]
    if (node.uid !== undefined) extra['authentication.kubernetes.io/node-uid'] = [node.uid]
  }
  if (pod) {
    extra['authentication.kubernetes.io/pod-name'] = [pod.name]
    if (pod.uid !== undefined) extra['authentication.kubernetes.io/pod-uid'] = [pod.uid]
  }
  return {
    name: sub,
    ...(serviceaccount.uid === undefined ? {} : { uid: serviceaccount.uid }),
    groups: [...accountGroups(namespace), AUTHENTICATED_GROUP],
    extra,
  }
}

/** What tokens are looked up by: comparing it does not tell how much of a guess was right. */
export const tokenDigest = (token: string): string => hash('sha256', token, 'base64')

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function decode(part: string): object | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    // Anybody may send anything as a token: what is no JSON is no token of ours.
    return undefined
  }
}
