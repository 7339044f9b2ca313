import { RE2JS } from 're2js'

/** The pattern is no RE2 regular expression. The message is Go's: "error parsing regexp: missing closing ): `(a`". */
export class PatternError extends Error {
  readonly pattern: string

  constructor(pattern: string, message: string) {
    super(message)
    this.name = 'PatternError'
    this.pattern = pattern
  }
}

/** A compiled regular expression with Go's syntax and leftmost-first semantics, linear in the input whatever it is. */
export interface Pattern {
  readonly source: string
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean
  /** The leftmost match, or '' when there is none. */
  find(text: string): string
  /** The matches from left to right, at most `limit` of them when it is not negative. */
  findAll(text: string, limit?: number): string[]
}

const maxCached = 500
const cache = new Map<string, Pattern>()

/** Compiles a pattern, or returns the one compiled before. Throws PatternError. */
export function compilePattern(source: string): Pattern {
  const known = cache.get(source)
  if (known !== undefined) return known
  const pattern = new Re2Pattern(source)
  if (cache.size >= maxCached) cache.delete(cache.keys().next().value as string)
  cache.set(source, pattern)
  return pattern
}

class Re2Pattern implements Pattern {
  readonly source: string
  readonly #compiled: RE2JS

  constructor(source: string) {
    this.source = source
    this.#compiled = compile(source)
  }

  test(text: string): boolean {
    return this.#compiled.test(text)
  }

  find(text: string): string {
    const matcher = this.#compiled.matcher(text)
    return matcher.find() ? (matcher.group() ?? '') : ''
  }

  findAll(text: string, limit = -1): string[] {
    const matches: string[] = []
    const matcher = this.#compiled.matcher(text)
    let previousEnd = -1
    while (matches.length !== limit && matcher.find()) {
      const [start, end] = [matcher.start(), matcher.end()]
      // Go takes no empty match right after another match.
      if (start !== end || start !== previousEnd) matches.push(matcher.group() ?? '')
      previousEnd = end
    }
    return matches
  }
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source)
  } catch (error) {
    const message = (error as Error).message
    throw new PatternError(source, message.endsWith('at end of expression') ? `${message}: \`\`` : message)
  }
}
