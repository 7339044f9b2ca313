import { describe, expect, test } from 'vitest'
import {
  decodeFieldSet,
  difference,
  EMPTY,
  type FieldSet,
  fieldSet,
  forEachPath,
  has,
  intersection,
  recursiveDifference,
  union,
} from './field-set.ts'
import { pathText } from './path-element.ts'

const read = (fields: unknown): FieldSet => decodeFieldSet(fields)
const write = (set: FieldSet): string => JSON.stringify(set)

describe('FieldsV1', () => {
  test('lists fields, then keyed items, then set items, each in the order of what they mean', () => {
    const set = read({
      'v:"b"': {},
      'v:10': {},
      'v:9': {},
      'k:{"port":443}': {},
      'k:{"port":80}': {},
      'f:b': {},
      'f:a': { 'f:z': {}, '.': {} },
    })
    expect(write(set)).toBe(
      '{"f:a":{".":{},"f:z":{}},"f:b":{},"k:{\\"port\\":80}":{},"k:{\\"port\\":443}":{},"v:9":{},"v:10":{},"v:\\"b\\"":{}}',
    )
  })

  test('has one form for an item, however its keys were written', () => {
    const set = read({ 'k:{"protocol": "TCP", "containerPort":80}': {} })
    expect(Object.keys(set)).toEqual(['k:{"containerPort":80,"protocol":"TCP"}'])
  })

  test('escapes text as Go does', () => {
    expect(Object.keys(read({ 'v:"<é&\\b>"': {} }))).toEqual(['v:"\\u003cé\\u0026\\u0008\\u003e"'])
  })

  test('orders names by their bytes', () => {
    expect(Object.keys(read({ 'f:\u{1f600}': {}, 'f:\uff5e': {}, 'f:z': {} }))).toEqual([
      'f:z',
      'f:\uff5e',
      'f:\u{1f600}',
    ])
  })

  test('drops elements of a kind it does not know and refuses text that is no element', () => {
    expect(read({ 'x:y': {}, 'f:a': null })).toEqual({ 'f:a': {} })
    expect(() => read({ f: {} })).toThrow('key must be 2 characters long:')
    expect(() => read({ 'k:{': {} })).toThrow(SyntaxError)
    expect(() => read({ 'f:a': 1 })).toThrow(SyntaxError)
  })

  test('is not read twice', () => {
    const set = read({ 'f:b': {}, 'f:a': {} })
    expect(read(set)).toBe(set)
  })
})

describe('sets', () => {
  const spec = read({ 'f:spec': { '.': {}, 'f:a': {}, 'f:b': { 'f:c': {} } } })

  test('union joins members on every level', () => {
    expect(write(union(spec, read({ 'f:spec': { 'f:b': { '.': {}, 'f:d': {} } }, 'f:a': {} })))).toBe(
      '{"f:a":{},"f:spec":{".":{},"f:a":{},"f:b":{".":{},"f:c":{},"f:d":{}}}}',
    )
    expect(union(spec, read({ 'f:spec': { 'f:a': {} } }))).toBe(spec)
  })

  test('difference keeps what lies below a removed member; the recursive one does not', () => {
    const removed = read({ 'f:spec': {} })
    expect(write(difference(spec, removed))).toBe('{"f:spec":{"f:a":{},"f:b":{"f:c":{}}}}')
    expect(recursiveDifference(spec, removed)).toEqual({})
    expect(difference(spec, read({ 'f:other': {} }))).toBe(spec)
    expect(difference(spec, spec)).toBe(EMPTY)
  })

  test('intersection holds what both hold', () => {
    expect(write(intersection(spec, read({ 'f:spec': { 'f:b': { 'f:c': {} }, 'f:x': {} } })))).toBe(
      '{"f:spec":{"f:b":{"f:c":{}}}}',
    )
    expect(intersection(spec, read({ 'f:spec': { 'f:b': {} } }))).toEqual({})
  })

  test('paths are told as the API writes them', () => {
    const set = fieldSet(['f:spec', 'f:containers', 'k:{"name":"a","port":80}', 'f:image'], ['f:metadata', 'v:"x"'])
    const paths: string[] = []
    forEachPath(set, path => paths.push(pathText(path)))
    expect(paths).toEqual(['.metadata[="x"]', '.spec.containers[name="a",port=80].image'])
    expect(has(set, ['f:metadata', 'v:"x"'])).toBe(true)
    expect(has(set, ['f:metadata'])).toBe(false)
  })
})
