import type { User } from '../request/api-request.ts'

export interface Attributes {
  user: User
  verb: string
  /** A path that is not a resource, or a resource. */
  path?: string
  group: string
  version: string
  resource: string
  subresource: string
  namespace: string
  name: string
}

export interface Decision {
  allowed: boolean
  reason: string
}

/** Decides whether a user may do something. Decisions are synchronous: they come from what is in memory. */
export interface Authorizer {
  authorize(attributes: Attributes): Decision
  /** The rules that apply to a user in a namespace, for SelfSubjectRulesReview and escalation checks. */
  rulesFor(user: User, namespace: string): PolicyRules
}

export interface PolicyRules {
  rules: PolicyRule[]
  /** Why there may be more rules than these. */
  evaluationError?: string
}

export interface PolicyRule {
  verbs: string[]
  apiGroups?: string[]
  resources?: string[]
  resourceNames?: string[]
  nonResourceURLs?: string[]
}
