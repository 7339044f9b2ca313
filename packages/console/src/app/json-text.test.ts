import { describe, expect, it } from 'vitest'
import { indentedJson } from './json-text.ts'

describe('indented JSON', () => {
  it.each([
    {},
    [],
    'text',
    { a: [1, -2.5, { b: null, c: [] }], 'd "e"': 'x: {y}, \\" [z]\n', f: {}, g: true },
    [[], [[]], {}],
  ])('is what JSON.stringify makes of %j', value => {
    const indented = JSON.stringify(value, null, 2)
    expect(indentedJson(JSON.stringify(value))).toBe(indented)
    expect(indentedJson(indented)).toBe(indented)
  })

  it('keeps the digits of numbers', () => {
    expect(indentedJson('{"id":12345678901234567890,"price":1.50}')).toBe(
      '{\n  "id": 12345678901234567890,\n  "price": 1.50\n}',
    )
  })
})
