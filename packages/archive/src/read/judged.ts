import type { PageRequest } from '../archive.ts'
import type { Words } from '../query/compile.ts'
import { isOneOf, type Sql } from '../query/sql.ts'
import { hitsAmong, readHits, withWholeWords } from './hits.ts'
import type { Rows } from './list.ts'
import { type RowRecord, recordsOf } from './row-records.ts'
import type { Source } from './source.ts'

/** When some of a page have to go, so many rows more are read, then so many, and so on. */
const READ_MORE = [100, 400, 500]
/** The records of so many rows are looked at together. */
const ROWS_AT_ONCE = 250
/** A text that no more records have is rare: the rows that they lead to are few. */
const RARE = 300
/** So many hits are read one after the other, rather than the records of each row. */
const [MOST_HITS, HITS_AT_ONCE] = [4000, 1000]

/** Rows with the words that must be in their records, and without those that must not. */
export async function judge<R extends object>(
  source: Source,
  words: Words | undefined,
  rows: readonly R[],
  {
    since,
    newest,
  }: {
    /** No record of theirs is older than this one. */
    since?: number | undefined
    /** Hits of what is wanted that were looked at already. */
    newest?: NewestHits | undefined
  } = {},
): Promise<R[]> {
  if (!words) return [...rows]
  const finder = async (match: string, known?: NewestHits): Promise<RowFinder> => {
    const whole = await withWholeWords(source, match)
    const keys = since === undefined ? undefined : await keysSince(source, words, whole, since)
    if (keys) return async () => keys
    if (known) return rows => keysWith(source, words, whole, rows, known)
    return async (_, records) => keysAmong(source, words, whole, await records())
  }
  const wanted = words.wanted === undefined ? undefined : await finder(words.wanted, newest)
  const unwanted = await Promise.all(words.unwanted.map(match => finder(match)))
  const kept: R[] = []
  for (let i = 0; i < rows.length; i += ROWS_AT_ONCE) {
    const some = rows.slice(i, i + ROWS_AT_ONCE)
    const keys = some.map(row => keyOf(words, row))
    const records = once(() => recordsOf(source, words.of, keys))
    const right = await wanted?.(keys, records)
    const wrong = await Promise.all(unwanted.map(find => find(keys, records)))
    for (const row of some) {
      const key = keyOf(words, row)
      if ((right?.has(key) ?? true) && !wrong.some(keys => keys.has(key))) kept.push(row)
    }
  }
  return kept
}

/** Which of the rows with these keys, and these records, have a text. */
type RowFinder = (keys: readonly number[], records: () => Promise<readonly RowRecord[]>) => Promise<ReadonlySet<number>>

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

async function keysAmong(
  source: Source,
  { reach }: Words,
  match: string,
  records: readonly RowRecord[],
): Promise<Set<number>> {
  const found = await hitsAmong(
    source,
    match,
    records.map(({ id }) => id),
    reach,
  )
  return new Set(records.filter(({ id }) => found.has(id)).map(({ key }) => key))
}

/** Where no hit among the newest leads to a row, its older records are looked at. */
async function keysWith(
  source: Source,
  words: Words,
  match: string,
  keys: readonly number[],
  newest: NewestHits,
): Promise<ReadonlySet<number>> {
  const left = keys.filter(key => !newest.keys.has(key))
  const older = await recordsOf(source, words.of, left, newest.since)
  return new Set([...newest.keys, ...(await keysAmong(source, words, match, older))])
}

/** All keys that the hits from a record on lead to; undefined when there are very many hits. */
async function keysSince(
  source: Source,
  { of, reach }: Words,
  match: string,
  since: number,
): Promise<ReadonlySet<number> | undefined> {
  const hits = await readHits(source, match, { conditions: reach })
  const keys = new Set<number>()
  for (let left = MOST_HITS; left > 0 && !hits.isTired; left -= HITS_AT_ONCE) {
    for (const record of await hits.next(HITS_AT_ONCE)) {
      const key = record[of]
      if (record.id >= since && key !== null) keys.add(key)
    }
    if (hits.isWhole || (hits.end ?? 0) < since) return keys
  }
  return undefined
}

/** What all hits from a record on lead to. */
export interface NewestHits {
  keys: ReadonlySet<number>
  since: number
}

/** The keys of all rows with a rare text; of one that is not rare, its newest hits. */
export async function rareKeys(
  source: Source,
  { wanted, of, records }: Words & { wanted: string },
): Promise<{ keys: number[] } | { newest: NewestHits }> {
  const hits = await readHits(source, await withWholeWords(source, wanted), { conditions: records })
  const found = await hits.next(RARE + 1)
  const keys = new Set(found.map(record => record[of]).filter(key => key !== null))
  if (hits.isWhole) return { keys: [...keys] }
  return { newest: { keys, since: hits.end ?? Number.MAX_SAFE_INTEGER } }
}

/** A condition that those of some rows meet which the words choose. */
export async function chosenByWords<R extends object>(
  source: Source,
  words: Words | undefined,
  rows: () => Promise<readonly R[]>,
  sinceOf?: (row: R) => number,
): Promise<Sql[]> {
  if (!words) return []
  const all = await rows()
  const since = sinceOf && Math.min(...all.map(sinceOf))
  const chosen = await judge(source, words, all, { since })
  return [isOneOf(words.column, [...new Set(chosen.map(row => keyOf(words, row)))])]
}

/** A page of those that `read` finds which the words choose: they are looked at until there are enough of them. */
export async function readJudged<R extends object>(
  source: Source,
  words: Words,
  page: PageRequest,
  limit: number,
  read: (page: PageRequest) => Promise<Rows<R>>,
  numberOf: (row: R) => number,
  newest?: NewestHits,
): Promise<Rows<R>> {
  const first = await read(page)
  if (first.skipped !== undefined) return first
  const rows = await judge(source, words, first.rows, { newest })
  let last = first
  let scanned = first.rows.length
  // Towards the start a page may be short: nothing is left out by that.
  const isBackwards = page.before !== undefined && page.after === undefined
  const { before: _before, skip: _skip, ...onwards } = page
  for (const more of READ_MORE) {
    if (isBackwards || rows.length >= limit || last.next === undefined) break
    last = await read({ ...onwards, after: last.next, limit: more })
    rows.push(...(await judge(source, words, last.rows, { newest })))
    scanned += last.rows.length
  }
  const shown = rows.slice(0, limit)
  const next = rows.length > limit ? String(numberOf(shown.at(-1) as R)) : last.next
  const { partial: _partial, ...rest } = first
  const isShort = shown.length < limit && next !== undefined && !isBackwards
  const backTo = last.partial?.backTo ?? timeOf(last.rows.at(-1) ?? first.rows.at(-1))
  return {
    ...rest,
    rows: shown,
    next,
    found: { count: shown.length, exact: first.isAtStart && next === undefined },
    ...(isShort ? { partial: { scanned, backTo } } : {}),
  }
}

/** `e.trace` is the row's `trace`. */
function keyOf({ column }: Words, row: object): number {
  return (row as Record<string, number>)[column.slice(column.indexOf('.') + 1)] as number
}

function timeOf(row: { at?: number; last_at?: number } | undefined): number {
  return row?.at ?? row?.last_at ?? 0
}
