import { getOwn, isObject, jsonCopy, jsonTypeName, setField } from '../json-value.ts'
import type { Json, JsonObject, Schema } from '../schema/schema.ts'
import { goTypeOf, printGo } from './go-print.ts'
import { arrangeList, badArgument, noMergeKey, partition, sameKey } from './list-order.ts'
import { PatchFailure } from './patch-failure.ts'
import { goKind, listFieldRule, objectFieldRule } from './patch-type.ts'

const DIRECTIVE = '$patch'
const RETAIN_KEYS = '$retainKeys'
const DELETE_FROM_LIST = '$deleteFromPrimitiveList'
const SET_ORDER = '$setElementOrder'

/** Applies a strategic merge patch to a copy of `document`, by the patch strategies and merge keys of `schema`. Throws a
 *  `PatchFailure`. */
export function applyStrategicMergePatch(document: JsonObject, patch: Json, schema: Schema): JsonObject {
  if (patch !== null && !isObject(patch)) {
    throw PatchFailure.unreadable(
      `json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`,
    )
  }
  return mergeObject(jsonCopy(document), jsonCopy(patch ?? {}), schema)
}

// What follows owns `current` and `patch` and takes them apart.

function mergeObject(current: JsonObject, patch: JsonObject, schema: Schema): JsonObject {
  if (Object.hasOwn(patch, DIRECTIVE)) return wholeObjectDirective(patch)
  applyRetainKeys(current, patch)
  for (const key of Object.keys(patch)) {
    if (key.startsWith(SET_ORDER)) mergeOrderedList(current, patch, key, schema)
  }
  for (const key of Object.keys(patch).sort()) mergeField(current, key, patch[key] as Json, schema)
  return current
}

function wholeObjectDirective(patch: JsonObject): JsonObject {
  const directive = patch[DIRECTIVE] as Json
  if (directive === 'delete') return {}
  if (directive !== 'replace') throw unknownDirective(directive, patch)
  delete patch[DIRECTIVE]
  return patch
}

function unknownDirective(directive: Json, patch: JsonObject): PatchFailure {
  const text = typeof directive === 'string' ? directive : `%!s(${goTypeOf(directive)}=${printGo(directive)})`
  return PatchFailure.internal(`unknown patch type: ${text} in map: ${printGo(patch)}`)
}

function applyRetainKeys(current: JsonObject, patch: JsonObject): void {
  const list = getOwn(patch, RETAIN_KEYS)
  if (list === undefined) return
  delete patch[RETAIN_KEYS]
  if (!Array.isArray(list)) throw PatchFailure.unreadable('invalid patch format of retainKeys')
  const retained = new Set(list)
  for (const key of Object.keys(patch)) {
    if (patch[key] === null || key.startsWith(DELETE_FROM_LIST) || key.startsWith(SET_ORDER)) continue
    if (!retained.has(key)) throw PatchFailure.unreadable('invalid patch format of retainKeys')
  }
  for (const key of Object.keys(current)) if (!retained.has(key)) delete current[key]
}

function mergeField(current: JsonObject, patchKey: string, value: Json, schema: Schema): void {
  const isDeletion = patchKey.startsWith(DELETE_FROM_LIST)
  const key = isDeletion ? targetOf(patchKey, DELETE_FROM_LIST, 'invalid patch format of primitive list') : patchKey
  if (value === null) {
    delete current[key]
    return
  }
  const existing = getOwn(current, key)
  if (existing === undefined || kindOf(existing) !== kindOf(value)) {
    if (!isDeletion) take(current, key, value)
  } else if (isObject(existing) && isObject(value)) {
    const rule = objectFieldRule(schema, key)
    setField(current, key, rule.strategy === 'replace' ? value : mergeObject(existing, value, rule.schema))
  } else if (Array.isArray(existing) && Array.isArray(value)) {
    const rule = listFieldRule(schema, key)
    if (isDeletion) setField(current, key, deleteFromList(existing, value))
    else if (rule.strategy === 'merge')
      setField(current, key, mergeList(existing, value, rule.schema, rule.mergeKey).merged)
    else setField(current, key, value)
  } else {
    setField(current, key, value)
  }
}

