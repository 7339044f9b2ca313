import { seededRandom } from '@tiphys/env'
import { describe, expect, it } from 'vitest'
import { compile } from './compile.ts'
import { formatQuery, parseQuery } from './parse.ts'
import { payloadFilter } from './payload-filter.ts'
import type { FieldTerm, Term } from './query.ts'

const context = { dialect: 'sqlite', now: 1_000_000_000 } as const

describe('a query', () => {
  it('is read as the console writes it', () => {
    const { terms } = parseQuery(
      'status:failed,parked source:mem* -type:DELETE object:Memcached/default/* age:<1h data.spec.replicas:>3 "text"',
    )
    expect(
      terms.map(term =>
        term.field === undefined
          ? term.text
          : `${term.isNegated ? '-' : ''}${term.field} ${term.values.map(({ comparison, text }) => comparison + text).join('|')}`,
      ),
    ).toEqual([
      'status =failed|=parked',
      'source =mem*',
      '-type =DELETE',
      'object =Memcached/default/*',
      'age <1h',
      'data.spec.replicas >3',
      'text',
    ])
  })

  it('keeps blanks, commas and quotes in quotes', () => {
    const [term] = parseQuery(String.raw`key:"a b, \"c\" \\ *",d`).terms
    expect((term as FieldTerm).values).toEqual([
      { comparison: '=', text: 'a b, "c" \\ *', isQuoted: true },
      { comparison: '=', text: 'd', isQuoted: false },
    ])
  })

  it.each([
    ['a "b', 'does not end'],
    ['status:', 'no value'],
    ['status:a,', 'no value'],
    [':x', 'not the name of a field'],
    ['a"b"', undefined],
    ['status:"a"b', 'a blank or a comma'],
    ['- x', 'a word or a field is missing'],
  ])('%s is refused with the place, or read', (text, why) => {
    if (why === undefined) expect(parseQuery(text).terms).toHaveLength(2)
    else expect(() => parseQuery(text)).toThrow(why)
  })

  const random = seededRandom(11)
  const below = (count: number) => Math.floor(random.next() * count)
  const letters = [
    'a',
    'B',
    '7',
    ' ',
    '"',
    '\\',
    ',',
    ':',
    '*',
    '-',
    '<',
    '>=',
    "'",
    '?',
    '%',
    '[',
    'ü',
    '\n',
    '.',
    '/',
  ]
  const typed = () => Array.from({ length: below(8) }, () => letters[below(letters.length)]).join('')

  it('is written as it is read', () => {
    for (let round = 0; round < 500; round++) {
      const terms = Array.from({ length: below(5) }, (): Term => {
        const common = { isNegated: random.next() < 0.5, at: 0 }
        if (random.next() < 0.3) return { field: undefined, text: typed(), isPhrase: true, ...common }
        const values = Array.from({ length: 1 + below(3) }, () => ({
          comparison: (['=', '<', '<=', '>', '>='] as const)[below(5)] ?? '=',
          text: typed(),
          isQuoted: true,
        }))
        return { field: ['status', 'data.a.b', 'key'][below(3)] ?? 'key', values, ...common }
      })
      expect(parseQuery(formatQuery(terms)).terms.map(term => ({ ...term, at: 0 }))).toEqual(terms)
    }
  })

  it('never makes SQL of what was typed, whatever it is', () => {
    for (const field of ['source', 'object', 'id', 'key', 'ns', 'run', 'template', 'name'])
      for (let round = 0; round < 100; round++) {
        const values = [{ comparison: '=' as const, text: `\u0001${typed()}`, isQuoted: round % 2 === 0 }]
        const query = { terms: [{ field, isNegated: false, values, at: 0 }], text: '' }
        for (const { text, values: bound } of compile('events', { query }, context).conditions) {
          expect(text).not.toContain('\u0001')
          expect((text.match(/\?/g) ?? []).length).toBe(bound.length)
        }
      }
  })
})

describe('a filter on the payload', () => {
  const payload = {
    type: 'UPDATE',
    body: {
      spec: { replicas: 4, list: [{ name: 'a' }, { name: 'b' }], text: 'hello world' },
      metadata: { labels: { 'app.kubernetes.io/name': 'web' } },
    },
  }
  it.each([
    ['data.spec.replicas:>3', true],
    ['data.spec.replicas:>4', false],
    ['data.spec.replicas:>=4', true],
    ['data.spec.replicas:<10', true],
    ['data.spec.replicas:4', true],
    ['data.body.spec.replicas:4', true],
    ['-data.spec.replicas:4', false],
    ['data.spec.list.name:b', true],
    ['data.spec.list.0.name:b', false],
    ['data.spec.text:hello*', true],
    ['data.spec.text:*lo*wor*', true],
    ['data.spec.text:*x*', false],
    ['data.spec.text:"hello*"', false],
    ['data.metadata.labels.app.kubernetes.io/name:web', true],
    ['data.constructor:*', false],
    ['data.__proto__.x:*', false],
    ['label:app.kubernetes.io/name=web', true],
    ['label:app.kubernetes.io/name', true],
    ['label:nope', false],
    ['data.nope:*', false],
  ])('%s is %s', (query, expected) => {
    const [term] = parseQuery(query).terms
    expect(payloadFilter(term as FieldTerm)?.(payload)).toBe(expected)
  })
})
