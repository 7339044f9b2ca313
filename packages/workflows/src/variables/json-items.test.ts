import { describe, expect, test } from 'vitest'
import { itemsOfJson, itemsOfList } from './json-items.ts'

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
    ['["with \\"quotes\\" and, commas ]"]', ['with "quotes" and, commas ]'], ['with \\"quotes\\" and, commas ]']],
    ['["two\\nlines", null]', ['two\nlines', 'null'], ['two\\nlines', '[]']],
    ['[]', [], []],
    ['null', [], []],
    ['  [\n  1\n]\n', ['1'], ['1']],
  ])('%s', (text, texts, labels) => {
    const items = itemsOfJson(text)
    expect(items.map(item => item.text)).toEqual(texts)
    expect(items.map(({ label }) => label)).toEqual(labels)
  })

  test('gives the fields of objects, with texts decoded', () => {
    expect(itemsOfJson('[{"name": "a\\nb", "size": 1.0, "list": [1]}]')[0]?.fields).toEqual([
      ['list', '[1]'],
      ['name', 'a\nb'],
      ['size', '1.0'],
    ])
  })

  test.each([
    ['not json', /could not be parsed as a JSON list: not json/],
    ['{"a": 1}', /could not be parsed as a JSON list/],
    [`[${'1,'.repeat(10_000)}1]`, /the loop has 10001 items, at most 10000 are run/],
  ])('refuses %s', (text, problem) => {
    expect(() => itemsOfJson(text)).toThrow(problem)
  })

  test('tells of a list of 100,000 items that it is too long, or was cut where it was printed', () => {
    const list = JSON.stringify(Array.from({ length: 100_000 }, (_, index) => index))
    expect(() => itemsOfJson(list)).toThrow('the loop has 100000 items, at most 10000 are run')
    const printed = list.slice(0, 256 * 1024 - 1)
    expect(() => itemsOfJson(printed)).toThrow('what a step prints is cut at 262144 bytes')
  })
})

test('itemsOfList takes what YAML has read', () => {
  expect(itemsOfList([{ z: 1, a: 'b' }])[0]).toEqual({
    text: '{"a":"b","z":1}',
    label: 'a:b,z:1',
    fields: [
      ['a', 'b'],
      ['z', '1'],
    ],
  })
})
