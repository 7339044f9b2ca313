import type { KubeObject } from '@tiphys/kube'
import { beforeAll, describe, expect, it } from 'vitest'
import { builtinResources } from '../registry/builtin-resources.ts'
import type { Resource } from '../registry/resource.ts'
import { Storage } from '../storage/storage.ts'
import { selectorOf } from './selector.ts'

describe('a selector', () => {
  let pods: Resource
  let nodes: Resource

  beforeAll(() => {
    const all = [...builtinResources(new Storage(), () => undefined)]
    pods = all.find(({ name }) => name === 'pods') as Resource
    nodes = all.find(({ name }) => name === 'nodes') as Resource
  })

  const pod = (labels: Record<string, string>, spec = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', namespace: 'ns', labels },
    spec,
  })

  const accepts = (labels: string, fields: string, object: KubeObject): boolean => {
    const { accept } = selectorOf(pods, labels, fields)
    return accept === undefined || accept({ key: 'ns/a', revision: 1, object })
  }

  it('that says nothing lets everything pass without looking', () => {
    expect(selectorOf(pods, '', '')).toEqual({ accept: undefined, name: undefined })
  })

  it.each([
    ['app=web', true],
    ['app==web,tier', true],
    ['app!=web', false],
    ['app in (web, db),tier notin (back)', true],
    ['!app', false],
    ['!other', true],
    ['replicas>2', true],
    ['replicas<3', false],
  ])('of labels %s', (labels, isAccepted) => {
    expect(accepts(labels, '', pod({ app: 'web', tier: 'front', replicas: '3' }))).toBe(isAccepted)
  })

  it.each([
    ['metadata.name=a', true],
    ['metadata.name=b', false],
    ['metadata.name!=b,metadata.namespace=ns', true],
    ['spec.nodeName=n1', true],
    ['spec.nodeName=', false],
    ['spec.nodeName!=n1', false],
    ['spec.restartPolicy=Always', false],
  ])('of fields %s', (fields, isAccepted) => {
    expect(accepts('', fields, pod({}, { nodeName: 'n1' }))).toBe(isAccepted)
  })

  it('needs both labels and fields', () => {
    expect(accepts('app=web', 'metadata.name=a', pod({ app: 'web' }))).toBe(true)
    expect(accepts('app=web', 'metadata.name=b', pod({ app: 'web' }))).toBe(false)
    expect(accepts('app=db', 'metadata.name=a', pod({ app: 'web' }))).toBe(false)
  })

  it('tells the one name that it asks for', () => {
    expect(selectorOf(pods, '', 'metadata.name=a').name).toBe('a')
    expect(selectorOf(pods, '', 'metadata.name!=a').name).toBeUndefined()
  })

  it('is refused when it cannot be read or the kind has no such field', () => {
    expect(() => selectorOf(pods, 'a=b=c', '')).toThrow("found '=', expected: ',' or 'end of string'")
    expect(() => selectorOf(pods, '', 'spec.nothing=x')).toThrow('spec.nothing')
    expect(() => selectorOf(nodes, '', 'metadata.namespace=x')).toThrow('metadata.namespace')
  })
})
