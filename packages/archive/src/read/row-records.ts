import type { Words } from '../query/compile.ts'
import { and, isOneOf, sql } from '../query/sql.ts'
import type { Source } from './source.ts'

/** Of the records of some rows no more than this are looked at. */
const MOST_RECORDS = 20_000
/** SQLite puts at most 500 selects together. */
const OBJECTS_AT_ONCE = 150

export interface RowRecord {
  id: number
  /** The row's. */
  key: number
}

/** The records that lead to rows; only those before one if that is told. */
export async function recordsOf(
  source: Source,
  of: Words['of'],
  keys: readonly number[],
  before?: number,
): Promise<RowRecord[]> {
  if (keys.length === 0) return []
  if (of === 'id') return keys.filter(id => before === undefined || id < before).map(id => ({ id, key: id }))
  if (of === 'object') return recordsOfObjects(source, keys)
  if (of === 'run') return recordsBy(source, 'records t', 't.run', 't.run', keys, before)
  return [
    ...(await recordsBy(source, 'records t', 't.trace', 't.run IS NULL AND t.trace', keys, before)),
    ...(await recordsBy(source, 'runs r JOIN records t ON t.run = r.id', 'r.trace', 'r.trace', keys, before)),
  ]
}

function recordsBy(
  source: Source,
  from: string,
  key: string,
  column: string,
  keys: readonly number[],
  before: number | undefined,
): Promise<RowRecord[]> {
  const chosen = and([isOneOf(column, keys), ...(before === undefined ? [] : [sql('t.id < ?', before)])])
  return source.database.all(
    `SELECT t.id AS id, ${key} AS key FROM ${from} WHERE ${chosen.text} LIMIT ${MOST_RECORDS}`,
    chosen.values,
  )
}

/** No index has the records about an object, which may be any number: its newest event and write have it as it is. */
async function recordsOfObjects(source: Source, keys: readonly number[]): Promise<RowRecord[]> {
  const ways = (key: number) => [
    `SELECT id FROM events WHERE object = ${key} ORDER BY id DESC LIMIT 1`,
    `SELECT id FROM writes WHERE object = ${key} ORDER BY id DESC LIMIT 1`,
    `SELECT record AS id FROM conditions WHERE object = ${key}`,
  ]
  const found: RowRecord[] = []
  for (let at = 0; at < keys.length; at += OBJECTS_AT_ONCE) {
    const some = keys.slice(at, at + OBJECTS_AT_ONCE)
    const each = some.flatMap(key => ways(key).map((way, i) => `SELECT id, ${key} AS key FROM (${way}) w${key}_${i}`))
    found.push(...(await source.database.all<RowRecord>(each.join(' UNION ALL '))))
  }
  return found
}
