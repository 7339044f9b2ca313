import type { Env } from '@tiphys/env'
import type { Client, KubeObject } from '@tiphys/kube'
import { HttpFailure } from './http-failure.ts'
import { isSameToken } from './session.ts'

/** Who sent a request. */
export interface Caller {
  user: string
  groups: readonly string[]
  /** The bearer token, when it is one of the cluster's. */
  token?: string
}

/** How the console knows who somebody is. */
export type Authentication =
  /** One person on this machine, who has the printed token. */
  | { mode: 'local'; token: string; caller: Caller }
  /** Tokens of the cluster, which the cluster reviews. The client may do no more than create TokenReviews. */
  | { mode: 'cluster'; reviewer: Client }

/** Says whose token it is. What the cluster said is kept for ten seconds. */
export interface Authenticator {
  /** Undefined when nobody's. Throws a HttpFailure when that cannot be found out now. */
  whose(token: string): Promise<Caller | undefined>
}

const KEPT_MS = 10_000
const MOST_KEPT = 1000

export function createAuthenticator(env: Env, authentication: Authentication): Authenticator {
  if (authentication.mode === 'local') {
    const { token: own, caller } = authentication
    return { whose: async token => (isSameToken(token, own) ? caller : undefined) }
  }
  const known = new Map<string, { until: number; caller: Promise<Caller | undefined> }>()
  return {
    whose(token) {
      const now = env.clock.now()
      const found = known.get(token)
      if (found && found.until > now) return found.caller
      if (known.size >= MOST_KEPT) known.clear()
      const caller = review(authentication.reviewer, token)
      known.set(token, { until: now + KEPT_MS, caller })
      caller.catch(() => known.delete(token))
      return caller
    },
  }
}

interface TokenReview extends KubeObject {
  status?: { authenticated?: boolean; user?: { username?: string; groups?: readonly string[] } }
}

async function review(reviewer: Client, token: string): Promise<Caller | undefined> {
  try {
    const { status } = await reviewer.create<TokenReview>({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: {},
      spec: { token },
    })
    if (status?.authenticated !== true || !status.user?.username) return undefined
    return { user: status.user.username, groups: status.user.groups ?? [], token }
  } catch (cause) {
    throw new HttpFailure('console-review-failed', {
      status: 503,
      what: 'the cluster could not be asked whose token this is',
      why: cause instanceof Error ? cause.message : String(cause),
      todo: 'Try again; the console needs to be allowed to create tokenreviews.authentication.k8s.io',
      cause,
    })
  }
}
