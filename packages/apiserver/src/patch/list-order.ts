import { getOwn, isObject } from '../json-value.ts'
import type { Json, JsonObject } from '../schema/schema.ts'
import { goTypeOf, printGo } from './go-print.ts'
import { PatchFailure } from './patch-failure.ts'

/** The order of a merged list: what the patch names comes in the patch's order, what only the object has keeps the
 *  object's order, and the two are interleaved by the places the object gave them. */
export function arrangeList(
  fromPatch: Json[],
  fromObject: Json[],
  patchOrder: readonly Json[],
  objectOrder: readonly Json[],
  mergeKey: string,
  ofObjects: boolean,
): Json[] {
  if (ofObjects)
    for (const item of [...fromPatch, ...fromObject, ...patchOrder, ...objectOrder]) requiredKey(item, mergeKey)
  const identify = ofObjects ? (item: Json) => keyOf(item, mergeKey) : (item: Json) => item
  const patched = sortByRank(fromPatch.map(identified(identify)), ranks(patchOrder, identify))
  const places = ranks(objectOrder, identify)
  const untouched = sortByRank(fromObject.map(identified(identify)), places)
  const arranged: Json[] = []
  let next = 0
  for (const { item, key } of patched) {
    const place = places.get(key) ?? -1
    while (next < untouched.length && (places.get(untouched[next]?.key) ?? place) < place) {
      arranged.push((untouched[next++] as Identified).item)
    }
    arranged.push(item)
  }
  return [...arranged, ...untouched.slice(next).map(({ item }) => item)]
}

type Key = Json | undefined

interface Identified {
  item: Json
  key: Key
}

const identified =
  (identify: (item: Json) => Key) =>
  (item: Json): Identified => ({ item, key: identify(item) })

function ranks(order: readonly Json[], identify: (item: Json) => Key): Map<Key, number> {
  const places = new Map<Key, number>()
  for (const [index, item] of order.entries()) {
    const key = identify(item)
    if (!places.has(key)) places.set(key, index)
  }
  return places
}

function sortByRank(list: Identified[], places: ReadonlyMap<Key, number>): Identified[] {
  const isRanked = (entry: Identified) => places.has(entry.key)
  const rank = (entry: Identified) => places.get(entry.key) ?? -1
  if (list.every(isRanked)) return list.sort((a, b) => rank(a) - rank(b))
  // An element without a rank goes before whatever stands there, which is no consistent order: insertion sort decides.
  for (let i = 1; i < list.length; i++) {
    for (let j = i; j > 0; j--) {
      const left = list[j - 1] as Identified
      const right = list[j] as Identified
      if (isRanked(left) && isRanked(right) && rank(right) >= rank(left)) break
      list[j - 1] = right
      list[j] = left
    }
  }
  return list
}

/** Splits a list by whether an element is named in `by`. */
export function partition(list: Json[], by: readonly Json[], mergeKey: string): { inList: Json[]; others: Json[] } {
  const named = new Set(mergeKey === '' ? by : by.map(item => keyOf(item, mergeKey)))
  const inList: Json[] = []
  const others: Json[] = []
  for (const item of list) {
    const isNamed = named.has(mergeKey === '' ? item : requiredKey(item, mergeKey))
    ;(isNamed ? inList : others).push(item)
  }
  return { inList, others }
}

export function sameKey(left: Json, right: Json, mergeKey: string): boolean {
  return mergeKey === '' ? left === right : requiredKey(left, mergeKey) === requiredKey(right, mergeKey)
}

function requiredKey(item: Json, mergeKey: string): Json {
  if (!isObject(item)) throw badArgument('map[string]interface {}', item)
  const value = getOwn(item, mergeKey)
  if (value === undefined) throw noMergeKey(item, mergeKey)
  return value
}

const keyOf = (item: Json, mergeKey: string): Json | undefined => (isObject(item) ? getOwn(item, mergeKey) : undefined)

export const noMergeKey = (item: JsonObject, mergeKey: string): PatchFailure =>
  PatchFailure.internal(`map: ${printGo(item)} does not contain declared merge key: ${mergeKey}`)

export const badArgument = (expected: string, actual: Json): PatchFailure =>
  PatchFailure.internal(`expected a ${expected}, but received a ${goTypeOf(actual)}`)
