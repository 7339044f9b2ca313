import { describe, expect, it } from 'vitest'
import { filterWords } from './filter-words.ts'

describe('filters in words', () => {
  it('are one line each, and alternatives are on one line', () => {
    const data = [
      { path: 'body.spec.size', type: 'number', comparator: '<=', value: ['3'] },
      { path: 'type', type: 'string', value: ['ADD', 'UPDATE'] },
    ]
    expect(filterWords({ data }, undefined)).toEqual({
      lines: ['body.spec.size ≤ 3', 'type = ADD or UPDATE'],
      joinedBy: 'and',
    })
    expect(filterWords({ data, dataLogicalOperator: 'or' }, 'or')).toEqual({
      lines: ['body.spec.size ≤ 3 or type = ADD or UPDATE'],
      joinedBy: 'or',
    })
  })

  it('are those of one kind when that is asked for', () => {
    const filters = {
      data: [
        { path: 'body.a', value: ['1'] },
        { path: 'body.b', value: ['2'] },
      ],
      dataLogicalOperator: 'or',
      exprs: [{ expr: 'a > 1' }],
    }
    expect(filterWords(filters, undefined, 'data').lines).toEqual(['body.a = 1 or body.b = 2'])
    expect(filterWords(filters, undefined, 'exprs').lines).toEqual(['a > 1'])
    expect(filterWords(filters, undefined, 'time').lines).toEqual([])
  })

  it('are none where there are none, whatever stands there instead', () => {
    expect(filterWords(undefined, undefined).lines).toEqual([])
    expect(filterWords('all', undefined).lines).toEqual([])
  })
})
