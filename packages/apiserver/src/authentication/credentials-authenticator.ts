import { type ApiRequest, header, type User } from '../request/api-request.ts'
import { AUTHENTICATED_GROUP, type Authenticator } from './authenticator.ts'
import { DEFAULT_AUDIENCE, type ServiceAccountTokens, type TokenCheck, tokenDigest } from './service-account-tokens.ts'

export interface StaticToken {
  token: string
  user: string
  uid?: string
  groups?: readonly string[]
}

/** Knows users by client certificate, by static bearer token and by ServiceAccount token, in this order. */
export class CredentialsAuthenticator implements Authenticator {
  /** By digest, so that comparing does not tell how much of a guess was right. */
  readonly #static = new Map<string, User>()
  readonly #accounts: ServiceAccountTokens

  constructor(tokens: readonly StaticToken[], accounts: ServiceAccountTokens) {
    this.#accounts = accounts
    for (const { token, user, uid, groups = [] } of tokens) {
      this.#static.set(tokenDigest(token), {
        name: user,
        ...(uid === undefined ? {} : { uid }),
        groups: [...groups, AUTHENTICATED_GROUP],
      })
    }
  }

  authenticate(request: ApiRequest): User | 'anonymous' | 'refused' {
    const { certificate } = request
    const isUntrusted = certificate === 'untrusted'
    if (certificate && !isUntrusted && certificate.commonName !== '')
      return { name: certificate.commonName, groups: [...certificate.organizations, AUTHENTICATED_GROUP] }
    const token = bearerToken(header(request, 'authorization') ?? '')
    // Whoever shows a certificate means to be somebody.
    if (token === '') return isUntrusted ? 'refused' : 'anonymous'
    const check = this.checkToken(token, [DEFAULT_AUDIENCE])
    return check.is === 'valid' ? check.user : 'refused'
  }

  /** The user of a bearer token that is meant for one of the audiences. */
  checkToken(token: string, audiences: readonly string[]): TokenCheck {
    const digest = tokenDigest(token)
    const known = this.#static.get(digest)
    if (!known) return this.#accounts.check(token, audiences, digest)
    // Static tokens are for this server alone.
    return audiences.includes(DEFAULT_AUDIENCE)
      ? { is: 'valid', user: known, audiences: [DEFAULT_AUDIENCE] }
      : { is: 'unknown' }
  }
}

/** Empty for another scheme (Basic), which this server does not know: the request stays anonymous, as on the real one. */
function bearerToken(authorization: string): string {
  const [scheme = '', token = ''] = authorization.trim().split(' ')
  return scheme.toLowerCase() === 'bearer' ? token : ''
}
