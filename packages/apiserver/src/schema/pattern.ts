/** A regular expression of RE2, compiled once; or why the text is none, in Go's words. */
export type Pattern = { test(text: string): boolean } | { error: string }

const MOST_PATTERNS = 1000
const compiled = new Map<string, Pattern>()

export function compilePattern(source: string): Pattern {
  const known = compiled.get(source)
  if (known) return known
  if (compiled.size >= MOST_PATTERNS) compiled.clear()
  const pattern = compile(source)
  compiled.set(source, pattern)
  return pattern
}

function compile(source: string): Pattern {
  try {
    const expression = new RegExp(source)
    return { test: text => expression.test(text) }
  } catch (thrown) {
    return { error: String(thrown) }
  }
}
