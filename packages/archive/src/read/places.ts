import { type Sql, sql } from '../query/sql.ts'
import type { ListPlan } from './list.ts'
import type { Source } from './source.ts'

/** Rows are numbered in the order in which they were recorded, which may be a little after they happened. */
const LATEST_MS = 10_000

/** Between which numbers the rows lie whose times a filter asks for. Rows that were brought from elsewhere are numbered when they came:
 *  those that are older than their neighbours lie elsewhere. */
export async function placesOf(source: Source, plan: ListPlan): Promise<Sql[]> {
  const { number, conditions } = plan
  const places: Sql[] = []
  for (const { times } of conditions) {
    if (times?.before !== undefined)
      places.push(sql(`${number} <= ?`, await lastBefore(source, plan, times.before + LATEST_MS)))
    if (times?.from !== undefined)
      places.push(sql(`${number} > ?`, await lastBefore(source, plan, times.from - LATEST_MS)))
  }
  return places
}

/** The number of the last row that is older, found in a few steps. */
async function lastBefore(source: Source, { from, number, at }: ListPlan, time: number): Promise<number> {
  const happened = at ?? number.replace(/\.\w+$/, '.at')
  const ends = await source.one<{ least: number | null; most: number | null }>(
    `SELECT (SELECT min(${number}) FROM ${from}) AS least, (SELECT max(${number}) FROM ${from}) AS most`,
    [],
  )
  if (typeof ends?.least !== 'number' || typeof ends.most !== 'number') return 0
  let [low, high] = [ends.least - 1, ends.most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const row = await source.one<{ number: number; at: number }>(
      `SELECT ${number} AS number, ${happened} AS at FROM ${from} WHERE ${number} <= ? ORDER BY ${number} DESC LIMIT 1`,
      [middle],
    )
    if (row && row.at < time) low = middle
    else high = (row?.number ?? middle) - 1
  }
  return low
}
