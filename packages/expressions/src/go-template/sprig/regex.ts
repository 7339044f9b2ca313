import { RE2JS } from 're2js'
import { compilePattern, PatternError } from '../../re2/pattern.ts'
import { type CallContext, define, type GoFunction } from '../function.ts'
import { GoError } from '../go-error.ts'
import { canBackquote, quote } from '../quote.ts'
import { GoSlice, stringList } from '../value.ts'

/** A match and its groups; a group that took no part is undefined. */
interface Match {
  readonly start: number
  readonly end: number
  readonly groups: readonly (string | undefined)[]
}

const charactersPerStep = 64

const maxCached = 500
const cache = new Map<string, RE2JS>()

/** Compiles a pattern, or returns the one compiled before. Throws PatternError. */
function compiled(source: string): RE2JS {
  const known = cache.get(source)
  if (known !== undefined) return known
  compilePattern(source)
  const pattern = RE2JS.compile(source)
  if (cache.size >= maxCached) cache.delete(cache.keys().next().value as string)
  cache.set(source, pattern)
  return pattern
}

/** Compiles a pattern. `must` gives the text of the error that regexp.Compile returns, else that of MustCompile's panic. */
function compile(source: string, must: boolean): RE2JS {
  try {
    return compiled(source)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    if (must) throw new GoError(error.message)
    const shown = canBackquote(source) ? `\`${source}\`` : quote(source)
    throw new GoError(`regexp: Compile(${shown}): ${error.message}`)
  }
}

/** Every character is looked at by every part of the pattern. */
function chargeSearch({ budget }: CallContext, pattern: RE2JS, text: string): void {
  budget.step((text.length * pattern.programSize()) / charactersPerStep)
}

function isMatch(context: CallContext, pattern: RE2JS, text: string): boolean {
  chargeSearch(context, pattern, text)
  return pattern.test(text)
}

function matches(context: CallContext, pattern: RE2JS, text: string, limit = -1): Match[] {
  const found: Match[] = []
  chargeSearch(context, pattern, text)
  const matcher = pattern.matcher(text)
  const groupCount = pattern.groupCount()
  let previousEnd = -1
  while (found.length !== limit && matcher.find()) {
    context.budget.step()
    const [start, end] = [matcher.start(), matcher.end()]
    // Go takes no empty match right after another match.
    if (start !== end || start !== previousEnd) {
      const groups = Array.from({ length: groupCount + 1 }, (_, index) => matcher.group(index) ?? undefined)
      found.push({ start, end, groups })
    }
    previousEnd = end
  }
  return found
}

/** `$1`, `${name}` and `$$` in a replacement. */
const reference = /\$(?:\$|(\w+)|\{(\w+)\})/g

function expand(template: string, { groups }: Match, names: Readonly<Record<string, number>>): string {
  return template.replace(reference, (whole, bare?: string, braced?: string) => {
    const name = bare ?? braced
    if (name === undefined) return '$'
    const index = /^\d+$/.test(name) ? Number(name) : (names[name] ?? -1)
    return whole === '' ? '' : (groups[index] ?? '')
  })
}

function replaced(
  context: CallContext,
  text: string,
  found: readonly Match[],
  write: (match: Match) => string,
): string {
  let result = ''
  let from = 0
  for (const match of found) {
    const replacement = write(match)
    context.budget.reserve(replacement.length)
    result += text.slice(from, match.start) + replacement
    from = match.end
  }
  context.budget.reserve(result.length)
  return result + text.slice(from)
}

function split(context: CallContext, pattern: RE2JS, text: string, limit: number): GoSlice {
  if (limit === 0) return new GoSlice('[]string', [], true)
  if (pattern.pattern() !== '' && text === '') return stringList([''])
  const parts: string[] = []
  let from = 0
  let end = 0
  for (const match of matches(context, pattern, text, limit)) {
    if (limit > 0 && parts.length === limit - 1) break
    end = match.start
    if (match.end !== 0) parts.push(text.slice(from, end))
    from = match.end
  }
  if (end !== text.length) parts.push(text.slice(from))
  return stringList(parts)
}

function foundTexts(context: CallContext, pattern: RE2JS, text: string, limit: number): GoSlice {
  const found = limit === 0 ? [] : matches(context, pattern, text, limit)
  return found.length === 0 ? new GoSlice('[]string', [], true) : stringList(found.map(match => match.groups[0] ?? ''))
}

/** A function and its twin whose name begins with `must`. */
function pair(name: string, make: (must: boolean) => GoFunction): Record<string, GoFunction> {
  return { [name]: make(false), [`must${name[0]?.toUpperCase()}${name.slice(1)}`]: make(true) }
}

function isMatchOrWrong(context: CallContext, source: string, text: string): boolean {
  try {
    return isMatch(context, compiled(source), text)
  } catch (error) {
    if (error instanceof PatternError) return false
    throw error
  }
}

export const regexFunctions: Readonly<Record<string, GoFunction>> = {
  regexMatch: define(['string', 'string'], isMatchOrWrong),
  mustRegexMatch: define(['string', 'string'], (context, source, text) =>
    isMatch(context, compile(source, true), text),
  ),
  ...pair('regexFind', must =>
    define(['string', 'string'], (context, source, text) => {
      const [found] = matches(context, compile(source, must), text, 1)
      return found?.groups[0] ?? ''
    }),
  ),
  ...pair('regexFindAll', must =>
    define(['string', 'string', 'int'], (context, source, text, limit) =>
      foundTexts(context, compile(source, must), text, limit),
    ),
  ),
  ...pair('regexReplaceAll', must =>
    define(['string', 'string', 'string'], (context, source, text, template) => {
      const pattern = compile(source, must)
      const names = pattern.namedGroups()
      return replaced(context, text, matches(context, pattern, text), match => expand(template, match, names))
    }),
  ),
  ...pair('regexReplaceAllLiteral', must =>
    define(['string', 'string', 'string'], (context, source, text, replacement) =>
      replaced(context, text, matches(context, compile(source, must), text), () => replacement),
    ),
  ),
  ...pair('regexSplit', must =>
    define(['string', 'string', 'int'], (context, source, text, limit) =>
      split(context, compile(source, must), text, limit),
    ),
  ),
  regexQuoteMeta: define(['string'], (_, text) => text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')),
}
