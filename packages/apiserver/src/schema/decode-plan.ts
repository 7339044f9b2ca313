import { type NumberTexts, numberPath } from '@tiphys/kube'
import { planForScalar } from './decode-scalar.ts'
import type { GoField, Json, JsonObject, Schema } from './schema.ts'

/** How values of one Go type are read. Made once for each schema. */
export interface Plan {
  /** The value as it is written back. It is changed in place where that is enough; null never comes here. */
  read(value: Json, reading: Reading): Json
  /** What Go's zero value is written as. */
  zero(): Json
  /** Whether `omitempty` leaves the value out. Structs are never empty. */
  isEmpty(value: Json): boolean
  /** Slices and maps: null is a value of the type. */
  readonly nilable: boolean
}

/** An error of a type that reads itself. It ends the decoding and wins over the type errors before it. */
export class FatalReadError extends Error {}

const MOST_STRICT_ERRORS = 100
const DEEPEST = 2000

/** One pass over one object: where it is, and what was wrong so far. */
export class Reading {
  /** Struct fields, list indexes and map keys from the root to here. */
  readonly stack: (FieldPlan | number | string)[] = []
  isStrict: boolean
  /** The first one: decoding goes on after it. */
  typeError: string | undefined
  #unknown: Set<string> | undefined
  readonly #numberTexts: NumberTexts

  constructor(isStrict: boolean, numberTexts?: NumberTexts) {
    this.isStrict = isStrict
    this.#numberTexts = numberTexts
  }

  /** How the number here was written, when it is not just digits. */
  numberText(): string | undefined {
    if (this.#numberTexts === undefined) return undefined
    return this.#numberTexts.get(numberPath(this.stack.map(entry => (typeof entry === 'object' ? entry.name : entry))))
  }

  reportUnknown(key: string): void {
    if (!this.isStrict) return
    this.#unknown ??= new Set()
    if (this.#unknown.size < MOST_STRICT_ERRORS) this.#unknown.add(`${this.#path()}${key}`)
  }

  unknownFields(): string[] {
    return this.#unknown === undefined ? [] : [...this.#unknown]
  }

  reportType(found: string, wanted: string): void {
    this.typeError ??= this.typeMismatch(found, wanted)
  }

  /** Lists and maps are not part of the place that Go names, only struct fields are. */
  typeMismatch(found: string, wanted: string): string {
    const fields = this.stack.filter(entry => typeof entry === 'object')
    const last = fields.at(-1)
    if (last === undefined) return `json: cannot unmarshal ${found} into Go value of type ${wanted}`
    const path = fields.map(field => field.goPath).join('.')
    return `json: cannot unmarshal ${found} into Go struct field ${last.owner}.${path} of type ${wanted}`
  }

  #path(): string {
    let path = ''
    for (const entry of this.stack) {
      if (typeof entry === 'number') path += `[${entry}]`
      else path += `${path === '' ? '' : '.'}${typeof entry === 'string' ? entry : entry.name}`
    }
    return path === '' ? '' : `${path}.`
  }
}

/** What Go calls the JSON value it did not expect. */
export function describe(value: Json): string {
  if (Array.isArray(value)) return 'array'
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'object':
      return 'object'
    default:
      return 'number'
  }
}

const plans = new WeakMap<Schema, Plan>()

export function planFor(schema: Schema): Plan {
  return plans.get(schema) ?? makePlan(schema, goTypeName(schema), undefined)
}

const goTypeName = (schema: Schema): string =>
  schema.go === undefined ? (schema.type ?? 'object') : `v1.${schema.go.name}`

/** `owner` is the JSONSchemaProps that the plan belongs to: three of its fields hold it again in forms of their own. */
function makePlan(schema: Schema, goType: string, owner: Schema | undefined): Plan {
  const known = plans.get(schema)
  if (known) return known
  const plan = newPlan(schema, goType, owner)
  if (schema.type === 'object' || schema.go?.scalar !== undefined) plans.set(schema, plan)
  if (plan instanceof StructPlan) plan.link(schema)
  return plan
}

