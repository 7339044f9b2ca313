import { CelCostError } from '../evaluation.ts'
import {
  ArrayList,
  CelError,
  CelList,
  CelMap,
  type CelValue,
  Duration,
  EntryMap,
  equalTo,
  noOverloadFor,
  Optional,
  printValue,
  typeName,
  Uint,
} from '../value.ts'
import { type Implementation, type OperatorFunction, overload } from './implementation.ts'
import { add, compare, isComparable } from './operators.ts'

const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes']

function isSorted(list: CelList): CelValue {
  let previous: CelValue | undefined
  for (const element of list) {
    if (!isComparable(element)) return noOverloadFor(element)
    if (previous !== undefined && compare(previous, element) === 1) return false
    previous = element
  }
  return true
}

function sum(zero: CelValue): (list: CelList) => CelValue {
  return list => {
    let total = zero
    for (const element of list) {
      total = add(total, element)
      if (total instanceof CelError) return total
    }
    return total
  }
}

function extreme(name: string, better: number): (list: CelList) => CelValue {
  return list => {
    let best: CelValue | undefined
    for (const element of list) {
      if (!isComparable(element)) return noOverloadFor(element)
      if (best === undefined || compare(best, element) === better) best = element
    }
    return best ?? new CelError(`${name} called on empty list`)
  }
}

function indexOf(list: CelList, value: CelValue): CelValue {
  for (let index = 0; index < list.size; index++) {
    if (equalTo(list.at(index), value) === true) return BigInt(index)
  }
  return -1n
}

function lastIndexOf(list: CelList, value: CelValue): CelValue {
  for (let index = list.size - 1; index >= 0; index--) {
    if (equalTo(list.at(index), value) === true) return BigInt(index)
  }
  return -1n
}

function slice(list: CelList, start: bigint, end: bigint): CelValue {
  const problem = (why: string): CelError => new CelError(`cannot slice(${start}, ${end}), ${why}`)
  if (start < 0n || end < 0n) return problem('negative indexes not supported')
  if (start > end) return problem('start index must be less than or equal to end index')
  if (end > list.size) return problem(`list is length ${list.size}`)
  return new ArrayList([...list].slice(Number(start), Number(end)))
}

/** Called without a check of its operands. */
function flatten(list: CelValue, depth?: CelValue): CelValue {
  if (!(list instanceof CelList)) {
    const signature = depth === undefined ? '' : goTypeText(depth)
    return new CelError(`no such overload: ${goTypeText(list)}.flatten(${signature})`)
  }
  return flattenList(list, (depth ?? 1n) as bigint)
}

function goTypeText(value: CelValue): string {
  if (value instanceof CelMap) return 'map(dyn, dyn)'
  return value instanceof CelList ? 'list(dyn)' : typeName(value)
}

function flattenList(list: CelList, depth: bigint): CelValue {
  if (depth < 0n) return new CelError('level must be non-negative')
  const flatInto = (result: CelValue[], nested: CelList, levels: bigint): CelValue[] => {
    for (const element of nested) {
      if (element instanceof CelList && levels > 0n) flatInto(result, element, levels - 1n)
      else result.push(element)
    }
    return result
  }
  return new ArrayList(flatInto([], list, depth))
}

