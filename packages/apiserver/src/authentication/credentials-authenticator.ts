import { createHash } from 'node:crypto'
import { type ApiRequest, header, type User } from '../request/api-request.ts'
import { AUTHENTICATED_GROUP, type Authenticator } from './authenticator.ts'
import { DEFAULT_AUDIENCE, type ServiceAccountTokens } from './service-account-tokens.ts'

export interface StaticToken {
  token: string
  user: string
  uid?: string
  groups?: readonly string[]
}

const REMEMBERED_TOKENS = 1024
const REMEMBERED_FOR_MS = 10_000

/** Knows users by client certificate, by static bearer token and by ServiceAccount token, in this order. */
export class CredentialsAuthenticator implements Authenticator {
  /** By digest, so that comparing does not tell how much of a guess was right. */
  readonly #static = new Map<string, User>()
  readonly #accounts: ServiceAccountTokens
  readonly #now: () => number
  /** Checking a signature costs more than the rest of a small request. */
  readonly #checked = new Map<string, { user: User; until: number }>()

  constructor(tokens: readonly StaticToken[], accounts: ServiceAccountTokens, now: () => number) {
    this.#accounts = accounts
    this.#now = now
    for (const { token, user, uid, groups = [] } of tokens) {
      this.#static.set(digest(token), {
        name: user,
        ...(uid === undefined ? {} : { uid }),
        groups: [...groups, AUTHENTICATED_GROUP],
      })
    }
  }

  authenticate(request: ApiRequest): User | 'anonymous' | 'refused' {
    const { certificate } = request
    if (certificate)
      return { name: certificate.commonName, groups: [...certificate.organizations, AUTHENTICATED_GROUP] }
    const authorization = header(request, 'authorization')
    if (authorization === undefined || authorization === '') return 'anonymous'
    const token = /^bearer +(\S+)$/i.exec(authorization)?.[1]
    // Another scheme (Basic) is nothing this server knows: the request stays anonymous, as on the real server.
    if (token === undefined) return 'anonymous'
    return this.checkToken(token, [DEFAULT_AUDIENCE])?.user ?? 'refused'
  }

  /** The user of a bearer token that is meant for one of the audiences. */
  checkToken(token: string, audiences: readonly string[]): { user: User; audiences: readonly string[] } | undefined {
    const key = digest(token)
    const known = this.#static.get(key)
    if (known) return { user: known, audiences }
    const remembered = this.#checked.get(key)
    if (remembered && remembered.until > this.#now() && audiences[0] === DEFAULT_AUDIENCE)
      return { user: remembered.user, audiences }
    const account = this.#accounts.check(token)
    if (!account) return undefined
    const shared = audiences.filter(audience => account.audiences.includes(audience))
    if (shared.length === 0) return undefined
    if (shared.includes(DEFAULT_AUDIENCE)) {
      if (this.#checked.size >= REMEMBERED_TOKENS) this.#checked.clear()
      this.#checked.set(key, { user: account.user, until: this.#now() + REMEMBERED_FOR_MS })
    }
    return { user: account.user, audiences: shared }
  }
}

const digest = (token: string): string => createHash('sha256').update(token).digest('base64')
