import { expect, it } from 'vitest'
import { mergeOver, mergePatched } from './merge.ts'

it.each([
  ['fields are merged', { a: { b: 1, c: 2 } }, { a: { c: 3 } }, { a: { b: 1, c: 3 } }],
  ['lists are replaced', { a: [1, 2] }, { a: [3] }, { a: [3] }],
  [
    'empty lists and values count',
    { a: [1], b: 'x', c: 1, d: true },
    { a: [], b: '', c: 0, d: false },
    { a: [], b: '', c: 0, d: false },
  ],
  ['null is a value', { a: 1 }, { a: null }, { a: null }],
  ['empty fields change nothing', { a: { b: 1 } }, { a: {} }, { a: { b: 1 } }],
  ['fields take the place of a value', { a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
  ['a value takes the place of fields', { a: { b: 1 } }, { a: 1 }, { a: 1 }],
])('an update: %s', (_, live, wanted, expected) => {
  expect(mergeOver(live, wanted)).toEqual(expected)
})

it.each([
  ['null removes', { a: 1, b: { c: 1, d: 1 } }, { a: null, b: { c: null } }, { b: { d: 1 } }],
  ['what is new loses its nulls', {}, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  ['lists are replaced', { a: [1] }, { a: [null] }, { a: [null] }],
])('a merge patch: %s', (_, live, patch, expected) => {
  expect(mergePatched(live, patch)).toEqual(expected)
})

it('treats __proto__ as a field like any other', () => {
  const hostile = JSON.parse('{"__proto__": {"polluted": true}}') as unknown
  for (const merge of [mergeOver, mergePatched]) {
    const merged = merge({ a: 1 }, hostile)
    expect(JSON.stringify(merged)).toBe('{"a":1,"__proto__":{"polluted":true}}')
    expect((merged as { polluted?: boolean }).polluted).toBeUndefined()
  }
})
