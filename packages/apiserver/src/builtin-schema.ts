import { readData } from './data.ts'
import type { GoField, GoType, Schema } from './schema/schema.ts'

/** The generated table's form; generate/main.go writes it. */
interface TypeTable {
  kinds: Record<string, string>
  types: Record<string, TypeEntry>
}

export interface TypeEntry {
  f?: FieldEntry[]
  s?: NonNullable<GoType['scalar']>
  m?: 'atomic' | 'granular'
  a?: string
}

export interface FieldEntry {
  n: string
  t: string
  o?: 1 | 2
  p?: 1
  i?: 1
  '#'?: number
  r?: 1
  l?: 'atomic' | 'set' | 'map'
  k?: string[]
  m?: 'atomic' | 'granular'
  s?: string
  mk?: string
  d?: string | number | boolean
  e?: string[]
}

export interface DiscoveryEntry {
  groupVersion: string
  resources: DiscoveryResource[]
}

export interface DiscoveryResource {
  name: string
  singularName: string
  namespaced: boolean
  group?: string
  version?: string
  kind: string
  verbs: string[]
  shortNames?: string[]
  categories?: string[]
  storageVersionHash?: string
}

let table: TypeTable | undefined
let served: DiscoveryEntry[] | undefined
const linked = new Map<string, Schema>()

function typeTable(): TypeTable {
  table ??= JSON.parse(readData('types.json')) as TypeTable
  return table
}

/** `group/version/kind` → the OpenAPI name of its type. */
export const builtinKinds = (): Readonly<Record<string, string>> => typeTable().kinds

/** The raw table, by OpenAPI names. */
export const builtinTypes = (): Readonly<Record<string, TypeEntry>> => typeTable().types

/** What the real server serves by default, in its order. */
export function builtinDiscovery(): readonly DiscoveryEntry[] {
  served ??= JSON.parse(readData('discovery.json')) as DiscoveryEntry[]
  return served
}

/** The schema of a built-in kind; undefined for a kind that Kubernetes does not have. */
export function builtinKindSchema(group: string, version: string, kind: string): Schema | undefined {
  const name = builtinTypeName(group, version, kind)
  return name === undefined ? undefined : builtinSchema(name)
}

export const builtinTypeName = (group: string, version: string, kind: string): string | undefined =>
  typeTable().kinds[`${group}/${version}/${kind}`]

/** The schema of a Go type by its OpenAPI name (`io.k8s.api.core.v1.PodSpec`), linked to everything it refers to. */
export function builtinSchema(name: string): Schema {
  const known = linked.get(name)
  if (known) return known
  const entry = typeTable().types[name]
  if (!entry) throw new Error(`there is no built-in type ${name}`)
  const schema: Schema = {}
  linked.set(name, schema)
  const shortName = name.slice(name.lastIndexOf('.') + 1)
  if (entry.s) Object.assign(schema, scalarSchema(entry.s))
  else if (entry.a) Object.assign(schema, typeSchema(entry.a), { go: { name: shortName, isListMessage: true } })
  else linkStruct(schema, shortName, entry)
  if (entry.m) schema['x-kubernetes-map-type'] = entry.m
  if (entry.s) schema.go = { name: shortName, scalar: entry.s }
  return schema
}

function linkStruct(schema: Schema, shortName: string, entry: TypeEntry): void {
  const properties: Record<string, Schema> = {}
  const fields: Record<string, GoField> = {}
  const required: string[] = []
  const inlined: { number: number; schema: Schema }[] = []
  for (const field of entry.f ?? []) {
    if (field.i) {
      const embedded = builtinSchema(field.t)
      Object.assign(properties, embedded.properties)
      Object.assign(fields, embedded.go?.fields)
      required.push(...(embedded.required ?? []))
      if (field['#'] !== undefined) inlined.push({ number: field['#'], schema: embedded })
      continue
    }
    properties[field.n] = fieldSchema(field)
    if (field.r) required.push(field.n)
    fields[field.n] = {
      omitEmpty: field.o !== undefined,
      pointer: field.p === 1,
      type: goTypeText(field.t),
      ...(field['#'] === undefined ? {} : { proto: { number: field['#'], wire: wireType(field.t) } }),
    }
  }
  schema.type = 'object'
  schema.properties = properties
  if (required.length > 0) schema.required = required
  schema.go = { name: shortName, fields, ...(inlined.length > 0 ? { inlined } : {}) }
}

