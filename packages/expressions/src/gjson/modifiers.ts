import { isModifier } from './path.ts'
import { prettyJson, uglyJson } from './pretty.ts'
import { endOfBlock, endOfString, trim } from './scanner.ts'
import { cut, newSpan, type Span } from './span.ts'
import { quoteJson } from './string-literal.ts'
import { isValidJson } from './validity.ts'
import {
  exists,
  isArray,
  isObject,
  members,
  parseValue,
  type Value,
  valueToBool,
  valueToInt,
  valueToString,
} from './value.ts'
import type { WorkLimit } from './work-limit.ts'

/** What a modifier may use. */
interface ModifierContext {
  readonly limit: WorkLimit
  readonly search: (json: Span, path: string, limit: WorkLimit) => Value
}

/** The JSON that the path goes on with, and the rest of the path. */
interface Made {
  readonly json: Span
  readonly rest: string
}

type Modifier = (json: Span, argument: string, context: ModifierContext) => Span

const modifiers = new Map<string, Modifier>([
  ['this', json => json],
  ['pretty', pretty],
  ['ugly', json => newSpan(uglyJson(json.text))],
  ['reverse', reverse],
  ['flatten', flatten],
  ['join', join],
  ['valid', json => (isValidJson(json.text) ? json : newSpan(''))],
  ['keys', keys],
  ['values', values],
  ['tostr', json => newSpan(quoteJson(json.text))],
  ['fromstr', fromString],
  ['group', group],
  ['dig', dig],
])

/** Runs the modifier that a path begins with: `@name`, `@name:argument`. Undefined when there is none of that name. */
export function runModifier(json: Span, path: string, context: ModifierContext): Made | undefined {
  const end = path.search(/[:|.]/)
  const name = path.slice(1, end === -1 ? undefined : end)
  const modifier = isModifier(name) ? modifiers.get(name) : undefined
  if (modifier === undefined) return undefined
  const following = end === -1 ? '' : path.slice(path[end] === ':' ? end + 1 : end)
  const endOfArgument = path[end] === ':' ? argumentEnd(following) : 0
  context.limit.spend(json.text.length)
  const made = modifier(json, following.slice(0, endOfArgument), context)
  context.limit.spend(made.text.length)
  return { json: made, rest: following.slice(endOfArgument) }
}

function argumentEnd(text: string): number {
  const first = text[0]
  if (first === '{' || first === '[' || first === '"') return squashEnd(text, 0)
  let at = 0
  for (; at < text.length && text[at] !== '|'; at++) {
    if ('{["('.includes(text.charAt(at))) at = squashEnd(text, at) - 1
  }
  return at
}

function squashEnd(text: string, start: number): number {
  if (text[start] !== '"') return Math.min(endOfBlock(text, start), text.length)
  const end = endOfString(text, start)
  return end === -1 ? text.length : end
}

