import { describe, expect, it } from 'vitest'
import type { Attributes, Authorizer } from '../authorization/authorizer.ts'
import type { User } from '../request/api-request.ts'
import { impersonate } from './impersonation.ts'

type Headers = Record<string, string | readonly string[]>

const CALLER: User = { name: 'caller', groups: ['system:authenticated'] }

/** Allows what is listed: `verb group/resource[/subresource] name`, where a star ends a prefix. */
function allowing(...rights: string[]): Authorizer & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    authorize({ verb, group, resource, subresource, namespace, name, path }) {
      const what = path ?? `${group}/${resource}${subresource === '' ? '' : `/${subresource}`}`
      const question = `${verb} ${what} ${namespace === '' ? '' : `${namespace}/`}${name}`.trim()
      asked.push(question)
      const allowed = rights.some(right =>
        right.endsWith('*') ? question.startsWith(right.slice(0, -1)) : right === question,
      )
      return { allowed, reason: '' }
    },
    rulesFor: () => ({ rules: [] }),
  }
}

const LIST_PODS: Attributes = {
  user: CALLER,
  verb: 'list',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'ns',
  name: '',
}

function act(headers: Headers, authorizer: Authorizer, asked: Attributes = LIST_PODS): User {
  const request = {
    method: 'GET',
    path: '/',
    query: new URLSearchParams(),
    headers,
    body: async () => ({ value: null }),
    signal: new AbortController().signal,
  }
  return impersonate(request, asked, authorizer)
}

describe('impersonation', () => {
  it('is not asked for without headers', () => {
    expect(act({}, allowing())).toBe(CALLER)
  })

  it.each<[what: string, headers: Headers, shown: string]>([
    [
      'group',
      { 'impersonate-group': ['a', 'b'] },
      '&user.DefaultInfo{Name:"", UID:"", Groups:[]string{"a", "b"}, Extra:map[string][]string(nil)}',
    ],
    [
      'uid',
      { 'impersonate-uid': 'u' },
      '&user.DefaultInfo{Name:"", UID:"u", Groups:[]string(nil), Extra:map[string][]string(nil)}',
    ],
    [
      'extra',
      { 'impersonate-extra-scopes': 'view' },
      '&user.DefaultInfo{Name:"", UID:"", Groups:[]string(nil), Extra:map[string][]string{"scopes":[]string{"view"}}}',
    ],
  ])('needs a user: %s alone is no request', (_, headers, shown) => {
    expect(() => act(headers, allowing('*'))).toThrow(`requested ${shown} without impersonating a user name`)
  })

  it('makes the caller somebody else, with the groups that everybody has', () => {
    const authorizer = allowing('impersonate /users jane')
    expect(act({ 'impersonate-user': 'jane' }, authorizer)).toEqual({ name: 'jane', groups: ['system:authenticated'] })
  })

  it('gives accounts their groups, and the anonymous none but their own', () => {
    expect(act({ 'impersonate-user': 'system:serviceaccount:ns:robot' }, allowing('*')).groups).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:ns',
      'system:authenticated',
    ])
    expect(act({ 'impersonate-user': 'system:anonymous' }, allowing('*')).groups).toEqual(['system:unauthenticated'])
    const unauthenticated = { 'impersonate-user': 'x', 'impersonate-group': 'system:unauthenticated' }
    expect(act(unauthenticated, allowing('*')).groups).toEqual(['system:unauthenticated'])
  })

  it('asks for each group, uid and extra', () => {
    const headers = {
      'impersonate-user': 'jane',
      'impersonate-group': ['a', 'b'],
      'impersonate-uid': 'u',
      'impersonate-extra-example.com%2fkey': ['x', 'y'],
    }
    const rights = [
      'impersonate /users jane',
      'impersonate /groups a',
      'impersonate /groups b',
      'impersonate authentication.k8s.io/uids u',
      'impersonate authentication.k8s.io/userextras/example.com/key x',
      'impersonate authentication.k8s.io/userextras/example.com/key y',
    ]
    expect(act(headers, allowing(...rights))).toEqual({
      name: 'jane',
      groups: ['a', 'b', 'system:authenticated'],
      uid: 'u',
      extra: { 'example.com/key': ['x', 'y'] },
    })
    for (const right of rights) {
      const fewer = rights.filter(other => other !== right)
      expect(() => act(headers, allowing(...fewer)), right).toThrow('forbidden')
    }
  })

  it('is refused in the words of the first way that was tried', () => {
    expect(() => act({ 'impersonate-user': 'jane' }, allowing())).toThrow(
      'pods is forbidden: User "caller" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "ns"',
    )
    const path = { ...LIST_PODS, verb: 'get', resource: '', namespace: '', path: '/metrics' }
    expect(() => act({ 'impersonate-user': 'jane' }, allowing(), path)).toThrow(
      'forbidden: User "caller" cannot impersonate-on:user-info:get path "/metrics"',
    )
  })
})

describe('constrained impersonation', () => {
  it('is allowed for one verb on one resource', () => {
    const authorizer = allowing('impersonate-on:user-info:list /pods ns/', 'impersonate:user-info *')
    expect(act({ 'impersonate-user': 'jane' }, authorizer)).toMatchObject({ name: 'jane' })
    const another = { ...LIST_PODS, verb: 'delete' }
    expect(() => act({ 'impersonate-user': 'jane' }, authorizer, another)).toThrow('forbidden')
  })

  it('needs the right to the user beside the right to the request', () => {
    const authorizer = allowing('impersonate-on:user-info:*', 'impersonate:user-info authentication.k8s.io/users jane')
    expect(act({ 'impersonate-user': 'jane' }, authorizer)).toMatchObject({ name: 'jane' })
    expect(() => act({ 'impersonate-user': 'joe' }, authorizer)).toThrow('forbidden')
    expect(() => act({ 'impersonate-user': 'jane', 'impersonate-group': 'dev' }, authorizer)).toThrow('forbidden')
  })

  it('never makes anybody a member of system:masters', () => {
    const headers = { 'impersonate-user': 'jane', 'impersonate-group': 'system:masters' }
    expect(() => act(headers, allowing('impersonate-on:*', 'impersonate:*'))).toThrow(
      'impersonating the system:masters group is not allowed',
    )
  })

  it('of users makes nobody an account or a node', () => {
    const authorizer = allowing('impersonate-on:user-info:*', 'impersonate:user-info *')
    expect(() => act({ 'impersonate-user': 'system:serviceaccount:ns:x' }, authorizer)).toThrow(
      'cannot impersonate-on:serviceaccount:list',
    )
    expect(() => act({ 'impersonate-user': 'system:node:n' }, authorizer)).toThrow(
      'cannot impersonate-on:arbitrary-node:list',
    )
  })

  it('lets an account act as the node that its pod runs on, and as no other', () => {
    const robot: User = {
      name: 'system:serviceaccount:ns:robot',
      groups: [],
      extra: { 'authentication.kubernetes.io/node-name': ['n'] },
    }
    const authorizer = allowing(
      'impersonate-on:associated-node:list /pods ns/',
      'impersonate:associated-node authentication.k8s.io/nodes *',
    )
    const asked = { ...LIST_PODS, user: robot }
    expect(act({ 'impersonate-user': 'system:node:n' }, authorizer, asked)).toEqual({
      name: 'system:node:n',
      groups: ['system:nodes', 'system:authenticated'],
    })
    expect(() => act({ 'impersonate-user': 'system:node:m' }, authorizer, asked)).toThrow('forbidden')
    expect(() => act({ 'impersonate-user': 'system:node:n' }, authorizer)).toThrow('forbidden')
  })
})
