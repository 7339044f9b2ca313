import { compareStrings } from '../../cel/text-order.ts'
import { type CallContext, define, type GoFunction } from '../function.ts'
import { GoError, nilDereference } from '../go-error.ts'
import { anyList, GoSlice, type GoValue, kindOf, list, stringList } from '../value.ts'
import { toInt64 } from './casts.ts'
import { isEmpty } from './defaults.ts'
import { deepEqual } from './equality.ts'
import { strings } from './strings.ts'

/** The items of a list; what is none is refused with `problem` and the kind that was given. */
function itemsOf(value: GoValue, problem: string): readonly GoValue[] {
  if (value === null || value === undefined) throw nilDereference()
  if (!(value instanceof GoSlice)) throw new GoError(`${problem} ${kindOf(value)}`)
  return value.items
}

const nilList = new GoSlice(anyList, [], true)
const orNil = (items: readonly GoValue[], given: readonly GoValue[]): GoSlice =>
  given.length === 0 ? nilList : list(items)

function chunk({ budget }: CallContext, size: number, value: GoValue): GoSlice {
  const items = itemsOf(value, 'Cannot chunk type')
  const count = Math.floor((items.length - 1) / size) + 1
  const isLastNegative = size < 0 && count > 0 && items.length % size === 0
  if (!Number.isFinite(count) || count < 0 || isLastNegative)
    throw new GoError('runtime error: makeslice: len out of range')
  budget.reserveItems(items.length)
  const length = Math.abs(size)
  const chunks = Array.from({ length: count }, (_, index) => list(items.slice(index * length, (index + 1) * length)))
  return new GoSlice('[]' + anyList, chunks)
}

function cut(value: GoValue, indexes: readonly GoValue[]): GoValue {
  const items = itemsOf(value, 'list should be type of slice or array but')
  if (items.length === 0) return null
  const [start = 0, end = items.length] = indexes.map(index => Number(toInt64(index)))
  if (start < 0 || end < start || end > items.length) {
    throw new GoError('reflect.Value.Slice: slice index out of bounds')
  }
  return new GoSlice((value as GoSlice).type, items.slice(start, end))
}

function has({ budget }: CallContext, needle: GoValue, haystack: GoValue): boolean {
  if (haystack === null || haystack === undefined) return false
  return itemsOf(haystack, 'Cannot find has on type').some(item => deepEqual(budget, needle, item))
}

function unique({ budget }: CallContext, value: GoValue): GoSlice {
  const found: GoValue[] = []
  for (const item of itemsOf(value, 'Cannot find uniq on type')) {
    if (!found.some(each => deepEqual(budget, item, each))) found.push(item)
  }
  return list(found)
}

function without({ budget }: CallContext, value: GoValue, ...omitted: GoValue[]): GoSlice {
  const items = itemsOf(value, 'Cannot find without on type')
  return list(items.filter(item => !omitted.some(each => deepEqual(budget, item, each))))
}

function concat({ budget }: CallContext, ...lists: GoValue[]): GoSlice {
  const all: GoValue[] = []
  for (const each of lists) {
    if (each === null || each === undefined) throw nilDereference()
    if (!(each instanceof GoSlice)) throw new GoError(`Cannot concat type ${kindOf(each)} as list`)
    budget.reserveItems(all.length + each.items.length)
    for (const item of each.items) all.push(item)
  }
  return orNil(all, all)
}

function sorted({ budget }: CallContext, value: GoValue): GoSlice {
  if (value instanceof GoSlice) return stringList(strings(budget, value).sort(compareStrings))
  return stringList(value === null || value === undefined ? ['<nil>'] : strings(budget, value))
}

const makeList = define(['...any'], (_, ...items) => list(items))
const push = define(['any', 'any'], (_, value, item) => list([...itemsOf(value, 'Cannot push on type'), item]))
const prepend = define(['any', 'any'], (_, value, item) => list([item, ...itemsOf(value, 'Cannot prepend on type')]))
const first = define(['any'], (_, value) => itemsOf(value, 'Cannot find first on type')[0] ?? null)
const last = define(['any'], (_, value) => itemsOf(value, 'Cannot find last on type').at(-1) ?? null)
const rest = define(['any'], (_, value) => {
  const items = itemsOf(value, 'Cannot find rest on type')
  return orNil(items.slice(1), items)
})
const initial = define(['any'], (_, value) => {
  const items = itemsOf(value, 'Cannot find initial on type')
  return orNil(items.slice(0, -1), items)
})
const reverse = define(['any'], (_, value) => list([...itemsOf(value, 'Cannot find reverse on type')].reverse()))
const compact = define(['any'], (_, value) =>
  list(itemsOf(value, 'Cannot compact on type').filter(item => !isEmpty(item))),
)
const uniq = define(['any'], unique)
const withoutItems = define(['any', '...any'], without)
const hasItem = define(['any', 'any'], has)
const slice = define(['any', '...any'], (_, value, ...indexes) => cut(value, indexes))
const chunks = define(['int', 'any'], chunk)

export const listFunctions: Readonly<Record<string, GoFunction>> = {
  list: makeList,
  tuple: makeList,
  append: push,
  push,
  mustAppend: push,
  mustPush: push,
  prepend,
  mustPrepend: prepend,
  first,
  mustFirst: first,
  last,
  mustLast: last,
  rest,
  mustRest: rest,
  initial,
  mustInitial: initial,
  reverse,
  mustReverse: reverse,
  compact,
  mustCompact: compact,
  uniq,
  mustUniq: uniq,
  without: withoutItems,
  mustWithout: withoutItems,
  has: hasItem,
  mustHas: hasItem,
  slice,
  mustSlice: slice,
  concat: define(['...any'], concat),
  chunk: chunks,
  mustChunk: chunks,
  sortAlpha: define(['any'], sorted),
}
