import { preview } from './encoding.ts'
import {
  arrayIndexNotNumber,
  expectedArray,
  expectedObject,
  expectedStartEnd,
  failedOn,
  JqError,
  keyNotString,
  notApplicable,
  stringIndexNotNumber,
} from './errors.ts'
import { charactersOf, checkItems } from './sizes.ts'
import {
  compare,
  copyObject,
  field,
  isNumber,
  isObject,
  type JqObject,
  type JqValue,
  newObject,
  toIndex,
} from './value.ts'

/** `value[key]`. */
export function index(value: JqValue, key: JqValue): JqValue {
  if (typeof key === 'string') {
    if (value === null) return null
    if (isObject(value)) return field(value, key)
    throw expectedObject(value)
  }
  if (isNumber(key)) {
    if (value === null) return null
    const position = toIndex(key) as number
    if (Array.isArray(value)) return itemAt(value, position)
    if (typeof value === 'string') return itemAt(charactersOf(value), position)
    throw expectedArray(value)
  }
  if (Array.isArray(key)) {
    if (value === null) return null
    if (Array.isArray(value)) return indices(value, key)
    throw expectedArray(value)
  }
  if (isObject(key)) {
    if (value === null) return null
    if (!Object.hasOwn(key, 'start') || !Object.hasOwn(key, 'end')) throw expectedStartEnd(key)
    return slice(value, key.start as JqValue, key.end as JqValue)
  }
  if (Array.isArray(value)) throw arrayIndexNotNumber(key)
  throw typeof value === 'string' ? stringIndexNotNumber(key) : keyNotString(key)
}

function itemAt(items: readonly JqValue[], position: number): JqValue {
  return items[position < 0 ? position + items.length : position] ?? null
}

/** Where `part` begins in `items`. */
export function indices(items: readonly JqValue[], part: readonly JqValue[]): bigint[] {
  const found: bigint[] = []
  if (part.length === 0) return found
  for (let start = 0; start + part.length <= items.length; start++)
    if (part.every((item, offset) => compare(items[start + offset] as JqValue, item) === 0)) found.push(BigInt(start))
  return found
}

export function slice(value: JqValue, from: JqValue, to: JqValue): JqValue {
  if (value === null) return null
  if (Array.isArray(value)) {
    const [start, end] = bounds(value.length, from, to, arrayIndexNotNumber)
    return value.slice(start, end)
  }
  if (typeof value !== 'string') throw expectedArray(value)
  const characters = charactersOf(value)
  const [start, end] = bounds(characters.length, from, to, stringIndexNotNumber)
  return characters.slice(start, end).join('')
}

function bounds(
  length: number,
  from: JqValue,
  to: JqValue,
  notNumber: (key: JqValue) => JqError,
): [start: number, end: number] {
  const position = (key: JqValue, least: number): number => {
    const at = toIndex(key)
    if (at === undefined) throw notNumber(key)
    return Math.min(Math.max(at < 0 ? at + length : at, least), length)
  }
  const start = from === null ? 0 : position(from, 0)
  const end = to === null ? length : position(typeof to === 'number' ? Math.ceil(to) : to, start)
  return [start, end]
}

export function getPath(value: JqValue, path: JqValue): JqValue {
  if (!Array.isArray(path)) throw notApplicable('getpath', value, path)
  let found = value
  for (const key of path) {
    if (found !== null && typeof found !== 'object') throw notApplicable('getpath', value, path)
    try {
      found = index(found, key)
    } catch (error) {
      throw failedOn((error as JqError).message, 'getpath', value, path)
    }
  }
  return found
}

/** Containers that one operation has made, and may change. */
export type Owned = Set<JqValue>

/** Stands for what is to be deleted until all paths have been walked: earlier deletions must not move later ones. */
const deleted: JqObject = Object.freeze(newObject())

/** What gojq itself refuses. */
const maxIndex = 0x20000000

export function setPath(value: JqValue, path: JqValue, replacement: JqValue, owned: Owned = new Set()): JqValue {
  if (!Array.isArray(path)) throw notApplicable('setpath', value, path)
  try {
    return update(value, path, 0, replacement, owned)
  } catch (error) {
    if (!(error instanceof JqError)) throw error
    throw failedOn(error.message, 'setpath', value, path, replacement)
  }
}

