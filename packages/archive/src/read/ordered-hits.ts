import type { RecordRow } from '../database/rows.ts'
import { FTS5_NUMBER, HitCursor } from './hit-cursor.ts'

/** So many hits are looked at when only some of them are wanted. */
const MOST_HITS = 4000

/** FTS5 gives its hits in order, one by one. */
export class OrderedHits extends HitCursor {
  async next(most: number): Promise<RecordRow[]> {
    const rest = this.rest('rowid', FTS5_NUMBER)
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
