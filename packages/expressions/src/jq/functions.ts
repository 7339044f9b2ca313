import { stringLength } from '../cel/text-order.ts'
import { decode, encode } from './encoding.ts'
import { errorText, failedOn, JqError, JqHalt, notApplicable } from './errors.ts'
import { formatFunctions } from './formats.ts'
import { JsonTextError, TrailingTextError } from './json-text.ts'
import { isNumberText } from './lexer.ts'
import type { Machine } from './machine.ts'
import { mathFunctions } from './math.ts'
import { add, splitText } from './operators.ts'
import { deletePaths, indices, setPath } from './paths.ts'
import { preludeNames } from './prelude.ts'
import { captures, matches } from './regex.ts'
import { charactersOf, checkItems, checkKeys } from './sizes.ts'
import { sortFunctions } from './sorting.ts'
import { timeFunctions } from './time.ts'
import {
  compare,
  isNumber,
  isObject,
  type JqValue,
  NumberText,
  newObject,
  parseNumber,
  sortedKeys,
  toFloat,
  toIndex,
  typeOf,
} from './value.ts'

export type Native = (value: JqValue, args: JqValue[], machine: Machine) => JqValue

/** By name and number of arguments, such as `has/1`. */
export function nativeFor(key: string): Native | undefined {
  return natives.get(key)
}

function valuesOf(value: JqValue): JqValue[] | undefined {
  if (Array.isArray(value)) return value
  return isObject(value) ? sortedKeys(value).map(key => value[key] as JqValue) : undefined
}

function magnitude(name: string, value: JqValue): JqValue {
  if (typeof value === 'bigint') return value < 0n ? -value : value
  if (typeof value === 'number') return Math.abs(value)
  if (value instanceof NumberText) return value.text.startsWith('-') ? new NumberText(value.text.slice(1)) : value
  throw notApplicable(name, value)
}

function length(value: JqValue): JqValue {
  if (value === null) return 0n
  if (typeof value === 'string') return BigInt(stringLength(value))
  if (Array.isArray(value)) return BigInt(value.length)
  return isObject(value) ? BigInt(Object.keys(value).length) : magnitude('length', value)
}

function keys(value: JqValue): JqValue {
  if (Array.isArray(value)) return value.map((_item, index) => BigInt(index))
  if (isObject(value)) return sortedKeys(value)
  throw notApplicable('keys', value)
}

function has(value: JqValue, [key = null]: JqValue[]): JqValue {
  if (value === null) return false
  const position = Array.isArray(value) ? toIndex(key) : undefined
  if (Array.isArray(value) && position !== undefined) return position >= 0 && position < value.length
  if (isObject(value) && typeof key === 'string') return Object.hasOwn(value, key)
  throw notApplicable('has', value, key)
}

function sum(values: JqValue[], machine: Machine): JqValue {
  if (values.length > 1 && values.every(value => Array.isArray(value))) {
    checkItems(values.reduce((count, value) => count + value.length, 0))
    return values.flat()
  }
  if (values.length > 1 && values.every(isObject)) {
    checkKeys(values.reduce((count, value) => count + Object.keys(value).length, 0))
    return Object.assign(newObject(), ...values) as JqValue
  }
  return values.reduce<JqValue>((total, value) => (value === null ? total : add(total, value, machine)), null)
}

function contains(value: JqValue, part: JqValue): boolean {
  if (isNumber(value) && isNumber(part)) return compare(value, part) === 0
  if (typeof value === 'string' && typeof part === 'string') return value.includes(part)
  if (Array.isArray(value) && Array.isArray(part))
    return part.every(wanted => value.some(item => containsQuietly(item, wanted)))
  if (isObject(value) && isObject(part))
    return Object.keys(part).every(
      key => Object.hasOwn(value, key) && containsQuietly(value[key] as JqValue, part[key] as JqValue),
    )
  if (value === part) return true
  throw notApplicable('contains', value, part)
}

/** Inside containers, values that cannot be compared are merely different. */
function containsQuietly(value: JqValue, part: JqValue): boolean {
  try {
    return contains(value, part)
  } catch (error) {
    if (error instanceof JqError) return false
    throw error
  }
}

