import { DynamicList, DynamicMap, dynamicValue, isJsonObject, type JsonObject } from './dynamic-value.ts'
import { escapePropertyName, unescapePropertyName } from './escaping.ts'
import { additionalSchemaOf, propertiesOf, type StructuralSchema, withTypeAndObjectMeta } from './schema.ts'
import { parseDate, parseOpenApiDuration, parseTimestamp } from './time.ts'
import {
  CelError,
  CelList,
  CelMap,
  type CelValue,
  Duration,
  equalTo,
  noOverloadFor,
  OpaqueValue,
  Optional,
  printValue,
  Timestamp,
  TypeValue,
  Uint,
} from './value.ts'

/** A JSON value as its schema sees it. Nothing is converted before it is read. */
export function schemaValue(value: unknown, schema: StructuralSchema): CelValue {
  if (value === null || value === undefined) {
    return schema.nullable === true ? null : new CelError('invalid data, got null for schema with nullable=false')
  }
  if (schema['x-kubernetes-int-or-string'] === true) {
    if (typeof value === 'string') return value
    return (
      asInteger(value) ?? new CelError('invalid data, expected XIntOrString value to be either a string or integer')
    )
  }
  switch (schema.type) {
    case 'object': {
      if (!isJsonObject(value)) {
        return new CelError('invalid data, expected a map for the provided schema with type=object')
      }
      const embedded = schema['x-kubernetes-embedded-resource'] === true
      return new UnstructuredMap(value, embedded ? withTypeAndObjectMeta(schema) : schema)
    }
    case 'array':
      return arrayValue(value, schema)
    case 'string':
      return typeof value === 'string' ? stringValue(value, schema.format) : unexpected('string', value)
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : unexpected('float', value)
    case 'integer':
      return asInteger(value) ?? unexpected('int', value)
    case 'boolean':
      return typeof value === 'boolean' ? value : unexpected('bool', value)
    default:
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return new PreservedValue(value)
  return new CelError(
    `invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ${schema.type ?? ''}`,
  )
}

function unexpected(wanted: string, value: unknown): CelError {
  return new CelError(`invalid data, expected ${wanted}, got ${goTypeName(value)}`)
}

/** The name that Go has for the type of a decoded value; error texts show it. */
function goTypeName(value: unknown): string {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'int64'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  if (value instanceof Timestamp) return 'time.Time'
  if (value instanceof Duration) return 'time.Duration'
  if (value instanceof Uint8Array) return '[]uint8'
  if (value instanceof Uint) return 'uint64'
  if (value instanceof CelMap) return 'map[ref.Val]ref.Val'
  if (value instanceof CelList) return '[]ref.Val'
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
}

function asInteger(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined
  return typeof value === 'bigint' ? value : undefined
}

function stringValue(text: string, format: string | undefined): CelValue {
  switch (format) {
    case 'duration': {
      const duration = parseOpenApiDuration(text)
      return duration ?? new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`)
    }
    case 'date':
      return (
        parseDate(text) ?? new CelError(`Invalid date formatted string ${text}: ${parseFailure(text, '2006-01-02')}`)
      )
    case 'date-time': {
      if (text === '') return new Timestamp(0n)
      const time = parseTimestamp(text, { zoneOptional: true })
      const failure = `Invalid date-time formatted string ${text}: ${parseFailure(text, '2006-01-02T15:04:05')}`
      return time ?? new CelError(failure)
    }
    case 'byte':
      return new Uint8Array(Buffer.from(text, 'base64'))
    default:
      return text
  }
}

function parseFailure(text: string, layout: string): string {
  return `parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(text)} as "2006"`
}

function arrayValue(value: unknown, schema: StructuralSchema): CelValue {
  if (!Array.isArray(value))
    return new CelError('invalid data, expected an array for the provided schema with type=array')
  const { items } = schema
  if (items === undefined) return new CelError('invalid array type, expected Items with a non-empty Schema')
  switch (schema['x-kubernetes-list-type'] ?? 'atomic') {
    case 'map': {
      const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map(key => escapePropertyName(key) ?? key)
      return new UnstructuredMapList(value, items, keys)
    }
    case 'set':
      return new UnstructuredSetList(value, items)
    case 'atomic':
      return new UnstructuredList(value, items)
    default:
      return new CelError(
        `invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got ${schema['x-kubernetes-list-type']}`,
      )
  }
}

/** The decoded form of a value: JSON where there is one, the CEL value itself where there is none. */
function rawOf(value: CelValue): unknown {
  if (value instanceof UnstructuredList || value instanceof UnstructuredMap || value instanceof PreservedValue) {
    return value.raw
  }
  if (value instanceof DynamicList || value instanceof DynamicMap) return value.raw
  return typeof value === 'bigint' && BigInt(Number(value)) === value ? Number(value) : value
}

/** Equal tokens mean equal decoded values; CEL values without a decoded form equal nothing. */
function token(raw: unknown): unknown {
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw) && !isJsonObject(raw)) return raw
  return typeof raw === 'object' ? JSON.stringify(sortKeys(raw)) : raw
}

function sortKeys(raw: unknown): unknown {
  if (Array.isArray(raw)) return raw.map(sortKeys)
  if (!isJsonObject(raw)) return typeof raw === 'bigint' ? raw.toString() : raw
  return Object.fromEntries(
    Object.keys(raw)
      .sort()
      .map(key => [key, sortKeys(raw[key])]),
  )
}

export class UnstructuredList extends CelList {
  readonly raw: readonly unknown[]
  protected readonly itemSchema: StructuralSchema

  constructor(raw: readonly unknown[], itemSchema: StructuralSchema) {
    super()
    this.raw = raw
    this.itemSchema = itemSchema
  }

  get size(): number {
    return this.raw.length
  }

  at(index: number): CelValue {
    return schemaValue(this.raw[index], this.itemSchema)
  }

  override get(index: CelValue): CelValue {
    if (index instanceof CelError) return index
    if (typeof index !== 'bigint') return new CelError(`unsupported index: ${printValue(index)}`)
    if (index < 0n || index >= this.raw.length) return new CelError(`index out of bounds: ${index}`)
    return this.at(Number(index))
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelList)) return noOverloadFor(other)
    if (this.size !== other.size) return false
    for (let index = 0; index < this.size; index++) {
      const equal = equalTo(this.at(index), other.at(index))
      if (equal !== true) return equal
    }
    return true
  }

  contains(value: CelValue): boolean | CelError {
    let failure: CelError | undefined
    for (const element of this) {
      const equal = equalTo(element, value)
      if (equal === true) return true
      if (equal instanceof CelError) failure ??= equal
    }
    return failure ?? false
  }

  concat(other: CelValue): CelValue {
    if (!(other instanceof CelList)) return noOverloadFor(other)
    return new UnstructuredList([...this.raw, ...[...other].map(rawOf)], this.itemSchema)
  }
}

/** x-kubernetes-list-type: set. The order does not count for equality, and `+` adds only what is missing. */
class UnstructuredSetList extends UnstructuredList {
  override equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelList)) return noOverloadFor(other)
    if (this.size !== other.size) return false
    const known = new Set(this.raw.map(token))
    return [...other].every(element => known.has(token(rawOf(element))))
  }

  override concat(other: CelValue): CelValue {
    if (!(other instanceof CelList)) return noOverloadFor(other)
    const known = new Set(this.raw.map(token))
    const added = [...other].map(rawOf).filter(raw => !known.has(token(raw)) && known.add(token(raw)))
    return new UnstructuredSetList([...this.raw, ...added], this.itemSchema)
  }
}

/** x-kubernetes-list-type: map. Elements are known by their keys; `+` replaces the element of an equal key in place. */
class UnstructuredMapList extends UnstructuredList {
  readonly #keys: readonly string[]

  constructor(raw: readonly unknown[], itemSchema: StructuralSchema, keys: readonly string[]) {
    super(raw, itemSchema)
    this.#keys = keys
  }

  #keyOf(raw: unknown): unknown {
    if (!isJsonObject(raw)) return raw
    return JSON.stringify(this.#keys.map(key => sortKeys(raw[key] ?? null)))
  }

  override equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelList)) return noOverloadFor(other)
    if (this.size !== other.size) return false
    const byKey = new Map(this.raw.map(raw => [this.#keyOf(raw), raw]))
    for (const element of other) {
      const key = this.#keyOf(rawOf(element))
      if (!byKey.has(key)) return false
      const equal = equalTo(schemaValue(byKey.get(key), this.itemSchema), element)
      if (equal !== true) return equal
    }
    return true
  }

  override concat(other: CelValue): CelValue {
    if (!(other instanceof CelList)) return noOverloadFor(other)
    const merged = [...this.raw]
    const positions = new Map(merged.map((raw, index) => [this.#keyOf(raw), index]))
    for (const element of other) {
      const raw = rawOf(element)
      const position = positions.get(this.#keyOf(raw))
      if (position === undefined) merged.push(raw)
      else merged[position] = raw
    }
    return new UnstructuredMapList(merged, this.itemSchema, this.#keys)
  }
}

export class UnstructuredMap extends CelMap {
  readonly raw: JsonObject
  readonly #schema: StructuralSchema
  readonly #properties: Readonly<Record<string, StructuralSchema>> | undefined

  constructor(raw: JsonObject, schema: StructuralSchema) {
    super()
    this.raw = raw
    this.#schema = schema
    this.#properties = propertiesOf(schema)
  }

  get size(): number {
    return Object.keys(this.raw).length
  }

  #propertySchema(name: string): StructuralSchema | undefined {
    if (this.#properties === undefined) return additionalSchemaOf(this.#schema)
    return Object.hasOwn(this.#properties, name) ? this.#properties[name] : undefined
  }

  *keys(): Generator<CelValue> {
    for (const name of Object.keys(this.raw)) {
      if (this.#propertySchema(name) === undefined) continue
      yield this.#properties === undefined ? name : (escapePropertyName(name) ?? name)
    }
  }

  find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return noOverloadFor(key)
    const name = this.#properties === undefined ? key : unescapePropertyName(key)
    if (name === undefined || !Object.hasOwn(this.raw, name)) return undefined
    const value = this.raw[name]
    if (this.#properties !== undefined && (value === null || value === undefined)) return undefined
    const schema = this.#propertySchema(name)
    return schema === undefined ? undefined : schemaValue(value, schema)
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelMap)) return noOverloadFor(other)
    if (this.size !== other.size) return false
    for (const name of Object.keys(this.raw)) {
      const equal =
        this.#propertySchema(name) === undefined
          ? this.#undeclaredEquals(name, other)
          : this.#declaredEquals(name, other)
      if (equal !== true) return equal
    }
    return true
  }

  #declaredEquals(name: string, other: CelMap): boolean | CelError {
    const value = this.find(name)
    const otherValue = other.find(name)
    if (value === undefined || otherValue === undefined) return value === otherValue
    return equalTo(value, otherValue)
  }

  /** What the schema does not declare is invisible to expressions, but takes part in the equality of its object. */
  #undeclaredEquals(name: string, other: CelMap): boolean | CelError {
    if (!(other instanceof UnstructuredMap)) return noOverloadFor(other)
    return !Object.hasOwn(other.raw, name) || token(this.raw[name]) === token(other.raw[name])
  }
}

class PreservedValue extends OpaqueValue {
  readonly typeName = 'unknown'
  readonly goType = '*common.unknownPreserved'
  readonly raw: unknown

  constructor(raw: unknown) {
    super()
    this.raw = raw
  }

  equals(other: CelValue): boolean {
    return token(this.raw) === token(rawOf(other))
  }

  override throughOptional(): CelValue {
    return dynamicValue(this.raw)
  }
}

/** A value that a path reads through an optional: its schema is forgotten, a type is only its name, an optional in it is
 *  opened. Kubernetes has it so, because cel-go unpacks the value and packs it again. */
export function throughOptional(value: CelValue): CelValue {
  if (value instanceof UnstructuredMap || value instanceof UnstructuredList) return dynamicValue(value.raw)
  if (value instanceof OpaqueValue) return value.throughOptional()
  if (value instanceof TypeValue) return value.name
  if (value instanceof Optional) return value.value === undefined ? null : throughOptional(value.value)
  return value
}
