import { getOwn, isObject } from '../json-value.ts'
import type { Json, JsonObject } from './schema.ts'
import { resourceNode, type StructuralNode } from './structural-node.ts'

const META_FIELDS = new Set(['apiVersion', 'kind', 'metadata'])

/** Removes what the schema does not mention, in place, and answers the paths that are gone, sorted. */
export function prune(object: Json, schema: StructuralNode, isResourceRoot: boolean): string[] {
  const pruned: string[] = []
  pruneValue(object, isResourceRoot ? resourceNode(schema) : schema, '', pruned)
  return pruned.sort()
}

function pruneValue(value: Json, node: StructuralNode | undefined, path: string, pruned: string[]): void {
  if (node?.preservesUnknown) {
    pruneKnownParts(value, node, path, pruned)
    return
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) pruneValue(value[i] as Json, node?.items, `${path}[${i}]`, pruned)
    return
  }
  if (!isObject(value)) return
  for (const key of Object.keys(value)) {
    if (node?.isEmbeddedResource && META_FIELDS.has(key)) continue
    const property = node?.properties.get(key)
    if (property) pruneValue(value[key] as Json, property, join(path, key), pruned)
    else if (node?.allowsAdditional) pruneValue(value[key] as Json, node.additional, join(path, key), pruned)
    else {
      if (!META_FIELDS.has(key) || path !== '') pruned.push(join(path, key))
      delete value[key]
    }
  }
}

/** Under preserve-unknown-fields, what the schema does mention is pruned again. */
function pruneKnownParts(value: Json, node: StructuralNode, path: string, pruned: string[]): void {
  if (Array.isArray(value)) {
    if (!node.items) return
    for (let i = 0; i < value.length; i++) pruneKnownParts(value[i] as Json, node.items, `${path}[${i}]`, pruned)
    return
  }
  if (!isObject(value)) return
  for (const key of Object.keys(value)) {
    if (node.isEmbeddedResource && META_FIELDS.has(key)) continue
    const property = node.properties.get(key)
    if (property) pruneValue(value[key] as Json, property, join(path, key), pruned)
    else if (node.allowsAdditional) pruneValue(value[key] as Json, node.additional, join(path, key), pruned)
  }
}

const join = (path: string, key: string) => (path === '' ? key : `${path}.${key}`)

/** Removes nulls of fields that are neither nullable nor have a default: the server takes them for absent. */
export function pruneNulls(value: Json, node: StructuralNode | undefined): void {
  if (Array.isArray(value)) {
    for (const item of value) pruneNulls(item, node?.items)
    return
  }
  if (!isObject(value)) return
  for (const key of Object.keys(value)) {
    const field = fieldNode(node, key)
    if (value[key] === null && field && !field.isNullable && field.default === undefined) delete value[key]
    else pruneNulls(value[key] as Json, field)
  }
}

function fieldNode(node: StructuralNode | undefined, key: string): StructuralNode | undefined {
  return node?.properties.get(key) ?? node?.additional
}

/** The embedded resources in a value: every object that has apiVersion, kind and metadata of its own. */
export function visitEmbeddedResources(
  value: Json,
  node: StructuralNode | undefined,
  path: string,
  visit: (resource: JsonObject, path: string) => void,
): void {
  if (!node?.contains.embeddedResources && !node?.isEmbeddedResource) return
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) visitEmbeddedResources(item, node.items, `${path}[${i}]`, visit)
    return
  }
  if (!isObject(value)) return
  if (node.isEmbeddedResource) visit(value, path)
  for (const key of Object.keys(value)) {
    const field = getOwn(value, key) as Json
    const property = node.properties.get(key)
    if (property) visitEmbeddedResources(field, property, join(path, key), visit)
    else if (node.additional) visitEmbeddedResources(field, node.additional, `${path}[${key}]`, visit)
  }
}