function sortByKeys(list: CelList, keys: CelList): CelValue {
  if (list.size !== keys.size) {
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.size} and ${keys.size} elements respectively`,
    )
  }
  if (list.size === 0) return list
  const ordered = [...keys].map((key, index) => ({ key, value: list.at(index) }))
  const first = (ordered[0] as { key: CelValue }).key
  if (!isComparable(first)) return new CelError('list elements must be comparable')
  if (list.size > 1 && ordered.some(({ key }) => typeName(key) !== typeName(first))) {
    return new CelError('list elements must have the same type')
  }
  ordered.sort((left, right) => {
    const order = compare(left.key, right.key)
    return typeof order === 'number' ? order : 0
  })
  return new ArrayList(ordered.map(({ value }) => value))
}

// Every element costs 1, so a longer range is beyond any budget before it is made.
const longestRange = 10_000_000n

function range(count: bigint): CelValue {
  if (count > longestRange) throw new CelCostError()
  return new ArrayList(Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index)))
}

function distinct(list: CelList): CelValue {
  const unique: CelValue[] = []
  for (const element of list) {
    if (!unique.some(known => equalTo(element, known) === true)) unique.push(element)
  }
  return list.size === 0 ? list : new ArrayList(unique)
}

function containsAll(list: CelList, wanted: CelList): CelValue {
  for (const element of wanted) {
    const found = list.contains(element)
    if (found !== true) return found
  }
  return true
}

function intersects(list: CelList, other: CelList): CelValue {
  for (const element of list) {
    if (other.contains(element) === true) return true
  }
  return false
}

function equivalent(list: CelList, other: CelList): CelValue {
  const contained = containsAll(list, other)
  return contained === true ? containsAll(other, list) : contained
}

/** A map that only the fold that built it can see, so that it may grow in place. */
export class GrowingMap extends EntryMap {}

function insert(map: CelMap, key: CelValue, value: CelValue): CelMap | CelError {
  if (map.find(key) !== undefined) return new CelError(`insert failed: key ${printValue(key)} already exists`)
  if (map instanceof GrowingMap) {
    map.set(key, value)
    return map
  }
  const entries = [...map.keys()].map(existing => [existing, map.find(existing) ?? null] as const)
  return EntryMap.of([[key, value], ...entries])
}

function insertAll(map: CelMap, added: CelMap): CelValue {
  let result: CelMap = map
  for (const key of added.keys()) {
    const next = insert(result, key, added.find(key) ?? null)
    if (next instanceof CelError) return next
    result = next
  }
  return result
}

function unwrap(list: CelList): CelValue {
  const values: CelValue[] = []
  for (const element of list) {
    if (!(element instanceof Optional)) return new CelError(`value ${printValue(element)} is not optional`)
    if (element.value !== undefined) values.push(element.value)
  }
  return new ArrayList(values)
}

export const listOverloads: readonly (readonly [string, Implementation])[] = [
  ...comparable.flatMap(type => [
    overload(`list_${type}_is_sorted_bool`, isSorted),
    overload(`list_${type}_max_${type}`, extreme('max', -1)),
    overload(`list_${type}_min_${type}`, extreme('min', 1)),
  ]),
  overload('list_int_sum_int', sum(0n)),
  overload('list_uint_sum_uint', sum(new Uint(0n))),
  overload('list_double_sum_double', sum(0)),
  overload('list_duration_sum_duration', sum(new Duration(0n))),
  overload('list_a_index_of_int', indexOf),
  overload('list_a_last_index_of_int', lastIndexOf),
  overload('list_slice', slice),
  overload('list_flatten', flatten),
  overload('list_flatten_int', flatten),
  overload('lists_range', range),
  overload('list_reverse', (list: CelList) => new ArrayList([...list].reverse())),
  overload('list_distinct', distinct),
  overload('list_sets_contains_list', containsAll),
  overload('list_sets_equivalent_list', equivalent),
  overload('list_sets_intersects_list', intersects),
  overload('list_first', (list: CelList) => (list.size === 0 ? Optional.none : new Optional(list.at(0)))),
  overload('list_last', (list: CelList) => (list.size === 0 ? Optional.none : new Optional(list.at(list.size - 1)))),
  overload('optional_unwrap', unwrap),
  overload('optional_unwrapOpt', unwrap),
  overload('@mapInsert_map_key_value', insert),
  overload('@mapInsert_map_map', insertAll),
]

const isList = (value: CelValue): boolean => value instanceof CelList

export const listFunctions: readonly (readonly [string, OperatorFunction])[] = [
  ['sort', { accepts: isList, implementation: list => sortByKeys(list as CelList, list as CelList) }],
  [
    '@sortByAssociatedKeys',
    {
      accepts: isList,
      implementation: (list, keys) => sortByKeys(list as CelList, keys as CelList),
    },
  ],
]
