import { nearest } from '@tiphys/env'
import type { Selection } from '../archive.ts'
import { queryInvalid } from '../failures.ts'
import { KIND_NUMBERS } from '../ingest/vocabulary.ts'
import { whyNotSought } from '../words.ts'
import { EVENT_FIELDS, FIELDS, type FieldContext, fieldOf, InvalidValue, type List } from './fields.ts'
import { matchText } from './full-text.ts'
import { parseQuery } from './parse.ts'
import { type PayloadFilter, payloadFilter } from './payload-filter.ts'
import type { FieldTerm, Query, TextTerm } from './query.ts'
import { reachOf, scopeCondition } from './scope-condition.ts'
import { either, not, type Sql, sql } from './sql.ts'

/** A selection as a database understands it. */
export interface Compiled {
  /** Without the words: no index finds them in the order of a list. */
  readonly conditions: readonly Sql[]
  readonly words: Words | undefined
  /** What only the payload tells. */
  readonly payload: readonly PayloadFilter[]
  /** Fields that were asked for alone, with whole words: their counts are kept. */
  readonly simple: { readonly field: string; readonly values: readonly string[] } | undefined
  readonly isFiltered: boolean
}

/** Words that records of a row must have, all of them in one, and words that none may have. */
export interface Words {
  readonly wanted: string | undefined
  readonly unwanted: readonly string[]
  /** For texts that are at hand (`wordMatch`). */
  readonly spelt: string
  /** The column of the list's rows, and the one of the records that leads to it. */
  readonly column: string
  readonly of: 'trace' | 'run' | 'object' | 'id'
  /** Of those with a `run` few of the records are, and of those with an `id` only the ones of a kind. */
  readonly records: readonly Sql[]
  /** What whoever asks may see of the records (`t`): a row is not found by one that they may not, nor left out for it. */
  readonly reach: readonly Sql[]
}

/** How rows of a list are called, which column says what they are about, and which of a record's columns leads to them. */
const ROWS: Readonly<Record<List, { scope: string; text: Pick<Words, 'column' | 'of' | 'records'> }>> = {
  events: { scope: 'e.scope', text: { column: 'e.trace', of: 'trace', records: [] } },
  runs: { scope: 'r.scope', text: { column: 'r.id', of: 'run', records: [sql('t.run IS NOT NULL')] } },
  objects: { scope: 'b.scope', text: { column: 'b.id', of: 'object', records: [] } },
  writes: { scope: 'w.scope', text: { column: 'w.id', of: 'id', records: [isOfKind('write')] } },
  parked: { scope: 'o.scope', text: { column: 'o.trace', of: 'trace', records: [] } },
  health: { scope: 'c.scope', text: { column: 'c.record', of: 'id', records: [isOfKind('health')] } },
  audit: { scope: 'a.scope', text: { column: 'a.id', of: 'id', records: [isOfKind('audit')] } },
}

function isOfKind(kind: 'write' | 'health' | 'audit'): Sql {
  return sql(`t.kind = ${KIND_NUMBERS[kind]}`)
}

/** Throws `query-invalid` for fields that the list does not have: what cannot be applied is never ignored. */
export function compile(list: List, { query = '', scope }: Selection, context: FieldContext): Compiled {
  const { terms, text: written }: Query = typeof query === 'string' ? parseQuery(query) : query
  const scoped = { ...context, ...(scope && { scope }) }
  const conditions: Sql[] = []
  const payload: PayloadFilter[] = []
  if (scope) conditions.push(scopeCondition(ROWS[list].scope, scope))
  const fields = terms.filter((term): term is FieldTerm => term.field !== undefined)
  for (const term of fields) {
    const filter = list === 'events' ? payloadFilter(term) : undefined
    if (filter) payload.push(filter)
    else conditions.push(fieldCondition(list, term, written, { ...scoped, isAlone: terms.length === 1 }))
  }
  const [first] = fields
  const isSimple =
    terms.length === 1 &&
    first !== undefined &&
    !first.isNegated &&
    first.values.every(({ text: value }) => !value.includes('*'))
  const simple = isSimple
    ? { field: first.field.toLowerCase(), values: first.values.map(value => value.text) }
    : undefined
  const words = wordsOf(list, { terms, text: written }, scoped)
  return { conditions, words, payload, simple, isFiltered: terms.length > 0 }
}

function wordsOf(list: List, { terms, text: written }: Query, { dialect, scope }: FieldContext): Words | undefined {
  const texts = terms.filter((term): term is TextTerm => term.field === undefined)
  for (const { text, at } of texts) {
    const why = whyNotSought(text)
    if (why !== undefined) throw queryInvalid(written, at, why)
  }
  const [those, others] = [texts.filter(({ isNegated }) => !isNegated), texts.filter(({ isNegated }) => isNegated)]
  const wanted = matchText(dialect, those)
  const unwanted = others.map(term => matchText(dialect, [term])).filter(match => match !== undefined)
  if (wanted === undefined && unwanted.length === 0) return undefined
  const spelt = matchText('sqlite', those) ?? ''
  const { text } = ROWS[list]
  const reach = reachOf('t.scope', scope)
  return { ...text, records: [...text.records, ...reach], reach, wanted, unwanted, spelt }
}

function fieldCondition(list: List, term: FieldTerm, text: string, context: FieldContext): Sql {
  const field = fieldOf(list, term)
  if (!field) throw queryInvalid(text, term.at, unknownField(list, term.field))
  try {
    const condition = either(
      field.conditions?.(term.values, context) ?? term.values.map(value => field.condition(value, context)),
    )
    return term.isNegated ? not(condition) : condition
  } catch (error) {
    if (error instanceof InvalidValue)
      throw queryInvalid(text, term.at, `${term.field} cannot be ${error.what}: ${error.why}`)
    throw error
  }
}

function unknownField(list: List, field: string): string {
  const known = [...Object.keys(FIELDS[list]), ...(list === 'events' ? ['data.PATH', 'label'] : [])]
  const near = nearest(field, known, 2)
  const suggestion = near === undefined ? '' : `, did you mean ${near}?`
  const elsewhere = Object.hasOwn(EVENT_FIELDS, field) ? ' (events have it)' : ''
  return `there is no field ${JSON.stringify(field)} here${elsewhere}${suggestion}${suggestion === '' ? '.' : ''} Known: ${known.join(', ')}`
}
