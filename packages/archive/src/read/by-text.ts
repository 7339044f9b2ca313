import type { Total } from '../archive.ts'
import type { RecordRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import type { TextFilter } from '../query/compile.ts'
import { and, isOneOf, type Sql, sql } from '../query/sql.ts'
import type { End } from './beyond.ts'
import { findRecords, withWholeWords } from './hits.ts'
import type { ListPlan } from './list.ts'
import type { Source } from './source.ts'

/** How many of the newest records with a text are looked at, first, then, and so on, until the rows that they lead to make a page. */
const HITS = [56, 256, 1024, 2048, 2048]

interface Found<R> {
  rows: R[]
  end: End | undefined
  /** How many rows were found at least. */
  found: Total
}

/** The first page of a list with words in its filter. No record of a row is older than the row: of the rows that are newer than the oldest
 *  hit that was looked at none is missing, and older ones are left for later. */
export async function readByText<R extends object>(
  source: Source,
  plan: ListPlan,
  { match, column, of, records, others }: TextFilter,
  limit: number,
  numberOf: (row: R) => number,
): Promise<Found<R>> {
  const words = await withWholeWords(source, match)
  const seen = new Set<number>()
  let found: R[] = []
  let certain: R[] = []
  let oldest: number | undefined
  let isWhole = false
  let scanned = 0
  for (const most of HITS) {
    const bound = oldest === undefined ? {} : { bound: sql('id < ?', oldest) }
    const { rows: hits, end } = await findRecords(source, words, { conditions: records, limit: most, ...bound })
    scanned += hits.length
    const fresh = new Set<number>()
    for (const hit of hits) if (hit[of] !== null && !seen.has(hit[of])) fresh.add(hit[of])
    for (const id of fresh) seen.add(id)
    if (fresh.size > 0) found = found.concat(await rowsOf<R>(source, plan, isOneOf(column, [...fresh]), and(others)))
    oldest = end ?? hits.at(-1)?.id ?? oldest
    isWhole = end === undefined && hits.length < most
    const edge = isWhole ? 0 : (oldest ?? 0)
    certain = found.filter(row => numberOf(row) >= edge)
    if (isWhole || certain.length >= limit) break
  }
  certain.sort((a, b) => numberOf(b) - numberOf(a))
  const total = { count: certain.length, exact: isWhole }
  if (isWhole || certain.length >= limit || oldest === undefined)
    return { rows: certain.slice(0, limit), end: undefined, found: total }
  const [edge] = await source.byId<RecordRow>(tables.RECORDS, [oldest])
  return { rows: certain, end: { number: oldest, scanned, backTo: edge?.at ?? 0 }, found: total }
}

/** Chosen first and judged then: an index of some other condition would fetch all that has it. */
function rowsOf<R extends object>(source: Source, { from }: ListPlan, chosen: Sql, others: Sql): Promise<R[]> {
  const [table, name] = from.split(' ')
  return source.database.all<R>(
    `SELECT * FROM (SELECT * FROM ${table} ${name} WHERE ${chosen.text} LIMIT ${chosen.values.length}) ${name} WHERE ${others.text}`,
    [...chosen.values, ...others.values],
  )
}
