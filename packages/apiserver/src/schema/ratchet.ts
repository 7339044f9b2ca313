import { getOwn, isObject, jsonEqual } from '../json-value.ts'
import type { Json } from './schema.ts'
import type { StructuralNode } from './structural-node.ts'

/** A part of an updated object beside the same part of the old one. Parts that have no counterpart have no correlation:
 *  fields that are new, and elements of lists that are not maps. */
export class Correlation {
  readonly value: Json
  readonly old: Json
  readonly #node: StructuralNode | undefined
  readonly #children = new Map<string | number, Correlation>()
  #oldItems: KeyedList | undefined
  #equal: boolean | undefined

  constructor(value: Json, old: Json, node: StructuralNode | undefined) {
    this.value = value
    this.old = old
    this.#node = node
  }

  /** Nothing in this part changed: what is wrong with it does not block the update. */
  isUnchanged(): boolean {
    this.#equal ??= this.#compare()
    return this.#equal
  }

  key(field: string): Correlation | undefined {
    const known = this.#children.get(field)
    if (known) return known
    const { value, old } = this
    if (!isObject(value) || !isObject(old) || !Object.hasOwn(value, field) || !Object.hasOwn(old, field))
      return undefined
    const node = this.#node?.properties.get(field) ?? this.#node?.additional
    if (node === undefined) return undefined
    const child = new Correlation(value[field] as Json, old[field] as Json, node)
    this.#children.set(field, child)
    return child
  }

  index(i: number): Correlation | undefined {
    const known = this.#children.get(i)
    if (known) return known
    const { value, old } = this
    if (!Array.isArray(value) || !Array.isArray(old) || i >= value.length || !this.#node?.items) return undefined
    if (this.#node.schema['x-kubernetes-list-type'] !== 'map') return undefined
    this.#oldItems ??= new KeyedList(this.#node, old)
    const counterpart = this.#oldItems.get(value[i] as Json)
    if (counterpart === undefined || counterpart === null) return undefined
    const child = new Correlation(value[i] as Json, counterpart, this.#node.items)
    this.#children.set(i, child)
    return child
  }

  #compare(): boolean {
    const { value, old } = this
    if (value === old) return true
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false
      for (let i = 0; i < value.length; i++) {
        const child = this.index(i)
        if (child === undefined) return this.#oldItems === undefined && jsonEqual(value, old)
        if (!child.isUnchanged()) return false
      }
      return true
    }
    if (isObject(value) && isObject(old)) {
      const keys = Object.keys(value)
      return keys.length === Object.keys(old).length && keys.every(key => this.key(key)?.isUnchanged() ?? false)
    }
    return jsonEqual(value, old)
  }
}

/** The elements of a list of type `map` by their keys; of any other list none. The first of several equal keys counts. */
export class KeyedList {
  readonly #keys: readonly string[]
  readonly #items = new Map<string, Json>()

  constructor({ schema }: StructuralNode, items: readonly Json[]) {
    this.#keys =
      schema.type === 'array' && schema['x-kubernetes-list-type'] === 'map'
        ? (schema['x-kubernetes-list-map-keys'] ?? [])
        : []
    for (const item of items) {
      const key = this.#keyOf(item)
      if (key !== undefined && !this.#items.has(key)) this.#items.set(key, item)
    }
  }

  get(like: Json): Json | undefined {
    const key = this.#keyOf(like)
    return key === undefined ? undefined : this.#items.get(key)
  }

  #keyOf(item: Json): string | undefined {
    if (!isObject(item) || this.#keys.length === 0) return undefined
    let key = ''
    for (const name of this.#keys) {
      const value = getOwn(item, name)
      if (value === undefined || typeof value === 'object') return undefined
      key += `\0${typeof value === 'string' ? JSON.stringify(value) : String(value)}`
    }
    return key
  }
}
