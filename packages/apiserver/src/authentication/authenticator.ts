import type { ApiRequest, User } from '../request/api-request.ts'

/** Says who sends a request. */
export interface Authenticator {
  /** The user; 'anonymous' when the request brought no credentials; 'refused' when it brought wrong ones. */
  authenticate(request: ApiRequest): User | 'anonymous' | 'refused'
}

export const AUTHENTICATED_GROUP = 'system:authenticated'
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated'
export const ANONYMOUS: User = { name: 'system:anonymous', groups: [UNAUTHENTICATED_GROUP] }