function newPlan(schema: Schema, goType: string, owner: Schema | undefined): Plan {
  const union = owner === undefined ? undefined : schemaUnion(schema.go?.name, owner)
  if (union !== undefined) return union
  const scalar = planForScalar(schema, goType)
  if (scalar !== undefined) return scalar
  if (schema.type === 'array') {
    const itemType = elementType(goType)
    return new ListPlan(makePlan(schema.items ?? {}, itemType, owner), `[]${itemType}`)
  }
  if (typeof schema.additionalProperties === 'object') {
    return new MapPlan(makePlan(schema.additionalProperties, elementType(goType), owner), goType)
  }
  return new StructPlan(goType)
}

/** `[]v1.Container` → `v1.Container`, `map[string]string` → `string`. */
function elementType(goType: string): string {
  if (goType.startsWith('[]')) return goType.slice(2)
  const end = goType.startsWith('map[') ? goType.indexOf(']') : -1
  return end < 0 ? goType : goType.slice(end + 1)
}

/** A field of a struct: which one, and what becomes of null and of the empty value. */
export class FieldPlan {
  readonly name: string
  /** The struct's name and the field's path in it, as Go's errors name them. */
  readonly owner: string
  readonly goPath: string
  readonly plan: Plan
  readonly #pointer: boolean
  readonly #omitEmpty: boolean

  constructor(name: string, owner: string, embedded: string | undefined, plan: Plan, field: GoField) {
    this.name = name
    this.owner = owner
    this.goPath = embedded === undefined ? name : `${embedded}.${name}`
    this.plan = plan
    this.#pointer = field.pointer
    this.#omitEmpty = field.omitEmpty
  }

  /** undefined leaves the field out. */
  read(value: Json, reading: Reading): Json | undefined {
    if (value === null) return this.absent()
    reading.stack.push(this)
    const read = this.plan.read(value, reading)
    reading.stack.pop()
    if (this.#pointer) return read
    if (this.plan.isEmpty(read)) return this.absent()
    return read === null && this.#omitsZeroTime() ? undefined : read
  }

  /** What the field is written as when it has no value. */
  absent(): Json | undefined {
    if (this.#pointer || this.plan.nilable) return this.#omitEmpty ? undefined : null
    const zero = this.plan.zero()
    if (!this.#omitEmpty) return zero
    return this.plan.isEmpty(zero) || this.#omitsZeroTime() ? undefined : zero
  }

  /** The one field of the whole API with Go's `omitzero`: other times are written as null when they are not set. */
  #omitsZeroTime(): boolean {
    return this.name === 'creationTimestamp' && this.owner === 'ObjectMeta'
  }
}

class StructPlan implements Plan {
  readonly nilable = false
  readonly #goType: string
  readonly #fields = new Map<string, FieldPlan>()
  #alwaysWritten: FieldPlan[] | undefined

  constructor(goType: string) {
    this.#goType = goType
  }

  /** After construction: a struct may contain itself. */
  link(schema: Schema): void {
    const owner = schema.go?.name ?? ''
    const schemaOwner = owner === 'JSONSchemaProps' ? schema : undefined
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const field = schema.go?.fields?.[name] ?? { omitEmpty: true, pointer: true, type: goTypeName(property) }
      const plan = makePlan(property, field.type, schemaOwner)
      this.#fields.set(name, new FieldPlan(name, owner, embeddedIn(schema, name), plan, field))
    }
  }

  read(value: Json, reading: Reading): Json {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      reading.reportType(describe(value), this.#goType)
      return this.zero()
    }
    if (reading.stack.length > DEEPEST) throw new FatalReadError('exceeded max depth')
    let hasGaps = false
    for (const key in value) {
      const field = this.#fields.get(key)
      if (field === undefined) {
        reading.reportUnknown(key)
        value[key] = undefined as unknown as Json
        hasGaps = true
        continue
      }
      const before = value[key] as Json
      const after = field.read(before, reading)
      if (after === before) continue
      value[key] = after as Json
      if (after === undefined) hasGaps = true
    }
    const compact = hasGaps ? withoutGaps(value) : value
    this.#writeAlways(compact)
    return compact
  }

  zero(): Json {
    const value: JsonObject = {}
    this.#writeAlways(value)
    return value
  }

  isEmpty(): boolean {
    return false
  }

  #writeAlways(value: JsonObject): void {
    this.#alwaysWritten ??= [...this.#fields.values()].filter(field => field.absent() !== undefined)
    for (const field of this.#alwaysWritten) {
      if (value[field.name] === undefined) value[field.name] = field.absent() as Json
    }
  }
}

