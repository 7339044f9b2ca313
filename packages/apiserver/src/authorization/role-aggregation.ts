import { type Client, labelSelectorFrom } from '@tiphys/kube'
import { jsonEqual } from '../json-value.ts'
import type { Collection } from '../storage/collection.ts'
import type { Storage } from '../storage/storage.ts'
import type { Stored } from '../storage/stored.ts'
import type { PolicyRule } from './authorizer.ts'
import type { Role } from './role.ts'

const API_VERSION = 'rbac.authorization.k8s.io/v1'
const MANAGER = 'clusterrole-aggregation-controller'

/** The rules of an aggregated role: those of every other role that one of its selectors matches, each rule once. */
export function aggregatedRules(role: Role, all: readonly Role[]): PolicyRule[] {
  const others = all
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .sort((a, b) => ((a.metadata.name as string) < (b.metadata.name as string) ? -1 : 1))
  const rules: PolicyRule[] = []
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const { matches } = labelSelectorFrom(selector)
    for (const { metadata, rules: found } of others) {
      if (!matches(metadata.labels ?? {})) continue
      for (const rule of found ?? []) if (!rules.some(known => jsonEqual(known, rule))) rules.push(rule)
    }
  }
  return rules
}

/** The aggregated roles whose rules have to change, with the rules they get. A role may be made of aggregated roles. */
export function outdatedRoles(all: readonly Role[]): { name: string; rules: PolicyRule[] }[] {
  const current = new Map(all.map(role => [role.metadata.name as string, role]))
  const aggregated = [...current].filter(([, { aggregationRule }]) => aggregationRule !== undefined)
  const outdated = new Map<string, PolicyRule[]>()
  // Roles that are made of each other need not come to rest: there are never more rounds than roles.
  for (let round = 0, isChanged = true; isChanged && round < aggregated.length; round++) {
    isChanged = false
    for (const [name, role] of aggregated) {
      const rules = aggregatedRules(role, [...current.values()])
      if (jsonEqual(rules, current.get(name)?.rules ?? [])) continue
      current.set(name, { ...role, rules })
      outdated.set(name, rules)
      isChanged = true
    }
  }
  return [...outdated].map(([name, rules]) => ({ name, rules }))
}

/** Fills the aggregated roles of a cluster that is starting: nobody is there yet who could be asked or told. */
export function fillAggregatedRoles(storage: Storage, clusterRoles: Collection): void {
  const all = [...clusterRoles.values()].map(({ object }) => object as Role)
  for (const { name, rules } of outdatedRoles(all)) {
    const stored = clusterRoles.get(name) as Stored
    const metadata = { ...stored.object.metadata, resourceVersion: String(storage.nextRevision) }
    storage.write(clusterRoles, name, stored, { ...stored.object, metadata, rules })
  }
}

/** Keeps the rules of aggregated ClusterRoles true, after every change of a ClusterRole, for as long as the storage
 *  lives. */
export function keepAggregatedRoles(clusterRoles: Collection, client: Client, onError: (error: Error) => void): void {
  let state: 'idle' | 'running' | 'changed' = 'idle'
  const run = async () => {
    do {
      state = 'running'
      const all = [...clusterRoles.values()].map(({ object }) => object as Role)
      for (const { name, rules } of outdatedRoles(all)) await applyRules(client, name, rules)
    } while ((state as 'running' | 'changed') === 'changed')
  }
  const look = () => {
    if (state !== 'idle') {
      state = 'changed'
      return
    }
    state = 'running'
    // After the answer to the request that caused it, as on the real server, where a controller does this.
    setImmediate(() => {
      run()
        .catch(onError)
        .finally(() => {
          state = 'idle'
        })
    })
  }
  clusterRoles.onChange(look)
}

async function applyRules(client: Client, name: string, rules: PolicyRule[]): Promise<void> {
  const role: Role = { apiVersion: API_VERSION, kind: 'ClusterRole', metadata: { name }, rules }
  await client.apply(role, { fieldManager: MANAGER, force: true })
}
