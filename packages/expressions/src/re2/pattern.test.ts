import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compilePattern, PatternError } from './pattern.ts'

interface Case {
  p: string
  t: string[]
  n?: number
}

interface Answer {
  error?: string
  texts?: { m: boolean; f: string; a: string[] }[]
}

const recorded = readFileSync(new URL('../../testdata/regex.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as { case: Case; answer: Answer })

function answer({ p, t, n }: Case): Answer {
  try {
    const pattern = compilePattern(p)
    return { texts: t.map(text => ({ m: pattern.test(text), f: pattern.find(text), a: pattern.findAll(text, n) })) }
  } catch (error) {
    if (error instanceof PatternError) return { error: error.message }
    throw error
  }
}

describe('patterns', () => {
  test('compile, match and find as Go does', () => {
    const differences = recorded.flatMap(({ case: given, answer: expected }) => {
      const actual = answer(given)
      return JSON.stringify(actual) === JSON.stringify(expected) ? [] : [{ given: given.p, expected, actual }]
    })
    expect(differences.slice(0, 10)).toEqual([])
    expect(recorded.length).toBeGreaterThan(300)
  })

  test('take time in proportion to the text, whatever the pattern', () => {
    expect(compilePattern('(a+)+$').test(`${'a'.repeat(20_000)}b`)).toBe(false)
  })
})