/** The embedded struct that JSON hoists the field from: Go's errors name it. */
function embeddedIn(schema: Schema, name: string): string | undefined {
  return schema.go?.inlined?.find(inlined => inlined.schema.properties?.[name] !== undefined)?.schema.go?.name
}

/** A new object instead of `delete`, which would make every later access slow. */
function withoutGaps(value: JsonObject): JsonObject {
  const compact: JsonObject = {}
  for (const key in value) if (value[key] !== undefined) compact[key] = value[key]
  return compact
}

class ListPlan implements Plan {
  readonly nilable = true
  readonly #item: Plan
  readonly #goType: string

  constructor(item: Plan, goType: string) {
    this.#item = item
    this.#goType = goType
  }

  read(value: Json, reading: Reading): Json {
    if (!Array.isArray(value)) {
      reading.reportType(describe(value), this.#goType)
      return []
    }
    for (let i = 0; i < value.length; i++) {
      const before = value[i] as Json
      reading.stack.push(i)
      const after = before === null ? this.#item.zero() : this.#item.read(before, reading)
      reading.stack.pop()
      if (after !== before) value[i] = after
    }
    return value
  }

  zero(): Json {
    return null
  }

  isEmpty(value: Json): boolean {
    return (value as Json[]).length === 0
  }
}

class MapPlan implements Plan {
  readonly nilable = true
  readonly #item: Plan
  readonly #goType: string

  constructor(item: Plan, goType: string) {
    this.#item = item
    this.#goType = goType
  }

  read(value: Json, reading: Reading): Json {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      reading.reportType(describe(value), this.#goType)
      return {}
    }
    for (const key in value) {
      const before = value[key] as Json
      reading.stack.push(key)
      const after = before === null ? this.#item.zero() : this.#item.read(before, reading)
      reading.stack.pop()
      if (after !== before) value[key] = after
    }
    return value
  }

  zero(): Json {
    return null
  }

  isEmpty(value: Json): boolean {
    for (const _ in value as JsonObject) return false
    return true
  }
}

/** The three types of a JSON schema that hold a schema or something else. They read themselves, without strictness. */
function schemaUnion(name: string | undefined, owner: Schema): Plan | undefined {
  const readSchema = (value: Json, reading: Reading): Json => {
    const wasStrict = reading.isStrict
    reading.isStrict = false
    const read = planFor(owner).read(value, reading)
    reading.isStrict = wasStrict
    return read
  }
  const isObject = (value: Json) => typeof value === 'object' && !Array.isArray(value)
  const union = (read: Plan['read']): Plan => ({ read, zero: () => null, isEmpty: () => false, nilable: false })
  switch (name) {
    case 'JSONSchemaPropsOrBool':
      return union((value, reading) => {
        if (typeof value === 'boolean') return value
        if (!isObject(value)) throw new FatalReadError('boolean or JSON schema expected')
        return readSchema(value, reading)
      })
    case 'JSONSchemaPropsOrArray':
      return union((value, reading) => {
        if (Array.isArray(value)) {
          for (let i = 0; i < value.length; i++) value[i] = readSchema(value[i] ?? {}, reading)
          return value.length > 0 ? value : null
        }
        return isObject(value) ? readSchema(value, reading) : null
      })
    case 'JSONSchemaPropsOrStringArray':
      return union((value, reading) => {
        if (Array.isArray(value)) return value.length > 0 ? value : null
        return isObject(value) ? readSchema(value, reading) : null
      })
    default:
      return undefined
  }
}
