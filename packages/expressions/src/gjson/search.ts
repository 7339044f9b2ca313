import { runLiteral, runModifier } from './modifiers.ts'
import {
  type ArrayPath,
  memberName,
  parseArrayPath,
  parseObjectPath,
  parseSelectors,
  type Selector,
  splitPipe,
} from './path.ts'
import { isSelected } from './query.ts'
import { endOfString, startsValue } from './scanner.ts'
import { newSpan, positionIn, type Span } from './span.ts'
import { quoteJson, unescape } from './string-literal.ts'
import { isValidJson } from './validity.ts'
import {
  endOfValue,
  exists,
  madeValue,
  nextValue,
  nothing,
  parseValue,
  type Value,
  valueBetween,
  valueToString,
} from './value.ts'
import { matchesWildcard } from './wildcard.ts'
import type { WorkLimit } from './work-limit.ts'

/** What a search costs before it reads anything, in characters. */
const callCost = 100

/** Follows a path in a text. What is not there is `nothing`; the limits are all that can throw. */
export function search(json: Span, path: string, limit: WorkLimit): Value {
  limit.spend(json.text.length + path.length + callCost)
  limit.enter()
  const value = searchComponent(json, path, limit)
  limit.leave()
  return value
}

/** Follows a path in a value; the result is located in the text that the value is located in. */
function searchValue(value: Value, path: string, limit: WorkLimit): Value {
  const found = search(value.raw, path, limit)
  if (found.indexes === undefined) return { ...found, index: found.index + value.index }
  return { ...found, indexes: found.indexes.map(index => index + value.index) }
}

function searchComponent(json: Span, path: string, limit: WorkLimit): Value {
  const first = path.length > 1 ? path[0] : undefined
  if (first === '@' || first === '!') {
    const made = first === '@' ? runModifier(json, path, { limit, search }) : runLiteral(path)
    if (made !== undefined) {
      if (!startsPipe(made.rest)) return parseValue(made.json)
      return { ...search(made.json, made.rest.slice(1), limit), index: 0, indexes: undefined }
    }
  }
  if (first === '[' || first === '{') {
    const multipath = parseSelectors(path)
    if (multipath === undefined) return searchText(json, '', limit)
    const { selectors, rest } = multipath
    if (rest !== '' && !startsPipe(rest)) return searchText(json, rest, limit)
    const block = first === '[' ? selectElements(json, selectors, limit) : selectMembers(json, selectors, limit)
    const made = madeValue(block)
    return { ...(rest === '' ? made : searchValue(made, rest.slice(1), limit)), index: 0 }
  }
  return searchText(json, path, limit)
}

function startsPipe(path: string): boolean {
  return path.startsWith('|') || path.startsWith('.')
}

function selectElements(json: Span, selectors: readonly Selector[], limit: WorkLimit): string {
  const elements = selectors.map(({ path }) => search(json, path, limit)).filter(exists)
  return joined('[', elements.map(rawOrNull), ']', limit)
}

function selectMembers(json: Span, selectors: readonly Selector[], limit: WorkLimit): string {
  const members = selectors.flatMap(({ name, path }) => {
    const value = search(json, path, limit)
    if (!exists(value)) return []
    const key = name.startsWith('"') && isValidJson(name) ? name : quoteJson(name === '' ? memberName(path) : name)
    return [`${key}:${rawOrNull(value)}`]
  })
  return joined('{', members, '}', limit)
}

function rawOrNull(value: Value): string {
  return rawText(value) || 'null'
}

function rawText(value: Value): string {
  return value.raw.text || valueToString(value)
}

function joined(open: string, parts: readonly string[], close: string, limit: WorkLimit): string {
  limit.spend(parts.reduce((length, part) => length + part.length + 1, 2))
  return open + parts.join(',') + close
}

/** One walk through a text: what it found, and the pipe that is to be applied to it. */
interface Walk {
  readonly json: Span
  readonly limit: WorkLimit
  value: Value
  pipe?: string | undefined
  /** The value was counted, so it stands nowhere. */
  isCount: boolean
  /** The walk has ended with a value. Results of `#(...)#` do not end it. */
  isDone: boolean
}

