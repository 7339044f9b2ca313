import type { RecordRow } from '../database/rows.ts'
import { and, type Sql, sql, TRUE } from '../query/sql.ts'
import type { Source } from './source.ts'

/** So many hits are looked at when only some of them are wanted. */
const MOST_HITS = 4000
/** So many of the next records PostgreSQL looks through in order before its index is asked: the index tells all hits of a word at once,
 *  which are too many of a frequent one. */
const LOOKED_THROUGH = 4000
/** Of a text that so many of those have it looks through more of them, so many at once; the index is not asked at all. */
const [FREQUENT, LOOKED_THROUGH_AT_ONCE] = [12, 12_000]
/** So many it looks through in one call, and in all. */
const [MOST_IN_A_CALL, MOST_LOOKED_THROUGH] = [16_000, 40_000]

/** So many words with the same beginning are each asked for. */
const MOST_WORDS = 100

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
export function readHits(source: Source, match: string, request: HitRequest): HitReader {
  return source.database.dialect === 'sqlite'
    ? new OrderedHits(source, match, request)
    : new SoughtHits(source, match, request)
}

/** Those of a few records that have a text. */
export async function hitsAmong({ database }: Source, match: string, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const some = `(${ids.join(', ')})`
  const found = await database.all<{ id: number }>(
    database.dialect === 'sqlite'
      ? `SELECT rowid AS id FROM docs WHERE docs MATCH ? AND rowid IN ${some}`
      : `SELECT d.id FROM (SELECT id, words FROM docs WHERE id IN ${some} OFFSET 0) d WHERE d.words @@ ?::tsquery`,
    [match],
  )
  return new Set(found.map(({ id }) => id))
}

/** Beginnings of words as the words that there are. Of very many the database finds them by itself, which takes it longer the more
 *  hits they have. */
export async function withWholeWords({ database }: Source, match: string): Promise<string> {
  if (!database.wordsFrom) return match
  let whole = match
  for (const [beginning, text = ''] of match.matchAll(/"([^"]*)"\*/g)) {
    const [, before = '', last = ''] = /^(.* )?(.*)$/.exec(text) ?? []
    const words = await database.wordsFrom(last, MOST_WORDS + 1)
    if (words.length <= MOST_WORDS)
      whole = whole.replace(
        beginning,
        `(${(words.length === 0 ? [last] : words).map(word => `"${before}${word}"`).join(' OR ')})`,
      )
  }
  return whole
}

abstract class Hits implements HitReader {
  end: number | undefined
  isWhole = false
  isTired = false
  protected readonly source: Source
  protected readonly match: string
  protected readonly where: Sql
  protected readonly isConditional: boolean
  protected readonly order: 'ASC' | 'DESC'

  constructor(source: Source, match: string, { conditions = [], beyond, isDescending = true }: HitRequest) {
    this.source = source
    this.match = match
    this.where = and(conditions)
    this.isConditional = conditions.length > 0
    this.order = isDescending ? 'DESC' : 'ASC'
    this.end = beyond
  }

  abstract next(most: number): Promise<RecordRow[]>

  /** Beyond what was told. */
  protected rest(column: string): Sql {
    return this.end === undefined ? TRUE : sql(`${column} ${this.order === 'DESC' ? '<' : '>'} ?`, this.end)
  }
}

/** FTS5 gives its hits in order, one by one. */
class OrderedHits extends Hits {
  async next(most: number): Promise<RecordRow[]> {
    const rest = this.rest('rowid')
    const hits = `SELECT rowid AS id FROM docs WHERE docs MATCH ? AND ${rest.text} ORDER BY rowid ${this.order}`
    const looked = this.isConditional ? MOST_HITS : most
    const rows = await this.source.database.all<RecordRow>(
      `SELECT t.* FROM (${hits} LIMIT ${looked}) d CROSS JOIN records t ON t.id = d.id WHERE ${this.where.text} LIMIT ${most}`,
      [this.match, ...rest.values, ...this.where.values],
    )
    if (rows.length >= most) this.end = rows.at(-1)?.id
    else {
      const last = this.isConditional
        ? await this.source.one<{ id: number }>(`${hits} LIMIT 1 OFFSET ${looked - 1}`, [this.match, ...rest.values])
        : undefined
      this.isWhole = last === undefined
      this.end = last?.id ?? this.end
    }
    return rows
  }
}

