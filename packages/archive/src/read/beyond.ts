import type { Cell } from '../database/database.ts'
import { and, type Choice, isOneOf, type Sql, sql } from '../query/sql.ts'
import { type ListPlan, read } from './list.ts'
import type { Source } from './source.ts'

/** When so few values of a column are wanted, each is read by itself, in order. */
const FEW_VALUES = 8
/** Of a column with few rows for each value so many are read together, when all their rows are few. */
const MOST_VALUES = 1000
/** How many rows of one value are looked at when there are other conditions, how many of all when no index helps, and how many rows of
 *  many values are few. */
const [MOST_CHOSEN, MOST_SCANNED, FEW_ROWS] = [4000, 4000, 4000]
/** How many of them are asked for in one statement. */
const TOGETHER = 500

/** Where looking ended, when not everything was looked at. */
export interface End {
  number: number
  scanned: number
  backTo: number
}

interface Found<R> {
  rows: R[]
  end: End | undefined
}

/** What a filter finds beyond the window in which it was tried first. However many rows there are, only so many are looked at: those
 *  of the rarest column that has an index, else those next to the cursor. Whether that was all is told. */
export async function readBeyond<R extends object>(
  source: Source,
  plan: ListPlan,
  bounds: readonly Sql[],
  isDescending: boolean,
  limit: number,
  numberOf: (row: R) => number,
  /** Where the times are that are asked for. */
  places: readonly Sql[] = [],
): Promise<Found<R>> {
  const choices = await choicesOf(source, plan)
  const choice = choices.find(({ values }) => values.length <= FEW_VALUES)
  const few = choice ? undefined : await fewRows(source, plan, [...bounds, ...places], choices)
  if (few) return { rows: await readFew<R>(source, plan, few, isDescending, limit), end: undefined }
  // Times are asked of an index of their own.
  const isOfTime = plan.conditions.length === 1 && plan.conditions[0]?.text.startsWith('likelihood(')
  if (!choice && isOfTime && plan.isTimeIndexed)
    return { rows: await read<R>(source, plan, bounds, isDescending, limit, 0), end: undefined }
  const isAlone = choice !== undefined && plan.conditions.length === 1
  const most = choice ? MOST_CHOSEN : (plan.mostScanned ?? MOST_SCANNED)
  const rows: R[] = []
  let end: number | undefined
  let scanned = 0
  for (const only of choice ? choice.values.map(value => sql(`${choice.column} = ?`, value)) : [undefined]) {
    const chosen = only ? [...bounds, ...places, only] : [...bounds, ...places]
    const last = isAlone ? undefined : await numberAfter(source, plan, chosen, isDescending, most)
    const edge = last === undefined ? [] : [sql(`${plan.number} ${isDescending ? '>=' : '<='} ?`, last)]
    const conditions = plan.conditions.filter(condition => condition !== choice?.condition)
    const some = await read<R>(source, { ...plan, conditions }, [...chosen, ...edge], isDescending, limit, 0)
    rows.push(...some)
    // A full page is no end: what follows it is read from there.
    if (last === undefined || some.length >= limit) continue
    scanned += most
    end = end === undefined ? last : isDescending ? Math.max(end, last) : Math.min(end, last)
  }
  const sign = isDescending ? -1 : 1
  rows.sort((a, b) => sign * (numberOf(a) - numberOf(b)))
  if (end === undefined) return { rows: rows.slice(0, limit), end }
  const edge = end
  const certain = rows.filter(row => sign * (edge - numberOf(row)) >= 0).slice(0, limit)
  if (certain.length >= limit) return { rows: certain, end: undefined }
  return { rows: certain, end: { number: edge, scanned, backTo: await timeOf(source, plan, edge) } }
}

interface Chosen {
  condition: Sql
  column: string
  values: readonly Cell[]
}

/** The conditions that an index answers, those with the fewest values first. */
async function choicesOf(source: Source, plan: ListPlan): Promise<Chosen[]> {
  const choices: Chosen[] = []
  for (const condition of plan.conditions) {
    if (!condition.choice) continue
    const most = condition.choice.isRare ? MOST_VALUES : FEW_VALUES
    const values = await valuesOf(source, condition.choice, most)
    if (values.length > most || (condition.choice.column === '' && values.length > 0)) continue
    choices.push({ condition, column: condition.choice.column, values })
  }
  return choices.sort((a, b) => a.values.length - b.values.length)
}

/** All of them, or more than `most` of them. */
async function valuesOf(source: Source, { values, found }: Choice, most: number): Promise<Cell[]> {
  const all = new Set<Cell>(values)
  for (const { text, values: wanted } of found) {
    if (all.size > most) break
    const rows = await source.database.all<{ value: Cell }>(`SELECT c.* FROM (${text}) c LIMIT ${most + 1}`, wanted)
    for (const row of rows) all.add(Object.values(row)[0] as Cell)
  }
  return [...all]
}

/** The numbers of all rows with one of many values, such as the ids of events, when those are few. */
async function fewRows(
  source: Source,
  { from, number }: ListPlan,
  bounds: readonly Sql[],
  choices: readonly Chosen[],
): Promise<number[] | undefined> {
  for (const { column, values } of choices) {
    const where = and([...bounds, isOneOf(column, values)])
    const rows = await source.database.all<{ number: number }>(
      `SELECT ${number} AS number FROM ${from} WHERE ${where.text} LIMIT ${FEW_ROWS + 1}`,
      where.values,
    )
    if (rows.length <= FEW_ROWS) return rows.map(row => row.number)
  }
  return undefined
}

/** Of rows whose numbers are known those that meet all conditions. By their numbers: a database that is to keep the order would rather
 *  look at all there are. */
async function readFew<R extends object>(
  source: Source,
  plan: ListPlan,
  numbers: readonly number[],
  isDescending: boolean,
  limit: number,
): Promise<R[]> {
  const inOrder = numbers.toSorted((a, b) => (isDescending ? b - a : a - b))
  const rows: R[] = []
  for (let at = 0; at < inOrder.length && rows.length < limit; at += TOGETHER) {
    const some = isOneOf(plan.number, inOrder.slice(at, at + TOGETHER))
    rows.push(...(await read<R>(source, plan, [some], isDescending, limit - rows.length, 0)))
  }
  return rows
}

/** The number of the row up to which `most` are looked at; undefined when there are fewer. */
async function numberAfter(
  source: Source,
  { from, number }: ListPlan,
  chosen: readonly Sql[],
  isDescending: boolean,
  most: number,
): Promise<number | undefined> {
  const where = and(chosen)
  const row = await source.one<{ number: number }>(
    `SELECT ${number} AS number FROM ${from} WHERE ${where.text} ORDER BY ${number} ${isDescending ? 'DESC' : 'ASC'} LIMIT 1 OFFSET ${most - 1}`,
    where.values,
  )
  return row?.number
}

async function timeOf(source: Source, { from, number, at }: ListPlan, of: number): Promise<number> {
  const time = at ?? number.replace(/\.\w+$/, '.at')
  const row = await source.one<{ at: number }>(`SELECT ${time} AS at FROM ${from} WHERE ${number} = ?`, [of])
  return row?.at ?? 0
}
