import { compilePattern as compileRe2, PatternError } from '@tiphys/expressions'

/** A regular expression; or why the text is none, in Go's words. */
export type Pattern = { test(text: string): boolean } | { error: string }

export function compilePattern(source: string): Pattern {
  try {
    return compileRe2(source)
  } catch (thrown) {
    if (thrown instanceof PatternError) return { error: thrown.message }
    throw thrown
  }
}
