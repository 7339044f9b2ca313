import { describe, expect, it } from 'vitest'
import { allOf, conditionState, dependenciesOf, isMet, isMetByEach, parseCondition } from './condition.ts'

const DEPENDENCIES = ['a', 'b', 'c', 'with-dash']
const met = (text: string, ...present: string[]) => isMet(parseCondition(text, DEPENDENCIES), new Set(present))

describe('a condition', () => {
  it.each([
    ['a', ['a'], true],
    ['a', ['b'], false],
    ['a && b', ['a'], false],
    ['a && b', ['a', 'b'], true],
    ['a || b', ['b'], true],
    ['a || b && c', ['a'], true],
    ['a || b && c', ['b'], false],
    ['(a || b) && c', ['a'], false],
    ['(a||b)&&c', ['b', 'c'], true],
    ['with_dash && a', ['with-dash', 'a'], true],
    ['with-dash', ['with-dash'], true],
  ])('%s with %j is %j', (text, present, expected) => {
    expect(met(text, ...present)).toBe(expected)
  })

  it.each([
    ['', 'a condition is empty'],
    ['a &&', '"a &&" ends where a dependency is expected'],
    ['&& a', 'a dependency is expected before && in "&& a"'],
    ['(a', 'a parenthesis in "(a" is not closed'],
    ['a b', 'b is not expected in "a b"'],
    ['a & b', '"a & b" cannot be read from " & b" on'],
    ['nobody', 'there is no dependency "nobody"'],
  ])('%j cannot be read: %s', (text, message) => {
    expect(() => parseCondition(text, DEPENDENCIES)).toThrow(message)
  })

  it('refuses names that it cannot tell apart', () => {
    expect(() => parseCondition('a_b', ['a-b', 'a_b'])).toThrow(
      'a-b and a_b cannot be told apart in a condition: rename one of them',
    )
  })

  it('without one, every dependency is wanted', () => {
    const condition = allOf(['a', 'b'])
    expect(condition && dependenciesOf(condition)).toEqual(new Set(['a', 'b']))
    expect(condition && isMet(condition, new Set(['a']))).toBe(false)
    expect(allOf([])).toBeUndefined()
  })

  it('knows when events do not wait for each other', () => {
    expect(isMetByEach(parseCondition('a || b', DEPENDENCIES))).toBe(true)
    expect(isMetByEach(parseCondition('a || b && c', DEPENDENCIES))).toBe(false)
  })
})

it.each([
  ['a && b', ['a'], 'a && b: a has come, b has not'],
  ['a && (b || c)', ['a'], 'a && (b || c): a has come, b and c have not'],
  ['(a && b) || c && d', ['b', 'c'], 'a && b || c && d: b and c have come, a and d have not'],
  ['a && b && c', ['c', 'a'], 'a && b && c: a and c have come, b has not'],
])('%s says what it still needs', (text, present, state) => {
  expect(conditionState(parseCondition(text, ['a', 'b', 'c', 'd']), new Set(present))).toBe(state)
})
