import { wordsOf } from '../words.ts'
import type { TextTerm } from './query.ts'
import type { Dialect } from './sql.ts'

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
    else parts.push(sideBySide(words.map((word, i) => `'${word}'${isPrefix && i === words.length - 1 ? ':*' : ''}`)))
  }
  if (parts.length === 0) return undefined
  return dialect === 'sqlite' ? parts.join(' AND ') : parts.map(part => `(${part})`).join(' & ')
}

/** Has every text for PostgreSQL that is too long for it to know where all of its words stand. No word is like that. */
export const TOO_LONG = `'*'`

/** Of a text that is too long it is enough that it has the words: rather a line too many than none of a name that is there. */
function sideBySide(words: readonly string[]): string {
  if (words.length === 1) return words.join('')
  return `(${words.join(' <-> ')}) | (${[TOO_LONG, ...words].join(' & ')})`
}
