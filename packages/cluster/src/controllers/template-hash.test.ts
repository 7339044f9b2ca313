import { expect, test } from 'vitest'
import { canonicalJson, fnv32, fnv32a, safeEncode, templateHash } from './template-hash.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('hashes are those of the FNV reference', () => {
  expect(fnv32(bytes('foobar'))).toBe(0x31f0b262)
  expect(fnv32a(bytes('foobar'))).toBe(0xbf9cf968)
})

test('numbers become letters and digits that make no words', () => {
  expect(safeEncode('0123456789')).toBe('456789bcdf')
})

test('the order of fields does not matter, that of items does', () => {
  expect(canonicalJson({ b: [2, 1], a: { d: 1, c: null } })).toBe('{"a":{"c":null,"d":1},"b":[2,1]}')
})

test('a collision count gives the same content another hash', () => {
  const template = { spec: { containers: [] } }
  expect(templateHash(template, undefined)).toBe(templateHash(template, undefined))
  expect(templateHash(template, 1)).not.toBe(templateHash(template, undefined))
})
