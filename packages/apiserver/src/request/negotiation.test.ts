import { describe, expect, it } from 'vitest'
import { COLLECTION_TYPES, negotiate, OBJECT_TYPES, parseAccept, prefersYaml, requireProduced } from './negotiation.ts'

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'

describe('negotiation', () => {
  it.each([
    [undefined, { as: 'json' }],
    ['', { as: 'json' }],
    ['*/*', { as: 'json' }],
    ['application/*', { as: 'json' }],
    ['application/yaml', { as: 'yaml' }],
    ['application/json, application/yaml', { as: 'json' }],
    ['application/json;q=0.1, application/yaml;q=0.2', { as: 'yaml' }],
    ['application/vnd.kubernetes.protobuf, application/json', { as: 'json' }],
    [`${TABLE}, application/json`, { as: 'table', version: 'v1' }],
    ['application/json;as=Table;v=v1beta1;g=meta.k8s.io', { as: 'table', version: 'v1beta1' }],
    ['application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', { as: 'partial', kind: 'PartialObjectMetadata' }],
    [
      'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
      { as: 'partial', kind: 'PartialObjectMetadataList' },
    ],
    ['application/json;as=Nothing;v=v1;g=meta.k8s.io, application/json', { as: 'json' }],
    ['application/json;stream=watch', { as: 'json' }],
    ['application/vnd.kubernetes.protobuf', { as: 'json' }],
    ['application/vnd.kubernetes.protobuf;stream=watch', { as: 'json' }],
    [
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
      { as: 'partial', kind: 'PartialObjectMetadata' },
    ],
    ['application/vnd.kubernetes.protobuf, application/yaml', { as: 'yaml' }],
  ])('answers %s', (accept, form) => {
    expect(negotiate(accept, { allowsTransforms: true })).toEqual(form)
  })

  it('refuses what it has no form for', () => {
    const message =
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf'
    expect(() => negotiate('text/html')).toThrow(message)
    expect(() => negotiate(TABLE)).toThrow(message)
    expect(() => negotiate('application/json;as=Nothing;v=v1;g=meta.k8s.io', { allowsTransforms: true })).toThrow(
      message,
    )
    expect(() => negotiate(TABLE.replace('json', 'vnd.kubernetes.protobuf'), { allowsTransforms: true })).toThrow(
      message,
    )
    expect(() => negotiate('application/vnd.kubernetes.protobuf', { isCustom: true })).toThrow(message)
    expect(() => negotiate('application/yaml', { isStream: true })).toThrow('application/json;stream=watch')
  })

  it('takes a partial wildcard for a type that a path does not produce', () => {
    expect(() => requireProduced('application/*', OBJECT_TYPES)).toThrow('406: Not Acceptable')
    expect(() => requireProduced('text/html, */*;q=0.1', OBJECT_TYPES)).not.toThrow()
    expect(() => requireProduced(TABLE, COLLECTION_TYPES)).not.toThrow()
    expect(() => requireProduced('text/html', ['application/json'])).toThrow(
      '406: Not Acceptable\n\nAvailable representations: application/json',
    )
  })

  it('prefers the exact type to a wildcard of higher quality that comes before it', () => {
    const types = (accept: string) => parseAccept(accept).map(({ type }) => type)
    expect(types('*/*;q=0.5, application/yaml;q=0.4')).toEqual(['application/yaml', '*/*'])
    expect(types('a/b;q=0.1, c/d;q=0.9, e/f')).toEqual(['e/f', 'c/d', 'a/b'])
    expect(types(' , a/b ,')).toEqual(['a/b'])
  })

  it('writes YAML only for those who prefer it', () => {
    expect(prefersYaml('application/yaml')).toBe(true)
    expect(prefersYaml('application/json, application/yaml')).toBe(false)
    expect(prefersYaml('text/html, application/yaml')).toBe(true)
    expect(prefersYaml(undefined)).toBe(false)
  })
})
