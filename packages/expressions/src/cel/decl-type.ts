import { escapePropertyName } from './escaping.ts'
import { additionalSchemaOf, propertiesOf, type StructuralSchema, withTypeAndObjectMeta } from './schema.ts'
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
} from './type.ts'

/** A type declared by a schema: its CEL type, and how large its values can get within one request. */
export interface DeclType {
  readonly celType: CelType
  readonly schema: StructuralSchema
  /** Set for objects: fields by their escaped names. */
  readonly fields: ReadonlyMap<string, DeclType> | undefined
  /** Set for maps. */
  readonly key: DeclType | undefined
  /** Set for lists and maps. */
  readonly element: DeclType | undefined
  /** An upper bound of elements, entries or characters; 0 where a size means nothing. */
  readonly maxElements: number
  readonly minSerializedSize: number
}

const maxRequestBytes = 3 * 1024 * 1024
const unnamedObject = 'object'

const formattedStrings: ReadonlyMap<string, { type: CelType; minSize: number; maxLength: number }> = new Map([
  ['duration', { type: durationType, minSize: 3, maxLength: 32 }],
  ['date', { type: timestampType, minSize: 12, maxLength: 12 }],
  ['date-time', { type: timestampType, minSize: 21, maxLength: 32 }],
])

function simple(celType: CelType, schema: StructuralSchema, minSerializedSize: number, maxElements = 0): DeclType {
  return { celType, schema, fields: undefined, key: undefined, element: undefined, maxElements, minSerializedSize }
}

/** The type of the values that a structural schema describes, or undefined when expressions cannot see them.
 *  `isResourceRoot` adds apiVersion, kind and metadata, as every object has them. */
export function declTypeFromSchema(schema: StructuralSchema, isResourceRoot = false): DeclType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return simple(dynType, schema, 1, maxCharacters(schema) ?? maxRequestBytes - 2)
  }
  const complete = isResourceRoot ? withTypeAndObjectMeta(schema) : schema
  switch (complete.type) {
    case 'array':
      return listDecl(complete)
    case 'object':
      return additionalSchemaOf(complete) === undefined ? objectDecl(complete) : mapDecl(complete)
    case 'string':
      return stringDecl(complete)
    case 'boolean':
      return simple(boolType, complete, 4)
    case 'number':
      return simple(doubleType, complete, 1)
    case 'integer':
      return simple(intType, complete, 1)
    default:
      return undefined
  }
}

function nested(schema: StructuralSchema): DeclType | undefined {
  return declTypeFromSchema(schema, schema['x-kubernetes-embedded-resource'] === true)
}

function listDecl(schema: StructuralSchema): DeclType | undefined {
  const element = schema.items === undefined ? undefined : nested(schema.items)
  if (element === undefined) return undefined
  const fallback = Math.floor((maxRequestBytes - 2) / (element.minSerializedSize + 1))
  return listOf(element, schema, schema.maxItems === undefined ? fallback : Math.max(0, schema.maxItems))
}

function mapDecl(schema: StructuralSchema): DeclType | undefined {
  const element = nested(additionalSchemaOf(schema) as StructuralSchema)
  if (element === undefined) return undefined
  const fallback = Math.floor((maxRequestBytes - 2) / (element.minSerializedSize + 6))
  return mapOf(element, schema, schema.maxProperties === undefined ? fallback : Math.max(0, schema.maxProperties))
}

function listOf(element: DeclType, schema: StructuralSchema, maxElements: number): DeclType {
  const celType = listType(element.celType)
  return { celType, schema, fields: undefined, key: undefined, element, maxElements, minSerializedSize: 2 }
}

const mapKey = simple(stringType, { type: 'string' }, 2)

function mapOf(element: DeclType, schema: StructuralSchema, maxElements: number): DeclType {
  const celType = mapType(stringType, element.celType)
  return { celType, schema, fields: undefined, key: mapKey, element, maxElements, minSerializedSize: 2 }
}

function objectDecl(schema: StructuralSchema): DeclType {
  const fields = new Map<string, DeclType>()
  const required = new Set(schema.required)
  let minSerializedSize = 2
  for (const [name, property] of Object.entries(propertiesOf(schema) ?? {})) {
    const field = nested(property)
    if (field === undefined) continue
    const escaped = escapePropertyName(name)
    if (escaped !== undefined) fields.set(escaped, field)
    if (required.has(name) && (property.default === undefined || property.default === null)) {
      minSerializedSize += Buffer.byteLength(name) + field.minSerializedSize + 4
    }
  }
  return objectOf(unnamedObject, fields, schema, minSerializedSize)
}

function objectOf(
  name: string,
  fields: ReadonlyMap<string, DeclType>,
  schema: StructuralSchema,
  minSerializedSize: number,
): DeclType {
  const celType = objectType(name)
  return { celType, schema, fields, key: undefined, element: undefined, maxElements: 0, minSerializedSize }
}

function stringDecl(schema: StructuralSchema): DeclType {
  const formatted = formattedStrings.get(schema.format ?? '')
  if (formatted !== undefined) return simple(formatted.type, schema, formatted.minSize, formatted.maxLength)
  if (schema.format === 'byte') {
    const length = schema.maxLength === undefined ? maxRequestBytes - 2 : Math.max(0, schema.maxLength)
    return simple(bytesType, schema, 2, length)
  }
  return simple(stringType, schema, 2, maxCharacters(schema) ?? longestEnum(schema) ?? maxRequestBytes - 2)
}

/** A character may take four bytes. */
function maxCharacters(schema: StructuralSchema): number | undefined {
  return schema.maxLength === undefined ? undefined : Math.max(0, schema.maxLength) * 4
}

function longestEnum(schema: StructuralSchema): number | undefined {
  if (schema.enum === undefined || schema.enum.length === 0) return undefined
  return Math.max(0, ...schema.enum.map(value => (typeof value === 'string' ? Buffer.byteLength(value) : 0)))
}

/** The type with every object in it named after its path from `name`, so that the checker can tell them apart. */
export function nameDeclType(type: DeclType, name: string): DeclType {
  if (type.fields !== undefined) {
    const own = type.celType.name === unnamedObject ? name : type.celType.name
    const fields = new Map([...type.fields].map(([key, field]) => [key, nameDeclType(field, `${own}.${key}`)]))
    return objectOf(own, fields, type.schema, type.minSerializedSize)
  }
  if (type.element === undefined) return type
  return type.key === undefined
    ? listOf(nameDeclType(type.element, `${name}.@idx`), type.schema, type.maxElements)
    : mapOf(nameDeclType(type.element, `${name}.@elem`), type.schema, type.maxElements)
}
