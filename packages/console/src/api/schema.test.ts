import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  anyOf,
  anything,
  boolean,
  list,
  map,
  number,
  object,
  oneOf,
  optional,
  problemsOf,
  type TypeOf,
  text,
} from './schema.ts'

const schema = object({
  name: text('', { maxLength: 5, pattern: '^[a-z]+$' }),
  mode: oneOf(['all', 'failed']),
  rate: optional(number('', { type: 'integer', minimum: 1, maximum: 10 })),
  ids: optional(list(text(), { maxItems: 2 })),
  parameters: optional(map(text())),
  force: optional(boolean()),
})

describe('a schema', () => {
  it('is a type', () => {
    expectTypeOf<TypeOf<typeof schema>['mode']>().toEqualTypeOf<'all' | 'failed'>()
    expectTypeOf<TypeOf<typeof schema>>().toExtend<{ name: string; rate?: number }>()
  })

  it('accepts what it declares', () => {
    expect(problemsOf({ name: 'a', mode: 'all' }, schema.json)).toEqual([])
    expect(
      problemsOf({ name: 'a', mode: 'all', rate: 3, ids: ['x'], parameters: { p: 'v' }, force: true }, schema.json),
    ).toEqual([])
  })

  it.each([
    [{ mode: 'all' }, 'the body.name is missing'],
    [{ name: 'toolong', mode: 'all' }, 'the body.name is longer than 5 characters'],
    [{ name: 'A', mode: 'all' }, 'the body.name must match ^[a-z]+$'],
    [{ name: 'a', mode: 'none' }, 'the body.mode must be one of all, failed'],
    [{ name: 'a', mode: 'all', rate: 0 }, 'the body.rate must be at least 1'],
    [{ name: 'a', mode: 'all', rate: 11 }, 'the body.rate must be at most 10'],
    [{ name: 'a', mode: 'all', rate: 1.5 }, 'the body.rate must be a whole number'],
    [{ name: 'a', mode: 'all', rate: 1e300 }, 'the body.rate must be a whole number'],
    [{ name: 'a', mode: 'all', rate: '1' }, 'the body.rate must be a number'],
    [{ name: 'a', mode: 'all', ids: ['1', '2', '3'] }, 'the body.ids has more than 2 items'],
    [{ name: 'a', mode: 'all', ids: [1] }, 'the body.ids[0] must be a text'],
    [{ name: 'a', mode: 'all', parameters: { p: 1 } }, 'the body.parameters.p must be a text'],
    [{ name: 'a', mode: 'all', other: 1 }, 'the body.other is not known'],
    [{ name: 'a', mode: 'all', force: 'yes' }, 'the body.force must be true or false'],
    [[], 'the body must be an object'],
    [null, 'the body must be an object'],
  ])('says what is wrong with %j', (value, problem) => expect(problemsOf(value, schema.json)).toEqual([problem]))

  it('is one of several, and what is wrong is told of the nearest', () => {
    const either = anyOf(object({ a: number() }), object({ b: text(), c: text() }))
    expectTypeOf<TypeOf<typeof either>>().toEqualTypeOf<{ a: number } | { b: string; c: string }>()
    expect(problemsOf({ a: 1 }, either.json)).toEqual([])
    expect(problemsOf({ b: '', c: '' }, either.json)).toEqual([])
    expect(problemsOf({ a: '1' }, either.json)).toEqual(['the body.a must be a number'])
    expect(problemsOf({ b: '', c: 1 }, either.json)).toEqual(['the body.c must be a text'])
  })

  it('lets be there what it does not know only where it says so', () => {
    expect(problemsOf({ a: [1] }, map(anything()).json)).toEqual([])
    expect(problemsOf([], map(anything()).json)).toEqual(['the body must be an object'])
    expect(problemsOf({ a: 1 }, object({}).json)).toEqual(['the body.a is not known'])
  })

  it('refers to others by name', () => {
    const definitions = { Tree: { type: 'object', properties: { of: { $ref: '#/x/Tree' } } } } as const
    const tree = { $ref: '#/x/Tree' }
    expect(problemsOf({ of: { of: {} } }, tree, 'it', definitions)).toEqual([])
    expect(problemsOf({ of: { no: {} } }, tree, 'it', definitions)).toEqual(['it.of.no is not known'])
    expect(() => problemsOf({}, { $ref: '#/x/Bush' }, 'it', definitions)).toThrow('there is no schema #/x/Bush')
  })

  it('does not take inherited names for fields', () => {
    expect(problemsOf(JSON.parse('{"name":"a","mode":"all","__proto__":{}}'), schema.json)).toEqual([
      'the body.__proto__ is not known',
    ])
    expect(problemsOf({ name: 'a', mode: 'all', constructor: 1 }, schema.json)).toEqual([
      'the body.constructor is not known',
    ])
  })
})
