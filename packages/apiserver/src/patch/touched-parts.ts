import { isObject, setField } from '../json-value.ts'
import type { Json, JsonObject } from '../schema/schema.ts'
import type { JsonPatchOperation } from './json-patch.ts'

/** Which parts of an object a patch can change at all. The others need not be read again: they stay the stored ones. */
export interface TouchedParts {
  /** Fields at the top of the object; undefined when it can be any. */
  fields: ReadonlySet<string> | undefined
  /** `metadata.managedFields` */
  managers: boolean
}

const EVERYTHING: TouchedParts = { fields: undefined, managers: true }
const MANAGERS = 'managedFields'

/** Of a merge patch, or a strategic one: a directive at the top concerns all of the object. */
export function touchedByMerge(patch: Json): TouchedParts {
  if (!isObject(patch)) return EVERYTHING
  const fields = new Set(Object.keys(patch))
  for (const field of fields) if (field.startsWith('$')) return EVERYTHING
  const { metadata } = patch
  return { fields, managers: fields.has('metadata') && (!isObject(metadata) || touchesManagers(metadata)) }
}

const touchesManagers = (metadata: JsonObject): boolean =>
  Object.keys(metadata).some(key => key === '$patch' || key === '$retainKeys' || key.includes(MANAGERS))

/** Of the operations of a JSON patch, by where they read and write. */
export function touchedByOperations(operations: readonly JsonPatchOperation[]): TouchedParts {
  const fields = new Set<string>()
  let managers = false
  for (const { path, from } of operations) {
    for (const pointer of [path, from]) {
      if (pointer === undefined || pointer === null) continue
      const [root, field, inner] = String(pointer).split('/')
      if (root !== '' || field === undefined || field.includes('~')) return EVERYTHING
      fields.add(field)
      if (field === 'metadata' && (inner === undefined || inner === MANAGERS)) managers = true
    }
  }
  return { fields, managers }
}

/** The part of the object that the patch is applied to. */
export function touchedPart(object: JsonObject, { fields, managers }: TouchedParts): JsonObject {
  const part: JsonObject = {}
  for (const name of Object.keys(object)) {
    const value = object[name] as Json
    if (name === 'metadata' && isObject(value)) part.metadata = managers ? value : without(value, MANAGERS)
    else if (fields === undefined || fields.has(name) || IDENTITY.has(name)) setField(part, name, value)
  }
  return part
}

const IDENTITY: ReadonlySet<string> = new Set(['apiVersion', 'kind'])

function without(object: JsonObject, name: string): JsonObject {
  const { [name]: _left, ...rest } = object
  return rest
}

/** The patched part with everything else as it is in `object`, which the answer shares. */
export function withUntouched<T extends { metadata: object }>(
  part: T,
  object: JsonObject,
  { fields, managers }: TouchedParts,
): T {
  const metadata = object.metadata
  if (!managers && isObject(metadata) && metadata[MANAGERS] !== undefined)
    Object.assign(part.metadata, { [MANAGERS]: metadata[MANAGERS] })
  if (fields === undefined) return part
  const whole: Record<string, unknown> = {}
  // In the object's own order.
  for (const name of Object.keys(object)) {
    const isKept = name !== 'metadata' && !IDENTITY.has(name) && !fields.has(name)
    const value = isKept ? object[name] : (part as Record<string, unknown>)[name]
    if (value !== undefined) setField(whole, name, value)
  }
  for (const [name, value] of Object.entries(part)) if (!Object.hasOwn(object, name)) setField(whole, name, value)
  return whole as T
}
