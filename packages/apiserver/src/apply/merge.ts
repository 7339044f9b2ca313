import { isObject, setField } from '../json-value.ts'
import type { Json, JsonObject } from '../schema/schema.ts'
import { below, type FieldSet, hasChildren, hasElement } from './field-set.ts'
import type { FieldType, ListForm, MapForm } from './field-type.ts'
import { fieldElement, type PathElement } from './path-element.ts'
import { formOf, itemElement, restOf } from './typed.ts'

/** `live` with everything that `config` says set to it. Nothing is removed. Items of lists with keys keep their order,
 *  except that those which `config` names follow its order. Parts are shared with the arguments. */
export function merge(live: Json | undefined, config: Json | undefined, type: FieldType): Json | undefined {
  if (live === undefined) return config
  if (config === undefined) return live
  const form = formOf(config, type)
  if (form === 'map') {
    const left = isObject(live) ? live : {}
    const right = isObject(config) ? config : {}
    const map = type.map as MapForm
    if (!map.isAtomic && (Object.keys(left).length > 0 || Object.keys(right).length > 0)) {
      return mergeMaps(left, right, map)
    }
  } else if (form === 'list') {
    const left = Array.isArray(live) ? live : []
    const right = Array.isArray(config) ? config : []
    const list = type.list as ListForm
    if (!list.isAtomic && (left.length > 0 || right.length > 0)) return mergeLists(left, right, list)
  }
  return config
}

function mergeMaps(live: JsonObject, config: JsonObject, map: MapForm): JsonObject {
  const merged: JsonObject = { ...live }
  for (const key of Object.keys(config)) {
    const current = Object.hasOwn(live, key) ? live[key] : undefined
    const type = map.field(key)?.type ?? restOf(map, key)
    const value = merge(current, config[key], type)
    if (value !== undefined) setField(merged, key, value)
  }
  return merged
}

function mergeLists(live: Json[], config: Json[], form: ListForm): Json[] {
  const liveElements = live.map(item => itemElement(item, form))
  const configElements = config.map(item => itemElement(item, form))
  const liveItems = firstItems(liveElements, live)
  const configItems = firstItems(configElements, config)
  const shared = configElements.filter(element => liveItems.has(element))
  let nextShared = 0
  const taken = new Set<PathElement>()
  const merged: Json[] = []

  const takeFromConfig = (element: PathElement) => {
    taken.add(element)
    merged.push(merge(liveItems.get(element), configItems.get(element), form.item) as Json)
  }
  let l = 0
  let c = 0
  while (l < live.length || c < config.length) {
    const liveElement = liveElements[l]
    const configElement = configElements[c]
    if (liveElement !== undefined && configElement !== undefined) {
      if (liveElement === configElement) {
        takeFromConfig(configElement)
        l++
        c++
        nextShared++
        continue
      }
      const next = shared[nextShared]
      if (configItems.has(liveElement) && next !== undefined && next !== liveElement) {
        l++
        continue
      }
    }
    if (liveElement !== undefined) {
      if (!configItems.has(liveElement)) {
        merged.push(live[l] as Json)
        l++
        continue
      }
      if (taken.has(liveElement)) l++
    }
    if (configElement !== undefined) {
      takeFromConfig(configElement)
      c++
      if (shared[nextShared] === configElement) nextShared++
    }
  }
  return merged
}

/** Items of a key that appears twice are not merged with anything. */
function firstItems(elements: PathElement[], list: Json[]): Map<PathElement, Json> {
  const items = new Map<PathElement, Json>()
  for (const [index, element] of elements.entries())
    items.set(element, items.has(element) ? null : (list[index] as Json))
  return items
}

/** The value without the fields and items of the set. Null when nothing is left of it. */
export function removeFields(value: Json, set: FieldSet, type: FieldType): Json {
  const form = formOf(value, type)
  if (form === 'scalar') return value
  if (form === 'list') {
    const list = type.list as ListForm
    if (!Array.isArray(value) || list.isAtomic) return null
    const kept: Json[] = []
    for (const item of value) {
      const element = itemElement(item, list)
      if (!hasElement(set, element)) kept.push(removeBelow(item, set, element, list.item))
    }
    return kept.length === 0 ? null : kept
  }
  const map = type.map as MapForm
  if (!isObject(value) || map.isAtomic) return null
  const kept: JsonObject = {}
  for (const key of Object.keys(value)) {
    const field = map.field(key)
    const element = field === undefined ? fieldElement(key) : field.element
    if (hasElement(set, element)) continue
    const fieldType = field === undefined ? restOf(map, key) : field.type
    setField(kept, key, removeBelow(value[key] as Json, set, element, fieldType))
  }
  return Object.keys(kept).length === 0 ? null : kept
}

function removeBelow(value: Json, set: FieldSet, element: PathElement, type: FieldType): Json {
  const subset = below(set, element)
  return hasChildren(subset) ? removeFields(value, subset, type) : value
}
