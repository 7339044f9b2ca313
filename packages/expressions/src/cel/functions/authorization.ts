import { objectType } from '../type.ts'
import { CelError, type CelValue, noSuchOverload, OpaqueValue } from '../value.ts'
import { validateLabel, validateSubdomain } from './formats.ts'
import { trimSpace } from './go-text.ts'
import { type Implementation, overload } from './implementation.ts'

/** What an expression asks to be allowed to do. `serviceAccount` replaces the user of the request. */
export type AuthorizationCheck = (
  | { kind: 'path'; path: string }
  | {
      kind: 'resource'
      group: string
      resource: string
      subresource: string
      namespace: string
      name: string
      fieldSelector: string
      labelSelector: string
    }
) & { verb: string; serviceAccount: { namespace: string; name: string } | undefined }

export interface AuthorizationDecision {
  allowed: boolean
  reason: string
  /** Set when the question could not be answered. */
  error?: string | undefined
}

/** Answers what expressions ask through `authorizer`. The caller of `evaluate` supplies it. */
export interface Authorizer {
  authorize(check: AuthorizationCheck): AuthorizationDecision
}

interface Asking {
  authorizer: Authorizer
  serviceAccount: { namespace: string; name: string } | undefined
}

abstract class AuthorizationValue extends OpaqueValue {
  equals(): CelError {
    return noSuchOverload
  }
}

/** The type of the variable `authorizer`, and of `authorizer.requestResource`. */
export const authorizerType = objectType('kubernetes.authorization.Authorizer')
export const resourceCheckType = objectType('kubernetes.authorization.ResourceCheck')

/** The value of the variable `authorizer`. */
export class AuthorizerValue extends AuthorizationValue {
  readonly typeName = 'kubernetes.authorization.Authorizer'
  readonly goType = 'library.authorizerVal'
  readonly asking: Asking

  constructor(authorizer: Authorizer, serviceAccount?: { namespace: string; name: string }) {
    super()
    this.asking = { authorizer, serviceAccount }
  }
}

class PathCheck extends AuthorizationValue {
  readonly typeName = 'kubernetes.authorization.PathCheck'
  readonly goType = 'library.pathCheckVal'
  readonly asking: Asking
  readonly path: string

  constructor(asking: Asking, path: string) {
    super()
    this.asking = asking
    this.path = path
  }
}

class GroupCheck extends AuthorizationValue {
  readonly typeName = 'kubernetes.authorization.GroupCheck'
  readonly goType = 'library.groupCheckVal'
  readonly asking: Asking
  readonly group: string

  constructor(asking: Asking, group: string) {
    super()
    this.asking = asking
    this.group = group
  }
}

export interface ResourceAttributes {
  group: string
  resource: string
  subresource: string
  namespace: string
  name: string
  fieldSelector: string
  labelSelector: string
}

class ResourceCheck extends AuthorizationValue {
  readonly typeName = 'kubernetes.authorization.ResourceCheck'
  readonly goType = 'library.resourceCheckVal'
  readonly asking: Asking
  readonly attributes: ResourceAttributes

  constructor(asking: Asking, attributes: ResourceAttributes) {
    super()
    this.asking = asking
    this.attributes = attributes
  }

  with(changed: Partial<ResourceAttributes>): ResourceCheck {
    return new ResourceCheck(this.asking, { ...this.attributes, ...changed })
  }
}

class Decision extends AuthorizationValue {
  readonly typeName = 'kubernetes.authorization.Decision'
  readonly goType = 'library.decisionVal'
  readonly decision: AuthorizationDecision

  constructor(decision: AuthorizationDecision) {
    super()
    this.decision = decision
  }
}

const noSelectors = { subresource: '', namespace: '', name: '', fieldSelector: '', labelSelector: '' }

/** The value of the variable `authorizer.requestResource`. */
export function requestResourceValue(authorizer: Authorizer, attributes: Partial<ResourceAttributes>): OpaqueValue {
  const complete = { group: '', resource: '', ...noSelectors, ...attributes }
  return new ResourceCheck({ authorizer, serviceAccount: undefined }, complete)
}

function decide({ authorizer, serviceAccount }: Asking, check: AuthorizationCheck): CelValue {
  return new Decision(authorizer.authorize({ ...check, serviceAccount }))
}

function serviceAccount({ asking }: AuthorizerValue, namespace: string, name: string): CelValue {
  if (validateSubdomain(name).length > 0) return new CelError('Invalid service account name')
  if (validateLabel(namespace).length > 0) return new CelError('Invalid service account namespace')
  return new AuthorizerValue(asking.authorizer, { namespace, name })
}

export const authorizationOverloads: readonly (readonly [string, Implementation])[] = [
  overload('authorizer_path', ({ asking }: AuthorizerValue, path: string) =>
    trimSpace(path) === '' ? new CelError('path must not be empty') : new PathCheck(asking, path),
  ),
  overload('authorizer_group', ({ asking }: AuthorizerValue, group: string) => new GroupCheck(asking, group)),
  overload('authorizer_serviceaccount', serviceAccount),
  overload('groupcheck_resource', ({ asking, group }: GroupCheck, resource: string) =>
    trimSpace(resource) === ''
      ? new CelError('resource must not be empty')
      : new ResourceCheck(asking, { group, resource, ...noSelectors }),
  ),
  overload('resourcecheck_subresource', (check: ResourceCheck, subresource: string) => check.with({ subresource })),
  overload('resourcecheck_namespace', (check: ResourceCheck, namespace: string) => check.with({ namespace })),
  overload('resourcecheck_name', (check: ResourceCheck, name: string) => check.with({ name })),
  overload('authorizer_fieldselector', (check: ResourceCheck, fieldSelector: string) => check.with({ fieldSelector })),
  overload('authorizer_labelselector', (check: ResourceCheck, labelSelector: string) => check.with({ labelSelector })),
  overload('pathcheck_check', ({ asking, path }: PathCheck, verb: string) =>
    decide(asking, { kind: 'path', path, verb, serviceAccount: undefined }),
  ),
  overload('resourcecheck_check', ({ asking, attributes }: ResourceCheck, verb: string) =>
    decide(asking, { kind: 'resource', ...attributes, verb, serviceAccount: undefined }),
  ),
  overload('decision_allowed', ({ decision }: Decision) => decision.allowed),
  overload('decision_reason', ({ decision }: Decision) => decision.reason),
  overload('decision_errored', ({ decision }: Decision) => decision.error !== undefined),
  overload('decision_error', ({ decision }: Decision) => decision.error ?? ''),
]
