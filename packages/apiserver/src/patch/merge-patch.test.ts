import { parseJson } from '@tiphys/kube'
import { expect, test } from 'vitest'
import type { JsonObject } from '../schema/schema.ts'
import { applyMergePatch } from './merge-patch.ts'

test('refuses a patch that is no object', () => {
  expect(() => applyMergePatch({}, null)).toThrow('Invalid JSON Patch')
  expect(() => applyMergePatch({}, [])).toThrow(
    'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
  )
})

test('null removes, and is never written below an object that is new', () => {
  expect(applyMergePatch({ a: 1, b: { c: 1 } }, { a: null, b: { c: null }, n: { x: null, y: [{ z: null }] } })).toEqual(
    {
      b: {},
      n: { y: [{}] },
    },
  )
})

test('keeps keys that JavaScript gives a meaning', () => {
  const patched = applyMergePatch({ data: {} }, parseJson('{"data":{"__proto__":"x","toString":"y"}}') as JsonObject)
  expect(JSON.stringify(patched)).toBe('{"data":{"__proto__":"x","toString":"y"}}')
})

test('returns a copy that shares nothing with the object', () => {
  const document = { metadata: { labels: { a: 'b' } } }
  const patched = applyMergePatch(document, { x: 1 })
  ;(patched.metadata as JsonObject).labels = {}
  expect(document).toEqual({ metadata: { labels: { a: 'b' } } })
})
