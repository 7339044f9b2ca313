import { endOfBlock, trim } from './scanner.ts'
import { unescape } from './string-literal.ts'

/** The first component of a path, where it is looked up in an object. */
interface ObjectPath {
  readonly key: string
  readonly isWildcard: boolean
  /** The path that goes on in the value found. */
  readonly rest?: string
  /** The path that is applied to the result, whatever it is. */
  readonly pipe?: string
}

export interface Query {
  readonly path: string
  readonly operator: string
  readonly operand: string
  /** `#(...)#`: all that match, not only the first. */
  readonly all: boolean
}

/** The first component of a path, where it is looked up in an array. */
export interface ArrayPath {
  readonly part: string
  /** There is a `#` in it: it is no index. */
  readonly hash: boolean
  /** `#.path`: the path is followed in every element. */
  readonly each?: string
  readonly query?: Query
  readonly rest?: string
  readonly pipe?: string
}

const modifierNames = new Set(
  'pretty ugly reverse this flatten join valid keys values tostr fromstr group dig'.split(' '),
)

export function isModifier(name: string): boolean {
  return modifierNames.has(name)
}

/** Behind a dot a modifier or a multipath applies to the result, as if a pipe stood there. */
function continuePath(path: string, dot: number): { rest: string } | { pipe: string } {
  const next = path.slice(dot + 1)
  const isPiped =
    next.startsWith('[') || next.startsWith('{') || (next.startsWith('@') && isModifier(modifierName(next)))
  return isPiped ? { pipe: next } : { rest: next }
}

function modifierName(path: string): string {
  const end = path.search(/[.|:]/)
  return path.slice(1, end === -1 ? undefined : end)
}

export function parseObjectPath(path: string): ObjectPath {
  let key = ''
  let isWildcard = false
  for (let at = 0; at < path.length; at++) {
    const character = path.charAt(at)
    if (character === '|') return { key, isWildcard, pipe: path.slice(at + 1) }
    if (character === '.') return { key, isWildcard, ...continuePath(path, at) }
    if (character === '\\') {
      at++
    } else if (character === '*' || character === '?') {
      isWildcard = true
    }
    key += path.charAt(at)
  }
  return { key, isWildcard }
}

export function parseArrayPath(path: string): ArrayPath {
  let hash = false
  let query: Query | undefined
  for (let at = 0; at < path.length; at++) {
    const character = path[at]
    if (character === '|') return arrayPath(path.slice(0, at), hash, query, { pipe: path.slice(at + 1) })
    if (character === '.') {
      const part = path.slice(0, at)
      if (!hash) return arrayPath(part, hash, query, continuePath(path, at))
      const rest = path.slice(at + 1)
      return part === '#' ? { part, hash, each: rest, rest } : arrayPath(part, hash, query, { rest })
    }
    if (character !== '#') continue
    hash = true
    if (at === 0 && (path[1] === '(' || path[1] === '[')) {
      const parsed = parseQuery(path)
      if (parsed === undefined) return arrayPath(path, hash, { path: '', operator: '', operand: '', all: false }, {})
      query = { ...parsed.query, all: path[parsed.end] === '#' }
      at = parsed.end - 1
    }
  }
  return arrayPath(path, hash, query, {})
}

function arrayPath(
  part: string,
  hash: boolean,
  query: Query | undefined,
  next: { rest?: string; pipe?: string },
): ArrayPath {
  return { part, hash, ...(query === undefined ? {} : { query }), ...next }
}

/** Reads `#(path operator operand)`; the end is the index after the closing parenthesis. */
function parseQuery(text: string): { query: Omit<Query, 'all'>; end: number } | undefined {
  let operator = -1
  let hasEscape = false
  let depth = 1
  let at = 2
  for (; at < text.length; at++) {
    const character = text.charAt(at)
    if (operator === -1 && depth === 1 && '!=<>%'.includes(character)) {
      operator = at
    } else if (character === '\\') {
      at++
    } else if (character === '[' || character === '(') {
      depth++
    } else if (character === ']' || character === ')') {
      depth--
      if (depth === 0) break
    } else if (character === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) {
        if (text[at] !== '\\') continue
        hasEscape = true
        at++
      }
    }
  }
  if (depth > 0) return undefined
  const end = at + 1
  if (operator === -1) return { query: { path: trim(text.slice(2, at)), operator: '', operand: '' }, end }
  const comparison = splitComparison(trim(text.slice(operator, at)))
  return {
    query: {
      path: trim(text.slice(2, operator)),
      operator: comparison.operator,
      operand: unquoteOperand(comparison.operand, hasEscape),
    },
    end,
  }
}

