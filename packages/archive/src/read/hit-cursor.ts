import type { RecordRow } from '../database/rows.ts'
import { and, type Sql, sql, TRUE } from '../query/sql.ts'
import type { HitReader, HitRequest } from './hits.ts'
import type { Source } from './source.ts'

/** A whole number for FTS5: of a JavaScript number, which is bound as one that may have a fraction, it takes no notice, and goes through all
 *  hits of a word to find those in a range. */
export const FTS5_NUMBER = 'CAST(? AS INTEGER)'

/** What all readers of hits have: where they are, and what they look for. */
export abstract class HitCursor implements HitReader {
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
  protected rest(column: string, number = '?'): Sql {
    if (this.end === undefined) return TRUE
    return sql(`${column} ${this.order === 'DESC' ? '<' : '>'} ${number}`, this.end)
  }
}
