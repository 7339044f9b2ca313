import type { KubeObject } from '@tiphys/kube'
import { beforeEach, describe, expect, it } from 'vitest'
import type { User } from '../request/api-request.ts'
import { Storage } from '../storage/storage.ts'
import type { Attributes, PolicyRule } from './authorizer.ts'
import { RbacAuthorizer } from './rbac-authorizer.ts'
import type { Subject } from './role.ts'

let storage: Storage
let authorizer: RbacAuthorizer

beforeEach(() => {
  storage = new Storage()
  authorizer = new RbacAuthorizer({
    roles: storage.collection('roles'),
    clusterRoles: storage.collection('clusterroles'),
    roleBindings: storage.collection('rolebindings'),
    clusterRoleBindings: storage.collection('clusterrolebindings'),
  })
})

function put(collection: string, namespace: string, name: string, rest: object): void {
  const key = namespace === '' ? name : `${namespace}/${name}`
  const metadata = { name, ...(namespace === '' ? {} : { namespace }) }
  const object: KubeObject = { apiVersion: 'v1', kind: '', metadata, ...rest }
  storage.write(storage.collection(collection), key, storage.collection(collection).get(key), object)
}

const PODS: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
const METRICS: PolicyRule = { verbs: ['get'], nonResourceURLs: ['/metrics'] }

const user = (name: string): Subject => ({ kind: 'User', name })
const role = (namespace: string, name: string, ...rules: PolicyRule[]) =>
  put(namespace === '' ? 'clusterroles' : 'roles', namespace, name, { rules })
const bind = (namespace: string, kind: string, name: string, ...subjects: Subject[]) =>
  put(namespace === '' ? 'clusterrolebindings' : 'rolebindings', namespace, name, { roleRef: { kind, name }, subjects })

const someone = (name: string, ...groups: string[]): User => ({ name, groups })
const getPods = (who: User, namespace: string): Attributes => ({
  user: who,
  verb: 'get',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace,
  name: 'p',
})
const getPath = (who: User, path: string): Attributes => ({ ...getPods(who, ''), resource: '', name: '', path })
const isAllowed = (attributes: Attributes) => authorizer.authorize(attributes).allowed

describe('role-based access control', () => {
  it('allows nothing to who is bound to nothing', () => {
    expect(authorizer.authorize(getPods(someone('joe'), 'a'))).toEqual({ allowed: false, reason: '' })
  })

  it('allows everything to system:masters, whatever is stored', () => {
    expect(isAllowed(getPods(someone('root', 'system:masters'), 'a'))).toBe(true)
    expect(isAllowed(getPods(someone('system:masters'), 'a'))).toBe(false)
  })

  it('allows in the namespace of the binding and nowhere else', () => {
    role('a', 'reader', PODS)
    bind('a', 'Role', 'reader', user('joe'))
    expect(authorizer.authorize(getPods(someone('joe'), 'a'))).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "reader/a" of Role "reader" to User "joe"',
    })
    expect(isAllowed(getPods(someone('joe'), 'b'))).toBe(false)
    expect(isAllowed(getPods(someone('joe'), ''))).toBe(false)
  })

  it('allows a cluster role in one namespace, or in all of them', () => {
    role('', 'reader', PODS)
    bind('a', 'ClusterRole', 'reader', user('joe'))
    expect(isAllowed(getPods(someone('joe'), 'a'))).toBe(true)
    expect(isAllowed(getPods(someone('joe'), 'b'))).toBe(false)
    bind('', 'ClusterRole', 'reader', user('joe'))
    expect(isAllowed(getPods(someone('joe'), 'b'))).toBe(true)
    expect(isAllowed(getPods(someone('joe'), ''))).toBe(true)
  })

  it('allows paths by cluster-wide bindings only', () => {
    role('', 'scraper', METRICS)
    bind('a', 'ClusterRole', 'scraper', user('joe'))
    expect(isAllowed(getPath(someone('joe'), '/metrics'))).toBe(false)
    bind('', 'ClusterRole', 'scraper', user('joe'))
    expect(isAllowed(getPath(someone('joe'), '/metrics'))).toBe(true)
    expect(isAllowed(getPath(someone('joe'), '/metrics/slis'))).toBe(false)
  })

  it.each<[string, Subject, User, boolean]>([
    ['a user by name', { kind: 'User', name: 'joe' }, someone('joe'), true],
    ['no user by the name of a group', { kind: 'User', name: 'dev' }, someone('joe', 'dev'), false],
    ['a group by name', { kind: 'Group', name: 'dev' }, someone('joe', 'ops', 'dev'), true],
    ['no group by the name of a user', { kind: 'Group', name: 'joe' }, someone('joe'), false],
    ['an account of the namespace', { kind: 'ServiceAccount', name: 'x' }, someone('system:serviceaccount:a:x'), true],
    ['no account elsewhere', { kind: 'ServiceAccount', name: 'x' }, someone('system:serviceaccount:b:x'), false],
    [
      'an account of the namespace it names',
      { kind: 'ServiceAccount', name: 'x', namespace: 'b' },
      someone('system:serviceaccount:b:x'),
      true,
    ],
    ['no subject of another kind', { kind: 'Robot', name: 'joe' }, someone('joe'), false],
  ])('binds %s', (_, subject, who, allowed) => {
    role('a', 'reader', PODS)
    bind('a', 'Role', 'reader', subject)
    expect(isAllowed(getPods(who, 'a'))).toBe(allowed)
  })

  it('says which role is missing when nothing else allows', () => {
    bind('a', 'Role', 'gone', user('joe'))
    expect(authorizer.authorize(getPods(someone('joe'), 'a')).reason).toBe(
      'RBAC: role.rbac.authorization.k8s.io "gone" not found',
    )
    expect(authorizer.rulesFor(someone('joe'), 'a')).toEqual({
      rules: [],
      evaluationError: 'role.rbac.authorization.k8s.io "gone" not found',
    })
    role('a', 'reader', PODS)
    bind('a', 'Role', 'reader', user('joe'))
    expect(isAllowed(getPods(someone('joe'), 'a'))).toBe(true)
  })

  it('forgets what it decided when a role or binding changes', () => {
    role('a', 'reader', PODS)
    bind('a', 'Role', 'reader', user('joe'))
    expect(isAllowed(getPods(someone('joe'), 'a'))).toBe(true)
    role('a', 'reader')
    expect(isAllowed(getPods(someone('joe'), 'a'))).toBe(false)
    role('a', 'reader', PODS)
    expect(isAllowed(getPods(someone('joe'), 'a'))).toBe(true)
    bind('a', 'Role', 'reader')
    expect(isAllowed(getPods(someone('joe'), 'a'))).toBe(false)
  })

  it('does not take a group with a comma in its name for two groups', () => {
    role('a', 'reader', PODS)
    bind('a', 'Role', 'reader', { kind: 'Group', name: 'dev' })
    expect(isAllowed(getPods(someone('joe', 'dev', 'ops'), 'a'))).toBe(true)
    expect(isAllowed(getPods(someone('joe', 'dev,ops'), 'a'))).toBe(false)
  })
})
