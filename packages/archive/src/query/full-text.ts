import { wordsOf } from '../words.ts'
import type { TextTerm } from './query.ts'
import { type Dialect, type Sql, sql } from './sql.ts'

/** So many of the newest hits of a text are looked at when it is one filter among others. */
export const MOST_HITS = 10_000

/** What the database's own full text search is asked; undefined when there is no word in it. A word that ends in `*` is a
 *  beginning; the last word of a phrase too. */
export function matchText(dialect: Dialect, terms: readonly Pick<TextTerm, 'text' | 'isPhrase'>[]): string | undefined {
  const parts: string[] = []
  for (const { text, isPhrase } of terms) {
    const words = wordsOf(text)
    if (words.length === 0) continue
    const isPrefix = !isPhrase && text.endsWith('*')
    // What is one word for a person (`cache-7`) is several here, which then stand side by side.
    if (dialect === 'sqlite') parts.push(`"${words.join(' ')}"${isPrefix ? '*' : ''}`)
    else parts.push(words.map((word, i) => `'${word}'${isPrefix && i === words.length - 1 ? ':*' : ''}`).join(' <-> '))
  }
  if (parts.length === 0) return undefined
  return dialect === 'sqlite' ? parts.join(' AND ') : parts.map(part => `(${part})`).join(' & ')
}

/** The numbers of the records that have it, newest first. */
export function hits(dialect: Dialect, match: string, where: Sql, order: 'ASC' | 'DESC', limit: number): Sql {
  if (dialect === 'sqlite') {
    const more = where.text.replaceAll(/\bid\b/g, 'rowid')
    return sql(
      `SELECT rowid AS id FROM docs WHERE docs MATCH ? AND ${more} ORDER BY rowid ${order} LIMIT ${limit}`,
      match,
      ...where.values,
    )
  }
  return sql(
    `SELECT id FROM docs WHERE words @@ ?::tsquery AND ${where.text} ORDER BY id ${order} LIMIT ${limit}`,
    match,
    ...where.values,
  )
}

/** The `column` (`trace`, `run`, `object`, `id`) of the records that have it. */
export function recordsWith(dialect: Dialect, column: string, match: string): Sql {
  const found = hits(dialect, match, sql('1 = 1'), 'DESC', MOST_HITS)
  if (column === 'id') return sql(`SELECT f.id FROM (${found.text}) f`, ...found.values)
  return sql(`SELECT t.${column} FROM (${found.text}) f JOIN records t ON t.id = f.id`, ...found.values)
}
