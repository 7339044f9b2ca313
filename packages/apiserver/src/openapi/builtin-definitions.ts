import { builtinTypes, type FieldEntry, type TypeEntry } from '../builtin-schema.ts'

export type Definition = Record<string, unknown>

const SCALARS: Record<string, Definition> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int: { type: 'integer', format: 'int64' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  uint32: { type: 'integer', format: 'int64' },
  uint64: { type: 'integer', format: 'int64' },
  uint8: { type: 'integer', format: 'int32' },
  float64: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
}

const SPECIAL: Record<NonNullable<TypeEntry['s']>, Definition> = {
  Time: { type: 'string', format: 'date-time' },
  MicroTime: { type: 'string', format: 'date-time' },
  Duration: { type: 'string' },
  Quantity: { type: 'string' },
  IntOrString: { type: 'string', format: 'int-or-string' },
  RawExtension: { type: 'object' },
  FieldsV1: { type: 'object' },
  JSON: {},
  bytes: { type: 'string', format: 'byte' },
}

/** Adds the OpenAPI definition of a built-in type, and of everything it refers to, to `definitions`. */
export function addDefinition(name: string, definitions: Record<string, Definition>, prefix: string): void {
  if (definitions[name]) return
  const entry = builtinTypes()[name]
  if (!entry) return
  const definition: Definition = {}
  definitions[name] = definition
  const reference = (type: string): Definition => typeDefinition(type, definitions, prefix)
  if (entry.s) Object.assign(definition, SPECIAL[entry.s])
  else if (entry.a) Object.assign(definition, reference(entry.a))
  else addFields(entry, definition, reference)
  if (entry.m) definition['x-kubernetes-map-type'] = entry.m
}

function addFields(entry: TypeEntry, definition: Definition, reference: (type: string) => Definition): void {
  const properties: Record<string, Definition> = {}
  const required: string[] = []
  const add = (fields: readonly FieldEntry[]) => {
    for (const field of fields) {
      if (field.i) add(builtinTypes()[field.t]?.f ?? [])
      else {
        properties[field.n] = { ...reference(field.t), ...rulesOf(field) }
        if (field.r) required.push(field.n)
      }
    }
  }
  add(entry.f ?? [])
  definition.type = 'object'
  definition.properties = properties
  if (required.length > 0) definition.required = required
}

function rulesOf(field: FieldEntry): Definition {
  return {
    ...(field.l ? { 'x-kubernetes-list-type': field.l } : {}),
    ...(field.k ? { 'x-kubernetes-list-map-keys': field.k } : {}),
    ...(field.m ? { 'x-kubernetes-map-type': field.m } : {}),
    ...(field.s ? { 'x-kubernetes-patch-strategy': field.s } : {}),
    ...(field.mk ? { 'x-kubernetes-patch-merge-key': field.mk } : {}),
    ...(field.d === undefined ? {} : { default: field.d }),
  }
}

function typeDefinition(type: string, definitions: Record<string, Definition>, prefix: string): Definition {
  if (type.startsWith('[]')) return { type: 'array', items: typeDefinition(type.slice(2), definitions, prefix) }
  if (type.startsWith('{}'))
    return { type: 'object', additionalProperties: typeDefinition(unnamed(type.slice(2)), definitions, prefix) }
  const scalar = SCALARS[unnamed(type)]
  if (scalar) return scalar
  addDefinition(type, definitions, prefix)
  return { $ref: `${prefix}${type}` }
}

const unnamed = (type: string): string => {
  const at = type.lastIndexOf('=')
  return at < 0 ? type : type.slice(0, at)
}
