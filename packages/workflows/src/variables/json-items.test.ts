import { describe, expect, test } from 'vitest'
import { itemOfValue, itemsOfJson } from './json-items.ts'

describe('itemsOfJson', () => {
  test.each([
    ['["a", "b"]', ['a', 'b'], ['a', 'b']],
    [
      '[1, 2.50, 12345678901234567890, true]',
      ['1', '2.50', '12345678901234567890', 'true'],
      ['1', '2.50', '12345678901234567890', 'true'],
    ],
    ['[ {"b": [1, 2], "a": "x, y"} ]', ['{"a":"x, y","b":[1,2]}'], ['a:x, y,b:[1,2]']],
    ['[[1, "two"], []]', ['[1,"two"]', '[]'], ['[1 two]', '[]']],
    ['["with \\"quotes\\" and, commas ]"]', ['with "quotes" and, commas ]'], ['with "quotes" and, commas ]']],
    ['[]', [], []],
    ['null', [], []],
    ['  [\n  1\n]\n', ['1'], ['1']],
  ])('%s', (text, texts, labels) => {
    const items = itemsOfJson(text, 100)
    expect(items.map(item => item.text)).toEqual(texts)
    expect(items.map(({ label }) => label)).toEqual(labels)
  })

  test('gives the fields of objects, with texts decoded', () => {
    expect(itemsOfJson('[{"name": "a\\nb", "size": 1.0, "list": [1]}]', 10)[0]?.fields).toEqual([
      ['list', '[1]'],
      ['name', 'a\nb'],
      ['size', '1.0'],
    ])
  })

  test.each([
    ['not json', /could not be parsed as a JSON list: not json/],
    ['{"a": 1}', /could not be parsed as a JSON list/],
    [`[${'1,'.repeat(100)}1]`, /the loop has 101 items, at most 100 are run/],
  ])('refuses %s', (text, problem) => {
    expect(() => itemsOfJson(text, 100)).toThrow(problem)
  })
})

test('itemOfValue takes what YAML has read', () => {
  expect(itemOfValue({ z: 1, a: 'b' })).toEqual({
    text: '{"a":"b","z":1}',
    label: 'a:b,z:1',
    fields: [
      ['a', 'b'],
      ['z', '1'],
    ],
  })
})
