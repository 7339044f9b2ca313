import { goQuote } from '../cel/functions/go-text.ts'
import type { Builtin } from './builtins.ts'
import { kindText } from './builtins-aggregate.ts'
import type { ExprDialect } from './dialect.ts'
import type { Evaluation } from './evaluation.ts'
import { goText } from './go-print.ts'
import { pairsType, pairType } from './go-type.ts'
import { methodOf } from './methods.ts'
import { checkKey, cut, fetch, integerOf, isEqual, isLess, itemAt, lengthOf, lookUp, toInt } from './operators.ts'
import { sortValues } from './sorting.ts'
import { Fault } from './source.ts'
import {
  Byte,
  Duration,
  type ExprValue,
  isList,
  isMap,
  isNil,
  isObject,
  NamedInt,
  nilList,
  own,
  tagged,
  typeName,
} from './value.ts'

type Values = readonly ExprValue[]

/** What is a slice or an array to Go. */
export function listOf(value: ExprValue): Values | undefined {
  if (isList(value)) return value
  return value instanceof Uint8Array ? [...value].map(byte => new Byte(byte)) : undefined
}

/** first, last, and get of the older version: nil where a fetch would fail. */
function fetchOrNil(from: ExprValue, key: ExprValue, dialect: ExprDialect): ExprValue {
  try {
    return fetch(from, key, dialect)
  } catch (error) {
    // What cannot be fetched is nil here: that is the purpose of these functions.
    if (error instanceof Fault) return null
    throw error
  }
}

function get(_run: Evaluation, [from, key]: Values): ExprValue {
  if (from === null || from === undefined) return null
  if (typeof key === 'string') {
    const method = methodOf(from, key)
    if (method !== undefined) return method
  }
  if (typeof from === 'string' || isList(from) || from instanceof Uint8Array) {
    const length = lengthOf(from) as number
    const at = toInt(key)
    const index = at < 0n ? at + BigInt(length) : at
    return index >= 0n && index < BigInt(length) ? itemAt(from, Number(index)) : null
  }
  if (isMap(from) || isObject(from)) return lookUp(from, key).value ?? null
  return null
}

function take(dialect: ExprDialect): Builtin {
  return (_run, [value, count]) => {
    if (!isList(value) && !(value instanceof Uint8Array)) throw new Fault(`cannot take from ${kindText(value)}`)
    const wanted = count instanceof Duration ? count.nanos : count instanceof NamedInt ? count.value : count
    if (typeof wanted !== 'bigint') throw new Fault(`cannot take ${kindText(count)} elements`)
    if (wanted > BigInt(value.length)) return dialect === '1.15' ? value : cut(value, 0, value.length)
    if (wanted < 0n) throw new Fault('reflect.Value.Slice: slice index out of bounds')
    return cut(value, 0, Number(wanted))
  }
}

function entries(what: (kind: string) => string, give: (key: ExprValue, value: ExprValue) => ExprValue): Builtin {
  return (run, [map]) => {
    if (!isMap(map) && !isObject(map)) throw new Fault(what(kindText(map)))
    const found = isMap(map) ? [...map] : Object.keys(map).map((key): [ExprValue, ExprValue] => [key, own(map, key)])
    run.step(found.length)
    return found.map(([key, value]) => give(key, value ?? null))
  }
}

const toPairs = entries(
  kind => `cannot transform ${kind} to pairs`,
  (key, value) => tagged([key, value], pairType),
)

function fromPairs(run: Evaluation, [value]: Values): ExprValue {
  const list = listOf(value)
  if (list === undefined)
    throw new Fault(`cannot transform ${isNil(value) ? '<invalid Value>' : goText(value)} from pairs`)
  run.step(list.length)
  const map = new Map<ExprValue, ExprValue>()
  for (const pair of list) {
    const items = listOf(pair)
    if (items === undefined) throw new Fault(`invalid pair ${isNil(pair) ? '<nil>' : goText(pair)}`)
    if (items.length !== 2) throw new Fault(`invalid pair length ${goText(pair)}`)
    checkKey(items[0], false)
    map.set(items[0] ?? null, items[1] ?? null)
  }
  return map
}

function reverse(run: Evaluation, [value]: Values): ExprValue {
  const list = listOf(value)
  if (list === undefined) throw new Fault(`cannot reverse ${kindText(value)}`)
  run.grow(list.length)
  return list.toReversed()
}

function unique(run: Evaluation, [value]: Values): ExprValue {
  const list = listOf(value)
  if (list === undefined) throw new Fault(`cannot uniq ${kindText(value)}`)
  const kept: ExprValue[] = []
  for (const item of list) {
    run.step(kept.length + 1)
    if (!kept.some(one => isEqual(item, one, run.dialect))) kept.push(item)
  }
  return kept
}

