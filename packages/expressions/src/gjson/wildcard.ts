import type { WorkLimit } from './work-limit.ts'

/** Whether the text matches a pattern in which `*` stands for any characters, `?` for any one, and `\` makes the next
 *  character stand for itself. */
export function matchesWildcard(text: string, pattern: string, limit: WorkLimit): boolean {
  if (pattern === '*') return true
  limit.spend(text.length + pattern.length)
  const symbols = parsePattern(pattern)
  if (symbols === undefined) return false
  let at = 0
  let symbol = 0
  let afterStar = -1
  let retryAt = 0
  while (at < text.length || symbol < symbols.length) {
    const expected = symbols[symbol]
    if (expected === 'any') {
      symbol++
      afterStar = symbol
      retryAt = at
    } else if (at < text.length && (expected === 'one' || expected === text.charCodeAt(at))) {
      at += expected === 'one' && startsPair(text, at) ? 2 : 1
      symbol++
    } else if (afterStar !== -1 && retryAt < text.length) {
      limit.spend(at - retryAt + 1)
      retryAt++
      at = retryAt
      symbol = afterStar
    } else {
      return false
    }
  }
  return true
}

type PatternSymbol = number | 'one' | 'any'

function parsePattern(pattern: string): PatternSymbol[] | undefined {
  const symbols: PatternSymbol[] = []
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]
    if (character === '*') symbols.push('any')
    else if (character === '?') symbols.push('one')
    else if (character === '\\' && at + 1 < pattern.length) symbols.push(pattern.charCodeAt(++at))
    else if (character === '\\' && !symbols.includes('any')) return undefined
    // Behind a star a last backslash stands for itself, where the pattern is compared from its end.
    else symbols.push(pattern.charCodeAt(at))
  }
  return symbols
}

function startsPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdbff && at + 1 < text.length
}
