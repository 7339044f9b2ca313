import { isObject, jsonCopy, setField } from '../json-value.ts'
import { prune } from './prune.ts'
import type { Json } from './schema.ts'
import type { StructuralNode } from './structural-node.ts'

/** Fills in the schema's defaults, in place: for what is absent, and for null where null is no value. */
export function setDefaults(value: Json, node: StructuralNode | undefined): void {
  if (!node?.contains.defaults) return
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      value[i] = instead(value[i] as Json, node.items)
      setDefaults(value[i] as Json, node.items)
    }
    return
  }
  if (!isObject(value)) return
  for (const [name, property] of node.properties) {
    if (property.default === undefined) continue
    if (!Object.hasOwn(value, name) || (value[name] === null && !property.isNullable)) {
      setField(value, name, jsonCopy(defaultOf(property)))
    }
  }
  for (const key of Object.keys(value)) {
    const property = node.properties.get(key)
    if (property) setDefaults(value[key] as Json, property)
    else if (node.additional) {
      setField(value, key, instead(value[key] as Json, node.additional))
      setDefaults(value[key] as Json, node.additional)
    }
  }
}

/** A null element of a list or map that is not nullable becomes the default, if only null again. */
function instead(value: Json, node: StructuralNode | undefined): Json {
  if (value !== null || node === undefined || node.isNullable) return value
  return node.default === undefined ? null : jsonCopy(defaultOf(node))
}

const prunedDefaults = new WeakMap<StructuralNode, Json>()

/** The default without what its own schema would prune. */
function defaultOf(node: StructuralNode): Json {
  const known = prunedDefaults.get(node)
  if (known !== undefined) return known
  const pruned = jsonCopy(node.default as Json)
  prune(pruned, node, node.isEmbeddedResource)
  prunedDefaults.set(node, pruned)
  return pruned
}
