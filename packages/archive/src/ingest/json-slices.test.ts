import { seededRandom } from '@tiphys/env'
import { describe, expect, it } from 'vitest'
import { decode } from './incoming.ts'
import { slicesOf, without } from './json-slices.ts'
import { joinPayload } from './payload.ts'

const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
const cut = (value: unknown, ...names: string[]) => {
  const text = bytes(value)
  const slices = slicesOf(
    text,
    names.map(name => [name, []]),
  )
  if (!slices) return undefined
  const found = names.flatMap(name => slices[name] ?? [])
  return without(text, { start: 0, end: text.length }, found).toString()
}

describe('slices of a text of JSON', () => {
  it('are cut out wherever they stand', () => {
    expect(cut({ a: 1, b: 2, c: 3 }, 'a')).toBe('{"b":2,"c":3}')
    expect(cut({ a: 1, b: 2, c: 3 }, 'b')).toBe('{"a":1,"c":3}')
    expect(cut({ a: 1, b: 2, c: 3 }, 'c')).toBe('{"a":1,"b":2}')
    expect(cut({ a: 1, b: 2, c: 3 }, 'b', 'a')).toBe('{"c":3}')
    expect(cut({ a: 1, b: 2, c: 3 }, 'a', 'b', 'c')).toBe('{}')
    expect(cut({ a: 1 }, 'a')).toBe('{}')
    expect(cut({}, 'a')).toBe('{}')
    expect(cut({ 'a"': { a: [1] }, b: 'x"\\', a: '}{' }, 'a')).toBe('{"a\\"":{"a":[1]},"b":"x\\"\\\\"}')
  })

  it('are not looked for in what is written otherwise', () => {
    for (const text of [
      '',
      '{',
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"a": 1}',
      '{ "a":1}',
      '{"a":1}}',
      '[1]',
      '{"a":"',
      '{"a":{"b"}',
    ])
      expect([text, slicesOf(bytes(text), [['a', []]])]).toEqual([text, undefined])
  })

  it('leave every event as it was', () => {
    const random = seededRandom(7)
    const below = (count: number) => Math.floor(random.next() * count)
    const texts = ['', '"', '\\', '\\"', '{', '}]', '\n', 'ö', '\u0000', 'body', '"kind":"event"']
    const value = (depth: number): unknown => {
      const choice = below(depth > 3 ? 4 : 6)
      if (choice === 0) return texts[below(texts.length)]
      if (choice === 1) return [-1.5e300, 0, 12, 1e21][below(4)]
      if (choice === 2) return [true, false, null][below(3)]
      if (choice === 3) return below(1000)
      if (choice === 4) return Array.from({ length: below(4) }, () => value(depth + 1))
      return Object.fromEntries(
        Array.from({ length: below(5) }, () => [
          ['body', 'oldBody', 'type', 'metadata', 'uid', 'managedFields', texts[below(texts.length)] ?? ''][below(7)],
          value(depth + 1),
        ]),
      )
    }
    const source = { namespace: 'n', name: 's', part: 'p' }
    for (let i = 0; i < 3000; i++) {
      const before = { v: 1, at: 1, kind: 'event', trace: 't', source, type: 'x', body: value(0), key: 'k' }
      // As somebody else would write it, now and then.
      const text =
        i % 10 === 0 ? JSON.stringify(before, undefined, 1).replace('"kind": ', '"kind":') : JSON.stringify(before)
      const { record, payload, text: kept } = decode({ text: Buffer.from(text) })
      expect(JSON.parse(kept.toString())).toEqual({ ...before, body: undefined })
      expect(record).toEqual(JSON.parse(kept.toString()))
      const [rest, body, oldBody] = [payload?.rest, payload?.body, payload?.oldBody].map(part =>
        part?.content.toString(),
      )
      expect(JSON.parse(joinPayload(rest ?? '', body, oldBody))).toEqual(before.body)
    }
  })
})
