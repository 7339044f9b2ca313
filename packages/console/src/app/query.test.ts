import { parseQuery } from '@tiphys/archive'
import { describe, expect, it } from 'vitest'
import { FIELDS, termsOf, withTerm } from './query.ts'

describe('terms of a query', () => {
  it('are found as the archive finds them', () => {
    const query =
      'status:failed,parked source:mem* -type:DELETE age:<1h data.spec.replicas:>3 "some text" -word object:"a b"'
    const ours = termsOf(query).map(({ field, isNegated, from }) => ({ field, isNegated, at: from }))
    expect(ours).toEqual(parseQuery(query).terms.map(({ field, isNegated, at }) => ({ field, isNegated, at })))
  })

  it('are added by pointing: only replaces, not excludes, twice is once', () => {
    expect(withTerm('', 'status', 'failed')).toBe('status:failed')
    expect(withTerm('status:ran age:<1h', 'status', 'failed')).toBe('age:<1h status:failed')
    expect(withTerm('status:failed', 'status', 'failed', true)).toBe('-status:failed')
    expect(withTerm('-status:ran', 'status', 'failed', true)).toBe('-status:ran -status:failed')
    expect(withTerm('-status:ran', 'status', 'ran', true)).toBe('-status:ran')
  })

  it('of runs offer every state that the list shows', () => {
    const status = FIELDS.runs.find(({ name }) => name === 'status')
    expect(status?.values).toEqual(['pending', 'running', 'suspended', 'succeeded', 'failed', 'error'])
  })

  it('quote what must be quoted, so that the archive reads the same value', () => {
    const value = 'a "b" \\ c, d'
    const [term] = parseQuery(withTerm('', 'key', value)).terms
    expect(term).toMatchObject({ field: 'key', values: [{ text: value }] })
  })
})