/** Sets a field that has nothing to merge with: nulls and parts that are only directives fall away. */
function take(current: JsonObject, key: string, value: Json): void {
  dropNulls(value)
  const kept = withoutDirectives(value)
  if (kept === undefined) delete current[key]
  else setField(current, key, kept)
}

function dropNulls(value: Json): void {
  if (Array.isArray(value)) {
    for (const item of value) dropNulls(item)
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      if (value[key] === null) delete value[key]
      else dropNulls(value[key] as Json)
    }
  }
}

function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter(item => item !== undefined)
  if (!isObject(value)) return value
  if (Object.hasOwn(value, DIRECTIVE)) return undefined
  for (const key of Object.keys(value)) {
    const kept = withoutDirectives(value[key] as Json)
    if (kept === undefined) delete value[key]
    else setField(value, key, kept)
  }
  return value
}

/** A list whose wanted order the patch names under `$setElementOrder/<key>`. */
function mergeOrderedList(current: JsonObject, patch: JsonObject, orderKey: string, schema: Schema): void {
  const order = patch[orderKey] as Json
  delete patch[orderKey]
  if (!Array.isArray(order)) throw badArgument('[]interface {}', order)
  const key = targetOf(orderKey, SET_ORDER, 'invalid patch format of setElementOrder list')
  const existing = listAt(current, key)
  const changes = listAt(patch, key)
  const { schema: itemSchema, strategy, mergeKey } = listFieldRule(schema, key)
  checkOrder(changes ?? [], order, mergeKey)

  let merged: Json[]
  let before = existing ?? []
  if (existing === undefined) {
    if (changes === undefined) return
    merged = withoutDirectives(changes) as Json[]
  } else if (changes === undefined) {
    merged = existing
  } else if (strategy === 'merge') {
    ;({ merged, before } = mergeList(existing, changes, itemSchema, mergeKey))
  } else {
    merged = changes
  }
  const { inList, others } = partition(merged, order, mergeKey)
  const ofObjects = elementKind(before, changes ?? []) === 'object'
  setField(current, key, arrangeList(inList, others, order, before, mergeKey, ofObjects))
  delete patch[key]
}

function listAt(object: JsonObject, key: string): Json[] | undefined {
  const value = getOwn(object, key)
  if (value !== undefined && !Array.isArray(value)) throw badArgument('[]interface {}', value)
  return value
}

/** What the patch changes must appear in the order list, in the same order. */
function checkOrder(changes: Json[], order: Json[], mergeKey: string): void {
  if (changes.length === 0 || order.length === 0) return
  const kept = mergeKey === '' ? changes : changes.filter(item => !isDeletion(item))
  let next = 0
  let at = 0
  while (next < kept.length && at < order.length) {
    const item = kept[next] as Json
    if (isObject(item) && Object.hasOwn(item, DIRECTIVE)) {
      next++
      continue
    }
    if (sameKey(item, order[at] as Json, mergeKey)) next++
    at++
  }
  if (next < kept.length && at >= order.length) {
    throw PatchFailure.internal(
      `The order in patch list:\n${printGo(changes)}\n doesn't match ${SET_ORDER} list:\n${printGo(order)}\n`,
    )
  }
}

function isDeletion(item: Json): boolean {
  if (!isObject(item)) throw badArgument('map[string]interface {}', item)
  return getOwn(item, DIRECTIVE) === 'delete'
}

interface MergedList {
  merged: Json[]
  /** The list that a `$setElementOrder` takes the places of unnamed elements from. It is the one before the merge, except
   *  that the real server puts new elements into the places that deleted ones leave free. */
  before: Json[]
}

