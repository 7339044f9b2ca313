import type { RecordRow } from '../database/rows.ts'
import { and, type Sql, sql, TRUE } from '../query/sql.ts'
import type { Source } from './source.ts'

/** So many hits are looked at when only some of them are wanted. */
const MOST_HITS = 4000
/** So many of the newest records PostgreSQL looks through in order before its index is asked: the index tells all hits of a
 *  word at once, which are too many of a frequent one. */
const LOOKED_THROUGH = 4000
/** Of a text that some of those have it looks through more of them, as many as it should take, but not through all. A frequent one is not
 *  asked of the index at all. */
const [FREQUENT, MOST_LOOKED_THROUGH] = [12, 16_000]

/** So many words with the same beginning are each asked for. */
const MOST_WORDS = 100

export interface HitRequest {
  /** On `id`, the number of the record. */
  bound?: Sql
  /** On the record (`t`). */
  conditions?: readonly Sql[]
  isDescending?: boolean
  limit: number
}

export interface Hits {
  rows: RecordRow[]
  /** The record at which looking ended, when neither all hits were looked at nor enough found. */
  end?: number
}

/** The records that have a text, in their order, as many as are asked for and no more than that are read. */
export async function findRecords(source: Source, match: string, request: HitRequest): Promise<Hits> {
  if (source.database.dialect === 'sqlite') return findInOrder(source, match, request)
  const near = await findNear(source, match, request, LOOKED_THROUGH)
  if (near.length >= request.limit) return { rows: near }
  const needed = Math.ceil((1.5 * request.limit) / Math.max(1, near.length)) * LOOKED_THROUGH
  const frequent = await isFrequent(source, match, request, near.length)
  if (!frequent && needed > MOST_LOOKED_THROUGH) return findByIndex(source, match, request)
  const most = Math.min(needed, MOST_LOOKED_THROUGH)
  const rows = await findNear(source, match, request, most)
  if (rows.length >= request.limit) return { rows }
  if (!frequent) return findByIndex(source, match, request)
  const end = await lastLookedAt(source, request, most)
  return { rows, ...(end === undefined ? {} : { end }) }
}

/** Beginnings of words as the words that there are. Of very many the database finds them by itself, which takes it longer the more
 *  hits they have. */
export async function withWholeWords({ database }: Source, match: string): Promise<string> {
  if (!database.wordsFrom) return match
  let whole = match
  for (const [beginning, text = ''] of match.matchAll(/"([^"]*)"\*/g)) {
    const [, before = '', last = ''] = /^(.* )?(.*)$/.exec(text) ?? []
    const words = await database.wordsFrom(last, MOST_WORDS + 1)
    if (words.length <= MOST_WORDS)
      whole = whole.replace(
        beginning,
        `(${(words.length === 0 ? [last] : words).map(word => `"${before}${word}"`).join(' OR ')})`,
      )
  }
  return whole
}

const order = ({ isDescending = true }: HitRequest): string => (isDescending ? 'DESC' : 'ASC')

/** FTS5 gives its hits in order, one by one. */
async function findInOrder(source: Source, match: string, request: HitRequest): Promise<Hits> {
  const { bound = TRUE, conditions = [], limit } = request
  const within = sql(bound.text.replaceAll(/\bid\b/g, 'rowid'), ...bound.values)
  const hits = `SELECT rowid AS id FROM docs WHERE docs MATCH ? AND ${within.text} ORDER BY rowid ${order(request)}`
  const where = and(conditions)
  const most = conditions.length === 0 ? limit : MOST_HITS
  const rows = await source.database.all<RecordRow>(
    `SELECT t.* FROM (${hits} LIMIT ${most}) d CROSS JOIN records t ON t.id = d.id WHERE ${where.text} LIMIT ${limit}`,
    [match, ...within.values, ...where.values],
  )
  if (conditions.length === 0 || rows.length >= limit) return { rows }
  const last = await source.one<{ id: number }>(`${hits} LIMIT 1 OFFSET ${most - 1}`, [match, ...within.values])
  return { rows, ...(last ? { end: last.id } : {}) }
}

function findNear(source: Source, match: string, request: HitRequest, most: number): Promise<RecordRow[]> {
  const { bound = TRUE, conditions = [], limit } = request
  const where = and(conditions)
  return source.database.all<RecordRow>(
    `SELECT t.* FROM (SELECT id, words FROM docs WHERE ${bound.text} ORDER BY id ${order(request)} LIMIT ${most}) d
      JOIN records t ON t.id = d.id WHERE d.words @@ ?::tsquery AND ${where.text} ORDER BY d.id ${order(request)} LIMIT ${limit}`,
    [...bound.values, match, ...where.values],
  )
}

/** Without other conditions what was found nearby tells. */
async function isFrequent(source: Source, match: string, request: HitRequest, near: number): Promise<boolean> {
  const { bound = TRUE, conditions = [] } = request
  if (conditions.length === 0 || near >= FREQUENT) return near >= FREQUENT
  const found = await source.one<{ count: number }>(
    `SELECT count(*) AS count FROM (SELECT words FROM docs WHERE ${bound.text} ORDER BY id ${order(request)} LIMIT ${LOOKED_THROUGH}) d
      WHERE d.words @@ ?::tsquery`,
    [...bound.values, match],
  )
  return (found?.count ?? 0) >= FREQUENT
}

async function lastLookedAt(source: Source, request: HitRequest, most: number): Promise<number | undefined> {
  const { bound = TRUE } = request
  const last = await source.one<{ id: number }>(
    `SELECT id FROM docs WHERE ${bound.text} ORDER BY id ${order(request)} LIMIT 1 OFFSET ${most - 1}`,
    bound.values,
  )
  return last?.id
}

/** Materialized, or the planner would rather walk through all records in order and look for the word in each. */
async function findByIndex(source: Source, match: string, request: HitRequest): Promise<Hits> {
  const { bound = TRUE, conditions = [], limit } = request
  const where = and(conditions)
  const some = conditions.length === 0 ? `ORDER BY id ${order(request)} LIMIT ${limit}` : ''
  const rows = await source.database.all<RecordRow>(
    `WITH found AS MATERIALIZED (SELECT id FROM docs WHERE words @@ ?::tsquery AND ${bound.text})
      SELECT t.* FROM (SELECT id FROM found ${some}) d JOIN records t ON t.id = d.id
      WHERE ${where.text} ORDER BY d.id ${order(request)} LIMIT ${limit}`,
    [match, ...bound.values, ...where.values],
  )
  return { rows }
}
