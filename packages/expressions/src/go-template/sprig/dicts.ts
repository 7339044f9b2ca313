import type { Budget } from '../budget.ts'
import { define, type GoFunction } from '../function.ts'
import { GoError } from '../go-error.ts'
import { anyMap, anyType, GoMap, GoSlice, type GoValue, list, stringList, typeOf } from '../value.ts'
import { merged } from './merge.ts'
import { strval } from './strings.ts'

function setKey(map: GoMap, key: string, value: GoValue): GoMap {
  if (map.isNil) throw new GoError('assignment to entry in nil map')
  map.entries.set(key, value ?? null)
  return map
}

function dict(budget: Budget, values: readonly GoValue[]): GoMap {
  const map = new GoMap()
  for (let index = 0; index < values.length; index += 2) {
    const value = index + 1 < values.length ? (values[index + 1] ?? null) : ''
    map.entries.set(strval(budget, values[index]), value)
  }
  return map
}

const selected = (map: GoMap, accepts: (key: string) => boolean): GoMap =>
  new GoMap(
    anyMap,
    [...map.entries].filter(([key]) => accepts(key)),
  )

/** A type assertion that failed. */
function conversion(value: GoValue, type: string): GoError {
  const given = value === null || value === undefined ? 'nil' : typeOf(value)
  return new GoError(`interface conversion: ${anyType} is ${given}, not ${type}`)
}

function asMap(value: GoValue): GoMap {
  if (value instanceof GoMap && value.type === anyMap) return value
  throw conversion(value, anyMap)
}

function dig(values: readonly GoValue[]): GoValue {
  if (values.length < 3) throw new GoError('dig needs at least three arguments')
  let map = asMap(values.at(-1))
  const absent = values.at(-2)
  const path = values.slice(0, -2).map(key => {
    if (typeof key !== 'string') throw conversion(key, 'string')
    return key
  })
  for (const [index, key] of path.entries()) {
    const found = map.entries.get(key)
    if (found === undefined) return absent
    if (index === path.length - 1) return found
    map = asMap(found)
  }
  return absent
}

function deepCopy(budget: Budget, value: GoValue, depth = 0): GoValue {
  budget.checkDepth(depth)
  budget.step()
  const copy = (inner: GoValue) => deepCopy(budget, inner, depth + 1)
  if (value instanceof GoSlice) return new GoSlice(value.type, value.items.map(copy), value.isNil)
  if (!(value instanceof GoMap)) return value
  return new GoMap(
    value.type,
    [...value.entries].map(([key, inner]) => [key, copy(inner)]),
    value.isNil,
  )
}

const merge = define(['map', '...map'], ({ budget }, target, ...sources) => merged(budget, target, sources, false))
const mergeOverwrite = define(['map', '...map'], ({ budget }, target, ...sources) =>
  merged(budget, target, sources, true),
)
const copyOf = define(['any'], ({ budget }, value) => {
  if (value === null || value === undefined) throw new GoError('reflect: call of reflect.Value.Type on zero Value')
  return deepCopy(budget, value)
})

export const dictFunctions: Readonly<Record<string, GoFunction>> = {
  dict: define(['...any'], ({ budget }, ...values) => dict(budget, values)),
  get: define(['map', 'string'], (_, map, key) => {
    const found = map.entries.get(key)
    return found === undefined ? '' : found
  }),
  set: define(['map', 'string', 'any'], (_, map, key, value) => setKey(map, key, value)),
  unset: define(['map', 'string'], (_, map, key) => {
    map.entries.delete(key)
    return map
  }),
  hasKey: define(['map', 'string'], (_, map, key) => map.entries.has(key)),
  pluck: define(['string', '...map'], (_, key, ...maps) =>
    list(maps.filter(map => map.entries.has(key)).map(map => map.entries.get(key))),
  ),
  keys: define(['...map'], (_, ...maps) => stringList(maps.flatMap(map => [...map.entries.keys()]))),
  values: define(['map'], (_, map) => list([...map.entries.values()])),
  pick: define(['map', '...string'], (_, map, ...keys) => selected(map, key => keys.includes(key))),
  omit: define(['map', '...string'], (_, map, ...keys) => selected(map, key => !keys.includes(key))),
  merge,
  mustMerge: merge,
  mergeOverwrite,
  mustMergeOverwrite: mergeOverwrite,
  dig: define(['...any'], (_, ...values) => dig(values)),
  deepCopy: copyOf,
  mustDeepCopy: copyOf,
}
