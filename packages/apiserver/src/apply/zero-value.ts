import type { Json, JsonObject, Schema } from '../schema/schema.ts'

const zeroObjects = new WeakMap<Schema, JsonObject>()

/** What the object looks like before anything is set. A Go type writes some of its fields even then, and such a field is
 *  not owned by who sets something inside it. A custom resource has nothing but its metadata. Not to be changed. */
export function zeroObject(schema: Schema | undefined): JsonObject {
  if (schema?.go === undefined) return NOTHING
  let zero = zeroObjects.get(schema)
  if (zero === undefined) {
    zero = zeroStruct(schema)
    zeroObjects.set(schema, zero)
  }
  return zero
}

const NOTHING: JsonObject = { metadata: {} }

function zeroStruct(schema: Schema): JsonObject {
  const zero: JsonObject = {}
  for (const [name, field] of Object.entries(schema.go?.fields ?? {})) {
    const fieldSchema = schema.properties?.[name]
    if (fieldSchema === undefined || name === 'apiVersion' || name === 'kind') continue
    if (!field.pointer && fieldSchema.go?.fields !== undefined) zero[name] = zeroStruct(fieldSchema)
    else if (!field.omitEmpty || (!field.pointer && isMoment(fieldSchema)))
      zero[name] = field.pointer ? null : zeroScalar(fieldSchema)
  }
  return zero
}

/** A moment is a struct to Go, and Go never leaves an empty struct out. */
const isMoment = ({ go }: Schema): boolean => go?.scalar === 'Time' || go?.scalar === 'MicroTime'

/** Null for what is no scalar. */
export function zeroScalar(schema: Schema): Json {
  switch (schema.go?.scalar) {
    case 'Quantity':
      return '0'
    case 'IntOrString':
      return 0
    case undefined:
      break
    default:
      return null
  }
  switch (schema.type) {
    case 'string':
      return ''
    case 'integer':
    case 'number':
      return 0
    case 'boolean':
      return false
    default:
      return null
  }
}
