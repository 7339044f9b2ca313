import { parseJson } from '@tiphys/kube'
import { describe, expect, test } from 'vitest'
import type { Json } from '../schema/schema.ts'
import { applyJsonPatch, decodeJsonPatch } from './json-patch.ts'
import { PatchFailure } from './patch-failure.ts'

const GENERIC = 'the server rejected our request due to an error in our request'

function failure(run: () => unknown): { code: number; reason: string; message: string; why: string } {
  try {
    run()
  } catch (error) {
    if (error instanceof PatchFailure) {
      const { code, reason, message, why } = error
      return { code, reason, message, why }
    }
    throw error
  }
  throw new Error('the patch applied')
}

const patch = (document: Json, ...operations: Record<string, Json>[]): Json => applyJsonPatch(document, operations)

describe('reading a JSON patch', () => {
  test('refuses more than 10,000 operations', () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a' }))
    expect(failure(() => decodeJsonPatch(operations))).toMatchObject({
      code: 413,
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    })
    expect(decodeJsonPatch(operations.slice(1)).operations).toHaveLength(10_000)
  })

  test('refuses what is no list of operations', () => {
    expect(failure(() => decodeJsonPatch({ op: 'add' }))).toMatchObject({
      code: 400,
      message: 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    })
    expect(failure(() => decodeJsonPatch([{ op: 'add', path: 7 }]))).toMatchObject({
      code: 400,
      message:
        'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string',
    })
  })

  test('names members it does not know', () => {
    const { unknownFields } = decodeJsonPatch([{ op: 'add', path: '/a', value: 1, note: 'x' }])
    expect(unknownFields).toEqual(['json patch unknown field "[0].note"'])
  })
})

describe('applying a JSON patch', () => {
  test('tells the client only that the patch does not apply, and keeps the reason', () => {
    expect(failure(() => patch({ a: {} }, { op: 'add', path: '/b/c', value: 1 }))).toEqual({
      code: 422,
      reason: 'Invalid',
      message: GENERIC,
      why: 'add operation does not apply: doc is missing path: "/b/c": missing value',
    })
  })

  test('stops copies that grow the object beyond the limit', () => {
    const double = { op: 'copy', from: '/list', path: '/list/-' }
    const operations = Array.from({ length: 100 }, () => double)
    expect(failure(() => patch({ list: ['x'.repeat(1000)] }, ...operations)).why).toMatch(
      /^Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/,
    )
  })

  test('treats __proto__ as a key like any other', () => {
    const document = parseJson('{"data":{"__proto__":"kept"}}') as Json
    const patched = patch(document, { op: 'add', path: '/data/constructor', value: 'x' })
    expect(JSON.stringify(patched)).toBe('{"data":{"__proto__":"kept","constructor":"x"}}')
    expect(failure(() => patch({}, { op: 'add', path: '/__proto__/x', value: 1 })).code).toBe(422)
    expect(JSON.stringify(patch({}, { op: 'add', path: '/__proto__', value: { x: 1 } }))).toBe('{"__proto__":{"x":1}}')
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  test('counts negative indices from the end', () => {
    expect(patch({ a: [1, 2, 3] }, { op: 'remove', path: '/a/-1' })).toEqual({ a: [1, 2] })
    expect(patch({ a: [1, 2] }, { op: 'add', path: '/a/-1', value: 3 })).toEqual({ a: [1, 2, 3] })
  })

  test('tests integers beyond 2^53 exactly', () => {
    const document = parseJson('{"a":9007199254740993}') as Json
    expect(() => patch(document, { op: 'test', path: '/a', value: 9007199254740993n })).not.toThrow()
    expect(failure(() => patch(document, { op: 'test', path: '/a', value: 9007199254740992 })).why).toBe(
      'testing value /a failed: test failed',
    )
  })

  test('changes neither the object nor the patch', () => {
    const document = { a: [{ b: 1 }] }
    const value = { c: [] as Json[] }
    const patched = patch(document, { op: 'add', path: '/x', value }, { op: 'add', path: '/x/c/-', value: 1 })
    expect(patched).toEqual({ a: [{ b: 1 }], x: { c: [1] } })
    expect([document, value]).toEqual([{ a: [{ b: 1 }] }, { c: [] }])
  })
})
