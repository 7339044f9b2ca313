/** What SQLite's full text search is asked (`matchText`), for texts that are at hand. */
export type WordMatch = (words: readonly string[]) => boolean

interface Phrase {
  words: readonly string[]
  /** Whether the last one is a beginning. */
  isOpen: boolean
}

/** Words have letters and digits alone, so that what stands between them can be told apart. */
export function wordMatch(match: string): WordMatch {
  const terms = match.split(' AND ').map(term => term.replace(/^\(/, '').replace(/\)$/, '').split(' OR ').map(phraseOf))
  return words => terms.every(phrases => phrases.some(phrase => isIn(phrase, words)))
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
