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

const file = new URL('./testdata/custom-resource-answers.json', import.meta.url)
const groups = parseJson(readFileSync(file, 'utf8')) as Group[]

const sorted = (causes: readonly StatusCause[]) =>
  causes.map(({ field, message, reason }) => `${field}|${reason}|${message}`).sort()

describe.each(groups)('$name, as the real server', ({ name, schema, subresources, cases }) => {
  const kind = `${name[0]?.toUpperCase()}${name.slice(1)}`
  const custom = compileCustomSchema({ schema: { openAPIV3Schema: schema }, ...(subresources ? { subresources } : {}) })

  const complete = (fields: JsonObject): JsonObject => ({
    apiVersion: 'crdhelp.example.com/v1',
    kind,
    ...fields,
    metadata: { name: 'a', ...((fields.metadata as JsonObject | undefined) ?? {}) },
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
    const errors = validate(current, old, sub)
    if (errors.length > 0) return { code: 422, causes: sorted(errors.map(toCause)) }
    const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = current
    const { name: _name, ...meta } = metadata as JsonObject
    const warnings = unknown.map(path => `unknown field "${path}"`)
    return { code: 201, object: rest, metadata: meta, warnings }
  }

  function validate(current: JsonObject, old: JsonObject | undefined, sub: string | undefined): FieldError[] {
    if (old === undefined) return custom.validate(current)
    const before = complete(structuredClone(old))
    if (sub !== 'status') return custom.validateUpdate(current, before)
    const { status } = current
    Object.assign(current, structuredClone(before), { status })
    return custom.validateStatusUpdate(current, before)
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
