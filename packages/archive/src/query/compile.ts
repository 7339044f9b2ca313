import { nearest } from '@tiphys/env'
import type { Scope, Selection } from '../archive.ts'
import { queryInvalid } from '../failures.ts'
import { KIND_NUMBERS } from '../ingest/vocabulary.ts'
import { EVENT_FIELDS, FIELDS, type FieldContext, fieldOf, InvalidValue, type List } from './fields.ts'
import { matchText, recordsWith } from './full-text.ts'
import { parseQuery } from './parse.ts'
import { type PayloadFilter, payloadFilter } from './payload-filter.ts'
import type { FieldTerm, Query, TextTerm } from './query.ts'
import { and, either, FALSE, isFound, isOneOf, not, or, type Sql, sql } from './sql.ts'

/** A selection as a database understands it. */
export interface Compiled {
  readonly conditions: readonly Sql[]
  /** The words among the conditions, and the conditions without them: a list may look for them in a better way. */
  readonly text: TextFilter | undefined
  /** What only the payload tells. */
  readonly payload: readonly PayloadFilter[]
  /** Fields that were asked for alone, with whole words: their counts are kept. */
  readonly simple: { readonly field: string; readonly values: readonly string[] } | undefined
  readonly isFiltered: boolean
}

export interface TextFilter {
  readonly match: string
  /** The column of the list's rows, and the one of the records that leads to it. */
  readonly column: string
  readonly of: 'trace' | 'run' | 'object' | 'id'
  /** Of those with a `run` few of the records are, and of those with an `id` only the ones of a kind. */
  readonly records: readonly Sql[]
  readonly others: readonly Sql[]
}

/** How rows of a list are called, which column says what they are about, and which of a record's columns leads to them. */
const ROWS: Readonly<Record<List, { scope: string; text: Omit<TextFilter, 'match' | 'others'> }>> = {
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
  const { terms, text }: Query = typeof query === 'string' ? parseQuery(query) : query
  const conditions: Sql[] = []
  const payload: PayloadFilter[] = []
  if (scope) conditions.push(scopeCondition(ROWS[list].scope, scope))
  const fields = terms.filter((term): term is FieldTerm => term.field !== undefined)
  for (const term of fields) {
    const filter = list === 'events' ? payloadFilter(term) : undefined
    if (filter) payload.push(filter)
    else conditions.push(fieldCondition(list, term, text, { ...context, isAlone: terms.length === 1 }))
  }
  const words = terms.filter((term): term is TextTerm => term.field === undefined)
  const [wanted, ...unwanted] = textConditions(list, words, context)
  conditions.push(...unwanted)
  const match = matchText(
    context.dialect,
    words.filter(term => !term.isNegated),
  )
  const found = match === undefined ? undefined : { ...ROWS[list].text, match, others: [...conditions] }
  if (wanted) conditions.push(wanted)
  const [first] = fields
  const isSimple =
    terms.length === 1 &&
    first !== undefined &&
    !first.isNegated &&
    first.values.every(({ text: value }) => !value.includes('*'))
  const simple = isSimple
    ? { field: first.field.toLowerCase(), values: first.values.map(value => value.text) }
    : undefined
  return { conditions, text: found, payload, simple, isFiltered: terms.length > 0 }
}

function fieldCondition(list: List, term: FieldTerm, text: string, context: FieldContext): Sql {
  const field = fieldOf(list, term)
  if (!field) throw queryInvalid(text, term.at, unknownField(list, term.field))
  try {
    const condition = either(term.values.map(value => field.condition(value, context)))
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

/** What must be there, if anything, and then what must not. */
function textConditions(
  list: List,
  terms: readonly TextTerm[],
  { dialect }: FieldContext,
): [Sql | undefined, ...Sql[]] {
  const { column, of } = ROWS[list].text
  const found = (some: readonly TextTerm[]) => {
    const match = matchText(dialect, some)
    if (match === undefined) return undefined
    const records = recordsWith(dialect, of, match)
    return sql(`${column} IN (${records.text})`, ...records.values)
  }
  // Together, so that all words are sought in one and the same record.
  const wanted = found(terms.filter(term => !term.isNegated))
  const unwanted = terms.filter(term => term.isNegated).map(term => found([term]))
  return [wanted, ...unwanted.filter(part => part !== undefined).map(not)]
}

export function scopeCondition(column: string, { grants }: Scope): Sql {
  if (grants.some(({ kind, namespaces }) => kind === '*' && namespaces === '*')) return sql(`${column} IS NOT NULL`)
  const covered = grants.map(({ kind, namespaces }) =>
    and([
      ...(kind === '*' ? [] : [sql('kind = ?', kind)]),
      ...(namespaces === '*' ? [] : [namespaces.length === 0 ? FALSE : isOneOf('namespace', namespaces)]),
    ]),
  )
  const all = or(covered)
  return isFound(column, sql(`SELECT id FROM scopes WHERE ${all.text}`, ...all.values))
}
