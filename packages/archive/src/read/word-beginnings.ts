const BEGINNING = /"(?:([^"]*) )?([^" ]*)"\*/g

/** The beginnings of words in what SQLite is asked: the last word before each `*`. */
export function beginningsOf(match: string): string[] {
  return [...match.matchAll(BEGINNING)].map(([, , last = '']) => last)
}

/** With whole words in the place of a beginning. When there are none, with the beginning as a word, which is not there either. */
export function withWords(match: string, beginning: string, words: readonly string[]): string {
  return match.replaceAll(BEGINNING, (all, before: string | undefined, last: string) => {
    if (last !== beginning) return all
    const phrases = (words.length === 0 ? [last] : words).map(
      word => `"${before === undefined ? '' : `${before} `}${word}"`,
    )
    return `(${phrases.join(' OR ')})`
  })
}
