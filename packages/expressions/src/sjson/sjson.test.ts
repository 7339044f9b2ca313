import { readFileSync } from 'node:fs'
import { seededRandom } from '@tiphys/env'
import { describe, expect, test } from 'vitest'
import { deleteJson, SjsonError, setJson, setRawJson } from './sjson.ts'

interface Case {
  j: number
  p: string
  v?: unknown
  r?: string
  d?: boolean
}

interface Answer {
  error?: string
  out: string
  valid?: boolean
}

function readTestdata(name: string): string {
  return readFileSync(new URL(`../../testdata/${name}`, import.meta.url), 'utf8')
}

const documents = JSON.parse(readTestdata('sjson-documents.json')) as string[]
const recorded = readTestdata('sjson.jsonl')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as { case: Case; answer: Answer })

function answer({ j, p, v, r, d }: Case): Answer {
  const json = documents[j] ?? ''
  try {
    if (d === true) return { out: deleteJson(json, p) }
    return { out: r === undefined ? setJson(json, p, v) : setRawJson(json, p, r) }
  } catch (error) {
    if (error instanceof SjsonError) return { error: error.message, out: '' }
    throw error
  }
}

/** Behind a pipe the Go module takes places in the piped value for places in the whole text, and breaks the text. */
const misplaced = new Set(['friends|#.first', 'a|#.n', 'a|#(n=="x")#.n'])

describe('sjson', () => {
  test('writes what the Go module writes', () => {
    const differences = recorded.flatMap(({ case: given, answer: expected }) => {
      const actual = answer(given)
      if (misplaced.has(given.p) && expected.valid !== true) return []
      const same = actual.out === expected.out && actual.error === expected.error
      return same ? [] : [{ json: documents[given.j], ...given, expected, actual }]
    })
    expect(differences.slice(0, 10)).toEqual([])
    expect(recorded.length).toBeGreaterThan(2000)
  })

  test('refuses a path whose places the Go module would miss', () => {
    const json = '{"a":[{"n":"x"},{"n":"y"}]}'
    expect(() => setJson(json, 'a|#.n', 1)).toThrow("the path 'a|#.n' does not lead to a place that can be set")
    expect(setJson(json, 'a.#.n', 1)).toBe('{"a":[{"n":1},{"n":1}]}')
  })

  test('a key of the prototype is a key', () => {
    expect(setJson('{}', '__proto__.x', 1)).toBe('{"__proto__":{"x":1}}')
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  test('an absurd index is refused instead of filling the memory', () => {
    for (const path of ['1000000000', 'a.1000000000', '99999999999999999999999', 'a.9999.9999', 'a.10001']) {
      expect(() => setJson('[]', path, 1), path).toThrow(SjsonError)
    }
    expect(() => setJson('[1]', '1000000000', 1)).toThrow(
      'cannot set array element 1000000000: the array would become too long',
    )
    expect(setJson('{}', '1000000000', 1)).toBe('{"1000000000":1}')
    expect(setJson('[1]', '4', 1, { maxFill: 3 })).toBe('[1,null,null,null,1]')
    expect(() => setJson('[1]', '5', 1, { maxFill: 3 })).toThrow(SjsonError)
  })

  test('refuses what is no number in JSON, and what is nested too deep', () => {
    expect(() => setJson('{}', 'a', Number.NaN)).toThrow('json: unsupported value: NaN')
    let deep: unknown = 1
    for (let level = 0; level < 10_000; level++) deep = [deep]
    expect(() => setJson('{}', 'a', deep)).toThrow(SjsonError)
    expect(() => setJson('{}', 'a.'.repeat(10_000), 1)).toThrow(SjsonError)
    expect(() => setJson('['.repeat(10_000), '0|'.repeat(10_000), 1)).toThrow(SjsonError)
  })

  test('any text and any path give a text or an SjsonError', () => {
    const random = seededRandom(62)
    const below = (limit: number) => Math.floor(random.next() * limit)
    const alphabet = [...'{}[]"\\:,.|#()@!*?=-0123ntf \n'.split(''), 'é', '😀', '.-1', '.:0', '#(', ')#']
    const noise = (length: number) =>
      Array.from({ length: below(length) }, () => alphabet[below(alphabet.length)]).join('')
    for (let round = 0; round < 3000; round++) {
      const json = random.next() < 0.5 ? noise(60) : (documents[below(documents.length)] ?? '') + noise(3)
      const path = random.next() < 0.5 ? noise(20) : (recorded[below(recorded.length)]?.case.p ?? '') + noise(6)
      const edits = [() => setJson(json, path, 'x'), () => setRawJson(json, path, '{}'), () => deleteJson(json, path)]
      for (const edit of edits) {
        try {
          edit()
        } catch (error) {
          expect(error, JSON.stringify({ json, path })).toBeInstanceOf(SjsonError)
        }
      }
    }
  })
})
