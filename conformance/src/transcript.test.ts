import { describe, expect, test } from 'vitest'
import type { Json } from './http.ts'
import { compareTranscripts } from './transcript.ts'

const step = (body: Json, request = 'GET /x') => ({ request, status: 200, body })

describe('comparing transcripts', () => {
  test('finds nothing in equal transcripts, whatever the order of keys', () => {
    expect(compareTranscripts([step({ a: 1, b: [2] })], [step({ b: [2], a: 1 })])).toEqual([])
  })

  test('names the step and the way to a value that differs', () => {
    const found = compareTranscripts([step({}), step({ a: [{ b: 1 }] })], [step({}), step({ a: [{ b: 2 }] })])
    expect(found).toEqual([{ path: '2 body.a.0.b', request: 'GET /x', expected: 1, actual: 2 }])
  })

  test('tells an absent value from null', () => {
    expect(compareTranscripts([step({ a: null })], [step({})])).toMatchObject([{ expected: null, actual: undefined }])
  })

  test('compares keys that every JavaScript object has', () => {
    const strange = JSON.parse('{"__proto__":{"x":1}}') as Json
    expect(compareTranscripts([step(strange)], [step({})])).toHaveLength(1)
    expect(compareTranscripts([step({ toString: 'x' })], [step({})])).toMatchObject([{ actual: undefined }])
  })

  test('reports a missing step and stops where the requests part', () => {
    expect(compareTranscripts([step({}), step({})], [step({})])).toMatchObject([{ path: '2 request' }])
    expect(compareTranscripts([step(1, 'GET /a'), step(1)], [step(1, 'GET /b'), step(2)])).toHaveLength(1)
  })
})
