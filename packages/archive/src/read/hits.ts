import type { RecordRow } from '../database/rows.ts'
import type { Sql } from '../query/sql.ts'
import { OrderedHits } from './ordered-hits.ts'
import { SoughtHits } from './sought-hits.ts'
import type { Source } from './source.ts'
import { hitsByTheirWords, WideHits } from './wide-hits.ts'
import { beginningsOf, withWords } from './word-beginnings.ts'

/** So many words with the same beginning are each asked for. */
const MOST_WORDS = 100
/** Records with so many numbers are looked at together, and so many others each by itself. */
const [NEAR_TOGETHER, MOST_APART] = [20_000, 200]
/** So many are read when only their texts tell. */
const MOST_READ = 500
/** With fewer records than this FTS5 has soon put all places of all words together. */
const FEW_RECORDS = 100_000

export interface HitRequest {
  /** On the record (`t`). */
  conditions?: readonly Sql[]
  /** Only those beyond this record, in the order asked for. */
  beyond?: number | undefined
  isDescending?: boolean
}

/** Reads the records that have a text, in their order, some at a time. */
export interface HitReader {
  /** All hits up to this record have been told. */
  readonly end: number | undefined
  /** There are no others. */
  readonly isWhole: boolean
  /** Enough was looked at: what follows is for another call. */
  readonly isTired: boolean
  /** At most so many of the next ones. Fewer also when they are far apart. */
  next(most: number): Promise<RecordRow[]>
}

/** `match` has whole words, where it can (`withWholeWords`). */
export async function readHits(source: Source, match: string, request: HitRequest): Promise<HitReader> {
  if (source.database.dialect !== 'sqlite') return new SoughtHits(source, match, request)
  return (await isWide(source, match)) ? new WideHits(source, match, request) : new OrderedHits(source, match, request)
}

async function isWide({ database }: Source, match: string): Promise<boolean> {
  if (beginningsOf(match).length === 0) return false
  const [ends] = await database.all<{ count: number | null }>(
    'SELECT (SELECT max(id) FROM docs_docsize) - (SELECT min(id) FROM docs_docsize) AS count',
  )
  return (ends?.count ?? 0) > FEW_RECORDS
}

/** Those of some records that have a text. */
export async function hitsAmong(source: Source, match: string, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const { database } = source
  const sorted = ids.toSorted((a, b) => a - b)
  if (database.dialect !== 'sqlite') {
    const found = await database.all<{ id: number }>(
      `SELECT d.id FROM (SELECT id, words FROM docs WHERE id IN (${sorted.join(', ')}) OFFSET 0) d WHERE d.words @@ ?::tsquery`,
      [match],
    )
    return new Set(found.map(({ id }) => id))
  }
  if (await isWide(source, match)) {
    const records = await database.all<RecordRow>(
      `SELECT t.* FROM docs_docsize d CROSS JOIN records t ON t.id = d.id WHERE d.id IN (${sorted.slice(0, MOST_READ).join(', ')})`,
    )
    return hitsByTheirWords(source, match, records)
  }
  // Mostly they lie together, and one statement goes through them. For each of the others FTS5 begins anew.
  const [first = 0] = sorted
  const near = first + NEAR_TOGETHER
  const others = sorted.filter(id => id > near).slice(0, MOST_APART)
  const found = [
    // From the newest on, as pages mostly are among the newest.
    ...(await database.all<{ id: number }>(
      'SELECT rowid AS id FROM docs WHERE docs MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC',
      [match, first, Math.min(near, sorted.at(-1) ?? 0)],
    )),
    ...(await database.all<{ id: number }>(
      `SELECT rowid AS id FROM docs WHERE docs MATCH ? AND rowid IN (${others.join(', ')})`,
      [match],
    )),
  ]
  return new Set(found.map(({ id }) => id))
}

/** Beginnings of words as the words that there are. Those of very many words stay, and SQLite has to be asked for them in another way. */
export async function withWholeWords({ database }: Source, match: string): Promise<string> {
  if (!database.wordsFrom) return match
  let whole = match
  for (const last of beginningsOf(match)) {
    const words = await database.wordsFrom(last, MOST_WORDS + 1)
    if (words.length <= MOST_WORDS) whole = withWords(whole, last, words)
  }
  return whole
}