function search(name: string, pick: (found: bigint[], part: JqValue[]) => JqValue): Native {
  return (value, [part = null]) => {
    if (value === null) return null
    if (Array.isArray(value)) {
      const wanted = Array.isArray(part) ? part : [part]
      return pick(indices(value, wanted), wanted)
    }
    if (typeof value !== 'string' || typeof part !== 'string') throw notApplicable(name, value, part)
    const wanted = charactersOf(part)
    return pick(indices(charactersOf(value), wanted), wanted)
  }
}

function textPair(name: string, apply: (text: string, other: string) => JqValue): Native {
  return (value, [other = null]) => {
    if (typeof value !== 'string' || typeof other !== 'string') throw notApplicable(name, value, other)
    return apply(value, other)
  }
}

function onText(name: string, apply: (text: string) => JqValue): Native {
  return value => {
    if (typeof value !== 'string') throw notApplicable(name, value)
    return apply(value)
  }
}

const space = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
const leadingSpace = new RegExp(`^${space}+`)
const trailingSpace = new RegExp(`${space}+$`)
const stripPrefix = (text: string, prefix: string) => (text.startsWith(prefix) ? text.slice(prefix.length) : text)
const stripSuffix = (text: string, suffix: string) =>
  suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text

function toNumber(value: JqValue): JqValue {
  if (isNumber(value)) return value
  if (typeof value !== 'string') throw notApplicable('tonumber', value)
  if (!isNumberText(value)) throw failedOn('invalid number', 'tonumber', value)
  return parseNumber(value)
}

function toBoolean(value: JqValue): JqValue {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') throw notApplicable('toboolean', value)
  if (value !== 'true' && value !== 'false') throw failedOn('invalid boolean', 'toboolean', value)
  return value === 'true'
}

function fromJson(text: string): JqValue {
  try {
    return decode(text)
  } catch (error) {
    if (error instanceof TrailingTextError) throw notApplicable('fromjson', text)
    if (error instanceof JsonTextError) throw failedOn(error.message, 'fromjson', text)
    throw error
  }
}

function implode(value: JqValue): JqValue {
  if (!Array.isArray(value)) throw notApplicable('implode', value)
  return value
    .map(item => {
      const code = toIndex(item)
      if (code === undefined) throw notApplicable('implode', value)
      const isCharacter = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
      return isCharacter ? String.fromCodePoint(code) : '\uFFFD'
    })
    .join('')
}

function join(value: JqValue, [separator = null]: JqValue[], machine: Machine): JqValue {
  const items = valuesOf(value)
  if (items === undefined) throw notApplicable('join', value, separator)
  if (items.length === 0) return ''
  const parts = items.flatMap((item, position) => [
    position === 0 ? '' : separator,
    typeof item === 'boolean' || isNumber(item) ? encode(item) : item,
  ])
  return sum(parts, machine)
}

function flatten(value: JqValue, [limit]: JqValue[], machine: Machine): JqValue {
  const items = valuesOf(value)
  if (items === undefined) throw notApplicable('flatten', value)
  const depth = limit === undefined ? -1 : toFloat(limit)
  if (depth === undefined) throw notApplicable('flatten', limit as JqValue)
  if (limit !== undefined && !(depth >= 0)) throw new JqError(`flatten depth should not be negative: ${encode(depth)}`)
  const flat: JqValue[] = []
  const visit = (list: JqValue[], left: number): void => {
    machine.spend(list.length / 4)
    for (const item of list) {
      if (Array.isArray(item) && left !== 0) visit(item, left - 1)
      else {
        checkItems(flat.length + 1)
        flat.push(item)
      }
    }
  }
  visit(items, depth)
  return flat
}

function transpose(value: JqValue): JqValue {
  if (!Array.isArray(value) || !value.every(row => Array.isArray(row))) throw notApplicable('transpose', value)
  const width = Math.max(0, ...value.map(row => row.length))
  checkItems(width * value.length)
  return Array.from({ length: width }, (_column, at) => value.map(row => row[at] ?? null))
}

function caseMapped(pattern: RegExp, offset: number): (text: string) => string {
  return text => text.replace(pattern, letter => String.fromCharCode(letter.charCodeAt(0) + offset))
}

function builtinNames(): JqValue {
  const special = ['empty/0', 'path/1', 'env/0', 'input/0', 'getpath/1', 'debug/1']
  const all = [...preludeNames(), ...natives.keys(), ...special].filter(name => !name.startsWith('_'))
  const parts = (key: string) => key.split('/') as [string, string]
  return [...new Set(all)].sort((left, right) => {
    const [[a, i], [b, j]] = [parts(left), parts(right)]
    return a < b ? -1 : a > b ? 1 : Number(i) - Number(j)
  })
}

