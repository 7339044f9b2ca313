import type { Total } from '../archive.ts'
import type { RecordRow } from '../database/rows.ts'
import * as tables from '../database/tables.ts'
import type { Words } from '../query/compile.ts'
import { and, isOneOf, type Sql } from '../query/sql.ts'
import type { End } from './beyond.ts'
import { readHits, withWholeWords } from './hits.ts'
import { laterKeys } from './later-hits.ts'
import type { ListPlan } from './list.ts'
import type { Source } from './source.ts'

/** How many of the next records with a text are looked at, first, then, and so on, until the rows that they lead to make a page. */
const HITS = [56, 256, 1024, 2048, 2048]

export interface TextPage {
  /** The rows come after this number, in the order asked for; from the start without it. */
  beyond: number | undefined
  bounds: readonly Sql[]
  isDescending: boolean
  limit: number
}

interface Found<R> {
  rows: R[]
  end: End | undefined
  /** How many rows were found at least. */
  found: Total
}

/** Rows of a list with words in its filter. No record of a row is older than the row, but some are newer, by much if it took long: the rows
 *  between two numbers are those that the hits between them lead to, and those to which later hits do. */
export async function readByText<R extends object>(
  source: Source,
  plan: ListPlan,
  words: Words & { wanted: string },
  { beyond, bounds, isDescending, limit }: TextPage,
  numberOf: (row: R) => number,
): Promise<Found<R>> {
  const match = await withWholeWords(source, words.wanted)
  const hits = await readHits(source, match, { conditions: words.records, beyond, isDescending })
  const others = and([...bounds, ...plan.conditions])
  const rows = new Map<number, R>()
  const seen = new Set<number>()
  const add = async (keys: Iterable<number | null>) => {
    const fresh = new Set<number>()
    for (const key of keys) if (key !== null && !seen.has(key)) fresh.add(key)
    for (const key of fresh) seen.add(key)
    if (fresh.size === 0) return
    const found = await rowsOf<R>(source, plan, isOneOf(words.column, [...fresh]), others)
    for (const row of found) rows.set(numberOf(row), row)
  }
  const sign = isDescending ? -1 : 1
  let certain: R[] = []
  let scanned = 0
  /** Up to here every row is known; undefined when all are. */
  let edge = beyond
  for (const most of HITS) {
    const records = await hits.next(most)
    scanned += records.length
    await add(records.map(record => record[words.of]))
    const reached = hits.isWhole ? undefined : hits.end
    const passed = { from: edge, to: reached, isDescending, start: beyond }
    const later = await laterKeys(source, words, match, passed)
    await add(later.keys)
    edge = later.to
    const known = edge
    certain = [...rows.values()].filter(row => known === undefined || sign * (known - numberOf(row)) >= 0)
    if (edge === undefined || certain.length >= limit || edge !== reached || hits.isTired) break
  }
  certain.sort((a, b) => sign * (numberOf(a) - numberOf(b)))
  const found = { count: certain.length, exact: edge === undefined && beyond === undefined }
  if (edge === undefined || certain.length >= limit) return { rows: certain.slice(0, limit), end: undefined, found }
  const backTo = await timeOf(source, edge)
  return { rows: certain, end: { number: edge, scanned, backTo }, found }
}

/** Chosen first and judged then: an index of some other condition would fetch all that has it. */
function rowsOf<R extends object>(source: Source, { from }: ListPlan, chosen: Sql, others: Sql): Promise<R[]> {
  const [table, name] = from.split(' ')
  return source.database.all<R>(
    `SELECT * FROM (SELECT * FROM ${table} ${name} WHERE ${chosen.text} LIMIT ${chosen.values.length}) ${name} WHERE ${others.text}`,
    [...chosen.values, ...others.values],
  )
}

async function timeOf(source: Source, number: number): Promise<number> {
  const near = await source.one<Pick<RecordRow, 'at'>>(
    `SELECT at FROM ${tables.RECORDS.name} WHERE id <= ? ORDER BY id DESC LIMIT 1`,
    [number],
  )
  return near?.at ?? 0
}
