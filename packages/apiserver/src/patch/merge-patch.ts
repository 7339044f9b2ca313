import { getOwn, isObject, jsonCopy, jsonTypeName, setField } from '../json-value.ts'
import type { Json, JsonObject } from '../schema/schema.ts'
import { PatchFailure } from './patch-failure.ts'

/** Applies an RFC 7386 merge patch to a copy of `document`. Throws a `PatchFailure` when the patch is no object. */
export function applyMergePatch(document: JsonObject, patch: Json): JsonObject {
  if (patch === null) throw PatchFailure.unreadable('Invalid JSON Patch')
  if (!isObject(patch)) {
    throw PatchFailure.unreadable(
      `error decoding patch: json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`,
    )
  }
  const merged = jsonCopy(document)
  mergeInto(merged, patch)
  return merged
}

function mergeInto(target: JsonObject, patch: JsonObject): void {
  for (const key of Object.keys(patch)) {
    const value = patch[key] as Json
    const current = getOwn(target, key)
    if (value === null) delete target[key]
    else if (!isObject(current)) setField(target, key, withoutNulls(value))
    else if (isObject(value)) mergeInto(current, value)
    // A list that replaces an object is taken as it is, nulls included.
    else setField(target, key, jsonCopy(value))
  }
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  const kept: JsonObject = {}
  for (const key of Object.keys(value)) {
    const child = value[key] as Json
    if (child !== null) setField(kept, key, withoutNulls(child))
  }
  return kept
}
