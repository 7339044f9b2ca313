import { describe, expect, it } from 'vitest'
import type { Attributes, PolicyRule } from './authorizer.ts'
import { allowsPath, allowsResource, formatRule, missingRules } from './policy-rule.ts'

const rule = (verbs: string, apiGroups: string, resources: string, resourceNames = ''): PolicyRule => ({
  verbs: verbs.split(','),
  apiGroups: apiGroups.split(','),
  resources: resources.split(','),
  ...(resourceNames === '' ? {} : { resourceNames: resourceNames.split(',') }),
})

const asked = (verb: string, group: string, path: string, name = ''): Attributes => {
  const [resource = '', subresource = ''] = path.split('/')
  return { user: { name: 'joe', groups: [] }, verb, group, version: 'v1', resource, subresource, namespace: '', name }
}

describe('a rule for resources', () => {
  const cases: [what: string, rule: PolicyRule, asked: Attributes, allowed: boolean][] = [
    ['allows what it names', rule('get,list', '', 'pods,services'), asked('list', '', 'services'), true],
    ['does not allow another verb', rule('get', '', 'pods'), asked('delete', '', 'pods'), false],
    ['does not allow another group', rule('get', 'apps', 'deployments'), asked('get', 'batch', 'deployments'), false],
    ['allows every verb by a star', rule('*', '', 'pods'), asked('delete', '', 'pods'), true],
    ['allows every group by a star', rule('get', '*', 'pods'), asked('get', 'metrics.k8s.io', 'pods'), true],
    ['allows subresources by a star', rule('get', '', '*'), asked('get', '', 'pods/log'), true],
    ['does not allow the subresources of a resource', rule('get', '', 'pods'), asked('get', '', 'pods/log'), false],
    ['does not allow the resource of a subresource', rule('get', '', 'pods/log'), asked('get', '', 'pods'), false],
    ['allows one subresource of everything', rule('get', 'apps', '*/scale'), asked('get', 'apps', 'x/scale'), true],
    ['does not take the end of a name for it', rule('get', '', '*/log'), asked('get', '', 'pods/catalog'), false],
    ['allows single names', rule('get', '', 'secrets', 'a,b'), asked('get', '', 'secrets', 'b'), true],
    ['does not allow other names', rule('get', '', 'secrets', 'a'), asked('get', '', 'secrets', 'c'), false],
    ['does not allow all when it names one', rule('list', '', 'secrets', 'a'), asked('list', '', 'secrets'), false],
    ['knows no star among names', rule('get', '', 'secrets', '*'), asked('get', '', 'secrets', 'a'), false],
  ]
  it.each(cases)('%s', (_, given, attributes, allowed) => {
    expect(allowsResource(given, attributes)).toBe(allowed)
  })
})

describe('a rule for paths', () => {
  it.each([
    ['/healthz', '/healthz', true],
    ['/healthz', '/healthz/ping', false],
    ['/api/*', '/api/v1', true],
    ['/api/*', '/api', false],
    ['*', '/anything', true],
    ['/met*', '/metrics', true],
  ])('%s on %s: %s', (url, path, allowed) => {
    expect(allowsPath({ verbs: ['get'], nonResourceURLs: [url] }, 'get', path)).toBe(allowed)
    expect(allowsPath({ verbs: ['get'], nonResourceURLs: [url] }, 'post', path)).toBe(false)
  })
})

describe('what is missing to grant a rule', () => {
  const missing = (held: PolicyRule[], wanted: PolicyRule) => missingRules(held, [wanted]).map(formatRule)

  it('is nothing when the same is held, in whatever pieces', () => {
    const held = [rule('get', '', 'pods'), rule('list', '', 'pods'), rule('get,list', '', 'services')]
    expect(missing(held, rule('get,list', '', 'pods,services'))).toEqual([])
  })

  it('is each verb that is not held, told together by resource', () => {
    expect(missing([rule('get', '', 'pods')], rule('get,list,watch', '', 'pods,secrets'))).toEqual([
      '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "watch"]}',
    ])
  })

  it('is everything when only single names are held', () => {
    const held = [rule('get', '', 'secrets', 'a')]
    expect(missing(held, rule('get', '', 'secrets', 'a'))).toEqual([])
    expect(missing(held, rule('get', '', 'secrets'))).toHaveLength(1)
    expect(missing(held, rule('get', '', 'secrets', 'a,b'))).toEqual([
      '{APIGroups:[""], Resources:["secrets"], ResourceNames:["b"], Verbs:["get"]}',
    ])
  })

  it('is a star, unless a star is held', () => {
    expect(missing([rule('get,list,create', '', 'pods')], rule('*', '', 'pods'))).toHaveLength(1)
    expect(missing([rule('*', '*', '*')], rule('*', '*', '*'))).toEqual([])
    expect(missing([rule('*', '*', '*')], { verbs: ['get'], nonResourceURLs: ['/metrics'] })).toEqual([
      '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
    ])
  })

  it('is nothing for a subresource that is held of everything', () => {
    expect(missing([rule('get', 'apps', '*/scale')], rule('get', 'apps', 'deployments/scale'))).toEqual([])
    expect(missing([rule('get', 'apps', '*/scale')], rule('get', 'apps', 'deployments'))).toHaveLength(1)
  })
})