function searchText(json: Span, path: string, limit: WorkLimit): Value {
  const walk: Walk = { json, limit, value: nothing, isCount: false, isDone: false }
  if (path.startsWith('..')) {
    walkArray(walk, 0, path.slice(2))
  } else {
    const open = json.text.search(/[[{]/)
    if (open !== -1) walkBlock(walk, open, path)
  }
  if (walk.pipe !== undefined) return { ...searchValue(walk.value, walk.pipe, limit), index: 0 }
  if (walk.value.raw.text === '' || walk.isCount) return walk.value
  return { ...walk.value, index: positionIn(json, walk.value.raw) }
}

/** Walks the block that begins at `open`, and returns the index after it. */
function walkBlock(walk: Walk, open: number, path: string): number {
  walk.limit.enter()
  const end = walk.json.text[open] === '{' ? walkObject(walk, open + 1, path) : walkArray(walk, open + 1, path)
  walk.limit.leave()
  return end
}

function finish(walk: Walk, value: Value, end: number): number {
  walk.value = value
  walk.isDone = true
  return end
}

function walkObject(walk: Walk, from: number, path: string): number {
  const { text } = walk.json
  const { key, isWildcard, rest, pipe } = parseObjectPath(path)
  if (pipe !== undefined) walk.pipe = pipe
  let at = from
  for (;;) {
    while (at < text.length && text.charCodeAt(at) !== 0x22) {
      if (text.charCodeAt(at) === 0x7d) return at + 1
      at++
    }
    const endOfKey = at < text.length ? endOfString(text, at) : -1
    if (endOfKey === -1) return text.length
    const isMatch = matchesKey(text, at + 1, endOfKey - 1, key, isWildcard, walk.limit)
    at = endOfKey
    while (at < text.length && !startsValue(text.charCodeAt(at))) at++
    if (at >= text.length) return at
    if (isMatch && rest !== undefined && isBlock(text, at)) {
      at = walkBlock(walk, at, rest)
      if (walk.isDone) return at
      continue
    }
    const end = endOfValue(text, at)
    if (end === -1) return text.length
    if (isMatch && rest === undefined) return finish(walk, valueBetween(walk.json, at, end), end)
    at = end
  }
}

function isBlock(text: string, at: number): boolean {
  return text[at] === '{' || text[at] === '['
}

function matchesKey(
  text: string,
  start: number,
  end: number,
  key: string,
  isWildcard: boolean,
  limit: WorkLimit,
): boolean {
  const hasEscape = text.slice(start, end).includes('\\')
  if (!hasEscape && !isWildcard) return end - start === key.length && text.startsWith(key, start)
  const quoted = text.slice(start, end)
  const name = hasEscape ? unescape(quoted) : quoted
  return isWildcard ? matchesWildcard(name, key, limit) : name === key
}

function walkArray(walk: Walk, from: number, path: string): number {
  const { json, limit } = walk
  const { text } = json
  const parsed = parseArrayPath(path)
  const { part, hash, each, query, rest } = parsed
  if (parsed.pipe !== undefined) walk.pipe = parsed.pipe
  const wanted = hash ? -1 : parseIndex(part)
  const selection = query === undefined ? undefined : new Selection(walk, parsed)
  const starts: number[] = []
  let at = from
  for (let position = 0; at <= text.length; position++) {
    if (each !== undefined) starts.push(at)
    while (at < text.length && text.charCodeAt(at) !== 0x5d && !startsValue(text.charCodeAt(at))) at++
    if (at === text.length || text.charCodeAt(at) === 0x5d) {
      if (each !== undefined) return finish(walk, followEach(walk, starts, each), at + 1)
      if (part === '#') return finishCount(walk, position, at + 1)
      if (!exists(walk.value) && selection !== undefined) walk.value = selection.result() ?? walk.value
      return at + 1
    }
    if (position === wanted && rest !== undefined && isBlock(text, at)) {
      at = walkBlock(walk, at, rest)
      if (walk.isDone) return at
      continue
    }
    const end = endOfValue(text, at)
    if (end === -1) return text.length
    if (selection !== undefined) {
      const found = selection.offer(valueBetween(json, at, end), limit)
      if (found !== undefined) return finish(walk, found, end)
    } else if (position === wanted && rest === undefined) {
      return finish(walk, valueBetween(json, at, end), end)
    }
    at = end
  }
  return at
}

/** An index as Go reads it, with the wrap-around of its 64 bits: digits before the last 64 do not count. */
function parseIndex(part: string): number {
  if (!/^[0-9]+$/.test(part)) return -1
  return part.length < 16 ? Number(part) : Number(BigInt.asIntN(64, BigInt(part.slice(-64))))
}

function finishCount(walk: Walk, count: number, end: number): number {
  walk.isCount = true
  return finish(walk, { ...nothing, type: 'Number', num: count, raw: newSpan(count.toString()) }, end)
}

/** `#.path`: the values at the path of every element, and where they are. */
function followEach(walk: Walk, starts: readonly number[], each: string): Value {
  const { json, limit } = walk
  const { text } = json
  const split = splitPipe(each)
  if (split !== undefined) walk.pipe = split.right
  const path = split?.left ?? each
  const found: string[] = []
  const indexes: number[] = []
  for (const start of starts) {
    let at = start
    while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at++
    const element = at < text.length && text[at] !== ']' ? nextValue(json, at)?.value : undefined
    const value = element === undefined ? nothing : searchValue(element, path, limit)
    if (!exists(value)) continue
    found.push(rawText(value))
    indexes.push(value.index)
  }
  return madeValue(joined('[', found, ']', limit), indexes)
}

/** Collects the elements that a query selects. */
class Selection {
  readonly #walk: Walk
  readonly #path: ArrayPath
  readonly #found: string[] = []
  readonly #indexes: number[] = []
  #rest: string | undefined

  constructor(walk: Walk, path: ArrayPath) {
    this.#walk = walk
    this.#path = path
    this.#rest = path.rest
  }

  /** The value, if the element is the only one wanted and is selected. */
  offer(element: Value, limit: WorkLimit): Value | undefined {
    const query = this.#path.query
    if (query === undefined) return undefined
    if (element.type !== 'JSON' && query.path !== '') return undefined
    const tested = element.type === 'JSON' ? searchValue(element, query.path, limit) : element
    if (!isSelected(tested, query, limit)) return undefined
    const value = this.#follow(element, limit)
    if (!query.all) return value
    const raw = rawText(value)
    if (raw === '') return undefined
    limit.spend(raw.length + 1)
    this.#found.push(raw)
    this.#indexes.push(value.index + positionIn(this.#walk.json, element.raw))
    return undefined
  }

  #follow(element: Value, limit: WorkLimit): Value {
    if (this.#rest === undefined) return element
    const split = splitPipe(this.#rest)
    if (split !== undefined) {
      this.#rest = split.left
      this.#walk.pipe = split.right
    }
    return searchValue(element, this.#rest, limit)
  }

  /** All that were selected, if all are wanted. */
  result(): Value | undefined {
    if (this.#path.query?.all !== true) return undefined
    return madeValue(`[${this.#found.join(',')}]`, this.#indexes.length === 0 ? undefined : this.#indexes)
  }
}
