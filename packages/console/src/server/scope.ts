import type { Archive, Grant, Scope } from '@tiphys/archive'
import { asError, type Env } from '@tiphys/env'
import { type Client, UnknownKindFailure } from '@tiphys/kube'
import { type Access, accessUnknown, isAllowed } from './access.ts'
import type { Caller } from './caller.ts'
import { type Rules, rulesIn } from './rules.ts'

/** What a caller may see of the archive: the kinds and namespaces that they may list in the cluster. Found out once in ten
 *  seconds, and applied by the database: no row is asked about by itself. */
export interface Scopes {
  of(caller: Caller, namespace?: string): Promise<Scope | undefined>
  namespacesOf(caller: Caller): Promise<readonly string[]>
}

/** Seen even when nothing of them is in the archive yet. */
const OWN_KINDS = [
  { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow.argoproj.io' },
  { apiVersion: 'argoproj.io/v1alpha1', kind: 'EventSource.argoproj.io' },
  { apiVersion: 'argoproj.io/v1alpha1', kind: 'Sensor.argoproj.io' },
  { apiVersion: 'argoproj.io/v1alpha1', kind: 'EventBus.argoproj.io' },
]
const WHAT = 'what you may see'
const KEPT_MS = 10_000
const MOST_KEPT = 1000

export interface ScopesOptions {
  env: Env
  archive: Archive
  access: Access
  clientFor(caller: Caller): Client
}

export function createScopes({ env, archive, access, clientFor }: ScopesOptions): Scopes {
  const known = new Map<string, { until: number; scope: Promise<Scope | undefined> }>()

  const whole = (caller: Caller): Promise<Scope | undefined> => {
    const key = JSON.stringify([caller.user, caller.groups, caller.token])
    const now = env.clock.now()
    const found = known.get(key)
    if (found && found.until > now) return found.scope
    if (known.size >= MOST_KEPT) known.clear()
    const scope = findOut(caller)
    known.set(key, { until: now + KEPT_MS, scope })
    scope.catch(() => known.delete(key))
    return scope
  }

  const findOut = async (caller: Caller): Promise<Scope | undefined> => {
    if (await mayList(caller, '*', '*')) return undefined
    const [kinds, namespaces] = await Promise.all([archive.kinds(), namespacesOf(caller)])
    const client = clientFor(caller)
    const inNamespace = rulesOf(client)
    const grants = await Promise.all(
      [...new Map([...OWN_KINDS, ...kinds].map(each => [each.kind, each])).values()].map(async each => {
        const [group, resource] = await resourceOf(client, each)
        if (resource === undefined) return undefined
        if (await mayList(caller, group, resource)) return { kind: each.kind, namespaces: '*' } satisfies Grant
        const allowed = await Promise.all(
          namespaces.map(async namespace => {
            const rules = await inNamespace(namespace)
            return rules ? rules.mayList(group, resource) : mayList(caller, group, resource, namespace)
          }),
        )
        return { kind: each.kind, namespaces: namespaces.filter((_, i) => allowed[i]) } satisfies Grant
      }),
    )
    return { grants: grants.filter(grant => grant !== undefined && grant.namespaces.length > 0) as Grant[] }
  }

  const mayList = async (caller: Caller, group: string, resource: string, namespace?: string): Promise<boolean> => {
    // Asked anew: an answer that is kept already would be kept for twice as long.
    const verdict = await access.ask(caller, {
      verb: 'list',
      group,
      resource,
      ...(namespace !== undefined && { namespace }),
    })
    return isAllowed(verdict, WHAT)
  }

  /** Those of the cluster when the caller may list them, else those that the archive has heard of. */
  const namespacesOf = async (caller: Caller): Promise<readonly string[]> => {
    const heard = archive.complete('namespace', '').then(found => found.map(({ value }) => value))
    const inCluster = clientFor(caller)
      .list({ apiVersion: 'v1', kind: 'Namespace' }, { metadataOnly: true })
      .then(({ items }) => items.map(({ metadata }) => metadata.name ?? ''))
      .catch(() => []) // forbidden to most: what the archive knows is enough then
    const all = [...(await heard), ...(await inCluster)]
    return [...new Set(all.filter(name => name !== ''))].sort()
  }

  return {
    async of(caller, namespace) {
      const scope = await whole(caller)
      return namespace === undefined || namespace === '' ? scope : narrowed(scope, namespace)
    },
    async namespacesOf(caller) {
      const [scope, namespaces] = await Promise.all([whole(caller), namespacesOf(caller)])
      return namespaces.filter(name => (narrowed(scope, name).grants.length ?? 0) > 0)
    },
  }
}

/** What a client may do in each namespace, asked for once: kinds times namespaces are many questions. */
function rulesOf(client: Client): (namespace: string) => Promise<Rules | undefined> {
  const known = new Map<string, Promise<Rules | undefined>>()
  return namespace => {
    const rules = known.get(namespace) ?? rulesIn(client, namespace)
    known.set(namespace, rules)
    return rules
  }
}

/** The part of a scope that is in one namespace. */
export function narrowed(scope: Scope | undefined, namespace: string): Scope {
  if (!scope) return { grants: [{ kind: '*', namespaces: [namespace] }] }
  const covers = ({ namespaces }: Grant) => namespaces === '*' || namespaces.includes(namespace)
  return { grants: scope.grants.filter(covers).map(({ kind }) => ({ kind, namespaces: [namespace] })) }
}

/** A kind that the cluster no longer has can be listed by nobody. What is recorded may be of a version that it does not serve any more. */
async function resourceOf(
  client: Client,
  { apiVersion, kind }: { apiVersion: string; kind: string },
): Promise<[group: string, resource: string | undefined]> {
  const [name = '', ...rest] = kind.split('.')
  const group = rest.join('.')
  try {
    const { resource } = await client.resourceFor({ apiVersion, kind: name })
    return [group, resource]
  } catch (error) {
    // Unknown is not denied: what they may see of it would be missing, and nobody would know.
    if (!(error instanceof UnknownKindFailure)) throw accessUnknown(WHAT, asError(error).message)
    const others = await client.resources()
    return [group, others.find(each => each.group === group && each.kind === name)?.resource]
  }
}
