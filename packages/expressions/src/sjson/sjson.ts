import { trim } from '../gjson/scanner.ts'
import { search } from '../gjson/search.ts'
import { newSpan } from '../gjson/span.ts'
import { exists, members, parseValue, tokens, type Value } from '../gjson/value.ts'
import { GjsonError, type GjsonLimits, WorkLimit } from '../gjson/work-limit.ts'
import { jsonText, stringText } from './json-text.ts'
import { indexOf, isEnd, type PathPart, parseSetPath } from './set-path.ts'
import { SjsonError } from './sjson-error.ts'

export { SjsonError } from './sjson-error.ts'

export interface SjsonLimits extends GjsonLimits {
  /** By how many null elements arrays may grow so that an index has a place. Go has no such limit, and fills the memory. */
  maxFill?: number
}

/** Sets the value at a path and returns the new text; all that is not on the path keeps its spelling.
 *  - `a.0.b` names keys and indexes, which are made if need be; `-1` is the element behind the last; `\.` is a dot in a
 *    key; `:0` is the key "0".
 *  - A path with `#`, `*`, `?`, `|` or `@` is a gjson query: all it finds is set, and nothing if it finds nothing.
 *  - Numbers are written without exponent, objects with their keys in order.
 *  Throws SjsonError. */
export function setJson(json: string, path: string, value: unknown, limits?: SjsonLimits): string {
  return edit(json, path, jsonText(value), limits)
}

/** As setJson, with a value that is JSON already. It is not checked. */
export function setRawJson(json: string, path: string, raw: string, limits?: SjsonLimits): string {
  return edit(json, path, raw, limits)
}

/** Deletes the value at a path; `-1` is the last element. What is not there is not deleted. Throws SjsonError. */
export function deleteJson(json: string, path: string, limits?: SjsonLimits): string {
  return edit(json, path, undefined, limits)
}

interface Edit {
  /** Nothing: to be deleted. */
  readonly raw: string | undefined
  readonly limit: WorkLimit
  fillLeft: number
}

const defaultMaxFill = 10_000
const maxParts = 400

function edit(json: string, path: string, raw: string | undefined, limits: SjsonLimits = {}): string {
  if (path === '') throw new SjsonError('path cannot be empty')
  const parts = parseSetPath(path)
  const limit = new WorkLimit(limits)
  try {
    if (parts === undefined) {
      if (raw === undefined) throw new SjsonError('cannot delete value from a complex path')
      return setFound(json, path, raw, limit)
    }
    if (parts.length > maxParts) throw new SjsonError(`the path has more than ${maxParts} components`)
    return editParts('', json, parts, { raw, limit, fillLeft: limits.maxFill ?? defaultMaxFill }) ?? json
  } catch (error) {
    throw error instanceof GjsonError ? new SjsonError(error.message) : error
  }
}

/** Sets everything that a query finds. */
function setFound(json: string, path: string, raw: string, limit: WorkLimit): string {
  const found = search(newSpan(json), path, limit)
  if (!exists(found)) return json
  const places = found.indexes === undefined ? [found] : [...members(found)].map(({ value }) => value)
  if (found.indexes !== undefined && places.length !== found.indexes.length) return json
  let text = json
  for (const { index, raw: old } of places.filter(place => isPlaced(place, found)).sort((a, b) => b.index - a.index)) {
    if (!json.startsWith(old.text, index))
      throw new SjsonError(`the path '${path}' does not lead to a place that can be set`)
    text = text.slice(0, index) + raw + text.slice(index + old.text.length)
  }
  return text
}

/** The elements of a list know their places; a single value at index 0 has none. */
function isPlaced(place: Value, found: Value): boolean {
  return found.indexes !== undefined || place.index !== 0
}

/** What stands before, and the text with the change in it; undefined if there is nothing to delete. */
function editParts(before: string, json: string, parts: readonly PathPart[], edit: Edit): string | undefined {
  const [part, ...rest] = parts
  if (part === undefined) return undefined
  const found = lookUp(json, part, edit)
  if (found.index === 0) return edit.raw === undefined ? undefined : before + addParts(json, part, parts, edit)
  const head = before + json.slice(0, found.index)
  const tail = json.slice(found.index + found.raw.text.length)
  if (rest.length > 0) {
    const edited = editParts(head, found.raw.text, rest, edit)
    return edited === undefined ? undefined : edited + tail
  }
  return edit.raw === undefined ? deleteBetween(head, tail) : head + edit.raw + tail
}

