import { describe, expect, it } from 'vitest'
import { parseJson, parseJsonStrict, stringifyJson } from './json.ts'
import { numberPath } from './json-decoder.ts'

describe('parseJson', () => {
  it('keeps integers of an int64 exact', () => {
    const text = '{"a":9223372036854775807,"b":-9223372036854775808,"c":9007199254740991,"d":[9007199254740993]}'
    expect(parseJson(text)).toEqual({
      a: 9223372036854775807n,
      b: -9223372036854775808n,
      c: 9007199254740991,
      d: [9007199254740993n],
    })
    expect(stringifyJson(parseJson(text))).toBe(text)
  })

  it('reads an integer beyond an int64 and any number with a point as a double', () => {
    expect(parseJson('[9223372036854775808,9007199254740993.0,1e3,-0]')).toEqual([2 ** 63, 2 ** 53, 1000, -0])
  })

  it('lets the last of several equal keys win', () => {
    expect(parseJson('{"a":1,"a":{"b":12345678901234567,"b":2}}')).toEqual({ a: { b: 2 } })
  })

  it('replaces half a surrogate pair', () => {
    expect(parseJson('["\\ud83d\\ude00","\\ud83d","\\ude00x","\\ud83d\\u0041"]')).toEqual([
      '😀',
      '\ufffd',
      '\ufffdx',
      '\ufffdA',
    ])
  })

  it('treats __proto__ as data', () => {
    const value = parseJson('{"__proto__":{"big":12345678901234567}}') as object
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  it('ends at 10,000 levels', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(() => parseJson(nested(10_000))).not.toThrow()
    expect(() => parseJson(nested(10_001))).toThrow("invalid character '[' exceeded max depth")
  })

  it.each([
    ['', 'unexpected end of JSON input'],
    ['  ', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"a"', 'unexpected end of JSON input'],
    ['"a', 'unexpected end of JSON input'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
    ['{,}', "invalid character ',' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{} {}', "invalid character '{' after top-level value"],
    ['"\n"', "invalid character '\\n' in string literal"],
    ['"\\q"', "invalid character 'q' in string escape code"],
    ['"\\u12x4"', "invalid character 'x' in \\u hexadecimal character escape"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['012', "invalid character '1' after top-level value"],
    ['1.', "invalid character ' ' after decimal point in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['trua', "invalid character 'a' in literal true (expecting 'e')"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ['[1e400]', 'json: cannot unmarshal number 1e400 into Go value of type float64'],
  ])('says of %j what Go says', (text, message) => {
    expect(() => parseJson(text)).toThrow(new RegExp(`^${message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`))
  })
})

describe('parseJsonStrict', () => {
  it('finds nothing in a text without duplicates', () => {
    const text = '{"a" : {"b":"x\\"y\\\\", "c\\"":[{"b":"\\":1"}]}, "d":"a\\":"}'
    expect(parseJsonStrict(text)).toEqual({ value: JSON.parse(text), duplicateFields: [] })
  })

  it('names the path of every field given twice, once', () => {
    const text = '{"data":{"a":"1","a":"2","a":"3"},"items":[{},{"x":{"y":1,"y":2}}],"data":{}}'
    expect(parseJsonStrict(text)).toEqual({
      value: { data: {}, items: [{}, { x: { y: 2 } }] },
      duplicateFields: ['data.a', 'items[1].x.y', 'data'],
    })
  })

  it('tells how a number was written that is not just digits', () => {
    const { value, numberTexts } = parseJsonStrict('{"a":[1,{"b":1.0}],"c":1e2,"d":"x:1.0,","e":-3}')
    expect(value).toEqual({ a: [1, { b: 1 }], c: 100, d: 'x:1.0,', e: -3 })
    expect(numberTexts).toEqual(
      new Map([
        [numberPath(['a', 1, 'b']), '1.0'],
        [numberPath(['c']), '1e2'],
      ]),
    )
    expect(parseJsonStrict('{"a":1,"b":"1.5"}').numberTexts).toBeUndefined()
  })

  it('names fields inside a top-level array', () => {
    expect(parseJsonStrict('[{"a":1,"a":2}]').duplicateFields).toEqual(['[0].a'])
  })

  it('stops at 100 paths', () => {
    const text = `{${Array.from({ length: 150 }, (_, i) => `"k${i}":1,"k${i}":2`).join(',')}}`
    expect(parseJsonStrict(text).duplicateFields).toHaveLength(100)
  })
})

describe('stringifyJson', () => {
  it('writes what JSON.stringify writes when no integer is large', () => {
    const value = { a: [1, 'x', null, undefined], b: undefined, c: new Date(0) }
    expect(stringifyJson(value)).toBe(JSON.stringify(value))
  })

  it('writes large integers as integers, indented or not', () => {
    const value = { a: [1n, undefined, {}], b: undefined, c: new Date(0), d: { e: [] } }
    const plain = { a: [1, undefined, {}], c: new Date(0), d: { e: [] } }
    expect(stringifyJson(value)).toBe(JSON.stringify(plain))
    expect(stringifyJson(value, 2)).toBe(JSON.stringify(plain, undefined, 2))
  })

  it('refuses a cycle', () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    expect(() => stringifyJson(cycle)).toThrow(TypeError)
  })
})
