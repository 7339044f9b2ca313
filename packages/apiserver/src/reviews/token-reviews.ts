import type { KubeObject } from '@tiphys/kube'
import type { CredentialsAuthenticator } from '../authentication/credentials-authenticator.ts'
import { DEFAULT_AUDIENCE } from '../authentication/service-account-tokens.ts'
import { timestamp } from '../registry/timestamp.ts'
import type { User } from '../request/api-request.ts'
import type { RequestContext } from '../request/request-context.ts'
import { badRequest } from '../status-error.ts'

const userInfo = ({ name, uid, groups, extra }: User) => ({
  username: name,
  ...(uid === undefined ? {} : { uid }),
  groups: [...groups],
  ...(extra === undefined ? {} : { extra }),
})

/** Says who the caller is; nothing of the question comes back. */
export const reviewSelf = async (
  { user, env }: RequestContext,
  { apiVersion, kind }: KubeObject,
): Promise<KubeObject> => ({
  apiVersion,
  kind,
  metadata: { creationTimestamp: timestamp(env.clock.now()) },
  status: { userInfo: userInfo(user) },
})

/** Says whether a token is valid, and whose it is. */
export function tokenReview(authenticator: CredentialsAuthenticator) {
  return async (_context: RequestContext, object: KubeObject): Promise<KubeObject> => {
    const { token = '', audiences = [] } = (object.spec ?? {}) as { token?: string; audiences?: string[] }
    if (token === '') throw badRequest('token is required for TokenReview in authentication')
    const check = authenticator.checkToken(token, audiences.length > 0 ? audiences : [DEFAULT_AUDIENCE])
    if (check.is === 'valid') {
      const status = { authenticated: true, user: userInfo(check.user), audiences: [...check.audiences] }
      return { ...object, status }
    }
    const unknown = 'invalid bearer token'
    return { ...object, status: { user: {}, error: check.is === 'unknown' ? unknown : `[${unknown}, ${check.why}]` } }
  }
}
