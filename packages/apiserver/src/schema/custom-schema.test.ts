import { readFileSync } from 'node:fs'
import { parseJson, type StatusCause } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { type FieldError, toCause } from '../field-error.ts'
import { type CustomSchemaSource, compileCustomSchema } from './custom-schema.ts'
import { DecodeFailure } from './decode.ts'
import type { JsonObject, Schema } from './schema.ts'

/** What kube-apiserver 1.36.3 answered to objects of CRDs with these schemas. */
interface Group {
  name: string
  schema: Schema
  subresources?: CustomSchemaSource['subresources']
  cases: Case[]
}

interface Case {
  name: string
  object: { value: JsonObject } | { text: string }
  old?: JsonObject
  sub?: string
  answer: {
    code: number
    message?: string
    causes?: StatusCause[]
    object?: JsonObject
    metadata?: JsonObject
    warnings?: string[]
  }
}

const groups = ['custom-resource-answers.json', 'validation-rule-answers.json'].flatMap(name => {
  const file = new URL(`./testdata/${name}`, import.meta.url)
  return parseJson(readFileSync(file, 'utf8')) as Group[]
})

const sorted = (causes: readonly StatusCause[]) =>
  causes.map(({ field, message, reason }) => `${field}|${reason}|${message}`).sort()

describe.each(groups)('$name, as the real server', ({ name, schema, subresources, cases }) => {
  const kind = `${name[0]?.toUpperCase()}${name.slice(1)}`
  const custom = compileCustomSchema({ schema: { openAPIV3Schema: schema }, ...(subresources ? { subresources } : {}) })

  const complete = (fields: JsonObject): JsonObject => ({
    apiVersion: 'crdhelp.example.com/v1',
    kind,
    ...fields,
    metadata: { name: 'a', ...(fields.metadata as JsonObject | undefined) },
  })

  function answer({ object, old, sub }: Case) {
    const fields = 'text' in object ? (parseJson(object.text) as JsonObject) : structuredClone(object.value)
    const current = complete(fields)
    let unknown: string[]
    try {
      unknown = custom.prune(current)
    } catch (thrown) {
      if (!(thrown instanceof DecodeFailure)) throw thrown
      return { code: 400, message: `${kind} in version "v1" cannot be handled as a ${kind}: ${thrown.message}` }
    }
    if (sub === undefined && subresources?.status && old === undefined) delete current.status
    custom.setDefaults(current)
    const ratcheted: string[] = []
    const errors = validate(current, old, sub, ratcheted)
    if (errors.length > 0) return { code: 422, causes: sorted(errors.map(toCause)) }
    const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = current
    const { name: _name, ...meta } = metadata as JsonObject
    const warnings = [...unknown.map(path => `unknown field "${path}"`), ...ratcheted]
    return { code: 201, object: rest, metadata: meta, warnings }
  }

  function validate(
    current: JsonObject,
    old: JsonObject | undefined,
    sub: string | undefined,
    ratcheted: string[],
  ): FieldError[] {
    if (old === undefined) return custom.validate(current)
    const before = complete(structuredClone(old))
    if (sub !== 'status') return custom.validateUpdate(current, before, ratcheted)
    const { status } = current
    Object.assign(current, structuredClone(before), { status })
    return custom.validateStatusUpdate(current, before, ratcheted)
  }

  it.each(cases)('$name', test => {
    const { code, message, causes, object, metadata = {}, warnings = [] } = test.answer
    const expected =
      code === 400
        ? { code, message }
        : code === 422
          ? { code, causes: sorted(causes ?? []) }
          : { code: 201, object, metadata, warnings }
    expect(answer(test)).toEqual(expected)
  })
})

describe('an object from storage', () => {
  const resource: Schema = {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  }
  const properties: Record<string, Schema> = { x: { type: 'integer' }, n: { type: 'string' }, resource }
  const schema: Schema = { type: 'object', properties: { spec: { type: 'object', properties } } }
  const custom = compileCustomSchema({ schema: { openAPIV3Schema: schema } })

  it('loses what its schema does not have any more', () => {
    const object: JsonObject = { apiVersion: 'x/v1', kind: 'X', metadata: { name: 'a' }, spec: { x: 1, y: 2, n: null } }
    custom.pruneStored(object)
    expect(object).toEqual({ apiVersion: 'x/v1', kind: 'X', metadata: { name: 'a' }, spec: { x: 1 } })
  })

  it('loses embedded metadata of the wrong type instead of being unreadable', () => {
    const metadata = { name: 'b', labels: 'x' }
    const object: JsonObject = {
      apiVersion: 'x/v1',
      kind: 'X',
      metadata: {},
      spec: { resource: { kind: 5, metadata } },
    }
    custom.pruneStored(object)
    expect(object.spec).toEqual({ resource: { metadata: { name: 'b' } } })
  })
})

it('gives patches a schema with the metadata of the object and of embedded resources', () => {
  const embedded: Schema = {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    properties: { a: { type: 'string' } },
  }
  const spec: Schema = {
    type: 'object',
    properties: { list: { type: 'array', items: embedded }, b: { type: 'string' } },
  }
  const { fieldSchema } = compileCustomSchema({ schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } })
  const metadata = fieldSchema.properties?.metadata
  expect(metadata?.properties?.finalizers?.['x-kubernetes-list-type']).toBe('set')
  expect(Object.keys(fieldSchema.properties ?? {})).toEqual(['spec', 'apiVersion', 'kind', 'metadata'])
  const item = fieldSchema.properties?.spec?.properties?.list?.items
  expect(item?.properties?.metadata).toBe(metadata)
  expect(item?.properties?.a).toBe(embedded.properties?.a)
})
