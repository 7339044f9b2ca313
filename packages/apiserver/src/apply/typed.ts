import { isObject, jsonEqual } from '../json-value.ts'
import type { Json, JsonObject } from '../schema/schema.ts'
import { asMember, type FieldSet, LEAF, makeNode, unionNodes } from './field-set.ts'
import type { FieldType, ListForm, MapForm } from './field-type.ts'
import { compareText, fieldElement, keyElement, type PathElement, quote, valueElement } from './path-element.ts'

/** A value that does not have the form its type asks for. */
export class TypeMismatch extends Error {}

export type Form = 'map' | 'scalar' | 'list'

/** Which form of the type the value takes. Null takes the first there is. */
export function formOf(value: Json, type: FieldType): Form {
  if (Array.isArray(value)) {
    if (type.list !== undefined) return 'list'
  } else if (isObject(value)) {
    if (type.map !== undefined) return 'map'
  } else if (value !== null && type.scalar !== undefined) {
    return 'scalar'
  }
  return type.map !== undefined ? 'map' : type.scalar !== undefined ? 'scalar' : 'list'
}

/** What becomes owned, or is given up, when the value appears or disappears as a whole: itself and all its parts. */
export function allFields(value: Json, type: FieldType): FieldSet {
  if (typeof value !== 'object' || value === null) return LEAF
  if (Array.isArray(value)) {
    if (type.list === undefined) throw new TypeMismatch('expected no list')
    return type.list.isAtomic || value.length === 0 ? LEAF : allItems(value, type.list)
  }
  const { map } = type
  if (map === undefined) throw new TypeMismatch('expected no object')
  if (map.isAtomic) return LEAF
  const keys = sortedKeys(value)
  if (keys.length === 0) return LEAF
  const node: Record<PathElement, FieldSet> = { '.': LEAF }
  for (const key of keys) {
    const field = map.field(key)
    if (field === undefined) node[fieldElement(key)] = allFields(value[key] as Json, restOf(map, key))
    else node[field.element] = allFields(value[key] as Json, field.type)
  }
  return node
}

function allItems(list: Json[], form: ListForm): FieldSet {
  const nodes = new Map<PathElement, FieldSet>()
  for (const item of list) {
    const element = itemElement(item, form)
    // An element that appears twice is owned as one piece.
    nodes.set(element, nodes.has(element) ? LEAF : allFields(item, form.item))
  }
  return makeNode([...nodes], true)
}

function sortedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object)
  for (let i = 1; i < keys.length; i++) {
    if (compareText(keys[i - 1] as string, keys[i] as string) > 0) return keys.sort(compareText)
  }
  return keys
}

/** The type of a key that is no field of the form. */
export function restOf(map: MapForm, key: string): FieldType {
  const { rest } = map
  if (rest === undefined) throw new TypeMismatch(`.${key}: field not declared in schema`)
  return rest
}

/** How the element of a set or of a list with keys is found. Throws a TypeMismatch for an element that cannot be. */
export function itemElement(item: Json, form: ListForm): PathElement {
  const { keys } = form
  if (keys === undefined) {
    if (Array.isArray(item)) throw new TypeMismatch('not supported: associative list with lists as elements')
    if (item === null) throw new TypeMismatch("associative list without keys has an element that's an explicit null")
    if (isObject(item)) throw new TypeMismatch("associative list without keys has an element that's a map type")
    return valueElement(item)
  }
  if (item === null) throw new TypeMismatch('associative list with keys may not have a null element')
  if (!isObject(item)) throw new TypeMismatch('associative list with keys may not have non-map elements')
  if (keys.length === 1) {
    const name = keys[0] as string
    const value = item[name]
    if (typeof value === 'string') return `k:{${quote(name)}:${quote(value)}}`
  }
  const pairs: [string, Json][] = []
  for (const name of keys) {
    const value = Object.hasOwn(item, name) ? item[name] : form.item.map?.field(name)?.default
    if (value !== undefined && (value !== null || Object.hasOwn(item, name))) pairs.push([name, value])
  }
  if (pairs.length === 0) {
    const names = keys.map(quote).join(' ')
    throw new TypeMismatch(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    )
  }
  return keyElement(pairs)
}

/** How two values of one type differ. No field is in both sets. */
export interface Comparison {
  /** Added or different. */
  changed: FieldSet | undefined
  removed: FieldSet | undefined
}

/** Undefined when the values are equal. Throws a TypeMismatch. */
export function compare(before: Json, after: Json, type: FieldType): Comparison | undefined {
  if (before === after) return undefined
  const form = formOf(after, type)
  const beforeForm = formOf(before, type)
  const comparison = compareAs(form, before, after, type)
  if (form === beforeForm) return comparison
  return combine(compareAs(beforeForm, before, after, type), comparison)
}

const MODIFIED: Comparison = { changed: LEAF, removed: undefined }

function compareAs(form: Form, before: Json, after: Json, type: FieldType): Comparison | undefined {
  if (form === 'map') {
    const map = type.map as MapForm
    const left = isObject(before) ? before : undefined
    const right = isObject(after) ? after : undefined
    if (!map.isAtomic && (hasKeys(left) || hasKeys(right))) return compareMaps(left ?? {}, right ?? {}, map)
  } else if (form === 'list') {
    const list = type.list as ListForm
    const left = Array.isArray(before) ? before : []
    const right = Array.isArray(after) ? after : []
    if (!list.isAtomic && (left.length > 0 || right.length > 0)) return compareLists(left, right, list)
  }
  return jsonEqual(before, after) ? undefined : MODIFIED
}

