import { goQuote } from '@tiphys/kube'
import type { User } from '../request/api-request.ts'
import type { Collection } from '../storage/collection.ts'
import type { Attributes, Authorizer, Decision, PolicyRule, PolicyRules } from './authorizer.ts'
import { allowsPath, allowsResource } from './policy-rule.ts'
import { type Binding, MASTERS, type Role, type RoleRef, type Subject } from './role.ts'

export interface RbacCollections {
  roles: Collection
  clusterRoles: Collection
  roleBindings: Collection
  clusterRoleBindings: Collection
}

const ALLOWED: Decision = { allowed: true, reason: '' }
const REMEMBERED_DECISIONS = 4096

/** Role-based access control over the roles and bindings in storage. Members of system:masters may do everything. */
export class RbacAuthorizer implements Authorizer {
  readonly #collections: RbacCollections
  /** Decisions hold until a role or binding changes. */
  readonly #decisions = new Map<string, Decision>()

  constructor(collections: RbacCollections) {
    this.#collections = collections
    for (const collection of Object.values(collections) as Collection[]) {
      collection.onChange(() => this.#decisions.clear())
    }
  }

  authorize(attributes: Attributes): Decision {
    const { user } = attributes
    if (user.groups.includes(MASTERS)) return ALLOWED
    const key = decisionKey(attributes)
    const known = this.#decisions.get(key)
    if (known) return known
    const decision = this.#decide(attributes)
    if (this.#decisions.size >= REMEMBERED_DECISIONS) this.#decisions.clear()
    this.#decisions.set(key, decision)
    return decision
  }

  rulesFor(user: User, namespace: string): PolicyRules {
    const rules: PolicyRule[] = []
    const problems: string[] = []
    for (const { role, binding } of this.#bindingsOf(user, namespace)) {
      if (role) rules.push(...(role.rules ?? []))
      else problems.push(missingRole(binding))
    }
    return problems.length === 0 ? { rules } : { rules, evaluationError: listOf(problems) }
  }

  /** What the role that a binding in the namespace names allows; undefined when there is no such role. */
  rulesOf(reference: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const role = this.#role(reference, namespace)
    return role && (role.rules ?? [])
  }

  #decide(attributes: Attributes): Decision {
    const problems: string[] = []
    for (const { role, binding, where, subject } of this.#bindingsOf(attributes.user, attributes.namespace)) {
      if (!role) {
        problems.push(missingRole(binding))
        continue
      }
      const allows = (role.rules ?? []).some(rule =>
        attributes.path === undefined
          ? allowsResource(rule, attributes)
          : allowsPath(rule, attributes.verb, attributes.path),
      )
      if (allows && !(attributes.path !== undefined && where !== ''))
        return { allowed: true, reason: allowedReason(binding, where, subject) }
    }
    return { allowed: false, reason: problems.length > 0 ? `RBAC: ${listOf(problems)}` : '' }
  }

  *#bindingsOf(
    user: User,
    namespace: string,
  ): Iterable<{ binding: Binding; role: Role | undefined; where: string; subject: Subject }> {
    const { clusterRoleBindings, roleBindings } = this.#collections
    for (const { object } of clusterRoleBindings.values()) {
      const binding = object as unknown as Binding
      const subject = (binding.subjects ?? []).find(candidate => isMeant(candidate, user, ''))
      if (subject) yield { binding, role: this.#role(binding.roleRef, ''), where: '', subject }
    }
    if (namespace === '') return
    for (const { object } of roleBindings.values(namespace)) {
      const binding = object as unknown as Binding
      const subject = (binding.subjects ?? []).find(candidate => isMeant(candidate, user, namespace))
      if (subject) yield { binding, role: this.#role(binding.roleRef, namespace), where: namespace, subject }
    }
  }

  #role({ kind, name }: RoleRef, namespace: string): Role | undefined {
    const { roles, clusterRoles } = this.#collections
    const stored = kind === 'Role' ? roles.get(`${namespace}/${name}`) : clusterRoles.get(name)
    return stored?.object
  }
}

function decisionKey({ user, verb, path, group, resource, subresource, namespace, name }: Attributes): string {
  // Names come from outside: only a form that keeps them apart may decide who is who.
  return JSON.stringify([user.name, user.groups, verb, path, group, resource, subresource, namespace, name])
}

function isMeant({ kind, name, namespace }: Subject, user: User, bindingNamespace: string): boolean {
  switch (kind) {
    case 'User':
      return user.name === name
    case 'Group':
      return user.groups.includes(name)
    case 'ServiceAccount': {
      const home = namespace || bindingNamespace
      return home !== '' && user.name === `system:serviceaccount:${home}:${name}`
    }
    default:
      return false
  }
}

function missingRole({ roleRef: { kind, name } }: Binding): string {
  const resource = kind === 'Role' ? 'role' : 'clusterrole'
  return `${resource}.rbac.authorization.k8s.io ${goQuote(name)} not found`
}

const listOf = (problems: readonly string[]): string =>
  problems.length === 1 ? (problems[0] as string) : `[${problems.join(', ')}]`

function allowedReason({ metadata, roleRef }: Binding, where: string, { kind, name, namespace }: Subject): string {
  const bindingKind = where === '' ? 'ClusterRoleBinding' : 'RoleBinding'
  const bindingName = where === '' ? (metadata.name as string) : `${metadata.name}/${where}`
  const subjectName = kind === 'ServiceAccount' ? `${name}/${namespace || where}` : name
  const granted = `${bindingKind} ${goQuote(bindingName)} of ${roleRef.kind} ${goQuote(roleRef.name)}`
  return `RBAC: allowed by ${granted} to ${kind} ${goQuote(subjectName)}`
}
