import { and, type Dialect, or, type Sql, sql } from './sql.ts'

/** What SQLite's full text search is asked (`matchText`), for texts that are at hand. */
export type WordMatch = (words: readonly string[]) => boolean

interface Phrase {
  words: readonly string[]
  /** Whether the last one is a beginning. */
  isOpen: boolean
}

export function wordMatch(match: string): WordMatch {
  const terms = termsOf(match)
  return words => terms.every(phrases => phrases.some(phrase => isIn(phrase, words)))
}

/** So many phrases are looked for: what has all of them has these. */
const MOST_PHRASES = 20

/** A condition that every text in a column meets which `wordMatch` would find, and few others: a database is quicker to look at texts than to
 *  hand them over. They begin and end with a blank; those that are not plain are left to `wordMatch`. */
export function mayMatch(dialect: Dialect, match: string, column: string): Sql {
  const has = ({ words, isOpen }: Phrase) => {
    const inTheirOrder = `%${words.join('%')}%`
    if (dialect === 'postgres') return sql(`${column} ILIKE ?`, inTheirOrder)
    const isLast = isOpen ? [] : [sql(`lower(${column}) GLOB ?`, `*[^a-z0-9]${words.at(-1)}[^a-z0-9]*`)]
    return and([sql(`${column} LIKE ?`, inTheirOrder), ...isLast])
  }
  const terms = termsOf(match).slice(0, MOST_PHRASES)
  return or([and(terms.map(phrases => or(phrases.map(has)))), sql(`octet_length(${column}) > length(${column})`)])
}

/** Words have letters and digits alone, so that what stands between them can be told apart. */
function termsOf(match: string): Phrase[][] {
  return match.split(' AND ').map(term => term.replace(/^\(/, '').replace(/\)$/, '').split(' OR ').map(phraseOf))
}

function phraseOf(text: string): Phrase {
  const [, inner = '', star = ''] = /^"(.*)"(\*?)$/.exec(text) ?? []
  return { words: inner.split(' '), isOpen: star !== '' }
}

function isIn({ words: wanted, isOpen }: Phrase, words: readonly string[]): boolean {
  const last = wanted.length - 1
  const isAt = (at: number) =>
    wanted.every((word, i) => {
      const found = words[at + i]
      return isOpen && i === last ? found?.startsWith(word) === true : found === word
    })
  for (let at = 0; at + last < words.length; at++) if (isAt(at)) return true
  return false
}
