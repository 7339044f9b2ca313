import type { Archive, KindItem } from '@tiphys/archive'
import { silentLog, systemRandom, VirtualClock } from '@tiphys/env'
import { type Client, ConnectionFailure, type ResourceInfo, UnknownKindFailure } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { createAccess } from './access.ts'
import { createScopes } from './scope.ts'

const reader = { user: 'reader', groups: [] }

interface Review {
  kind: string
  spec: { namespace?: string; resourceAttributes?: { resource: string; namespace?: string } }
}

/** What somebody may see of an archive that has heard of caches in `shop`, in a cluster where they may list what is in `granted`. It tells what they may
 *  do in a namespace as `rules` has it; without them, not all of it. */
function stage({ namespaces = ['shop'], rules }: { namespaces?: readonly string[]; rules?: readonly object[] } = {}) {
  const clock = new VirtualClock()
  const env = { clock, random: systemRandom, log: silentLog }
  const granted = new Set(['memcacheds/shop'])
  const served = [{ group: 'cache.example.com', version: 'v1', kind: 'Memcached', resource: 'memcacheds' }]
  const trouble: { discovery?: Error } = {}
  let asked = 0
  const kinds = [{ apiVersion: 'cache.example.com/v1', kind: 'Memcached.cache.example.com' } as KindItem]
  const archive = { kinds: async () => kinds, complete: async () => namespaces.map(value => ({ value, count: 1 })) }
  const client = {
    async create({ kind, spec }: Review) {
      asked++
      if (kind === 'SelfSubjectRulesReview')
        return { status: { resourceRules: rules ?? [], nonResourceRules: [], incomplete: rules === undefined } }
      const { resource, namespace = '' } = spec.resourceAttributes ?? { resource: '' }
      return { status: { allowed: granted.has(`${resource}/${namespace}`) } }
    },
    list: () => Promise.reject(new Error('forbidden')),
    resources: async () => served as unknown as readonly ResourceInfo[],
    async resourceFor(wanted: { apiVersion: string; kind: string }) {
      if (trouble.discovery) throw trouble.discovery
      const found = served.find(
        ({ group, version, kind }) => kind === wanted.kind && `${group}/${version}` === wanted.apiVersion,
      )
      if (!found) throw new UnknownKindFailure(wanted)
      return found
    },
  }
  const clientFor = () => client as unknown as Client
  const access = createAccess({ env, clientFor })
  const scopes = createScopes({ env, archive: archive as unknown as Archive, access, clientFor })
  return { clock, granted, served, trouble, access, scopes, countAsked: () => asked }
}

const CACHES = { grants: [{ kind: 'Memcached.cache.example.com', namespaces: ['shop'] }] }

describe('what somebody may see', () => {
  it('is what the cluster said no longer ago than ten seconds, whoever else has asked before', async () => {
    const { clock, granted, access, scopes } = stage()
    const permission = { verb: 'list', group: 'cache.example.com', resource: 'memcacheds', namespace: 'shop' }
    expect((await access.may(reader, permission)).answer).toBe('allowed')
    granted.clear()
    await clock.advance(9000)
    await scopes.of(reader)
    await clock.advance(2000)
    expect(await scopes.of(reader)).toEqual({ grants: [] })
    granted.add('memcacheds/shop')
    await clock.advance(8000)
    expect(await scopes.of(reader)).toEqual(CACHES)
  })

  it('is asked for once in that time', async () => {
    const { scopes, countAsked } = stage()
    await scopes.of(reader)
    const before = countAsked()
    await scopes.of(reader)
    expect(countAsked()).toBe(before)
  })

  it('is not known while the cluster cannot say which resource a kind is, and is asked for again at once', async () => {
    const { trouble, scopes } = stage()
    trouble.discovery = new ConnectionFailure('https://cluster', new Error('it is away'))
    await expect(scopes.of(reader)).rejects.toMatchObject({ code: 'console-access-unknown', status: 503 })
    delete trouble.discovery
    expect(await scopes.of(reader)).toEqual(CACHES)
  })

  it('is also what was recorded of a version that the cluster serves no more', async () => {
    const { served, scopes } = stage()
    served.splice(0, 1, { group: 'cache.example.com', version: 'v2', kind: 'Memcached', resource: 'memcacheds' })
    expect(await scopes.of(reader)).toEqual(CACHES)
  })

  it('is nothing of a kind that the cluster has no more', async () => {
    const { served, scopes } = stage()
    served.splice(0)
    expect(await scopes.of(reader)).toEqual({ grants: [] })
  })

  it('is asked for in one question for each namespace and kind, not for each pair of them', async () => {
    const namespaces = Array.from({ length: 100 }, (_, i) => `n${i}`)
    const rules = [{ verbs: ['*'], apiGroups: ['cache.example.com'], resources: ['*'] }]
    const { scopes, served, countAsked } = stage({ namespaces, rules })
    for (const [kind, resource] of Object.entries({
      Workflow: 'workflows',
      EventSource: 'eventsources',
      Sensor: 'sensors',
    }))
      served.push({ group: 'argoproj.io', version: 'v1alpha1', kind, resource })
    expect(await scopes.of(reader)).toEqual({
      grants: [{ kind: 'Memcached.cache.example.com', namespaces: namespaces.toSorted() }],
    })
    // May they list everything, and each of four kinds everywhere?
    expect(countAsked()).toBe(5 + 100)
  })

  it.each([
    [{ verbs: ['get', 'list'], apiGroups: ['*'], resources: ['memcacheds', 'pods'] }, true],
    [{ verbs: ['*'], apiGroups: ['', 'cache.example.com'], resources: ['*'] }, true],
    [{ verbs: ['list'], apiGroups: ['cache.example.com'], resources: ['memcacheds'], resourceNames: ['one'] }, false],
    [{ verbs: ['list'], apiGroups: ['cache.example.com'], resources: ['memcacheds/status', '*/scale'] }, false],
    [{ verbs: ['get', 'watch'], apiGroups: ['*'], resources: ['*'] }, false],
    [{ verbs: ['list'], apiGroups: [''], resources: ['memcacheds'] }, false],
    [{ verbs: ['list'] }, false],
  ])('is by the rule %j: %s', async (rule, isSeen) => {
    const { scopes } = stage({ rules: [rule] })
    expect(await scopes.of(reader)).toEqual(isSeen ? CACHES : { grants: [] })
  })
})
