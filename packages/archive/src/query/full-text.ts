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
    else parts.push(words.map((word, i) => `'${word}'${isPrefix && i === words.length - 1 ? ':*' : ''}`).join(' <-> '))
  }
  if (parts.length === 0) return undefined
  return dialect === 'sqlite' ? parts.join(' AND ') : parts.map(part => `(${part})`).join(' & ')
}