function mergeList(existing: Json[], changes: Json[], itemSchema: Schema, mergeKey: string): MergedList {
  if (existing.length === 0 && changes.length === 0) return { merged: existing, before: existing }
  if (elementKind(existing, changes) !== 'object') {
    const { inList, others } = partition(withoutRepeats([...existing, ...changes]), changes, '')
    return { merged: arrangeList(inList, others, changes, existing, mergeKey, false), before: existing }
  }
  if (mergeKey === '') {
    throw PatchFailure.internal(`cannot merge lists without merge key for ${goKind(itemSchema)}`)
  }
  const { base, additions } = applyItemDirectives(existing, changes as JsonObject[], mergeKey)
  const items = mergeItems([...base], additions, itemSchema, mergeKey)
  const { inList, others } = partition(items, additions, mergeKey)
  const merged = arrangeList(inList, others, additions, base, mergeKey, true)
  return { merged, before: items.slice(0, existing.length) }
}

function applyItemDirectives(
  existing: Json[],
  changes: JsonObject[],
  mergeKey: string,
): { base: Json[]; additions: JsonObject[] } {
  const additions: JsonObject[] = []
  const deleted = new Set<Json>()
  let replaces = false
  for (const item of changes) {
    const directive = getOwn(item, DIRECTIVE)
    if (directive === undefined) {
      additions.push(item)
    } else if (directive === 'delete') {
      const value = getOwn(item, mergeKey)
      if (value === undefined) throw noMergeKey(item, mergeKey)
      deleted.add(value)
    } else if (directive === 'replace') {
      replaces = true
    } else if (directive === 'merge') {
      throw PatchFailure.internal('merging lists cannot yet be specified in the patch')
    } else {
      throw unknownDirective(directive, item)
    }
  }
  if (replaces) return { base: additions, additions: [] }
  const isKept = (item: Json) => !isObject(item) || !deleted.has(getOwn(item, mergeKey) as Json)
  return { base: deleted.size === 0 ? existing : existing.filter(isKept), additions }
}

function mergeItems(base: Json[], additions: JsonObject[], itemSchema: Schema, mergeKey: string): Json[] {
  const places = new Map<Json | undefined, number>()
  for (const [index, item] of base.entries()) {
    const key = getOwn(item as JsonObject, mergeKey)
    if (!places.has(key)) places.set(key, index)
  }
  for (const item of additions) {
    const key = getOwn(item, mergeKey)
    if (key === undefined) throw noMergeKey(item, mergeKey)
    const at = places.get(key)
    if (at === undefined) {
      places.set(key, base.length)
      base.push(item)
    } else {
      base[at] = mergeObject(base[at] as JsonObject, item, itemSchema)
    }
  }
  return base
}

function deleteFromList(existing: Json[], toDelete: Json[]): Json[] {
  if (existing.length === 0 && toDelete.length === 0) return existing
  if (elementKind(existing, toDelete) === 'object') throw PatchFailure.internal('cannot delete objects by value')
  const deleted = new Set(toDelete)
  return existing.filter(item => !deleted.has(item))
}

/** The order of what remains does not matter here: `arrangeList` decides it. */
const withoutRepeats = (list: Json[]): Json[] => [...new Set(list)]

function targetOf(directive: string, prefix: string, malformed: string): string {
  if (!directive.startsWith(`${prefix}/`)) throw PatchFailure.unreadable(malformed)
  return directive.slice(prefix.length + 1)
}

/** `object`, `list`, or the scalar's type: two values of different kinds are never merged. */
function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'list'
  return isObject(value) ? 'object' : value === null ? 'null' : goTypeOf(value)
}

function elementKind(...lists: Json[][]): string {
  let kind: string | undefined
  for (const list of lists) {
    for (const item of list) {
      const next = kindOf(item)
      if (kind === undefined) {
        if (next === 'list') throw PatchFailure.unappliable('lists of lists are not supported')
        kind = next
      } else if (kind !== next) {
        throw PatchFailure.internal(`list element types are not identical: [${lists.map(printGo).join(' ')}]`)
      }
    }
  }
  if (kind === undefined) throw PatchFailure.internal('no elements in any of the given slices')
  return kind
}
