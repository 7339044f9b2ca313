import { FALSE, type Sql, sql } from '../query/sql.ts'
import type { ListPlan } from './list.ts'
import type { Source } from './source.ts'

/** Rows are numbered in the order in which they were recorded, which may be a little after they happened. */
const LATEST_MS = 10_000
/** So many of the rows of a time are looked up in the index of times. */
const MOST_INDEXED = 20_000

/** Between which numbers the rows lie whose times a filter asks for. What is older than a time lies before the first that is not; only rows
 *  that were brought from elsewhere, which are numbered when they came, may lie behind it. */
export async function placesOf(source: Source, plan: ListPlan): Promise<Sql[]> {
  const from = Math.max(...plan.conditions.map(({ times }) => times?.from ?? -Infinity))
  const before = Math.min(...plan.conditions.map(({ times }) => times?.before ?? Infinity))
  const exact = Number.isFinite(from) && plan.isTimeIndexed ? await indexed(source, plan, from, before) : undefined
  if (exact) return exact
  return Number.isFinite(before) ? [sql(`${plan.number} <= ?`, await lastBefore(source, plan, before + LATEST_MS))] : []
}

/** Exactly where they are; undefined when there are too many to tell. */
async function indexed(source: Source, plan: ListPlan, from: number, before: number): Promise<Sql[] | undefined> {
  const time = timeOf(plan)
  const until = Number.isFinite(before) ? sql(` AND ${time} < ?`, before) : sql('')
  const found = await source.one<{ least: number | null; most: number | null; count: number }>(
    `SELECT min(number) AS least, max(number) AS most, count(*) AS count FROM
      (SELECT ${plan.number} AS number FROM ${plan.from} WHERE ${time} >= ?${until.text} ORDER BY ${time} LIMIT ${MOST_INDEXED + 1}) n`,
    [from, ...until.values],
  )
  if (!found || found.count > MOST_INDEXED) return undefined
  if (found.least === null || found.most === null) return [FALSE]
  return [sql(`${plan.number} >= ?`, found.least), sql(`${plan.number} <= ?`, found.most)]
}

/** The number of the last row that is older, found in a few steps. */
async function lastBefore(source: Source, plan: ListPlan, time: number): Promise<number> {
  const { from, number } = plan
  const ends = await source.one<{ least: number | null; most: number | null }>(
    `SELECT (SELECT min(${number}) FROM ${from}) AS least, (SELECT max(${number}) FROM ${from}) AS most`,
    [],
  )
  if (typeof ends?.least !== 'number' || typeof ends.most !== 'number') return 0
  let [low, high] = [ends.least - 1, ends.most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const row = await source.one<{ number: number; at: number }>(
      `SELECT ${number} AS number, ${timeOf(plan)} AS at FROM ${from} WHERE ${number} <= ? ORDER BY ${number} DESC LIMIT 1`,
      [middle],
    )
    if (row && row.at < time) low = middle
    else high = (row?.number ?? middle) - 1
  }
  return low
}

const timeOf = ({ number, at }: ListPlan): string => at ?? number.replace(/\.\w+$/, '.at')
