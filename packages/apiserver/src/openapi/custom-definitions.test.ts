import { describe, expect, it } from 'vitest'
import type { Schema } from '../schema/schema.ts'
import type { OpenApiVersion } from './builtin-definitions.ts'
import { customDefinitions } from './custom-definitions.ts'

const widget = { group: 'stable.example.com', version: 'v1', kind: 'Widget', listKind: 'WidgetList' }

function specOf(version: OpenApiVersion, spec: Schema): unknown {
  const schema: Schema = { type: 'object', properties: { spec } }
  const written = new Map(customDefinitions(version, { ...widget, schema })).get('com.example.stable.v1.Widget')
  return (written?.definition.properties as Record<string, unknown> | undefined)?.spec
}

describe('the definition of a custom kind', () => {
  it('is found under the reversed group, with its list', () => {
    const names = customDefinitions(3, { ...widget, schema: { type: 'object' } }).map(([name]) => name)
    expect(names).toEqual(['com.example.stable.v1.Widget', 'com.example.stable.v1.WidgetList'])
  })

  it('has the type and metadata of every kind', () => {
    const [[, kind] = []] = customDefinitions(3, { ...widget, schema: { type: 'object' } })
    expect(kind?.definition).toEqual({
      type: 'object',
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }] },
      },
      'x-kubernetes-group-version-kind': [{ group: 'stable.example.com', version: 'v1', kind: 'Widget' }],
    })
  })

  it('says in version 3 that a value may be a number or a text', () => {
    expect(specOf(3, { 'x-kubernetes-int-or-string': true })).toEqual({
      'x-kubernetes-int-or-string': true,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
    })
  })

  it('keeps other conditions beside a number or a text', () => {
    const anyOf = [{ minLength: 1 }]
    expect(specOf(3, { 'x-kubernetes-int-or-string': true, anyOf })).toEqual({
      'x-kubernetes-int-or-string': true,
      anyOf,
      allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }],
    })
  })

  it('leaves out of version 2 what it cannot say', () => {
    const spec: Schema = {
      type: 'object',
      required: ['size', 'color'],
      properties: {
        size: { type: 'integer', nullable: true },
        color: { type: 'string', anyOf: [{ minLength: 1 }] },
        parts: { type: 'array', nullable: true, items: { type: 'string' } },
      },
    }
    expect(specOf(2, spec)).toEqual({
      type: 'object',
      required: ['color'],
      properties: { size: {}, color: { type: 'string' }, parts: {} },
    })
  })

  it('shows version 2 no properties where others are allowed', () => {
    const schema: Schema = {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { spec: { type: 'object' } },
    }
    const [[, kind] = []] = customDefinitions(2, { ...widget, schema })
    expect(kind?.definition).toEqual({ type: 'object', 'x-kubernetes-group-version-kind': expect.anything() })
  })

  it('gives an embedded resource its type and metadata', () => {
    expect(specOf(2, { type: 'object', 'x-kubernetes-embedded-resource': true })).toEqual({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      required: ['kind', 'apiVersion'],
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      },
    })
  })
})
