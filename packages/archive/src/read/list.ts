import type { Page, PageRequest, Total } from '../archive.ts'
import type { Cell } from '../database/database.ts'
import { cursorInvalid } from '../failures.ts'
import type { Words } from '../query/compile.ts'
import { and, type Sql, sql } from '../query/sql.ts'
import { type End, readBeyond } from './beyond.ts'
import { readByText } from './by-text.ts'
import { type NewestHits, rareKeys, readJudged } from './judged.ts'
import { placesOf } from './places.ts'
import { maybe, type Source } from './source.ts'

const [USUAL_LIMIT, MOST_ROWS] = [50, 1000]
/** A filter is first tried on so many of the next rows: what is frequent is found there, without an index; what is rare
 *  is few, and an index finds it. */
const WINDOW = 20_000
/** So many rows are left out in one call; of those that a filter finds, unless one index has them all, so many. */
const [MOST_SKIPPED, MOST_FOUND_AND_SKIPPED] = [50_000, 4000]
/** Of the rows with a few keys; mostly there is one for each. */
const MOST_BY_KEYS = 20_000

export interface ListPlan {
  /** `events e` */
  from: string
  /** Its column of growing numbers, by which it is ordered: `e.id` */
  number: string
  conditions: readonly Sql[]
  words?: Words | undefined
  /** Only rows with one of these keys. */
  keys?: Keys | undefined
  /** Whether a row's number is that of the first record that leads to it. */
  isNumberedByFirst?: boolean
  /** Whether the conditions narrow the list down. */
  isFiltered: boolean
  /** When what a row is about happened; `at` of its table unless told. */
  at?: string
  /** Whether an index has them in the order of their times. */
  isTimeIndexed?: boolean
  /** How many rows are looked at when no index helps. */
  mostScanned?: number
  /** How many numbers a filter is first tried on; `WINDOW` unless told. */
  window?: number
  /** How many rows are left out in one call. */
  mostSkipped?: number
}

export interface Rows<R> {
  rows: R[]
  next: string | undefined
  previous: string | undefined
  isAtStart: boolean
  /** Of a list with words in its filter: how many rows the newest hits lead to. */
  found?: Total | undefined
  /** Rows beyond this were not looked at. */
  partial?: { scanned: number; backTo: number } | undefined
  /** Of the rows to leave out so many were passed, when there were too many. */
  skipped?: number | undefined
}

export type Range = { after: number | undefined; before: number | undefined; isNewestFirst: boolean }

/** What rows are found by. */
export interface Keys {
  column: string
  keys: readonly number[]
  /** Whether these are all that are wanted. */
  areAll: boolean
}

/** What finds the rows: a text, or keys. */
type Finder = { text: Words & { wanted: string } } | Keys | undefined

/** One page of a list, in its order. */
export async function readRows<R extends object>(
  source: Source,
  plan: ListPlan,
  page: PageRequest = {},
  numberOf: (row: R) => number,
): Promise<Rows<R>> {
  const { words } = plan
  const { finder, newest } = plan.keys ? { finder: plan.keys } : words ? await finderOf(source, plan, words) : {}
  const read = (asked: PageRequest) => readFound<R>(source, plan, finder, asked, numberOf)
  if (!words) return read(page)
  const left = finder ? { ...words, wanted: undefined } : words
  if (left.wanted === undefined && left.unwanted.length === 0) return read(page)
  return readJudged(source, left, page, limitOf(page), read, numberOf, newest)
}

async function finderOf(
  source: Source,
  { isNumberedByFirst }: ListPlan,
  words: Words,
): Promise<{ finder?: Finder; newest?: NewestHits }> {
  const { wanted, column } = words
  if (wanted === undefined) return {}
  if (isNumberedByFirst) return { finder: { text: { ...words, wanted } } }
  const found = await rareKeys(source, { ...words, wanted })
  return 'newest' in found ? found : { finder: { ...found, column, areAll: true } }
}

async function readFound<R extends object>(
  source: Source,
  plan: ListPlan,
  finder: Finder,
  page: PageRequest,
  numberOf: (row: R) => number,
): Promise<Rows<R>> {
  const limit = limitOf(page)
  const skip = Math.max(0, Math.floor(page.skip ?? 0))
  const isNewestFirst = page.order !== 'oldest'
  const range = { after: cursorOf(page.after), before: cursorOf(page.before), isNewestFirst }
  const most = plan.mostSkipped ?? (isInOneIndex(plan) ? MOST_SKIPPED : MOST_FOUND_AND_SKIPPED)
  if (skip > most) {
    // Only the last of those that are left out is wanted: the next call goes on behind it.
    const part = { limit: 1, skip: most - 1 }
    const { rows, ...passed } = await readRange<R>(source, plan, finder, range, part, numberOf)
    const [last] = rows
    if (!last) return { rows, ...passed }
    return { rows: [], next: String(numberOf(last)), previous: undefined, isAtStart: false, skipped: most }
  }
  return readRange(source, plan, finder, range, { limit, skip }, numberOf)
}

