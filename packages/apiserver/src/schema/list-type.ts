import { stringifyJson } from '@tiphys/kube'
import { child, duplicate, type FieldError, index, invalid, key } from '../field-error.ts'
import { getOwn, isObject } from '../json-value.ts'
import type { Json, JsonObject } from './schema.ts'
import type { StructuralNode } from './structural-node.ts'

/** Elements of sets and maps that are there twice. */
export function validateListTypes(object: JsonObject, node: StructuralNode): FieldError[] {
  const errors: FieldError[] = []
  if (node.contains.keyedLists) validateFields(object, node, '', errors)
  return errors
}

function validateFields(object: JsonObject, node: StructuralNode, path: string, errors: FieldError[]): void {
  for (const name of Object.keys(object)) {
    const value = object[name] as Json
    if (node.additional) validateValue(value, node.additional, key(path, name), errors)
    const property = node.properties.get(name)
    if (property) validateValue(value, property, child(path, name), errors)
  }
}

function validateValue(value: Json, node: StructuralNode, path: string, errors: FieldError[]): void {
  if (isObject(value)) validateFields(value, node, path, errors)
  if (!Array.isArray(value)) return
  switch (node.schema['x-kubernetes-list-type']) {
    case 'set':
      for (const i of repeated(value)) errors.push(duplicate(index(path, i), value[i]))
      break
    case 'map':
      errors.push(...repeatedKeys(value, node.schema['x-kubernetes-list-map-keys'] ?? [], path))
      break
    default:
      break
  }
  if (node.items) for (const [i, item] of value.entries()) validateValue(item, node.items, index(path, i), errors)
}

function repeatedKeys(items: readonly Json[], keys: readonly string[], path: string): FieldError[] {
  const stranger = items.findIndex(item => item !== null && !isObject(item))
  if (stranger >= 0) {
    return [invalid(index(path, stranger), items[stranger], 'must be an object for an array of list-type map')]
  }
  const identities = items.map(item => identity(item, keys))
  return repeated(identities).map(i => duplicate(index(path, i), identities[i]))
}

function identity(item: Json, keys: readonly string[]): JsonObject {
  const found: JsonObject = {}
  if (!isObject(item)) return found
  for (const name of keys) {
    const value = getOwn(item, name)
    if (value !== undefined) found[name] = value
  }
  return found
}

/** Where a value appears for the second time. Further appearances are not told. */
function repeated(items: readonly Json[]): number[] {
  const times = new Map<string, number>()
  const found: number[] = []
  for (const [i, item] of items.entries()) {
    const text = sortedText(item)
    const seen = times.get(text) ?? 0
    times.set(text, seen + 1)
    if (seen === 1) found.push(i)
  }
  return found
}

function sortedText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join(',')}]`
  if (!isObject(value)) return stringifyJson(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map(name => `${JSON.stringify(name)}:${sortedText(value[name] as Json)}`).join(',')}}`
}
