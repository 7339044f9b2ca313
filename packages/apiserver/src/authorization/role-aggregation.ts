import { type Client, labelSelectorFrom } from '@tiphys/kube'
import { jsonEqual } from '../json-value.ts'
import type { Collection } from '../storage/collection.ts'
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

/** Keeps the rules of aggregated ClusterRoles true, after every change of a ClusterRole, for as long as the storage
 *  lives. */
export function keepAggregatedRoles(clusterRoles: Collection, client: Client, onError: (error: Error) => void): void {
  let state: 'idle' | 'running' | 'changed' = 'idle'
  const run = async () => {
    do {
      state = 'running'
      const all = [...clusterRoles.values()].map(({ object }) => object as Role)
      for (const role of all.filter(({ aggregationRule }) => aggregationRule !== undefined)) {
        const rules = aggregatedRules(role, all)
        if (!jsonEqual(rules, role.rules ?? [])) await applyRules(client, role.metadata.name as string, rules)
      }
      // Filling one role may change what another one is made of.
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
  look()
  clusterRoles.onChange(look)
}

async function applyRules(client: Client, name: string, rules: PolicyRule[]): Promise<void> {
  const role: Role = { apiVersion: API_VERSION, kind: 'ClusterRole', metadata: { name }, rules }
  await client.apply(role, { fieldManager: MANAGER, force: true })
}
