import { parseApiVersion } from '@tiphys/kube'
import { builtinKindSchema, builtinSchema } from '../builtin-schema.ts'
import { setField } from '../json-value.ts'
import type { GoField, Json, JsonObject, Schema } from '../schema/schema.ts'
import { readScalarMessage } from './scalars.ts'
import { ProtobufFailure, signed, WireReader } from './wire.ts'

const MAGIC = Buffer.from('k8s\0')
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** Reads a body of `application/vnd.kubernetes.protobuf` as the JSON value it stands for. The message's field numbers
 *  come from the same table that describes the kind's JSON fields. Throws a `ProtobufFailure`. */
export function decodeProtobuf(bytes: Uint8Array): JsonObject {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (body.length === 0) throw new ProtobufFailure('empty data')
  if (!body.subarray(0, 4).equals(MAGIC)) {
    throw new ProtobufFailure('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]')
  }
  return decodeUnknown(body.subarray(4))
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
    throw new ProtobufFailure(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`)
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
    else {
      if (type !== wireType(member.schema)) throw wrongType(type, member.name)
      readField(reader, member.name, member.schema, into)
    }
  }
  return into
}

const VARINT = 0
const DOUBLE = 1
const BYTES = 2

function wireType(schema: Schema): number {
  if (schema.go?.scalar !== undefined || schema.go?.isListMessage || isMap(schema)) return BYTES
  switch (schema.type) {
    case 'array':
      return wireType(schema.items as Schema)
    case 'boolean':
    case 'integer':
      return VARINT
    case 'number':
      return DOUBLE
    default:
      return BYTES
  }
}

const wrongType = (type: number, name: string): ProtobufFailure =>
  new ProtobufFailure(`proto: wrong wireType = ${type} for field ${name.charAt(0).toUpperCase()}${name.slice(1)}`)

function readField(reader: WireReader, name: string, schema: Schema, into: JsonObject): void {
  if (schema.type === 'array' && schema.items && schema.go?.scalar === undefined) {
    if (schema.go?.isListMessage) {
      into[name] = readListMessage(reader.bytes(), schema)
      return
    }
    const list = (into[name] ??= []) as Json[]
    const item = readValue(reader, schema.items)
    if (item !== undefined) list.push(item)
    return
  }
  if (isMap(schema)) {
    const map = (into[name] ??= {}) as JsonObject
    readMapEntry(reader.bytes(), schema.additionalProperties as Schema, map)
    return
  }
  const value = readValue(reader, schema)
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
      value = schema.go?.isListMessage ? readListMessage(reader.bytes(), schema) : readValue(reader, schema)
    else reader.skip(type)
  }
  setField(map, key, value ?? zero(schema))
}

/** A list under a name of its own is a message that holds it. */
function readListMessage(bytes: Buffer, schema: Schema): Json[] {
  const reader = new WireReader(bytes)
  const list: Json[] = []
  while (!reader.atEnd) {
    reader.tag()
    const item = readValue(reader, schema.items as Schema)
    if (item !== undefined) list.push(item)
  }
  return list
}

function readValue(reader: WireReader, schema: Schema): Json | undefined {
  const scalar = schema.go?.scalar
  if (scalar === 'bytes') return reader.bytes().toString('base64')
  if (scalar !== undefined) return readScalarMessage(scalar, reader.bytes())
  switch (schema.type) {
    case 'boolean':
      return reader.varint() !== 0n
    case 'integer':
      return signed(reader.varint())
    case 'number':
      return reader.double()
    case 'string':
      return reader.bytes().toString()
    default:
      return decodeMessage(reader.bytes(), schema)
  }
}

/** What a map's entry without a value holds. */
function zero(schema: Schema): Json {
  const scalar = schema.go?.scalar
  if (scalar === 'bytes') return ''
  if (scalar !== undefined) return readScalarMessage(scalar, Buffer.alloc(0)) ?? null
  switch (schema.type) {
    case 'string':
      return ''
    case 'boolean':
      return false
    case 'array':
      return []
    case 'object':
      return {}
    default:
      return 0
  }
}