/** The literal that a path begins with: `!5`, `!"text"`, `!{"a":1}`, `!true`. */
export function runLiteral(path: string): Made | undefined {
  const text = path.slice(1)
  if (/^[{["+\-0-9]/.test(text)) {
    // Numbers and strings are read as if their first character were a bracket.
    const end = Math.min(endOfBlock(text, 0), text.length)
    return { json: newSpan(text.slice(0, end)), rest: text.slice(end) }
  }
  const end = text.search(/[|.]/)
  const name = end === -1 ? text : text.slice(0, end)
  if (!/^(?:true|false|null|nan|inf)$/i.test(name)) return undefined
  return { json: newSpan(name), rest: end === -1 ? '' : text.slice(end) }
}

function optionsOf(argument: string): Map<string, Value> {
  const options = new Map<string, Value>()
  if (argument === '') return options
  for (const { key, value } of members(parseValue(newSpan(argument)))) options.set(valueToString(key), value)
  return options
}

function pretty(json: Span, argument: string, { limit }: ModifierContext): Span {
  const options = optionsOf(argument)
  const [indent, prefix, width] = [options.get('indent'), options.get('prefix'), options.get('width')]
  return newSpan(
    prettyJson(
      json.text,
      {
        indent: indent === undefined ? '  ' : onlySpace(valueToString(indent)),
        prefix: prefix === undefined ? '' : onlySpace(valueToString(prefix)),
        width: width === undefined ? 80 : valueToInt(width),
        sortKeys: valueToBool(options.get('sortKeys') ?? parseValue(newSpan('false'))),
      },
      limit,
    ),
  )
}

function onlySpace(text: string): string {
  return text.replace(/[^ \t\n\r]/g, '')
}

function reverse(json: Span): Span {
  const value = parseValue(json)
  if (!isArray(value) && !isObject(value)) return json
  const isKeyed = isObject(value)
  const parts = [...members(value)].map(member => memberText(member.key, member.value, isKeyed)).reverse()
  return newSpan(isKeyed ? `{${parts.join(',')}}` : `[${parts.join(',')}]`)
}

function memberText(key: Value, value: Value, isKeyed: boolean): string {
  return isKeyed ? `${key.raw.text}:${value.raw.text}` : value.raw.text
}

function flatten(json: Span, argument: string, context: ModifierContext): Span {
  const value = parseValue(json)
  if (!isArray(value)) return json
  const deep = optionsOf(argument).get('deep')
  return newSpan(flattened(value, deep !== undefined && valueToBool(deep), context.limit))
}

function flattened(array: Value, isDeep: boolean, limit: WorkLimit): string {
  limit.enter()
  const parts: string[] = []
  for (const { value } of members(array)) {
    const raw = !isArray(value) ? value.raw.text : unwrapped(isDeep ? flattened(value, true, limit) : value.raw.text)
    if (raw.trim() !== '') parts.push(raw.trim())
  }
  limit.leave()
  const text = `[${parts.join(',')}]`
  limit.spend(text.length)
  return text
}

/** What stands between the brackets. */
function unwrapped(block: string): string {
  const text = trim(block)
  return text.length >= 2 && (text.startsWith('[') || text.startsWith('{')) ? text.slice(1, -1) : text
}

function keys(json: Span): Span {
  const value = parseValue(json)
  const isKeyed = isObject(value)
  return newSpan(`[${[...members(value)].map(({ key }) => (isKeyed ? key.raw.text : 'null')).join(',')}]`)
}

function values(json: Span): Span {
  const value = parseValue(json)
  if (exists(value) && isArray(value)) return json
  return newSpan(`[${[...members(value)].map(member => member.value.raw.text).join(',')}]`)
}

function join(json: Span, argument: string): Span {
  const array = parseValue(json)
  if (!isArray(array)) return json
  const objects = [...members(array)].map(({ value }) => value).filter(isObject)
  const preserve = optionsOf(argument).get('preserve')
  if (preserve !== undefined && valueToBool(preserve)) {
    return newSpan(`{${objects.map(object => unwrapped(object.raw.text)).join(',')}}`)
  }
  const joined = new Map<string, { key: Value; value: Value }>()
  for (const { key, value } of objects.flatMap(object => [...members(object)])) {
    const name = valueToString(key)
    joined.set(name, { key: joined.get(name)?.key ?? key, value })
  }
  return newSpan(`{${[...joined.values()].map(({ key, value }) => memberText(key, value, true)).join(',')}}`)
}

function fromString(json: Span): Span {
  if (!isValidJson(json.text)) return newSpan('')
  const value = parseValue(json)
  const text = valueToString(value)
  // A text without escapes is a piece of the JSON it stands in.
  if (value.type === 'String' && value.raw.text.length === text.length + 2) return cut(value.raw, 1, -1)
  return value.raw.text === text ? value.raw : newSpan(text)
}

function group(json: Span): Span {
  const object = parseValue(json)
  if (!isObject(object)) return newSpan('')
  const groups: string[][] = []
  for (const { key, value } of members(object)) {
    if (!isArray(value)) continue
    let position = 0
    for (const element of members(value)) {
      const members = (groups[position] ??= [])
      members.push(`${key.raw.text}:${element.value.raw.text}`)
      position++
    }
  }
  return newSpan(`[${groups.map(members => `{${members.join(',')}}`).join(',')}]`)
}

/** All values at a path, at whatever depth. */
function dig(json: Span, path: string, context: ModifierContext): Span {
  const found: string[] = []
  digIn(parseValue(json), path, found, context)
  return newSpan(`[${found.join(',')}]`)
}

function digIn(value: Value, path: string, found: string[], context: ModifierContext): void {
  const { limit, search } = context
  limit.enter()
  const result = search(value.raw, path, limit)
  if (exists(result)) {
    limit.spend(result.raw.text.length)
    found.push(result.raw.text)
  }
  if (isArray(value) || isObject(value)) {
    for (const member of members(value)) digIn(member.value, path, found, context)
  }
  limit.leave()
}
