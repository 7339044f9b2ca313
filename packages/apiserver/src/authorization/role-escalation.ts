import type { KubeObject } from '@tiphys/kube'
import { goQuote } from '@tiphys/kube'
import { jsonEqual } from '../json-value.ts'
import type { AdmissionRequest } from '../registry/admission.ts'
import type { AdmissionPlugin } from '../registry/admission-chain.ts'
import { groupResource } from '../registry/resource.ts'
import { forbidden, notFound } from '../status-error.ts'
import type { Authorizer, PolicyRule } from './authorizer.ts'
import { formatRule, formatTexts, missingRules } from './policy-rule.ts'
import { type Binding, MASTERS, type Role, type RoleRef } from './role.ts'

const GROUP = 'rbac.authorization.k8s.io'
const FULL_AUTHORITY: PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

/** Nobody grants what he does not have himself, unless a rule lets him `escalate` the role or `bind` it. Comes after all
 *  that may change the object and before its validation, as on the real server. */
export function roleEscalationAdmission(
  authorizer: Authorizer,
  rulesOf: (reference: RoleRef, namespace: string) => readonly PolicyRule[] | undefined,
): AdmissionPlugin {
  return {
    name: 'RoleEscalation',
    mutate(request) {
      const { resource, subresource, object, old, user } = request
      if (resource.group !== GROUP || subresource !== '' || object === undefined) return
      if (user.groups.includes(MASTERS) || (old !== undefined && isOnlyCollected(object, old))) return
      switch (resource.kind) {
        case 'Role':
        case 'ClusterRole':
          return checkRole(request, object, old)
        case 'RoleBinding':
        case 'ClusterRoleBinding':
          return checkBinding(request, object as Binding)
      }
    },
  }

  function checkRole(request: AdmissionRequest, role: Role, old: Role | undefined): void {
    if (may(request, 'escalate', request.resource.name, request.operation === 'CREATE' ? '' : request.name)) return
    checkHeld(request, role.rules ?? [])
    if (!isAggregated(role) && !isAggregated(old)) return
    const { rules } = authorizer.rulesFor(request.user, request.namespace)
    if (missingRules(rules, FULL_AUTHORITY).length > 0)
      throw refuse(request, 'must have cluster-admin privileges to use the aggregationRule')
  }

  function checkBinding(request: AdmissionRequest, { roleRef }: Binding): void {
    const resource = roleRef.kind === 'Role' ? 'roles' : 'clusterroles'
    if (roleRef.kind !== 'Role' && roleRef.kind !== 'ClusterRole') return
    if (may(request, 'bind', resource, roleRef.name)) return
    const rules = rulesOf(roleRef, request.namespace)
    // The real server says that it does not find the binding, and means the role.
    if (rules === undefined) throw notFound(groupResource(request.resource), roleRef.name)
    checkHeld(request, rules)
  }

  function may({ user, namespace }: AdmissionRequest, verb: string, resource: string, name: string): boolean {
    return authorizer.authorize({ user, verb, group: GROUP, version: '*', resource, subresource: '', namespace, name })
      .allowed
  }

  function checkHeld(request: AdmissionRequest, rules: readonly PolicyRule[]): void {
    const { user, namespace } = request
    const held = authorizer.rulesFor(user, namespace)
    const missing = missingRules(held.rules, rules)
    if (missing.length === 0) return
    const who = `user ${goQuote(user.name)} (groups=${formatTexts(user.groups)})`
    const what = [...new Set(missing.map(formatRule))].sort().join('\n')
    const unresolved = held.evaluationError === undefined ? '' : `; resolution errors: [${held.evaluationError}]`
    throw refuse(request, `${who} is attempting to grant RBAC permissions not currently held:\n${what}${unresolved}`)
  }
}

const refuse = ({ resource, name }: AdmissionRequest, why: string) => forbidden(groupResource(resource), name, why)

const isAggregated = (role: Role | undefined): boolean => (role?.aggregationRule?.clusterRoleSelectors ?? []).length > 0

/** True when the update changes only what garbage collection changes: it grants nothing. */
function isOnlyCollected(object: KubeObject, old: KubeObject): boolean {
  const { ownerReferences, finalizers, managedFields } = old.metadata
  const metadata = { ...object.metadata, ownerReferences, finalizers, managedFields }
  return jsonEqual({ ...object, apiVersion: old.apiVersion, kind: old.kind, metadata }, old)
}
