import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compileJsonPath, JsonPathError, JsonPathSyntaxError } from './jsonpath.ts'

interface Case {
  t: string
  d: unknown
  allow?: boolean
  json?: boolean
}

interface Answer {
  parse?: string
  error?: string
  out: string
}

const recorded = readFileSync(new URL('../../testdata/jsonpath.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as { case: Case; answer: Answer })

function answer({ t, d, allow = false, json = false }: Case): Answer {
  try {
    return { out: compileJsonPath(t).print(d, { allowMissingKeys: allow, outputJson: json }) }
  } catch (error) {
    if (error instanceof JsonPathSyntaxError) return { parse: error.message, out: '' }
    if (error instanceof JsonPathError) return { error: error.message, out: '' }
    throw error
  }
}

describe('JSONPath', () => {
  test('prints what kubectl prints', () => {
    const differences = recorded.flatMap(({ case: given, answer: expected }) => {
      const actual = answer(given)
      const same = actual.parse === expected.parse && actual.error === expected.error && actual.out === expected.out
      return same ? [] : [{ given: given.t, allow: given.allow, expected, actual }]
    })
    expect(differences.slice(0, 20)).toEqual([])
    expect(recorded.length).toBeGreaterThan(400)
  })

  test('a printer column is the first value of its path, or nothing', () => {
    const object = { spec: { size: 3, none: null, names: ['a', 'b'] } }
    expect(compileJsonPath('{.spec.size}').first(object)).toBe(3)
    expect(compileJsonPath('{.spec.none}').first(object)).toBe(null)
    expect(compileJsonPath('{.spec.names[1]}').first(object)).toBe('b')
    expect(compileJsonPath('{.spec.names[7]}').first(object)).toBeUndefined()
    expect(compileJsonPath('{.status.phase}').first(object)).toBeUndefined()
  })
})
