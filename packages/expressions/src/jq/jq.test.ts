import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compileJq, encodeJq, JqError, JqLimitError, JqSyntaxError, type JqValue } from './index.ts'

interface Case {
  p: string
  i: JqValue
}

interface Answer {
  refused?: string
  out?: string[]
  error?: string
}

const recorded = readFileSync(new URL('../../testdata/jq.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as { case: Case; answer: Answer })

const maxOutputs = 40

/** Wanted differences, by what the program says. */
const exceptions: readonly { program: RegExp; why: string }[] = [
  {
    program: /^@base64d$/,
    why: 'bytes that are no UTF-8 become the replacement character at once, and are not printed as an escape',
  },
]

function answer({ p, i }: Case): Answer {
  const out: string[] = []
  try {
    for (const value of compileJq(p).run(i)) {
      out.push(encodeJq(value))
      if (out.length === maxOutputs) break
    }
    return out.length === 0 ? {} : { out }
  } catch (error) {
    if (error instanceof JqSyntaxError) return { refused: error.message }
    if (error instanceof JqError || error instanceof JqLimitError)
      return { ...(out.length === 0 ? {} : { out }), error: error.message }
    throw error
  }
}

describe('jq', () => {
  test('answers as gojq does, error texts included', () => {
    const differences = recorded.flatMap(({ case: given, answer: expected }) => {
      if (exceptions.some(({ program }) => program.test(given.p))) return []
      const actual = answer(given)
      return JSON.stringify(actual) === JSON.stringify(expected) ? [] : [{ given, expected, actual }]
    })
    expect(differences.slice(0, 10)).toEqual([])
    expect(recorded.length).toBeGreaterThan(4_000)
  })

  test('transforms an event into the first output, which must be an object', () => {
    const event = '{"b": 10, "a": {"big": 12345678901234567890}}'
    expect(compileJq('{n: (.b / 4), a}, 2').transform(event)).toBe('{"a":{"big":12345678901234567000},"n":2.5}')
    expect(() => compileJq('.b').transform(event)).toThrow('jq transformation output must be a JSON object')
    expect(() => compileJq('empty').transform(event)).toThrow('no output available from the jq command execution')
    expect(() => compileJq('error("no")').transform(event)).toThrow('error: no')
  })

  test('computes outputs only as they are asked for', () => {
    const [first] = compileJq('1, error("never")').run(null)
    expect(first).toBe(1n)
  })

  test('does not change its input', () => {
    const input = { a: [1, 2, { b: 3 }], c: { d: 4 } }
    const before = structuredClone(input)
    const programs = [
      '.a[2].b = 9',
      'del(.a[0], .c.d)',
      '.. |= .',
      '.a |= map(.)',
      'delpaths([["a",0],["c"]])',
      '.c += {e: 1}',
    ]
    for (const program of programs) expect([...compileJq(program).run(input)]).toHaveLength(1)
    expect(input).toEqual(before)
  })

  test('has no access to the environment, files and modules', () => {
    expect([...compileJq('$ENV, env').run(null)].map(encodeJq)).toEqual(['{}', '{}'])
    expect(() => compileJq('import "a" as a; 1')).toThrow('cannot load module: "a"')
    expect(() => compileJq('input')).toThrow('input(s)/0 is not allowed')
    expect([...compileJq('now').run(null, { now: () => 1500 })]).toEqual([1.5])
  })

  test('takes keys of the prototype for data', () => {
    const input = JSON.parse('{"__proto__": {"polluted": 1}}') as JqValue
    const program = '.__proto__.polluted, (.constructor.prototype.y = 2 | .constructor), ({} | .__proto__.x = 1)'
    const outputs = [...compileJq(program).run(input)].map(encodeJq)
    expect(outputs).toEqual(['1', '{"prototype":{"y":2}}', '{"__proto__":{"x":1}}'])
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(({} as { x?: number; y?: number }).x).toBeUndefined()
  })

  test.each([
    ['endless recursion', 'def f: f; f'],
    ['recursion that is not in the last place', 'def f: 1 + f; f'],
    ['endless outputs', '[repeat(1)]'],
    ['a string that doubles', 'def f: . + . | f; "x" | f'],
    ['a long string', '"x" * 1e9'],
    ['a value that is ever deeper', 'def f: [.] | f; f'],
    ['a huge integer', 'def f: . * . | f; 9 | f'],
    ['an index far away', '.[100000000] = 1'],
    ['alternatives that pile up', 'def f: (., .) | f; f'],
    ['products of lists', '[range(100000)] - [range(100000)]'],
  ])('stops %s', (_name, program) => {
    expect(() => [...compileJq(program).run(null, { maxSteps: 300_000 })]).toThrow(JqLimitError)
  })

  test('recurses deeper than the stack of JavaScript', () => {
    expect([...compileJq('def f: if . > 0 then . - 1 | f | . + 1 else . end; 50000 | f').run(null)]).toEqual([50000n])
    expect([...compileJq('reduce range(100000) as $i (0; . + $i)').run(null)]).toEqual([4999950000n])
  })

  test('refuses programs and values that are nested too deep', () => {
    expect(() => compileJq(`${'['.repeat(100_000)}1`)).toThrow(JqLimitError)
    const deep = 'reduce range(20000) as $i (null; [.]) | tojson'
    expect(() => [...compileJq(deep).run(null)]).toThrow(JqLimitError)
  })
})
