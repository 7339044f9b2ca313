import type { RecordRow } from '../database/rows.ts'
import { wordMatch } from '../query/word-match.ts'
import { HitCursor } from './hit-cursor.ts'
import type { HitRequest } from './hits.ts'
import { OrderedHits } from './ordered-hits.ts'
import { wordsOfRecords } from './record-texts.ts'
import type { Source } from './source.ts'

/** So many records are read at once, and in all; when so few of them are hits, the index has few. */
const [FIRST_READ, MOST_READ_AT_ONCE, MOST_READ, FREQUENT] = [100, 400, 2000, 50]

/** Hits of a beginning that very many words have. FTS5 would put together all places of all of them before it tells the first. So records are
 *  read, and looked at here, until it is known that there are few hits. */
export class WideHits extends HitCursor {
  readonly #request: HitRequest
  #read = 0
  #hits = 0
  #far: OrderedHits | undefined

  constructor(source: Source, match: string, request: HitRequest) {
    super(source, match, request)
    this.#request = request
  }

  async next(most: number): Promise<RecordRow[]> {
    const rows: RecordRow[] = []
    while (rows.length < most && !this.isWhole && !this.isTired && !this.#far) {
      const count = this.#read === 0 ? FIRST_READ : MOST_READ_AT_ONCE
      const near = await this.#nextRecords(count)
      const last = near.at(-1)
      const found = last ? await this.#among(near, most - rows.length) : []
      rows.push(...found)
      if (rows.length >= most) this.end = rows.at(-1)?.id
      else {
        this.end = last?.id ?? this.end
        this.isWhole = near.length < count
        this.#read += near.length
        if (this.#read < MOST_READ) continue
        if (this.#hits >= FREQUENT) this.isTired = true
        else this.#far = new OrderedHits(this.source, this.match, { ...this.#request, beyond: this.end })
      }
    }
    if (!this.#far || rows.length >= most) return rows
    rows.push(...(await this.#far.next(most - rows.length)))
    ;({ end: this.end, isWhole: this.isWhole } = this.#far)
    return rows
  }

  /** Only those that can be found by words at all. */
  #nextRecords(count: number): Promise<RecordRow[]> {
    const rest = this.rest('d.id')
    return this.source.database.all<RecordRow>(
      `SELECT t.* FROM docs_docsize d CROSS JOIN records t ON t.id = d.id WHERE ${rest.text} ORDER BY d.id ${this.order} LIMIT ${count}`,
      rest.values,
    )
  }

  async #among(records: readonly RecordRow[], most: number): Promise<RecordRow[]> {
    const hits = await hitsByTheirWords(this.source, this.match, records)
    this.#hits += hits.size
    if (hits.size === 0) return []
    return this.source.database.all<RecordRow>(
      `SELECT * FROM records t WHERE t.id IN (${[...hits].join(', ')}) AND ${this.where.text} ORDER BY t.id ${this.order} LIMIT ${most}`,
      this.where.values,
    )
  }
}

/** Those of some records that the index has, and that a text with beginnings of words finds. */
export async function hitsByTheirWords(
  source: Source,
  match: string,
  records: readonly RecordRow[],
): Promise<Set<number>> {
  const isHit = wordMatch(match)
  const texts = await wordsOfRecords(source, records)
  return new Set(records.filter((_, i) => isHit(texts[i] ?? [])).map(({ id }) => id))
}
