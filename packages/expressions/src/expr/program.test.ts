import { describe, expect, test } from 'vitest'
import {
  argoFunctions,
  ConditionError,
  compileExpr,
  ExprError,
  evalBool,
  eventEnvironment,
  expandKeys,
  identifiersOf,
} from './index.ts'

describe('compileExpr', () => {
  test('refuses what does not parse before there is an environment', () => {
    expect(() => compileExpr('1 +')).toThrow('unexpected token EOF (1:3)\n | 1 +\n | ..^')
  })

  test('checks each environment by the types of its values', () => {
    const sum = compileExpr('a + 1')
    expect(sum.run({ a: 1n })).toBe(2n)
    expect(sum.run({ a: 1.5 })).toBe(2.5)
    expect(() => sum.run({ a: 'x' })).toThrow('mismatched types string and int')
    expect(() => sum.check({})).toThrow('unknown name a (1:1)\n | a + 1\n | ^')
    expect(sum.run({ a: 2n })).toBe(3n)
  })

  test('a name of the environment replaces a builtin in the newer version', () => {
    const call = compileExpr('upper(x)')
    expect(call.run({ x: 'a' })).toBe('A')
    expect(call.run({ x: 'a', upper: () => 'mine' })).toBe('mine')
    expect(call.run({ x: 'b' })).toBe('B')
  })

  test('says whether an error came from the text or from the run', () => {
    const phaseOf = (source: string) => {
      try {
        compileExpr(source).run({ list: [] })
        return undefined
      } catch (error) {
        return error instanceof ExprError ? error.phase : undefined
      }
    }
    expect(phaseOf('nope')).toBe('compile')
    expect(phaseOf('list[0]')).toBe('run')
  })
})

describe('identifiersOf', () => {
  const paths = (source: string) => identifiersOf(source).map(({ path }) => path.join('.'))

  test('lists names with the members that are read from them', () => {
    expect(paths('inputs.parameters.a == "x" && steps["b"].status in retries')).toEqual([
      'inputs.parameters.a',
      'steps.b.status',
      'retries',
    ])
  })

  test('leaves out variables, pointers, keys and builtins', () => {
    expect(paths('let a = b.c; map(list, {{"k": # + a + .d}}) | len()')).toEqual(['b.c', 'list'])
  })

  test('follows an index that is an expression, and $env', () => {
    expect(paths('a[b.c].d + $env.e.f + $env["g"]')).toEqual(['a', 'b.c', 'e.f', 'g'])
  })

  test('says where a name stands and whether it is called', () => {
    expect(identifiersOf('1 +\n  sprig.upper(x)')).toEqual([
      { name: 'sprig', path: ['sprig', 'upper'], isCalled: true, isOptional: false, line: 2, column: 3 },
      { name: 'x', path: ['x'], isCalled: false, isOptional: false, line: 2, column: 15 },
    ])
  })
})

describe('what Argo adds', () => {
  test('keys with dots become objects, and the longer of two conflicting keys stays', () => {
    expect(expandKeys({ 'a.b': 1, 'a.c.d': 2, a: 3, ab: 4, abb: 5 })).toEqual({
      a: { b: 1, c: { d: 2 } },
      ab: 4,
      abb: 5,
    })
  })

  test('an event filter reads keys with a dash by an underscore', () => {
    const filter = compileExpr('x_event.kind == "push" && asInt(size) > 3', {
      dialect: '1.15',
      functions: argoFunctions('1.15'),
    })
    expect(evalBool(filter, eventEnvironment({ 'x-event': { kind: 'push' }, size: '4' }))).toBe(true)
  })

  test('a condition that is not true or false is an error with its value', () => {
    const refuse = (source: string, environment = {}) => {
      try {
        return evalBool(compileExpr(source), environment)
      } catch (error) {
        return error instanceof ConditionError ? error.message : undefined
      }
    }
    expect(refuse('"yes"')).toBe("unable to cast expression result 'yes' to bool")
    expect(refuse('5')).toBe("unable to cast expression result '%!s(int=5)' to bool")
    expect(refuse('[1][3] == 1')).toBe(
      "unable to evaluate expression '[1][3] == 1': index out of range: 3 (array length is 1) (1:4)\n | [1][3] == 1\n | ...^",
    )
  })
})