const natives = new Map<string, Native>([
  ['abs/0', value => magnitude('abs', value)],
  ['length/0', length],
  ['utf8bytelength/0', onText('utf8bytelength', text => BigInt(Buffer.byteLength(text)))],
  ['keys/0', keys],
  ['has/1', has],
  [
    'add/0',
    (value, _args, machine) => {
      const items = valuesOf(value)
      if (items === undefined) throw notApplicable('add', value)
      return sum(items, machine)
    },
  ],
  ['toboolean/0', toBoolean],
  ['tonumber/0', toNumber],
  ['tostring/0', value => (typeof value === 'string' ? value : encode(value))],
  ['type/0', typeOf],
  [
    'reverse/0',
    value => {
      if (!Array.isArray(value)) throw notApplicable('reverse', value)
      return value.slice().reverse()
    },
  ],
  ['contains/1', (value, [part = null]) => contains(value, part)],
  ['inside/1', (value, [whole = null]) => contains(whole, value)],
  ['indices/1', search('indices', found => found)],
  ['index/1', search('index', found => found[0] ?? null)],
  ['rindex/1', search('rindex', found => found.at(-1) ?? null)],
  ['startswith/1', textPair('startswith', (text, prefix) => text.startsWith(prefix))],
  ['endswith/1', textPair('endswith', (text, suffix) => text.endsWith(suffix))],
  ['ltrimstr/1', textPair('ltrimstr', stripPrefix)],
  ['rtrimstr/1', textPair('rtrimstr', stripSuffix)],
  ['trimstr/1', textPair('trimstr', (text, part) => stripSuffix(stripPrefix(text, part), part))],
  ['ltrim/0', onText('ltrim', text => text.replace(leadingSpace, ''))],
  ['rtrim/0', onText('rtrim', text => text.replace(trailingSpace, ''))],
  ['trim/0', onText('trim', text => text.replace(leadingSpace, '').replace(trailingSpace, ''))],
  [
    'explode/0',
    onText('explode', text => charactersOf(text).map(character => BigInt(character.codePointAt(0) as number))),
  ],
  ['implode/0', implode],
  [
    'split/1',
    (value, [separator = null]) => {
      if (typeof value !== 'string') throw notApplicable('split', value)
      if (typeof separator !== 'string') throw notApplicable('split', separator)
      return splitText(value, separator)
    },
  ],
  ['join/1', join],
  ['ascii_downcase/0', onText('ascii_downcase', caseMapped(/[A-Z]/g, 32))],
  ['ascii_upcase/0', onText('ascii_upcase', caseMapped(/[a-z]/g, -32))],
  ['tojson/0', encode],
  ['fromjson/0', onText('fromjson', fromJson)],
  ['flatten/0', flatten],
  ['flatten/1', flatten],
  ['transpose/0', transpose],
  ['setpath/2', (value, [path = null, replacement = null]) => setPath(value, path, replacement)],
  ['delpaths/1', (value, [paths = null]) => deletePaths(value, paths)],
  ['_match/3', (value, [pattern = null, flags = null, testing = null]) => matches(value, pattern, flags, testing)],
  ['_captures/0', captures],
  ['builtins/0', builtinNames],
  [
    'modulemeta/0',
    value => {
      if (typeof value !== 'string') throw notApplicable('modulemeta', value)
      throw new JqError(`cannot load module: ${JSON.stringify(value)}`)
    },
  ],
  [
    'error/0',
    value => {
      throw new JqError(errorText(value), value)
    },
  ],
  [
    'error/1',
    (_value, [reason = null]) => {
      throw new JqError(errorText(reason), reason)
    },
  ],
  [
    'halt/0',
    () => {
      throw new JqHalt(null, 0)
    },
  ],
  [
    'halt_error/0',
    value => {
      throw new JqHalt(value, 5)
    },
  ],
  [
    'halt_error/1',
    (value, [code = null]) => {
      const exitCode = toIndex(code)
      if (exitCode === undefined) throw notApplicable('halt_error', code)
      throw new JqHalt(value, exitCode)
    },
  ],
  ...formatFunctions,
  ...mathFunctions,
  ...sortFunctions,
  ...timeFunctions,
])