/** PostgreSQL's index knows no order: records are looked through, and the index is asked for what is rare. */
class SoughtHits extends Hits {
  #looked = 0
  /** Undefined until some were looked through. */
  #isRare: boolean | undefined

  async next(most: number): Promise<RecordRow[]> {
    if (this.#isRare) return this.#byIndex(most)
    const rows: RecordRow[] = []
    for (let inCall = 0; inCall < MOST_IN_A_CALL && !this.isTired; ) {
      const count = this.#isRare === undefined ? LOOKED_THROUGH : LOOKED_THROUGH_AT_ONCE
      const near = await this.#near(count, most - rows.length)
      rows.push(...near)
      if (rows.length >= most) {
        this.end = rows.at(-1)?.id
        break
      }
      this.#isRare ??= !(await this.#isFrequent(near.length))
      if (this.#isRare) return this.#byIndex(most)
      const last = await this.#lastOf(count)
      this.isWhole = last === undefined
      if (last === undefined) break
      this.end = last
      inCall += count
      this.#looked += count
      this.isTired = this.#looked >= MOST_LOOKED_THROUGH
    }
    return rows
  }

  #near(count: number, most: number): Promise<RecordRow[]> {
    const rest = this.rest('id')
    return this.source.database.all<RecordRow>(
      `SELECT t.* FROM (SELECT id, words FROM docs WHERE ${rest.text} ORDER BY id ${this.order} LIMIT ${count}) d
        JOIN records t ON t.id = d.id WHERE d.words @@ ?::tsquery AND ${this.where.text} ORDER BY d.id ${this.order} LIMIT ${most}`,
      [...rest.values, this.match, ...this.where.values],
    )
  }

  /** Without other conditions what was found nearby tells. */
  async #isFrequent(near: number): Promise<boolean> {
    if (!this.isConditional || near >= FREQUENT) return near >= FREQUENT
    const rest = this.rest('id')
    const found = await this.source.one<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT words FROM docs WHERE ${rest.text} ORDER BY id ${this.order} LIMIT ${LOOKED_THROUGH}) d
        WHERE d.words @@ ?::tsquery`,
      [...rest.values, this.match],
    )
    return (found?.count ?? 0) >= FREQUENT
  }

  async #lastOf(count: number): Promise<number | undefined> {
    const rest = this.rest('id')
    const last = await this.source.one<{ id: number }>(
      `SELECT id FROM docs WHERE ${rest.text} ORDER BY id ${this.order} LIMIT 1 OFFSET ${count - 1}`,
      rest.values,
    )
    return last?.id
  }

  /** Materialized, or the planner would rather walk through all records in order and look for the word in each. */
  async #byIndex(most: number): Promise<RecordRow[]> {
    const rest = this.rest('id')
    const some = this.isConditional ? '' : `ORDER BY id ${this.order} LIMIT ${most}`
    const rows = await this.source.database.all<RecordRow>(
      `WITH found AS MATERIALIZED (SELECT id FROM docs WHERE words @@ ?::tsquery AND ${rest.text})
        SELECT t.* FROM (SELECT id FROM found ${some}) d JOIN records t ON t.id = d.id
        WHERE ${this.where.text} ORDER BY d.id ${this.order} LIMIT ${most}`,
      [this.match, ...rest.values, ...this.where.values],
    )
    this.isWhole = rows.length < most
    this.end = rows.at(-1)?.id ?? this.end
    return rows
  }
}
