import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Quantity, QuantityError } from './quantity.ts'

interface Case {
  a: string
  b?: string
}

interface Answer {
  error?: string
  text?: string
  format?: string
  sign?: number
  int?: string
  value?: string
  milli?: string
  float?: string
  cmp?: number
  sum?: string
  minus?: string
}

const recorded = readFileSync(new URL('../testdata/quantity.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as { case: Case; answer: Answer })

function answer({ a, b }: Case): Answer {
  try {
    const left = Quantity.parse(a)
    const int = left.asInt64()
    const result: Answer = {
      text: left.toString(),
      format: left.format,
      sign: left.sign(),
      float: exponential(left.asApproximateFloat()),
      ...(int === undefined ? {} : { int: int.toString() }),
      value: left.scaledValue(0).toString(),
      milli: left.scaledValue(-3).toString(),
    }
    if (b === undefined) return result
    const right = Quantity.parse(b)
    return { ...result, cmp: left.compare(right), sum: left.add(right).toString(), minus: left.sub(right).toString() }
  } catch (error) {
    if (error instanceof QuantityError) return { error: error.message, sign: 0 }
    throw error
  }
}

function exponential(value: number): string {
  if (Object.is(value, -0)) return '-0e+00'
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
}

describe('quantities', () => {
  test('parse, print, compare, add and subtract as Kubernetes does', () => {
    const differences = recorded.flatMap(({ case: given, answer: expected }) => {
      const actual = answer(given)
      return JSON.stringify(sorted(actual)) === JSON.stringify(sorted(expected)) ? [] : [{ given, expected, actual }]
    })
    expect(differences.slice(0, 20)).toEqual([])
    expect(recorded.length).toBeGreaterThan(500)
  })

  test('arithmetic leaves its operands alone', () => {
    const one = Quantity.parse('1Gi')
    one.add(Quantity.parse('1Mi'))
    expect(one.toString()).toBe('1Gi')
    expect(JSON.stringify({ memory: one })).toBe('{"memory":"1Gi"}')
  })
})

function sorted(answer: Answer): unknown {
  return Object.entries(answer).sort(([left], [right]) => (left < right ? -1 : 1))
}
