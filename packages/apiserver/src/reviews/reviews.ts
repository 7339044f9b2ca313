import type { CredentialsAuthenticator } from '../authentication/credentials-authenticator.ts'
import type { Resource } from '../registry/resource.ts'
import { reviewAccess, reviewLocalAccess, reviewSelfAccess, reviewSelfRules } from './access-reviews.ts'
import { reviewSelf, tokenReview } from './token-reviews.ts'

/** Kinds that are questions: creating one gives the answer, nothing is stored. */
export function builtinReview(authenticator: CredentialsAuthenticator) {
  const reviews: Record<string, Resource['review']> = {
    SelfSubjectAccessReview: reviewSelfAccess,
    SubjectAccessReview: reviewAccess,
    LocalSubjectAccessReview: reviewLocalAccess,
    SelfSubjectRulesReview: reviewSelfRules,
    SelfSubjectReview: reviewSelf,
    TokenReview: tokenReview(authenticator),
  }
  return ({ group, kind }: Resource): Resource['review'] =>
    group === 'authorization.k8s.io' || group === 'authentication.k8s.io' ? reviews[kind] : undefined
}
