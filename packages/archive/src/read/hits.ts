import type { RecordRow } from '../database/rows.ts'
import { and, type Sql } from '../query/sql.ts'
import { FTS5_NUMBER } from './hit-cursor.ts'
import { OrderedHits } from './ordered-hits.ts'
import { SoughtHits } from './sought-hits.ts'
import type { Source } from './source.ts'
import { hitsByTheirWords, WideHits } from './wide-hits.ts'
import { beginningsOf, withWords } from './word-beginnings.ts'

/** So many words with the same beginning are each asked for. */
const MOST_WORDS = 100
/** Records with no more than so many numbers between them are looked at together. */
const NEAR_TOGETHER = 1000
/** So many hits between the first record and the last are looked at before those that lie together are. */
const LOOKED_AT_FIRST = 400
/** So many are read at once when only their texts tell. */
const READ_AT_ONCE = 500
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

/** Those of some records that have a text, and of which the conditions hold. */
export async function hitsAmong(
  source: Source,
  match: string,
  ids: readonly number[],
  conditions: readonly Sql[],
): Promise<Set<number>> {
  const found = await foundAmong(source, match, ids)
  if (conditions.length === 0 || found.size === 0) return found
  const where = and(conditions)
  const rows = await source.database.all<{ id: number }>(
    `SELECT t.id AS id FROM records t WHERE t.id IN (${[...found].join(', ')}) AND ${where.text}`,
    where.values,
  )
  return new Set(rows.map(({ id }) => id))
}

async function foundAmong(source: Source, match: string, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const sorted = ids.toSorted((a, b) => a - b)
  if (source.database.dialect !== 'sqlite') return hitsAmongDocs(source, match, sorted)
  const [asked, found] = [new Set(ids), new Set<number>()]
  if (await isWide(source, match)) {
    for (let i = 0; i < sorted.length; i += READ_AT_ONCE) {
      const records = await source.database.all<RecordRow>(
        `SELECT t.* FROM docs_docsize d CROSS JOIN records t ON t.id = d.id WHERE d.id IN (${sorted.slice(i, i + READ_AT_ONCE).join(', ')})`,
      )
      for (const id of await hitsByTheirWords(source, match, records)) found.add(id)
    }
    return found
  }
  const look = async ([first, last]: Place, most?: number) => {
    const hits = await source.database.all<{ id: number }>(
      `SELECT rowid AS id FROM docs WHERE docs MATCH ? AND rowid BETWEEN ${FTS5_NUMBER} AND ${FTS5_NUMBER}
        ${most === undefined ? '' : `ORDER BY rowid LIMIT ${most}`}`,
      [match, first, last],
    )
    for (const { id } of hits) if (asked.has(id)) found.add(id)
    return hits
  }
  let places = placesOf(sorted)
  // Each question costs as much as some hundred hits: of a rare text all are soon told.
  if (places.length > 1) {
    const hits = await look([sorted[0] as number, sorted.at(-1) as number], LOOKED_AT_FIRST)
    const last = hits.at(-1)
    if (!last || hits.length < LOOKED_AT_FIRST) return found
    places = placesOf(sorted.filter(id => id > last.id))
  }
  for (const place of places) await look(place)
  return found
}

type Place = [first: number, last: number]

async function hitsAmongDocs({ database }: Source, match: string, ids: readonly number[]): Promise<Set<number>> {
  const found = await database.all<{ id: number }>(
    `SELECT d.id FROM (SELECT id, words FROM docs WHERE id IN (${ids.join(', ')}) OFFSET 0) d WHERE d.words @@ ?::tsquery`,
    [match],
  )
  return new Set(found.map(({ id }) => id))
}

/** The first and the last number of those that lie together. */
function placesOf(sorted: readonly number[]): Place[] {
  const places: Place[] = []
  for (const id of sorted) {
    const place = places.at(-1)
    if (place && id - place[1] <= NEAR_TOGETHER) place[1] = id
    else places.push([id, id])
  }
  return places
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