function hasKeys(object: JsonObject | undefined): boolean {
  for (const _ in object) return true
  return false
}

function combine(a: Comparison | undefined, b: Comparison | undefined): Comparison | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return { changed: unionNodes(a.changed, b.changed), removed: unionNodes(a.removed, b.removed) }
}

/** Gathers the differences of the parts of one value. */
class Parts {
  private changed: [PathElement, FieldSet][] | undefined
  private removed: [PathElement, FieldSet][] | undefined

  add(element: PathElement, node: FieldSet): void {
    this.changed ??= []
    this.changed.push([element, node])
  }

  remove(element: PathElement, node: FieldSet): void {
    this.removed ??= []
    this.removed.push([element, node])
  }

  differ(element: PathElement, comparison: Comparison | undefined): void {
    if (comparison?.changed !== undefined) this.add(element, comparison.changed)
    if (comparison?.removed !== undefined) this.remove(element, comparison.removed)
  }

  comparison(): Comparison | undefined {
    if (this.changed === undefined && this.removed === undefined) return undefined
    return {
      changed: this.changed && makeNode(this.changed, false),
      removed: this.removed && makeNode(this.removed, false),
    }
  }
}

function compareMaps(before: JsonObject, after: JsonObject, map: MapForm): Comparison | undefined {
  const parts = new Parts()
  const { untracked } = map
  for (const key in after) {
    if (untracked?.has(key)) continue
    const left = Object.hasOwn(before, key) ? (before[key] as Json) : undefined
    const right = after[key] as Json
    if (left === right) continue
    const field = map.field(key)
    const element = field === undefined ? fieldElement(key) : field.element
    const type = field === undefined ? restOf(map, key) : field.type
    if (left === undefined) parts.add(element, allFields(right, type))
    else parts.differ(element, compare(left, right, type))
  }
  for (const key in before) {
    if (untracked?.has(key) || Object.hasOwn(after, key)) continue
    const field = map.field(key)
    const element = field === undefined ? fieldElement(key) : field.element
    parts.remove(element, allFields(before[key] as Json, field === undefined ? restOf(map, key) : field.type))
  }
  return parts.comparison()
}

function compareLists(before: Json[], after: Json[], form: ListForm): Comparison | undefined {
  const parts = new Parts()
  const left = byElement(before, form)
  const right = byElement(after, form)
  for (const [element, items] of right) compareItems(parts, element, left.get(element) ?? [], items, form.item)
  for (const [element, items] of left) if (!right.has(element)) compareItems(parts, element, items, [], form.item)
  return parts.comparison()
}

function byElement(list: Json[], form: ListForm): Map<PathElement, Json[]> {
  const items = new Map<PathElement, Json[]>()
  for (const item of list) {
    const element = itemElement(item, form)
    const same = items.get(element)
    if (same === undefined) items.set(element, [item])
    else same.push(item)
  }
  return items
}

/** Several items of one key are owned as one piece. */
function compareItems(parts: Parts, element: PathElement, before: Json[], after: Json[], type: FieldType): void {
  const [left] = before
  const [right] = after
  if (before.length <= 1 && after.length <= 1) {
    if (left === undefined) parts.add(element, allFields(right as Json, type))
    else if (right === undefined) parts.remove(element, allFields(left, type))
    else parts.differ(element, compare(left, right, type))
  } else if (before.length >= 2 && after.length >= 2) {
    if (!jsonEqual(before, after)) parts.add(element, LEAF)
  } else if (before.length >= 2) {
    if (right !== undefined) parts.add(element, allFields(right, type))
    parts.remove(element, LEAF)
  } else {
    if (left !== undefined) parts.remove(element, allFields(left, type))
    parts.add(element, LEAF)
  }
}

/** The fields that an applied configuration names: leaves, list items, keys of maps; not the objects around them.
 *  Undefined for a value that names none. */
export function namedFields(value: Json, type: FieldType): FieldSet | undefined {
  const form = formOf(value, type)
  if (form === 'scalar') return LEAF
  if (form === 'list') {
    const list = type.list as ListForm
    if (list.isAtomic) return LEAF
    return Array.isArray(value) && value.length > 0 ? namedItems(value, list) : undefined
  }
  const map = type.map as MapForm
  if (map.isAtomic) return LEAF
  if (!isObject(value)) return undefined
  const children: [PathElement, FieldSet][] = []
  for (const key in value) {
    const child = value[key] as Json
    const field = map.field(key)
    const node = namedFields(child, field === undefined ? restOf(map, key) : field.type)
    const isNamed = field === undefined || child === null || (isObject(child) && !hasKeys(child))
    const element = field === undefined ? fieldElement(key) : field.element
    if (isNamed) children.push([element, asMember(node)])
    else if (node !== undefined) children.push([element, node])
  }
  return children.length === 0 ? undefined : makeNode(children, false)
}

function namedItems(list: Json[], form: ListForm): FieldSet {
  const nodes = new Map<PathElement, FieldSet>()
  for (const item of list) {
    const element = itemElement(item, form)
    nodes.set(element, nodes.has(element) ? LEAF : asMember(namedFields(item, form.item)))
  }
  return makeNode([...nodes], false)
}
