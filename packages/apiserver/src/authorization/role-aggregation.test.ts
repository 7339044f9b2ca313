import type { KubeObject } from '@tiphys/kube'
import { describe, expect, it, vi } from 'vitest'
import { createApiServer } from '../server/api-server.ts'
import type { PolicyRule } from './authorizer.ts'
import type { Role } from './role.ts'
import { aggregatedRules, outdatedRoles } from './role-aggregation.ts'

const rule = (resource: string): PolicyRule => ({ verbs: ['get'], apiGroups: [''], resources: [resource] })
const role = (name: string, labels: Record<string, string>, ...resources: string[]): Role => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, labels },
  rules: resources.map(rule),
})
const aggregated = (name: string, ...labels: Record<string, string>[]): Role => ({
  ...role(name, {}),
  aggregationRule: { clusterRoleSelectors: labels.map(matchLabels => ({ matchLabels })) },
})

describe('an aggregated role', () => {
  it('has the rules of every role that a selector matches, by name, each once', () => {
    const all = [
      role('b', { to: 'x' }, 'pods', 'secrets'),
      role('a', { to: 'x' }, 'pods'),
      role('c', { to: 'y' }, 'nodes'),
      role('d', { to: 'z' }, 'events'),
    ]
    expect(aggregatedRules(aggregated('all', { to: 'y' }, { to: 'x' }), all)).toEqual(
      ['nodes', 'pods', 'secrets'].map(rule),
    )
  })

  it('is no part of itself', () => {
    const self: Role = { ...aggregated('all', { to: 'x' }), metadata: { name: 'all', labels: { to: 'x' } } }
    expect(aggregatedRules({ ...self, rules: [rule('pods')] }, [{ ...self, rules: [rule('pods')] }])).toEqual([])
  })

  it('may be made of aggregated roles, in any order', () => {
    const labelled = (one: Role, to: string): Role => ({ ...one, metadata: { ...one.metadata, labels: { to } } })
    const all = [
      aggregated('a', { to: 'a' }),
      labelled(aggregated('b', { to: 'b' }), 'a'),
      labelled(aggregated('c', { to: 'c' }), 'b'),
      role('d', { to: 'c' }, 'pods'),
    ]
    expect(outdatedRoles(all)).toEqual(['c', 'b', 'a'].map(name => ({ name, rules: [rule('pods')] })))
  })

  it('comes to rest when roles are made of each other', () => {
    const all: Role[] = ['a', 'b'].map(name => ({
      ...aggregated(name, { ring: 'x' }),
      metadata: { name, labels: { ring: 'x' } },
    }))
    expect(outdatedRoles([...all, role('c', { ring: 'x' }, 'pods')]).map(({ name }) => name)).toEqual(['a', 'b'])
  })

  it('follows the roles of a cluster', async () => {
    const server = await createApiServer({ clusterDefaults: true })
    const client = server.client()
    const rulesOf = async (name: string) => {
      const found = await client.get({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name })
      return (found as Role).rules ?? []
    }
    const names = async (role: string, resource: string) =>
      (await rulesOf(role)).some(({ resources }) => resources?.includes(resource))

    await vi.waitFor(async () => expect(await names('admin', 'rolebindings')).toBe(true), { timeout: 15_000 })
    // edit is made of view, and admin of edit: what is added to view arrives in all of them.
    await client.create<KubeObject>(
      role('widgets', { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' }, 'widgets'),
    )
    for (const name of ['view', 'edit', 'admin']) {
      await vi.waitFor(async () => expect(await names(name, 'widgets')).toBe(true), { timeout: 15_000 })
    }
    await client.delete({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'widgets' })
    for (const name of ['view', 'edit', 'admin']) {
      await vi.waitFor(async () => expect(await names(name, 'widgets')).toBe(false), { timeout: 15_000 })
    }
    await server.close()
  })
})
