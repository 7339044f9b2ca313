import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { seededRandom } from '@tiphys/env'
import { describe, expect, test } from 'vitest'
import { compileGovaluate, GovaluateError } from './govaluate.ts'

interface Answer {
  error?: string
  parse?: boolean
  v: unknown
  special?: string
  vars?: string[]
}

function readTestdata(name: string): string {
  return readFileSync(new URL(`../../testdata/${name}`, import.meta.url), 'utf8')
}

const parameters = JSON.parse(readTestdata('govaluate-parameters.json')) as Record<string, unknown>
const recorded = readTestdata('govaluate.jsonl')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as { case: { e: string }; answer: Answer })

function answer(source: string): Answer {
  let vars: string[] | undefined
  try {
    const expression = compileGovaluate(source)
    vars = [...expression.variables]
    const value = expression.evaluate(parameters)
    const isSpecial = typeof value === 'number' && !Number.isFinite(value)
    return { vars, v: isSpecial ? null : value, ...(isSpecial ? { special: String(value) } : {}) }
  } catch (error) {
    if (!(error instanceof GovaluateError)) throw error
    return { error: error.message, v: null, ...(vars === undefined ? { parse: true } : { vars }) }
  }
}

function sameValue(actual: unknown, expected: unknown): boolean {
  return isDeepStrictEqual(actual, expected) || actual === expected
}

describe('govaluate', () => {
  test('gives the values and errors of the Go module', () => {
    const differences = recorded.flatMap(({ case: { e }, answer: expected }) => {
      const actual = answer(e)
      const same =
        actual.error === expected.error &&
        actual.parse === expected.parse &&
        (expected.special === 'unprintable' || actual.special === expected.special) &&
        (expected.special === 'unprintable' || sameValue(actual.v, expected.v)) &&
        isDeepStrictEqual(actual.vars ?? [], expected.vars ?? [])
      return same ? [] : [{ e, expected, actual }]
    })
    expect(differences.slice(0, 20)).toEqual([])
    expect(recorded.length).toBeGreaterThan(2500)
  })

  test('names its parameters and shows its tokens', () => {
    const expression = compileGovaluate('dep\\-1 && (other || [with space]) && dep\\-1')
    expect(expression.variables).toEqual(['dep-1', 'other', 'with space', 'dep-1'])
    expect(expression.tokens.filter(({ kind }) => kind === 'LOGICALOP').map(({ value }) => value)).toEqual([
      '&&',
      '||',
      '&&',
    ])
  })

  test('keys of the prototype are no parameters', () => {
    for (const name of ['toString', 'constructor', '[__proto__]', 'hasOwnProperty']) {
      expect(() => compileGovaluate(name).evaluate({})).toThrow(/^No parameter '.*' found\.$/)
    }
    expect(compileGovaluate('[__proto__]').evaluate(JSON.parse('{"__proto__":5}') as Record<string, unknown>)).toBe(5)
  })

  test('what makes the Go module panic is an error', () => {
    expect(() => compileGovaluate('a in a').evaluate({ a: [[1]] })).toThrow(GovaluateError)
    expect(() => compileGovaluate('a\\')).toThrow(GovaluateError)
    expect(() => compileGovaluate("'a\\")).toThrow(GovaluateError)
  })

  test('a long chain is evaluated, and a deep or endless expression refused', () => {
    expect(compileGovaluate(Array.from({ length: 4000 }, () => '1').join(' + ')).evaluate()).toBe(4000)
    expect(compileGovaluate(Array.from({ length: 4000 }, () => 'true').join(' && ')).evaluate()).toBe(true)
    expect(() => compileGovaluate(`${'('.repeat(1000)}1${')'.repeat(1000)}`)).toThrow(
      'nested more than 200 levels deep',
    )
    expect(() => compileGovaluate('1 + '.repeat(10_000))).toThrow('more than 10000 tokens')
    const nested = () => {
      let value: unknown = 1
      for (let level = 0; level < 5000; level++) value = [value]
      return value
    }
    const deep = nested()
    expect(() => compileGovaluate("'a' + deep").evaluate({ deep })).toThrow('nested more than 400 levels deep')
    expect(() => compileGovaluate('deep == other').evaluate({ deep, other: nested() })).toThrow(GovaluateError)
  })

  test('an expression that makes much of a long text is stopped', () => {
    const s = 'a'.repeat(1_000_000)
    for (const repeated of ['s + s', "'x' + (s + s)", "s =~ 'b'", 's == s']) {
      const source = Array.from({ length: 1000 }, () => `(${repeated})`).join(' != ')
      expect(() => compileGovaluate(source).evaluate({ s }, { maxWork: 5_000_000 }), repeated).toThrow(
        'the expression needs too much work',
      )
    }
    const long = Array.from({ length: 4000 }, () => 's').join(' + ')
    expect(() => compileGovaluate(long).evaluate({ s })).toThrow(GovaluateError)
  })

  test('any text gives a value or a GovaluateError', () => {
    const random = seededRandom(63)
    const below = (limit: number) => Math.floor(random.next() * limit)
    const alphabet = [
      ...'()[]+-*/%&|^~!=<>?:,.\\\'" 01x \n'.split(''),
      'é',
      '😀',
      '\ud800',
      'true',
      'a',
      's',
      'list',
      'in',
    ]
    for (let round = 0; round < 5000; round++) {
      const pieces = Array.from({ length: below(12) }, () => alphabet[below(alphabet.length)])
      const source = (random.next() < 0.5 ? (recorded[below(recorded.length)]?.case.e ?? '') : '') + pieces.join('')
      try {
        compileGovaluate(source).evaluate(parameters)
      } catch (error) {
        expect(error, source).toBeInstanceOf(GovaluateError)
      }
    }
  })
})
