import type { RecordRow } from '../database/rows.ts'
import { and, type Sql, sql, TRUE } from '../query/sql.ts'
import type { Source } from './source.ts'

/** So many of the newest records PostgreSQL looks through in order before its index is asked: the index tells all hits of a
 *  word at once, which are too many of a frequent one. */
const LOOKED_THROUGH = 4000

export interface HitRequest {
  /** On `id`, the number of the record. */
  bound?: Sql
  /** On the record (`t`). */
  conditions?: readonly Sql[]
  isDescending?: boolean
  limit: number
}

/** The records that have a text, in their order, as many as are asked for and no more than that are read. */
export async function findRecords(source: Source, match: string, request: HitRequest): Promise<RecordRow[]> {
  if (source.database.dialect === 'sqlite') return findInOrder(source, match, request)
  const near = await findNear(source, match, request)
  return near.length >= request.limit ? near : findByIndex(source, match, request)
}

/** FTS5 gives its hits in order, one by one. */
function findInOrder(source: Source, match: string, request: HitRequest): Promise<RecordRow[]> {
  const { bound = TRUE, conditions = [], isDescending = true, limit } = request
  const where = and([boundOn('d.rowid', bound), ...conditions])
  return source.database.all<RecordRow>(
    `SELECT t.* FROM docs d CROSS JOIN records t ON t.id = d.rowid WHERE docs MATCH ? AND ${where.text}
      ORDER BY d.rowid ${isDescending ? 'DESC' : 'ASC'} LIMIT ${limit}`,
    [match, ...where.values],
  )
}

function findNear(source: Source, match: string, request: HitRequest): Promise<RecordRow[]> {
  const { bound = TRUE, conditions = [], isDescending = true, limit } = request
  const direction = isDescending ? 'DESC' : 'ASC'
  const where = and(conditions)
  return source.database.all<RecordRow>(
    `SELECT t.* FROM (SELECT id, words FROM docs WHERE ${bound.text} ORDER BY id ${direction} LIMIT ${LOOKED_THROUGH}) d
      JOIN records t ON t.id = d.id WHERE d.words @@ ?::tsquery AND ${where.text} ORDER BY d.id ${direction} LIMIT ${limit}`,
    [...bound.values, match, ...where.values],
  )
}

/** Materialized, or the planner would rather walk through all records in order and look for the word in each. */
function findByIndex(source: Source, match: string, request: HitRequest): Promise<RecordRow[]> {
  const { bound = TRUE, conditions = [], isDescending = true, limit } = request
  const direction = isDescending ? 'DESC' : 'ASC'
  const where = and(conditions)
  const some = conditions.length === 0 ? `ORDER BY id ${direction} LIMIT ${limit}` : ''
  return source.database.all<RecordRow>(
    `WITH found AS MATERIALIZED (SELECT id FROM docs WHERE words @@ ?::tsquery AND ${bound.text})
      SELECT t.* FROM (SELECT id FROM found ${some}) d JOIN records t ON t.id = d.id
      WHERE ${where.text} ORDER BY d.id ${direction} LIMIT ${limit}`,
    [match, ...bound.values, ...where.values],
  )
}

const boundOn = (column: string, bound: Sql): Sql => sql(bound.text.replaceAll(/\bid\b/g, column), ...bound.values)
