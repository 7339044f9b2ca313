import { failedOn, notApplicable } from './errors.ts'
import type { Native } from './functions.ts'
import { compare, type JqValue } from './value.ts'

interface Item {
  readonly value: JqValue
  readonly key: JqValue
}

function items(name: string, value: JqValue, keys: JqValue): Item[] {
  if (!Array.isArray(value)) throw name.endsWith('_by') ? notApplicable(name, value, keys) : notApplicable(name, value)
  if (!Array.isArray(keys)) throw notApplicable(name, value, keys)
  if (value.length !== keys.length) throw failedOn('length mismatch', name, value, keys)
  return value.map((item, index) => ({ value: item, key: keys[index] as JqValue }))
}

function sorted(name: string, value: JqValue, keys: JqValue): Item[] {
  return items(name, value, keys).sort((left, right) => compare(left.key, right.key))
}

function groups(name: string, value: JqValue, keys: JqValue): JqValue[][] {
  const found: JqValue[][] = []
  let last: Item | undefined
  for (const item of sorted(name, value, keys)) {
    if (last !== undefined && compare(last.key, item.key) === 0) found.at(-1)?.push(item.value)
    else {
      found.push([item.value])
      last = item
    }
  }
  return found
}

function extreme(name: string, isMin: boolean): (value: JqValue, keys: JqValue) => JqValue {
  return (value, keys) => {
    const [first, ...rest] = items(name, value, keys)
    if (first === undefined) return null
    return rest.reduce((best, item) => (compare(best.key, item.key) > 0 === isMin ? item : best), first).value
  }
}

function search(value: JqValue, target: JqValue): JqValue {
  if (!Array.isArray(value)) throw notApplicable('bsearch', value, target)
  let [low, high] = [0, value.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(value[middle] as JqValue, target) >= 0) high = middle
    else low = middle + 1
  }
  const isFound = low < value.length && compare(value[low] as JqValue, target) === 0
  return BigInt(isFound ? low : -low - 1)
}

type Ordering = (name: string) => (value: JqValue, keys: JqValue) => JqValue

const orderings: readonly (readonly [string, Ordering])[] = [
  ['sort', name => (value, keys) => sorted(name, value, keys).map(item => item.value)],
  ['group', name => (value, keys) => groups(name, value, keys)],
  ['unique', name => (value, keys) => groups(name, value, keys).map(group => group[0] as JqValue)],
  ['min', name => extreme(name, true)],
  ['max', name => extreme(name, false)],
]

export const sortFunctions: readonly (readonly [string, Native])[] = [
  ...orderings.flatMap(([name, ordering]): (readonly [string, Native])[] => {
    const [plain, by] = [ordering(name), ordering(`${name}_by`)]
    const native: Native = (value, [keys = null]) => by(value, keys)
    return name === 'group'
      ? [[`_${name}_by/1`, native]]
      : [
          [`${name}/0`, value => plain(value, value)],
          [`_${name}_by/1`, native],
        ]
  }),
  ['bsearch/1', (value, [target = null]) => search(value, target)],
]