const limitOf = ({ limit }: PageRequest): number => Math.min(MOST_ROWS, Math.max(1, Math.floor(limit ?? USUAL_LIMIT)))

/** Whether one index has all rows of the list, in its order. */
function isInOneIndex({ conditions, isFiltered }: ListPlan): boolean {
  const choice = conditions.length === 1 ? conditions[0]?.choice : undefined
  return !isFiltered || (choice !== undefined && choice.values.length === 1 && choice.found.length === 0)
}

async function readRange<R extends object>(
  source: Source,
  plan: ListPlan,
  finder: Finder,
  range: Range,
  { limit, skip }: { limit: number; skip: number },
  numberOf: (row: R) => number,
): Promise<Rows<R>> {
  const { isNewestFirst } = range
  // Towards the start the rows next to the cursor are wanted: read the other way round.
  const isBackwards = range.before !== undefined && range.after === undefined
  const isDescending = isNewestFirst !== isBackwards
  let rows: R[]
  let end: End | undefined
  let counted: Total | undefined
  let skipped: number | undefined
  const bounds = boundsOf(plan, range)
  if (finder && 'keys' in finder) {
    const found = await readByKeys<R>(source, plan, finder, bounds, isDescending, numberOf)
    counted = { count: found.length, exact: bounds.length === 0 && finder.areAll }
    rows = found.slice(skip, skip + limit + 1)
  } else if (finder) {
    const beyond = isBackwards ? range.before : range.after
    const asked = { beyond, bounds, isDescending, limit: limit + 1 + skip }
    ;({ rows, end, found: counted } = await readByText<R>(source, plan, finder.text, asked, numberOf))
    if (end && skip > 0 && rows.length <= skip) skipped = rows.length
    rows = rows.slice(skip)
  } else {
    rows = plan.isFiltered ? await readWindow<R>(source, plan, range, isDescending, limit + 1, skip) : []
    if (rows.length <= limit) {
      if (plan.isFiltered && !(skip > 0 && isInOneIndex(plan))) {
        ;({ rows, end } = await readFiltered<R>(source, plan, range, isDescending, limit + 1 + skip, numberOf))
        if (end && skip > 0 && rows.length <= skip) skipped = rows.length
        rows = rows.slice(skip)
      } else rows = await read<R>(source, plan, bounds, isDescending, limit + 1, skip)
    }
  }
  const hasMore = rows.length > limit || end !== undefined
  const found = rows.slice(0, limit)
  if (isBackwards) found.reverse()
  const [first, last] = [found[0], found.at(-1)]
  const isStartKnown = isBackwards ? !hasMore : range.after === undefined && skip === 0
  const isCut = end !== undefined && !isBackwards
  const from = isCut ? end?.number : last && (isBackwards || hasMore) ? numberOf(last) : undefined
  return {
    rows: found,
    next: from === undefined ? undefined : String(from),
    previous: first && String(numberOf(first)),
    isAtStart: isStartKnown,
    found: counted,
    ...(isCut && end ? { partial: { scanned: end.scanned, backTo: end.backTo } } : {}),
    ...maybe('skipped', skipped),
  }
}

/** All rows with one of a few keys. They are chosen first and judged then: an index of some other condition would fetch all that has it. */
async function readByKeys<R extends object>(
  source: Source,
  { from, conditions }: ListPlan,
  { keys, column }: Keys,
  bounds: readonly Sql[],
  isDescending: boolean,
  numberOf: (row: R) => number,
): Promise<R[]> {
  if (keys.length === 0) return []
  const [table, name] = from.split(' ')
  const others = and([...bounds, ...conditions])
  const rows = await source.database.all<R>(
    `SELECT * FROM (SELECT * FROM ${table} ${name} WHERE ${column} IN (${keys.join(', ')}) LIMIT ${MOST_BY_KEYS}) ${name} WHERE ${others.text}`,
    others.values,
  )
  const sign = isDescending ? -1 : 1
  return rows.sort((a, b) => sign * (numberOf(a) - numberOf(b)))
}

/** What a filter finds: in the window, which has been tried, and beyond it where the times it asks for are. */
async function readFiltered<R extends object>(
  source: Source,
  plan: ListPlan,
  range: Range,
  isDescending: boolean,
  limit: number,
  numberOf: (row: R) => number,
): Promise<{ rows: R[]; end: End | undefined }> {
  const bounds = boundsOf(plan, range)
  const places = await placesOf(source, plan)
  const beyond = await readBeyond<R>(source, plan, bounds, isDescending, limit, numberOf, places)
  if (places.length === 0) return beyond
  // What was brought from elsewhere is newer by its number than by its time: of that the window has the newest.
  const near = await readWindow<R>(source, plan, range, isDescending, limit, 0)
  const byNumber = new Map([...near, ...beyond.rows].map(row => [numberOf(row), row]))
  const sign = isDescending ? -1 : 1
  const rows = [...byNumber.values()].sort((a, b) => sign * (numberOf(a) - numberOf(b)))
  return { rows: rows.slice(0, limit), end: rows.length >= limit ? undefined : beyond.end }
}

