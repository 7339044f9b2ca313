import type { RecordRow } from '../database/rows.ts'
import { HitCursor } from './hit-cursor.ts'

/** So many of the next records PostgreSQL looks through in order before its index is asked: the index tells all records with a word at
 *  once, and each of them is fetched. */
const LOOKED_THROUGH = 4000
/** Of a text whose words so many of those have it looks through more of them, so many at once; the index is not asked at all. */
const [FREQUENT, LOOKED_THROUGH_AT_ONCE] = [12, 12_000]
/** Nor is it when it has more records with the words than this: they may be frequent further back, or rare in very many records. */
const MOST_FETCHED = 4000
/** So many it looks through in one call, and in all. */
const [MOST_IN_A_CALL, MOST_LOOKED_THROUGH] = [16_000, 40_000]

/** PostgreSQL's index knows no order: records are looked through, and the index is asked for what is rare. */
export class SoughtHits extends HitCursor {
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

  /** The index knows which records have the words of a phrase, not whether they stand side by side. */
  async #isFrequent(near: number): Promise<boolean> {
    if (near >= FREQUENT) return true
    const words = this.match.replaceAll(' <-> ', ' & ')
    const rest = this.rest('id')
    const nearby = await this.source.one<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT words FROM docs WHERE ${rest.text} ORDER BY id ${this.order} LIMIT ${LOOKED_THROUGH}) d
        WHERE d.words @@ ?::tsquery`,
      [...rest.values, words],
    )
    if ((nearby?.count ?? 0) >= FREQUENT) return true
    const fetched = await this.source.one<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT FROM docs WHERE words @@ ?::tsquery AND ${rest.text} LIMIT ${MOST_FETCHED + 1}) d`,
      [words, ...rest.values],
    )
    return (fetched?.count ?? 0) > MOST_FETCHED
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
