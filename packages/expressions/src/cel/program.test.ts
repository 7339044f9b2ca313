import { describe, expect, test } from 'vitest'
import {
  CelCompileError,
  CelCostError,
  type CelEnv,
  CelEvaluationError,
  CelProgramError,
  compileCel,
  costErrorMessage,
  declTypeFromSchema,
  intType,
  listType,
  maxCardinality,
  plainValue,
  ruleCostLimit,
  stringType,
  totalCost,
} from '../index.ts'
import type { DeclType } from './decl-type.ts'
import type { StructuralSchema } from './schema.ts'

const schema: StructuralSchema = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer' },
    names: { type: 'array', items: { type: 'string' } },
  },
}
const declType = declTypeFromSchema(schema) as DeclType
const rules: CelEnv = { variables: { self: { declType }, oldSelf: { declType, optional: true } } }

describe('a compiled expression', () => {
  test('knows its type, the variables it reads and what it can cost', () => {
    const program = compileCel('self.size <= 10', rules)
    expect(program.outputType.kind).toBe('bool')
    expect([...program.references]).toEqual(['self'])
    expect(program.estimateCost(declType)).toEqual({ min: 3n, max: 3n })
  })

  test('is evaluated many times, each time on its own', () => {
    const program = compileCel('self.names.map(n, n + "!")', rules)
    expect(plainValue(program.evaluate({ self: { size: 1, names: ['a'] } }).value)).toEqual(['a!'])
    expect(plainValue(program.evaluate({ self: { size: 1, names: ['b', 'c'] } }).value)).toEqual(['b!', 'c!'])
  })

  test('reads only the parts of a value that it asks for', () => {
    const broken = { size: 3, names: 'not a list' }
    expect(compileCel('self.size', rules).evaluate({ self: broken }).value).toBe(3n)
    expect(() => compileCel('self.names.size()', rules).evaluate({ self: broken })).toThrow(
      'invalid data, expected an array for the provided schema with type=array',
    )
  })

  test('keeps the digits of integers beyond 2^53', () => {
    const { value } = compileCel('self.size + 1', rules).evaluate({ self: { size: 9007199254740993n } })
    expect(value).toBe(9007199254740994n)
    expect(plainValue(value)).toBe(9007199254740994n)
  })

  test('has an empty optional for an old value that is not there', () => {
    const program = compileCel('oldSelf.hasValue() ? oldSelf.value().size : -1', rules)
    expect(program.evaluate({ self: { size: 1 } }).value).toBe(-1n)
    expect(program.evaluate({ self: { size: 1 }, oldSelf: { size: 7 } }).value).toBe(7n)
  })

  test('takes plain values for variables of plain types', () => {
    const env: CelEnv = { variables: { names: listType(stringType), limit: intType } }
    expect(compileCel('names.size() < limit', env).evaluate({ names: ['a'], limit: 2 }).value).toBe(true)
    expect(() => compileCel('limit', env).evaluate({})).toThrow('no such attribute(s): limit')
  })

  test('has cel.bind only where it is asked for', () => {
    expect(() => compileCel('cel.bind(x, 1, x + x)', { variables: {} })).toThrow(CelCompileError)
    expect(compileCel('cel.bind(x, 1, x + x)', { variables: {}, bindings: true }).evaluate({}).value).toBe(2n)
  })
})

describe('what goes wrong', () => {
  test('is shown with its place when the expression does not compile', () => {
    const error = catchError(() => compileCel('self.size == "a"', rules))
    expect(error).toBeInstanceOf(CelCompileError)
    expect((error as CelCompileError).issues).toEqual([
      { line: 1, column: 10, message: "found no matching overload for '_==_' applied to '(int, string)'" },
    ])
    expect(error.message).toBe(
      "ERROR: <input>:1:11: found no matching overload for '_==_' applied to '(int, string)'\n | self.size == \"a\"\n | ..........^",
    )
  })

  test('is a program error when a constant cannot be computed', () => {
    expect(catchError(() => compileCel("int('x')", rules))).toBeInstanceOf(CelProgramError)
  })

  test('is an evaluation error that says what it had cost', () => {
    const error = catchError(() => compileCel('self.size / 0', rules).evaluate({ self: { size: 1 } }))
    expect(error).toBeInstanceOf(CelEvaluationError)
    expect(error.message).toBe('division by zero')
    expect((error as CelEvaluationError).cost).toBe(3)
  })

  test('is a cost error when the evaluation costs too much', () => {
    const program = compileCel('self.names.all(n, n != "")', rules)
    const self = { size: 1, names: Array.from({ length: 1000 }, String) }
    expect(catchError(() => program.evaluate({ self }, { costLimit: 100 }))).toBeInstanceOf(CelCostError)
  })
})

describe('the budget of a rule', () => {
  test('refuses what can cost too much, and says by how much', () => {
    const program = compileCel('self.names.all(n, self.names.exists(m, m == n))', rules)
    const { max } = program.estimateCost(declType)
    expect(max).toBeGreaterThan(ruleCostLimit)
    expect(costErrorMessage('estimated rule cost', max, ruleCostLimit)).toMatch(
      /^estimated rule cost exceeds budget by factor of more than 100x \(try simplifying/,
    )
    expect(costErrorMessage('x', 12_000_000n, ruleCostLimit)).toContain('factor of 1.200000x')
    expect(costErrorMessage('x', 25_500_000n, ruleCostLimit)).toContain('factor of 2.5x')
  })

  test('counts how often a rule can run in one request', () => {
    expect(maxCardinality(declType)).toBe(BigInt(Math.floor((3 * 1024 * 1024) / 12)))
    expect(totalCost(2n ** 60n, 2n ** 60n)).toBe(2n ** 64n - 1n)
  })
})

function catchError(run: () => unknown): Error {
  try {
    run()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}