function concat(run: Evaluation, values: Values): ExprValue {
  const all: ExprValue[] = []
  for (const value of values) {
    const list = listOf(value)
    if (list === undefined) throw new Fault(`cannot concat ${kindText(value)}`)
    run.step(list.length)
    for (const item of list) all.push(item)
  }
  run.grow(all.length)
  return all.length === 0 ? nilList() : all
}

function flatten(run: Evaluation, [value]: Values): ExprValue {
  const list = listOf(value)
  if (list === undefined) throw new Fault(`cannot flatten ${kindText(value)}`)
  const flat: ExprValue[] = []
  const spread = (items: Values) => {
    run.step(items.length)
    for (const item of items) {
      const inner = listOf(item)
      if (inner === undefined) flat.push(item)
      else spread(inner)
    }
  }
  spread(list)
  run.grow(flat.length)
  return flat
}

function orderOf(order: ExprValue): boolean {
  if (typeof order !== 'string') throw new Fault(`sort order argument must be a string (got ${typeName(order)})`)
  if (order !== 'asc' && order !== 'desc') throw new Fault(`invalid order ${order}, expected asc or desc`)
  return order === 'desc'
}

function sort(run: Evaluation, values: Values): ExprValue {
  const [value] = values
  // Of what is no list that it knows, the newer version sorts nothing.
  const list =
    isList(value) && typeName(value) !== '[][2]interface {}' && typeName(value) !== '[2]interface {}'
      ? value
      : undefined
  const isDescending = values.length === 2 ? orderOf(values[1]) : false
  if (list === undefined) return nilList()
  run.step(list.length)
  const sorted = sortValues(list, list, (left, right) => (isDescending ? isLess(right, left) : isLess(left, right)))
  run.grow(list.length)
  return sorted
}

function oldOrderOf(order: ExprValue): boolean {
  if (typeof order !== 'string')
    throw new Fault(`invalid argument for sort (expected string, got ${isNil(order) ? '%!s(<nil>)' : typeName(order)})`)
  if (order !== 'asc' && order !== 'desc')
    throw new Fault(`invalid argument for sort (expected "asc" or "desc", got ${goQuote(order)})`)
  return order === 'desc'
}

/** sort and sortBy of the older version: all values must have one type. */
function oldSort(run: Evaluation, value: ExprValue, field: string, isDescending: boolean): ExprValue {
  const list = listOf(value)
  if (list === undefined) throw new Fault(`cannot sort ${kindText(value)}`)
  run.step(list.length)
  const keys = list.map(item => sortKey(item, field))
  for (const [index, key] of keys.entries()) {
    const previous = keys[index - 1]
    if (index > 0 && typeName(key) !== typeName(previous)) {
      const types = `${sortType(key)} and ${sortType(keys[0])}`
      throw new Fault(`cannot sort array of different types (${types})`)
    }
  }
  const isBefore = (left: ExprValue, right: ExprValue) => {
    if (typeof left !== 'string' && typeof left !== 'number' && integerOf(left) === undefined)
      throw new Fault(`sort: unsupported type ${isNil(left) ? 'interface' : kindText(left)}`)
    return isDescending ? isLess(right, left) : isLess(left, right)
  }
  return sortValues(list, keys, isBefore)
}

const sortType = (value: ExprValue) => (isNil(value) ? 'interface {}' : typeName(value))

function sortKey(item: ExprValue, field: string): ExprValue {
  if (!isMap(item) && !isObject(item)) return item
  const { found, value } = lookUp(item, field)
  if (!found) throw new Fault('cannot deref <invalid reflect.Value>')
  return value
}

export function collectionBuiltins(dialect: ExprDialect): Record<string, Builtin> {
  const common: Record<string, Builtin> = {
    first: (_run, [value]) => fetchOrNil(value, 0n, dialect),
    last: (_run, [value]) => fetchOrNil(value, -1n, dialect),
    take: take(dialect),
    keys: entries(
      kind => `cannot get keys from ${kind}`,
      key => key,
    ),
    values: entries(
      kind => `cannot get values from ${kind}`,
      (_key, value) => value,
    ),
    toPairs: (run, values) => tagged(toPairs(run, values) as readonly ExprValue[], pairsType),
    fromPairs,
  }
  if (dialect === '1.17') return { ...common, get, reverse, uniq: unique, concat, flatten, sort }
  return {
    ...common,
    get: (_run, [from, key]) => fetchOrNil(from, key, dialect),
    sort: (run, values) => oldSort(run, values[0], '', values.length === 2 ? oldOrderOf(values[1]) : false),
    sortBy: (run, [value, field, ...order]) => {
      if (listOf(value) === undefined) throw new Fault(`cannot sort ${kindText(value)}`)
      if (typeof field !== 'string')
        throw new Fault(
          `invalid argument for sort (expected string, got ${isNil(field) ? '%!s(<nil>)' : typeName(field)})`,
        )
      return oldSort(run, value, field, order.length === 1 ? oldOrderOf(order[0]) : false)
    },
  }
}
