import type { KubeObject } from '@tiphys/kube'
import type { CredentialsAuthenticator } from '../authentication/credentials-authenticator.ts'
import { DEFAULT_AUDIENCE } from '../authentication/service-account-tokens.ts'
import type { User } from '../request/api-request.ts'
import type { RequestContext } from '../request/request-context.ts'
import { badRequest } from '../status-error.ts'

const userInfo = ({ name, uid, groups, extra }: User) => ({
  username: name,
  ...(uid === undefined ? {} : { uid }),
  groups: [...groups],
  ...(extra === undefined ? {} : { extra }),
})

export const reviewSelf = async ({ user }: RequestContext, object: KubeObject): Promise<KubeObject> => ({
  ...object,
  status: { userInfo: userInfo(user) },
})

/** Says whether a token is valid, and whose it is. */
export function tokenReview(authenticator: CredentialsAuthenticator) {
  return async (_context: RequestContext, object: KubeObject): Promise<KubeObject> => {
    const { token = '', audiences = [] } = (object.spec ?? {}) as { token?: string; audiences?: string[] }
    if (token === '') throw badRequest('token is required for TokenReview in authentication')
    const asked = audiences.length > 0 ? audiences : [DEFAULT_AUDIENCE]
    const found = authenticator.checkToken(token, asked)
    if (!found) return { ...object, status: { user: {}, error: '[invalid bearer token, unknown]' } }
    return { ...object, status: { authenticated: true, user: userInfo(found.user), audiences: [...found.audiences] } }
  }
}
