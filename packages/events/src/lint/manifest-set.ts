import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import { sourceEntries } from '../sources/index.ts'
import { type LintDocument } from './finding.ts'

/** One entry of an EventSource that somebody may depend on. */
export interface ProvidedEntry {
  type: string
  name: string
  spec: Fields
}

interface Named {
  kind: string
  namespace: string
  name: string
  object: Fields
}

/** A rule of a role and who it is for. */
interface Grant {
  /** Where it holds; everywhere when it is left out. */
  namespace?: string
  rules: readonly Fields[]
  subjects: readonly Fields[]
}

/** All objects of a folder, for the rules that need more than one. An object without a namespace goes with any. */
export class ManifestSet {
  readonly #objects: readonly Named[]
  readonly #grants: readonly Grant[]

  constructor(documents: readonly LintDocument[]) {
    this.#objects = documents.map(({ object }) => {
      const { kind, metadata } = fieldsOf(object)
      const { name, namespace } = fieldsOf(metadata)
      return { kind: textOf(kind), name: textOf(name), namespace: textOf(namespace), object: fieldsOf(object) }
    })
    this.#grants = this.#readGrants()
  }

  has(kind: string, name: string, namespace: string): boolean {
    return this.#find(kind, name, namespace) !== undefined
  }

  /** Whether there is any object of a kind that could be meant. */
  hasKind(kind: string, namespace: string): boolean {
    return this.#objects.some(one => one.kind === kind && isSame(one.namespace, namespace))
  }

  /** The entries of an EventSource; nothing when there is no such EventSource. */
  entries(name: string, namespace: string): readonly ProvidedEntry[] | undefined {
    const source = this.#find('EventSource', name, namespace)
    if (!source) return undefined
    const { entries, unsupported } = sourceEntries(fieldsOf(source.object.spec))
    return [
      ...entries.map(({ type, name, spec }) => ({ type: type.type, name, spec: fieldsOf(spec) })),
      ...unsupported.map(({ type, name }) => ({ type, name, spec: {} })),
    ]
  }

  /** Whether a role lets a ServiceAccount do something. */
  allows(
    account: { namespace: string; name: string },
    verb: string,
    group: string,
    resource: string,
    namespace: string,
  ): boolean {
    return this.#grants.some(
      grant =>
        (grant.namespace === undefined || isSame(grant.namespace, namespace)) &&
        grant.subjects.some(subject => isSubject(subject, account, grant.namespace)) &&
        grant.rules.some(
          ({ apiGroups, resources, verbs }) =>
            includes(apiGroups, group) && includes(resources, resource) && includes(verbs, verb),
        ),
    )
  }

  /** The plural of a kind, as a CustomResourceDefinition of the folder or the usual rule says it. */
  pluralOf(kind: string): string {
    for (const { kind: type, object } of this.#objects) {
      const names = fieldsOf(fieldsOf(object.spec).names)
      if (type === 'CustomResourceDefinition' && names.kind === kind && textOf(names.plural) !== '')
        return textOf(names.plural)
    }
    const lower = kind.toLowerCase()
    if (/(?:s|x|ch|sh)$/.test(lower)) return `${lower}es`
    return /[^aeiou]y$/.test(lower) ? `${lower.slice(0, -1)}ies` : `${lower}s`
  }

  #find(kind: string, name: string, namespace: string): Named | undefined {
    return this.#objects.find(one => one.kind === kind && one.name === name && isSame(one.namespace, namespace))
  }

  #readGrants(): Grant[] {
    return this.#objects.flatMap(({ kind, namespace, object }) => {
      if (kind !== 'RoleBinding' && kind !== 'ClusterRoleBinding') return []
      const ref = fieldsOf(object.roleRef)
      const role = this.#find(textOf(ref.kind), textOf(ref.name), ref.kind === 'Role' ? namespace : '')
      return [
        {
          ...(kind === 'RoleBinding' && { namespace }),
          // A role that is not in the folder may allow anything: nobody is told that something is missing.
          rules: role ? listOf(role.object.rules).map(fieldsOf) : [ANYTHING],
          subjects: listOf(object.subjects).map(fieldsOf),
        },
      ]
    })
  }
}

const ANYTHING: Fields = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }

const isSame = (a: string, b: string): boolean => a === '' || b === '' || a === b

const includes = (list: unknown, value: string): boolean => listOf(list).some(item => item === '*' || item === value)

function isSubject(subject: Fields, account: { namespace: string; name: string }, bindingNamespace = ''): boolean {
  const name = textOf(subject.name)
  if (subject.kind === 'ServiceAccount')
    return name === account.name && isSame(textOf(subject.namespace) || bindingNamespace, account.namespace)
  if (subject.kind === 'Group') return /^system:(?:serviceaccounts(?::.+)?|authenticated)$/.test(name)
  return name === `system:serviceaccount:${account.namespace}:${account.name}`
}
