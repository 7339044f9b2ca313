import { parseApiVersion } from '@tiphys/kube'
import { builtinKindSchema, builtinSchema } from '../builtin-schema.ts'
import { setField } from '../json-value.ts'
import type { GoField, Json, JsonObject, Schema } from '../schema/schema.ts'
import { badRequest } from '../status-error.ts'
import { readScalarMessage } from './scalars.ts'
import { signed, WireError, WireReader } from './wire.ts'

const MAGIC = Buffer.from('k8s\0')
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** Reads a body of `application/vnd.kubernetes.protobuf` as the JSON value it stands for. The message's field numbers
 *  come from the same table that describes the kind's JSON fields. */
export function decodeProtobuf(bytes: Uint8Array): JsonObject {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!body.subarray(0, 4).equals(MAGIC)) {
    throw badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]')
  }
  try {
    return decodeUnknown(body.subarray(4))
  } catch (thrown) {
    if (thrown instanceof WireError) throw badRequest(`unable to decode protobuf: ${thrown.message}`)
    throw thrown
  }
}

function decodeUnknown(bytes: Buffer): JsonObject {
  const outer = new WireReader(bytes)
  let apiVersion = ''
  let kind = ''
  let raw: Buffer = Buffer.alloc(0)
  while (!outer.atEnd) {
    const { number, type } = outer.tag()
    if (type !== 2) outer.skip(type)
    else if (number === 1) ({ apiVersion, kind } = typeMeta(outer.bytes()))
    else if (number === 2) raw = outer.bytes()
    else outer.bytes()
  }
  const { group, version } = parseApiVersion(apiVersion)
  const schema = builtinKindSchema(group, version, kind) ?? metaSchema(kind)
  if (!schema)
    throw badRequest(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`)
  return { ...decodeMessage(raw, schema), apiVersion, kind }
}

/** Options of requests belong to every group. */
function metaSchema(kind: string): Schema | undefined {
  return kind === 'DeleteOptions' || kind === 'Status' ? builtinSchema(`${META}.${kind}`) : undefined
}

function typeMeta(bytes: Buffer): { apiVersion: string; kind: string } {
  const reader = new WireReader(bytes)
  const found = { apiVersion: '', kind: '' }
  while (!reader.atEnd) {
    const { number, type } = reader.tag()
    if (type !== 2) reader.skip(type)
    else if (number === 1) found.apiVersion = reader.bytes().toString()
    else if (number === 2) found.kind = reader.bytes().toString()
    else reader.bytes()
  }
  return found
}

/** A field by its number: a property of the object, or an embedded struct whose properties are the object's. */
type Member = { name: string; schema: Schema; field: GoField } | { embedded: Schema }

const membersOf = new WeakMap<Schema, Map<number, Member>>()

function members(schema: Schema): Map<number, Member> {
  const go = schema.go
  let known = membersOf.get(schema)
  if (known) return known
  known = new Map()
  const hoisted = new Set((go?.inlined ?? []).flatMap(({ schema: embedded }) => Object.keys(embedded.properties ?? {})))
  for (const [name, field] of Object.entries(go?.fields ?? {})) {
    if (!field.proto || hoisted.has(name)) continue
    known.set(field.proto.number, { name, schema: schema.properties?.[name] as Schema, field })
  }
  for (const { number, schema: embedded } of go?.inlined ?? []) known.set(number, { embedded })
  membersOf.set(schema, known)
  return known
}

function decodeMessage(bytes: Buffer, schema: Schema, into: JsonObject = {}): JsonObject {
  const known = members(schema)
  const reader = new WireReader(bytes)
  while (!reader.atEnd) {
    const { number, type } = reader.tag()
    const member = known.get(number)
    if (!member) reader.skip(type)
    else if ('embedded' in member) decodeMessage(reader.bytes(), member.embedded, into)
    else readField(reader, type, member.name, member.schema, into)
  }
  return into
}

function readField(reader: WireReader, type: number, name: string, schema: Schema, into: JsonObject): void {
  if (schema.type === 'array' && schema.items && schema.go?.scalar === undefined) {
    if (schema.go?.isListMessage) {
      into[name] = readListMessage(reader.bytes(), schema)
      return
    }
    const list = (into[name] ??= []) as Json[]
    const item = readValue(reader, type, schema.items)
    if (item !== undefined) list.push(item)
    return
  }
  if (isMap(schema)) {
    const map = (into[name] ??= {}) as JsonObject
    readMapEntry(reader.bytes(), schema.additionalProperties as Schema, map)
    return
  }
  const value = readValue(reader, type, schema)
  if (value !== undefined) into[name] = value
}

const isMap = (schema: Schema): boolean => typeof schema.additionalProperties === 'object'

function readMapEntry(bytes: Buffer, schema: Schema, map: JsonObject): void {
  const reader = new WireReader(bytes)
  let key = ''
  let value: Json | undefined
  while (!reader.atEnd) {
    const { number, type } = reader.tag()
    if (number === 1) key = reader.bytes().toString()
    else if (number === 2)
      value = schema.go?.isListMessage ? readListMessage(reader.bytes(), schema) : readValue(reader, type, schema)
    else reader.skip(type)
  }
  setField(map, key, value ?? zero(schema))
}

/** A list under a name of its own is a message that holds it. */
function readListMessage(bytes: Buffer, schema: Schema): Json[] {
  const reader = new WireReader(bytes)
  const list: Json[] = []
  while (!reader.atEnd) {
    const { type } = reader.tag()
    const item = readValue(reader, type, schema.items as Schema)
    if (item !== undefined) list.push(item)
  }
  return list
}

function readValue(reader: WireReader, type: number, schema: Schema): Json | undefined {
  const scalar = schema.go?.scalar
  if (scalar === 'bytes') return reader.bytes().toString('base64')
  if (scalar !== undefined) return readScalarMessage(scalar, reader.bytes())
  switch (schema.type) {
    case 'boolean':
      return reader.varint() !== 0n
    case 'integer':
      return signed(reader.varint())
    case 'number':
      return type === 1 ? reader.double() : Number(reader.varint())
    case 'string':
      return reader.bytes().toString()
    default:
      return decodeMessage(reader.bytes(), schema)
  }
}

function zero(schema: Schema): Json {
  return schema.type === 'string'
    ? ''
    : schema.type === 'boolean'
      ? false
      : schema.type === 'array'
        ? []
        : schema.type === 'object'
          ? {}
          : 0
}