function lookUp(json: string, part: PathPart, { raw, limit }: Edit): Value {
  const span = newSpan(json)
  if (raw === undefined && isEnd(part)) {
    const count = search(span, '#', limit).num
    if (count > 0) return search(span, String(count - 1), limit)
  }
  return search(span, part.lookup, limit)
}

/** Puts the text together without the value that stood between, its key and one comma. */
function deleteBetween(head: string, tail: string): string {
  const { kept, isFirst } = withoutLastKey(head)
  return kept + (isFirst ? tail.replace(/^[\u0000- ]*,/, '') : tail)
}

/** Cuts the key or the comma that the text ends with. If there is no comma, the value was the first. */
function withoutLastKey(head: string): { kept: string; isFirst: boolean } {
  for (let at = head.length - 1; at >= 0; at--) {
    if (head[at] === '[') return { kept: head, isFirst: true }
    if (head[at] === ',') return { kept: head.slice(0, at), isFirst: false }
    if (head[at] !== ':') continue
    const key = startOfKey(head, at)
    for (let before = key - 1; key !== -1 && before >= 0; before--) {
      if (head[before] === '{') return { kept: head.slice(0, before + 1), isFirst: true }
      if (head[before] === ',') return { kept: head.slice(0, before), isFirst: false }
    }
    break
  }
  return { kept: head, isFirst: false }
}

/** The opening quote of the key before a colon, or -1. */
function startOfKey(text: string, colon: number): number {
  const close = text.lastIndexOf('"', colon - 1)
  for (let at = close - 1; at >= 0; at--) {
    if (text[at] !== '"') continue
    if (text[at - 1] !== '\\') return at
    at--
  }
  return -1
}

/** Adds what the path names to a block that lacks it; whatever is no block gives way to one. */
function addParts(json: string, part: PathPart, parts: readonly PathPart[], edit: Edit): string {
  const index = indexOf(part)
  const parsed = parseValue(newSpan(json))
  const block = parsed.type === 'JSON' ? parsed : parseValue(newSpan(index === undefined ? '{}' : '[]'))
  const { text } = block.raw
  const comma = /^.[\u0000- ]*(?:[}\]]|$)/s.test(text) ? '' : ','
  if (text.startsWith('{')) {
    const end = Math.max(text.lastIndexOf('}'), 0)
    return `${text.slice(0, end)}${comma}${build(parts, false, edit)}}`
  }
  if (isEnd(part)) return `${trim(text).replace(/\]$/, '')}${comma}${build(parts, true, edit)}]`
  if (index === undefined) throw new SjsonError(`cannot set array element for non-numeric key '${part.key}'`)
  const elements = Array.from(tokens(block.raw), element => element.raw.text)
  const missing = fill(part, index - elements.length, edit)
  const filled = elements.length === 0 ? 'null,'.repeat(missing) : elements.join(',') + ',null'.repeat(missing) + comma
  return `[${filled}${build(parts, true, edit)}]`
}

/** The JSON for the components behind the first, with the value in it. */
function build(parts: readonly PathPart[], isElement: boolean, edit: Edit): string {
  const [part, next] = parts
  const key = isElement || part === undefined ? '' : `${stringText(part.key)}:`
  if (next === undefined) return key + edit.raw
  const index = indexOf(next)
  const rest = parts.slice(1)
  if (index === undefined && !isEnd(next)) return `${key}{${build(rest, false, edit)}}`
  return `${key}[${'null,'.repeat(fill(next, index ?? 0, edit))}${build(rest, true, edit)}]`
}

function fill(part: PathPart, missing: number, edit: Edit): number {
  edit.fillLeft -= Math.max(missing, 0)
  if (edit.fillLeft < 0) throw new SjsonError(`cannot set array element ${part.key}: the array would become too long`)
  return Math.max(missing, 0)
}
