import { seededRandom } from '@tiphys/env'
import { expect, it } from 'vitest'
import type { Json } from './trace-record.ts'
import { withWrittenNumbers } from './written-numbers.ts'

const stored = (written: string) => withWrittenNumbers(JSON.parse(written) as Json, written)

it('keeps every number as it was written, and nothing else that JSON writes otherwise', () => {
  expect(stored('{ "id" : 12345678901234567890, "price": 1.50 }')).toBe('{"id":12345678901234567890,"price":1.50}')
  expect(stored('[9007199254740993, -0, 1E5, 0.00000001, 1e400, 0.1000000000000000055511151231257827]')).toBe(
    '[9007199254740993,-0,1E5,0.00000001,1e400,0.1000000000000000055511151231257827]',
  )
  expect(stored(String.raw`{"K\u00e4se \/": "a\tb : \u0000 1e5 {", "n": 1.0}`)).toBe(
    String.raw`{"Käse /":"a\tb : \u0000 1e5 {","n":1.0}`,
  )
  expect(stored('12345678901234567890')).toBe('12345678901234567890')
  expect(stored('{"a": 1,\r\n\t"b": [true, null, "x y", 1.5]}')).toBe('{"a":1,"b":[true,null,"x y",1.5]}')
})

it('writes nothing that the value does not have: a secret may stand under a name that comes again', () => {
  expect(stored('{"auth": {"password": "secret"}, "auth": 1, "id": 12345678901234567890}')).not.toContain('secret')
  expect(stored('{"a": {"b": 1, "c": [{"d": 1}]}, "a": {"e": 1, "f": 1, "g": 1, "h": 1}, "n": 1.0}')).not.toContain(
    '"d"',
  )
})

it('writes a text that was no JSON as the text that it is', () => {
  const text = 'no { "json": 12345678901234567890'
  expect(withWrittenNumbers(text, text)).toBe(JSON.stringify(text))
})

it('writes what is read as the same value, whatever it is', () => {
  const random = seededRandom(3)
  const below = (count: number) => Math.floor(random.next() * count)
  const texts = ['', '"', '\\', ':', '": ', '{ ', ' ]', '\n', 'ö', '\u0000', '1.0', '__proto__', '7', '🙂']
  const value = (depth: number): Json => {
    const choice = below(depth > 3 ? 4 : 6)
    if (choice === 0) return texts[below(texts.length)] ?? ''
    if (choice === 1) return [-1.5e300, 0, -0.5, 1e21, 1e-9, 2 ** 60, 0.1][below(7)] ?? 0
    if (choice === 2) return [true, false, null][below(3)] ?? null
    if (choice === 3) return below(1000)
    if (choice === 4) return Array.from({ length: below(4) }, () => value(depth + 1))
    return Object.fromEntries(Array.from({ length: below(5) }, () => [texts[below(texts.length)], value(depth + 1)]))
  }
  for (let i = 0; i < 2000; i++) {
    const written = JSON.stringify([value(0), 1e30], undefined, i % 3)
    expect(JSON.parse(stored(written))).toEqual(JSON.parse(written))
  }
})