export function deletePaths(value: JqValue, paths: JqValue, owned: Owned = new Set()): JqValue {
  if (!Array.isArray(paths)) throw notApplicable('delpaths', value, paths)
  if (paths.length === 0) return value
  let marked = value
  try {
    for (const path of paths) {
      if (!Array.isArray(path)) throw expectedArray(path)
      marked = update(marked, path, 0, deleted, owned)
    }
  } catch (error) {
    if (!(error instanceof JqError)) throw error
    throw failedOn(error.message, 'delpaths', value, paths)
  }
  return sweep(marked, owned)
}

function update(value: JqValue, path: JqValue[], at: number, replacement: JqValue, owned: Owned): JqValue {
  if (at === path.length) return replacement
  if (value === deleted) return value
  const key = path[at] as JqValue
  if (typeof key === 'string') {
    if (value !== null && !isObject(value)) throw expectedObject(value)
    return updateField(value, key, path, at, replacement, owned)
  }
  const isSlice = isObject(key)
  if (isNumber(key) || isSlice) {
    if (value !== null && !Array.isArray(value)) throw expectedArray(value)
    return isSlice
      ? updateSlice(value, key, path, at, replacement, owned)
      : updateItem(value, toIndex(key) as number, path, at, replacement, owned)
  }
  throw Array.isArray(value) ? arrayIndexNotNumber(key) : keyNotString(key)
}

function updateField(
  value: JqObject | null,
  key: string,
  path: JqValue[],
  at: number,
  replacement: JqValue,
  owned: Owned,
): JqValue {
  if (replacement === deleted && (value === null || !Object.hasOwn(value, key))) return value
  const updated = update(value === null ? null : field(value, key), path, at + 1, replacement, owned)
  const target = value === null ? newObject() : owned.has(value) ? value : copyObject(value)
  owned.add(target)
  target[key] = updated
  return target
}

function updateItem(
  value: JqValue[] | null,
  position: number,
  path: JqValue[],
  at: number,
  replacement: JqValue,
  owned: Owned,
): JqValue {
  const length = value?.length ?? 0
  const index = position < 0 ? position + length : position
  if (replacement === deleted && (index < 0 || index >= length)) return value
  if (index < 0) throw new JqError(`array index should not be negative: ${preview(BigInt(position))}`)
  if (index >= maxIndex) throw new JqError(`array index too large: ${preview(BigInt(position))}`)
  checkItems(index + 1)
  const updated = update(value?.[index] ?? null, path, at + 1, replacement, owned)
  const target = value === null ? [] : owned.has(value) ? value : value.slice()
  owned.add(target)
  while (target.length < index) target.push(null)
  target[index] = updated
  return target
}

function updateSlice(
  value: JqValue[] | null,
  key: JqObject,
  path: JqValue[],
  at: number,
  replacement: JqValue,
  owned: Owned,
): JqValue {
  if (!Object.hasOwn(key, 'start') || !Object.hasOwn(key, 'end')) throw expectedStartEnd(key)
  const items = value ?? []
  const [start, end] = bounds(items.length, key.start as JqValue, key.end as JqValue, arrayIndexNotNumber)
  if (start === end && replacement === deleted) return value
  const updated = update(value === null ? [] : items.slice(start, end), path, at + 1, replacement, owned)
  let target: JqValue[]
  if (updated === deleted)
    target = items.map((item, position) => (position >= start && position < end ? deleted : item))
  else if (Array.isArray(updated)) target = [...items.slice(0, start), ...updated, ...items.slice(end)]
  else throw expectedArray(updated)
  owned.add(target)
  return target
}

function sweep(value: JqValue, owned: Owned): JqValue {
  if (value === deleted) return null
  if (!owned.has(value)) return value
  if (Array.isArray(value)) return value.filter(item => item !== deleted).map(item => sweep(item, owned))
  if (!isObject(value)) return value
  for (const key of Object.keys(value)) {
    const item = value[key] as JqValue
    if (item === deleted) delete value[key]
    else value[key] = sweep(item, owned)
  }
  return value
}