async function readWindow<R extends object>(
  source: Source,
  plan: ListPlan,
  range: Range,
  isDescending: boolean,
  limit: number,
  skip: number,
): Promise<R[]> {
  const bounds = boundsOf(plan, range)
  const edges = and(bounds)
  const end = await source.one<{ edge: number | null }>(
    `SELECT ${isDescending ? 'max' : 'min'}(${plan.number}) AS edge FROM ${plan.from} WHERE ${edges.text}`,
    edges.values,
  )
  if (typeof end?.edge !== 'number') return []
  const width = plan.window ?? WINDOW
  const edge = isDescending ? sql(`${plan.number} > ?`, end.edge - width) : sql(`${plan.number} < ?`, end.edge + width)
  return read<R>(source, plan, [...bounds, edge], isDescending, limit, skip, true)
}

export function read<R extends object>(
  source: Source,
  { from, number, conditions }: ListPlan,
  bounds: readonly Sql[],
  isDescending: boolean,
  limit: number,
  skip: number,
  isWindow = false,
): Promise<R[]> {
  const where = and([...bounds, ...conditions])
  // In the window the rows are few and in order already; an index of some condition would fetch all that has it.
  const only = isWindow && source.database.dialect === 'sqlite' && number.endsWith('.id') ? ' NOT INDEXED' : ''
  const values: Cell[] = [...where.values, limit, skip]
  return source.database.all<R>(
    `SELECT * FROM ${from}${only} WHERE ${where.text} ORDER BY ${number} ${isDescending ? 'DESC' : 'ASC'} LIMIT ? OFFSET ?`,
    values,
  )
}

function boundsOf({ number }: ListPlan, { after, before, isNewestFirst }: Range): Sql[] {
  const bounds: Sql[] = []
  if (after !== undefined) bounds.push(sql(`${number} ${isNewestFirst ? '<' : '>'} ?`, after))
  if (before !== undefined) bounds.push(sql(`${number} ${isNewestFirst ? '>' : '<'} ?`, before))
  return bounds
}

/** A cursor is the number of a record; anything else never came from here. */
export function cursorOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  if (!/^\d{1,15}$/.test(cursor)) throw cursorInvalid(cursor)
  return Number(cursor)
}

/** The page that rows make. They are counted only where there may be others. */
export async function pageOf<T>(
  { rows, next, previous, isAtStart, found, partial, skipped }: Rows<object>,
  items: Page<T>['items'],
  count: () => Promise<Total>,
): Promise<Page<T>> {
  const isWhole = isAtStart && next === undefined && found?.exact !== false
  const total = isWhole ? { count: rows.length, exact: true } : await count()
  return {
    items,
    ...maybe('next', next),
    ...maybe('previous', previous),
    total,
    ...maybe('partial', partial),
    ...maybe('skipped', skipped),
  }
}

/** How many rows there are: exactly when they all lie in the window, else how many of the newest are, and no fewer than are
 *  shown. */
export async function countRows(source: Source, plan: ListPlan, shown?: Rows<object>): Promise<Total> {
  if (shown?.found) return shown.found
  const { from, number, conditions } = plan
  const ends = await source.one<{ least: number | null; most: number | null }>(
    `SELECT (SELECT min(${number}) FROM ${from}) AS least, (SELECT max(${number}) FROM ${from}) AS most`,
    [],
  )
  if (typeof ends?.most !== 'number' || typeof ends.least !== 'number') return { count: 0, exact: true }
  const isWhole = ends.most - ends.least < WINDOW
  const where = and([...(isWhole ? [] : [sql(`${number} > ?`, ends.most - WINDOW)]), ...conditions])
  const only = source.database.dialect === 'sqlite' && number.endsWith('.id') ? ' NOT INDEXED' : ''
  const found = await source.one<{ count: number }>(
    `SELECT count(*) AS count FROM ${from}${only} WHERE ${where.text}`,
    where.values,
  )
  return { count: Math.max(shown?.rows.length ?? 0, found?.count ?? 0), exact: isWhole }
}

/** Numbers that are kept beside the rows. */
export async function keptCount(source: Source, names: readonly string[], scope: Sql): Promise<number> {
  const found = await source.one<{ count: number | null }>(
    `SELECT sum(count) AS count FROM counts WHERE minute = 0 AND name IN (${names.map(() => '?').join(', ')}) AND ${scope.text}`,
    [...names, ...scope.values],
  )
  return Number(found?.count ?? 0)
}
