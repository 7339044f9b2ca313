import type { ApiRequest, User } from '../request/api-request.ts'

/** Says who sends a request. */
export interface Authenticator {
  /** The user; 'anonymous' when the request brought no credentials; 'refused' when it brought wrong ones. */
  authenticate(request: ApiRequest): User | 'anonymous' | 'refused'
}

export const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] }
export const AUTHENTICATED_GROUP = 'system:authenticated'
