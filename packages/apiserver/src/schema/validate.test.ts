import { expect, it } from 'vitest'
import { formatFieldError } from '../field-error.ts'
import type { Json, Schema } from './schema.ts'
import { compileValidator } from './validate.ts'

const errors = (schema: Schema, value: Json) => compileValidator(schema).validate(value).map(formatFieldError)

it('does not take a limit of zero for none', () => {
  const limited: Schema = { type: 'object', properties: { a: { type: 'object', maxProperties: 0 } } }
  expect(errors(limited, { a: { x: 1 } })).toEqual(['a: Too many: 1: must have at most 0 items'])
  expect(errors({ type: 'array', maxItems: 0 }, [1])).toEqual(['<nil>: Too many: 1: must have at most 0 items'])
})

it('refuses every further property when none are allowed', () => {
  expect(errors({ type: 'object', additionalProperties: false }, { x: 1 })).toEqual([
    '<nil>: Invalid value: "x": .x in body is a forbidden property',
  ])
})

// The real server compares whole numbers as int64, and everything else as float64, which it prints with an exponent.
it.each<[Schema, number, string[]]>([
  [{ type: 'number', maximum: 3_000_000 }, 4_000_000, ['less than or equal to 3000000', '4000000']],
  [{ type: 'number', maximum: 3_000_000 }, 4_000_000.5, ['less than or equal to 3e+06', '4.0000005e+06']],
  [{ type: 'number', minimum: 2.5 }, 1, ['greater than or equal to 2', '1']],
  [{ type: 'number', minimum: 0.00001, exclusiveMinimum: true }, 0.000005, ['greater than 1e-05', '5e-06']],
  [{ type: 'number', multipleOf: 0.5 }, 0.75, ['a multiple of 0.5', '0.75']],
])('prints numbers as Go does: %j %d', (schema, value, [limit, shown]) => {
  expect(errors({ type: 'object', properties: { n: schema } }, { n: value })).toEqual([
    `n: Invalid value: ${shown}: n in body should be ${limit}`,
  ])
})

it('answers at once for a pattern that backtracking would never finish', () => {
  const value = `${'a'.repeat(50_000)}!`
  expect(errors({ type: 'string', pattern: '^(a+)+$' }, value)).toHaveLength(1)
})
