import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { seededRandom } from '@tiphys/env'
import { describe, expect, test } from 'vitest'
import { escapeGjsonComponent, GjsonError, getJson, isValidJson, parseJson } from './gjson.ts'

interface Answer {
  t: string
  r?: string
  s?: string
  n?: string
  string?: string
  i?: number
  ix?: number[]
  a?: string[]
  v?: unknown
  valid?: boolean
}

function readTestdata(name: string): string {
  return readFileSync(new URL(`../../testdata/${name}`, import.meta.url), 'utf8')
}

const documents = JSON.parse(readTestdata('gjson-documents.json')) as string[]
const recorded = readTestdata('gjson.jsonl')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as { case: { j: number; p: string }; answer: Answer })

function sameNumber(actual: number, recorded = '0'): boolean {
  return Object.is(actual + 0, Number(recorded.replace('Inf', 'Infinity')) + 0)
}

describe('gjson', () => {
  test('finds what the Go module finds', () => {
    const differences = recorded.flatMap(({ case: { j, p }, answer }) => {
      const json = documents[j] ?? ''
      const actual = getJson(json, p)
      const same =
        actual.type === answer.t &&
        actual.raw === (answer.r ?? '') &&
        actual.str === (answer.s ?? '') &&
        sameNumber(actual.num, answer.n) &&
        (answer.string === undefined || actual.string() === answer.string) &&
        actual.index === (answer.i ?? 0) &&
        isDeepStrictEqual(actual.indexes ?? [], answer.ix ?? []) &&
        isValidJson(json) === (answer.valid ?? false) &&
        (answer.a === undefined ||
          isDeepStrictEqual(
            actual.array().map(element => element.raw),
            answer.a,
          )) &&
        (answer.v === undefined || isDeepStrictEqual(actual.value(), answer.v))
      return same
        ? []
        : [
            {
              json,
              p,
              answer,
              actual: { raw: actual.raw, type: actual.type, index: actual.index, value: actual.value() },
            },
          ]
    })
    expect(differences.slice(0, 10)).toEqual([])
    expect(recorded.length).toBeGreaterThan(4000)
  })

  test('keeps the spelling of what it finds', () => {
    const json = '{ "n": [1.50, 12345678901234567890, 1e3], "s": "\\u00e9" }'
    expect(getJson(json, 'n.0').raw).toBe('1.50')
    expect(getJson(json, 'n.0').string()).toBe('1.5')
    expect(getJson(json, 'n.1').string()).toBe('12345678901234567890')
    expect(getJson(json, 'n.2').string()).toBe('1000')
    expect(getJson(json, 's').raw).toBe('"\\u00e9"')
    expect(getJson(json, 's').str).toBe('é')
  })

  test('tells null from nothing', () => {
    expect(getJson('{"a":null}', 'a').exists).toBe(true)
    expect(getJson('{"a":null}', 'b').exists).toBe(false)
  })

  test('gives members one by one, and as plain data', () => {
    const found = parseJson('{"a":[1,{"b":"c"}],"a":2,"__proto__":{"x":true}}')
    expect([...found.entries()].map(([key, value]) => [key.str, value.raw])).toEqual([
      ['a', '[1,{"b":"c"}]'],
      ['a', '2'],
      ['__proto__', '{"x":true}'],
    ])
    expect([...found.map().keys()]).toEqual(['a', '__proto__'])
    const value = found.value() as Record<string, unknown>
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.entries(value)).toEqual([
      ['a', [1, { b: 'c' }]],
      ['__proto__', { x: true }],
    ])
    expect(found.get('a.1.b').string()).toBe('c')
  })

  test('an escaped key stands for itself', () => {
    for (const key of ['a.b', 'a*b', '@this', '#', 'a|b', '!x', 'a\\b', 'é', '']) {
      expect(getJson(JSON.stringify({ [key]: 1 }), escapeGjsonComponent(key)).num).toBe(1)
    }
  })

  test('a path that multiplies the text is stopped', () => {
    const path = Array.from({ length: 60 }, () => '[@this,@this]').join('|')
    expect(() => getJson('{"a":1}', path)).toThrow(GjsonError)
    expect(() =>
      getJson(`[${'[1,2,3],'.repeat(2000)}1]`, `@dig:${'@dig:'.repeat(20)}#`, { maxWork: 1_000_000 }),
    ).toThrow(GjsonError)
    expect(() => getJson('{"a":1}', 'a', { maxWork: 3 })).toThrow('the path needs too much work')
  })

  test('a wildcard that backtracks without end is stopped', () => {
    const json = JSON.stringify({ ['a'.repeat(20_000)]: 1 })
    expect(() => getJson(json, `*${'a'.repeat(5000)}b`, { maxWork: 1_000_000 })).toThrow(GjsonError)
  })

  test('deep nesting is refused where it would have to be followed', () => {
    const deep = '['.repeat(2000) + ']'.repeat(2000)
    expect(isValidJson('['.repeat(100_000) + ']'.repeat(100_000))).toBe(true)
    expect(getJson(deep, '0.0.0').exists).toBe(true)
    for (const path of ['@pretty', '@flatten:{"deep":true}', '@dig:x', '0.'.repeat(5000), '0|'.repeat(5000)]) {
      expect(() => getJson(deep, path), path.slice(0, 20)).toThrow(GjsonError)
    }
    expect(() => parseJson('['.repeat(2000)).value()).toThrow('nested more than 400 levels deep')
    expect(() => getJson('{}', '['.repeat(5000) + ']'.repeat(5000))).toThrow(GjsonError)
    expect(getJson('{}', '['.repeat(5000)).exists).toBe(false)
  })

  test('any text and any path give a result', () => {
    const random = seededRandom(6)
    const below = (limit: number) => Math.floor(random.next() * limit)
    const alphabet = [
      ...'{}[]"\\:,.|#()@!*?=<>%~-+0123ntfuab \n'.split(''),
      'é',
      '😀',
      'true',
      '@dig:',
      '@this',
      '#(',
      ')#',
      '\\u00',
      '\ud800',
    ]
    const noise = (length: number) =>
      Array.from({ length: below(length) }, () => alphabet[below(alphabet.length)]).join('')
    for (let round = 0; round < 3000; round++) {
      const json = random.next() < 0.5 ? noise(60) : (documents[below(documents.length)] ?? '') + noise(3)
      const path = random.next() < 0.5 ? noise(20) : (recorded[below(recorded.length)]?.case.p ?? '') + noise(6)
      const found = getJson(json, path)
      found.value()
      found.array()
      found.map()
    }
  })
})