/** List, map and patch rules belong to the field, not to its type: the field gets a schema of its own over the type's. */
function fieldSchema(field: FieldEntry): Schema {
  const type = typeSchema(field.t)
  const rules: Schema = {}
  if (field.l) rules['x-kubernetes-list-type'] = field.l
  if (field.k) rules['x-kubernetes-list-map-keys'] = field.k
  if (field.m) rules['x-kubernetes-map-type'] = field.m
  if (field.s) rules['x-kubernetes-patch-strategy'] = field.s
  if (field.mk) rules['x-kubernetes-patch-merge-key'] = field.mk
  if (field.d !== undefined) rules.default = field.d
  if (Object.keys(rules).length === 0) return type
  // A schema that is still being linked must stay one object, else its properties would be missing from the copy.
  return type.type === 'array' || type.type === 'string' || type.additionalProperties !== undefined
    ? { ...type, ...rules }
    : overlay(type, rules)
}

function overlay(type: Schema, rules: Schema): Schema {
  return Object.assign(Object.create(type) as Schema, rules)
}

function typeSchema(type: string): Schema {
  if (type.startsWith('[]')) {
    // A list without a list type is replaced as a whole.
    return { type: 'array', items: typeSchema(type.slice(2)) }
  }
  if (type.startsWith('{}')) return { type: 'object', additionalProperties: typeSchema(stripName(type.slice(2))) }
  const scalar = SCALARS[stripName(type)]
  return scalar ?? builtinSchema(type)
}

/** A named map or scalar carries its Go name behind `=`: `string=v1.PodPhase`. */
const stripName = (type: string): string => {
  const at = type.lastIndexOf('=')
  return at < 0 ? type : type.slice(0, at)
}

const SCALARS: Record<string, Schema> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int: { type: 'integer', format: 'int64' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  uint32: { type: 'integer', format: 'uint32' },
  uint64: { type: 'integer', format: 'uint64' },
  uint8: { type: 'integer', format: 'uint8' },
  float64: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte', go: { name: '[]uint8', scalar: 'bytes' } },
}

function scalarSchema(scalar: NonNullable<GoType['scalar']>): Schema {
  switch (scalar) {
    case 'Time':
    case 'MicroTime':
      return { type: 'string', format: 'date-time' }
    case 'Duration':
    case 'Quantity':
      return { type: 'string' }
    case 'IntOrString':
      return { format: 'int-or-string', 'x-kubernetes-int-or-string': true }
    case 'bytes':
      return { type: 'string', format: 'byte' }
    case 'FieldsV1':
      return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    default:
      return { 'x-kubernetes-preserve-unknown-fields': true }
  }
}

/** `[]v1.Container`, as Go prints the type in its errors. */
function goTypeText(type: string): string {
  const named = type.lastIndexOf('=')
  if (named >= 0) return type.slice(named + 1)
  if (type.startsWith('[]')) return `[]${goTypeText(type.slice(2))}`
  if (type.startsWith('{}')) return `map[string]${goTypeText(type.slice(2))}`
  if (type === 'bytes') return '[]uint8'
  const parts = type.split('.')
  return parts.length === 1 ? type : parts.slice(-2).join('.')
}

function wireType(type: string): NonNullable<GoField['proto']>['wire'] {
  switch (stripName(type)) {
    case 'bool':
    case 'int':
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      return 'varint'
    case 'float64':
      return 'fixed64'
    default:
      return 'bytes'
  }
}
