import { VirtualClock } from '@tiphys/env'
import { describe, expect, test } from 'vitest'
import { compileExpr, type ExprError, type ExprObject } from './index.ts'

const message = (source: string, environment: ExprObject = {}, limits = {}) => {
  try {
    return compileExpr(source).run(environment, { limits })
  } catch (error) {
    return (error as ExprError).problem
  }
}

describe('an expression cannot take more than it may', () => {
  test('memory, as upstream counts it', () => {
    expect(message('len(1..999)', {}, { memory: 1000 })).toBe(999n)
    expect(message('len(1..1000)', {}, { memory: 1000 })).toBe('memory budget exceeded')
    expect(message('len(1..1000000)')).toBe('memory budget exceeded')
    expect(message('map(1..600, [#])', {}, { memory: 1000 })).toBe('memory budget exceeded')
    expect(message('[x, x, x]', { x: 1n }, { memory: 3 })).toBe('memory budget exceeded')
    expect(message('repeat("x", 1000000)')).toBe('memory budget exceeded')
  })

  test('steps: loops within loops end', () => {
    const nested = 'count(1..900, count(1..900, count(1..900, # > 0) > 1000) > 1000)'
    expect(message(nested, {}, { steps: 100_000 })).toBe('the expression took more than 100000 steps')
  })

  test('strings that double do not fill the memory', () => {
    expect(message('reduce(1..60, #acc + #acc, "xxxxxxxx")')).toMatch(/a string grew longer than/)
  })

  test('nesting is refused with a place, not with a broken stack', () => {
    const deep = `${'('.repeat(5000)}1${')'.repeat(5000)}`
    expect(message(deep)).toBe('expression is nested deeper than 400 levels')
    expect(message(`1${' + 1'.repeat(20_000)}`)).toBe('expression is too long a row of operators')
    expect(message(`a${'.b'.repeat(5000)}`)).toBe('expression is too long a row of members')
    expect(message(`${'not '.repeat(5000)}true`)).toBe('expression is nested deeper than 400 levels')
    expect(message(`1${' + 1'.repeat(500)}`)).toBe(501n)
  })

  test('a pattern takes time in proportion to its text', () => {
    expect(message('text matches "(a+)+$"', { text: `${'a'.repeat(50_000)}b` })).toBe(false)
  })

  test('values that are nested too deeply are refused', () => {
    let deep: ExprObject = {}
    for (let level = 0; level < 100_000; level++) deep = { deep }
    expect(message('string(value)', { value: deep })).toMatch(/too deep or too large/)
  })
})

describe('an expression reaches nothing but its environment', () => {
  test('names of JavaScript are no names', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'globalThis', 'process'])
      expect(message(name)).toBe(`unknown name ${name}`)
    expect(message('x.constructor', { x: {} })).toBe(null)
    expect(message('x.__proto__', { x: {} })).toBe(null)
    expect(message('x["toString"]', { x: { a: 1 } })).toBe(null)
    expect(message('"a".constructor')).toBe('type string has no field constructor')
    expect(message('f.constructor', { f: Object.assign(() => 1n, {}) })).toMatch(/has no field/)
  })

  test('a key called __proto__ is data', () => {
    const environment = JSON.parse('{"x": {"__proto__": {"a": 1}}}') as ExprObject
    expect(message('x.__proto__.a', environment)).toBe(1)
    const made = compileExpr('{"__proto__": {"polluted": true}}').run({}) as object
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
    expect(Object.hasOwn(made, '__proto__')).toBe(true)
  })

  test('the time comes from a clock', () => {
    const clock = new VirtualClock(Date.UTC(2026, 4, 17))
    expect(compileExpr('now().Format("2006-01-02")').run({}, { clock })).toBe('2026-05-17')
    expect(message('now()')).toBe('now() has no clock here')
  })
})