function splitComparison(text: string): { operator: string; operand: string } {
  if (text.length > 1 && text.startsWith('==')) return { operator: '=', operand: trim(text.slice(2)) }
  const two = text.slice(0, 2)
  if (two === '!=' || two === '!%' || two === '<=' || two === '>=')
    return { operator: two, operand: trim(text.slice(2)) }
  if (text.length > 1 && text.startsWith('!')) return { operator: '', operand: text }
  return { operator: text.slice(0, 1), operand: trim(text.slice(1)) }
}

function unquoteOperand(operand: string, hasEscape: boolean): string {
  if (operand.length < 2 || !operand.startsWith('"') || !operand.endsWith('"')) return operand
  const quoted = operand.slice(1, -1)
  return hasEscape ? unescape(quoted) : quoted
}

/** Splits a path that goes on within a query's results at the pipe that applies to all of them together. */
export function splitPipe(path: string): { left: string; right: string } | undefined {
  if (!path.includes('|')) return undefined
  if (path.startsWith('{')) {
    const end = Math.min(endOfSquash(path, 1), path.length)
    return path[end] === '|' ? { left: path.slice(0, end), right: path.slice(end + 1) } : undefined
  }
  for (let at = 0; at < path.length; at++) {
    const character = path[at]
    if (character === '|') return { left: path.slice(0, at), right: path.slice(at + 1) }
    if (character === '\\') {
      at++
    } else if (character === '.') {
      if (at === path.length - 1) return undefined
      if (path[at + 1] !== '#') continue
      at += 2
      if (at === path.length) return undefined
      if (path[at] === '[' || path[at] === '(') at = endOfSelector(path, at)
    }
  }
  return undefined
}

/** What stands behind the brace of a multipath is skipped as if its first character were the opening bracket. */
function endOfSquash(path: string, start: number): number {
  return path[start] === '"' ? stringEnd(path, start) : endOfBlock(path, start)
}

function stringEnd(path: string, start: number): number {
  for (let at = start + 1; at < path.length; at++) {
    if (path[at] === '\\') at++
    else if (path[at] === '"') return at + 1
  }
  return path.length
}

/** The index of the bracket that closes a query. */
function endOfSelector(path: string, start: number): number {
  const open = path[start]
  const close = open === '[' ? ']' : ')'
  let depth = 1
  let at = start + 1
  for (; at < path.length; at++) {
    const character = path[at]
    if (character === '\\') {
      at++
    } else if (character === open) {
      depth++
    } else if (character === close) {
      depth--
      if (depth === 0) return at
    } else if (character === '"') {
      at = stringEnd(path, at) - 1
    }
  }
  return at
}

export interface Selector {
  /** The name given in the path, or '' when it is the last component's. */
  readonly name: string
  readonly path: string
}

/** Reads the multipath `[a,b]` or `{"x":a,b}` at the beginning of a path, and the path behind it. */
export function parseSelectors(path: string): { selectors: Selector[]; rest: string } | undefined {
  const selectors: Selector[] = []
  let depth = 1
  let start = 1
  let colon = 0
  let hasModifier = false
  for (let at = 1; at < path.length; at++) {
    const character = path.charAt(at)
    if (character === '\\') {
      at++
    } else if (character === '"') {
      at = stringEnd(path, at) - 1
    } else if (character === '@') {
      hasModifier ||= path[at - 1] === '.' || path[at - 1] === '|'
    } else if (character === ':') {
      if (!hasModifier && colon === 0 && depth === 1) colon = at
    } else if ('[({'.includes(character)) {
      depth++
    } else if ('])}'.includes(character)) {
      depth--
    }
    if (depth === 0 || (depth === 1 && character === ',')) {
      selectors.push(
        colon === 0
          ? { name: '', path: path.slice(start, at) }
          : { name: path.slice(start, colon), path: path.slice(colon + 1, at) },
      )
      start = at + 1
      colon = 0
      hasModifier = false
    }
    if (depth === 0) return { selectors, rest: path.slice(at + 1) }
  }
  return undefined
}

/** The name of a multipath's member that was given none. */
export function memberName(path: string): string {
  let last = path
  for (let at = path.length - 1; at >= 0; at--) {
    if ((path[at] === '|' || path[at] === '.') && path[at - 1] !== '\\') {
      last = path.slice(at + 1)
      break
    }
  }
  // oxlint-disable-next-line no-control-regex -- a name with control characters is not taken
  return /[\u0000-\u001f[\]{}()#|!]/.test(last) ? '_' : last
}

/** A key as a path component that stands for itself. */
export function escapeComponent(key: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters need no escape
  return key.replace(/[^a-zA-Z0-9\u0000- _:\u007f-\uffff-]/g, '\\$&')
}
