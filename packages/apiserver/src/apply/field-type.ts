import { builtinSchema } from '../builtin-schema.ts'
import type { Json, Schema } from '../schema/schema.ts'
import { compareText, fieldElement, type PathElement } from './path-element.ts'
import { zeroScalar } from './zero-value.ts'

/** A schema as server-side apply sees it: what is owned as one piece and what in parts. A value that fits none of the
 *  forms is a mistake; a type without a scalar form, say, must hold an object or a list. */
export interface FieldType {
  scalar: ScalarForm | undefined
  list: ListForm | undefined
  map: MapForm | undefined
}

export type ScalarForm = 'string' | 'numeric' | 'boolean' | 'untyped'

export interface ListForm {
  isAtomic: boolean
  /** Undefined: the list is a set of scalars. Sorted. */
  keys: readonly string[] | undefined
  readonly item: FieldType
}

export interface MapForm {
  isAtomic: boolean
  field(name: string): FieldForm | undefined
  /** Of the keys that are no fields; undefined when there may be none. */
  readonly rest: FieldType | undefined
  /** Nothing is known about the content. */
  isDeduced: boolean
  /** Fields that nobody can own, left out of every comparison. */
  readonly untracked?: ReadonlySet<string>
}

export interface FieldForm {
  element: PathElement
  default: Json | undefined
  readonly type: FieldType
}

/** Everything below is owned as one piece. */
const UNTYPED: FieldType = {
  scalar: 'untyped',
  list: {
    isAtomic: true,
    keys: undefined,
    get item() {
      return UNTYPED
    },
  },
  map: {
    isAtomic: true,
    field: () => undefined,
    get rest() {
      return UNTYPED
    },
    isDeduced: false,
  },
}

/** Objects are owned field by field, lists as one piece. */
export const DEDUCED: FieldType = {
  scalar: 'untyped',
  list: {
    isAtomic: true,
    keys: undefined,
    get item() {
      return UNTYPED
    },
  },
  map: {
    isAtomic: false,
    field: () => undefined,
    get rest() {
      return DEDUCED
    },
    isDeduced: true,
  },
}

const scalarType = (scalar: ScalarForm): FieldType => ({ scalar, list: undefined, map: undefined })

const SCALARS = {
  string: scalarType('string'),
  numeric: scalarType('numeric'),
  boolean: scalarType('boolean'),
  untyped: scalarType('untyped'),
}

/** The type of a whole object; of one without a schema when it is undefined. */
export function objectType(schema: Schema | undefined): FieldType {
  if (schema === undefined) return DEDUCED
  let type = objectTypes.get(schema)
  if (type === undefined) {
    const form = new SchemaMap(schema.go === undefined ? withObjectFields(schema) : schema, false)
    type = { scalar: undefined, list: undefined, map: new ObjectMap(form) }
    objectTypes.set(schema, type)
  }
  return type
}

const objectTypes = new WeakMap<Schema, FieldType>()

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'

/** Custom resources, and the objects embedded in them, have the metadata that every object has. */
function withObjectFields(schema: Schema): Schema {
  const properties = {
    ...schema.properties,
    apiVersion: { type: 'string' as const },
    kind: { type: 'string' as const },
    metadata: builtinSchema(OBJECT_META),
  }
  return { ...schema, properties }
}

const fieldTypes = [new WeakMap<Schema, FieldType>(), new WeakMap<Schema, FieldType>()] as const

/** `preserves`: an enclosing schema keeps unknown fields, which holds for everything written inside it. */
function fieldType(schema: Schema, preserves: boolean): FieldType {
  const known = fieldTypes[preserves ? 1 : 0]
  let type = known.get(schema)
  if (type === undefined) {
    type = readSchema(schema, preserves)
    known.set(schema, type)
  }
  return type
}

function readSchema(schema: Schema, preserves: boolean): FieldType {
  switch (schema.go?.scalar) {
    case undefined:
      break
    case 'RawExtension':
      return UNTYPED
    case 'JSON':
    case 'FieldsV1':
      return DEDUCED
    case 'bytes':
      return SCALARS.string
    default:
      return SCALARS.untyped
  }
  switch (schema.type) {
    case 'string':
      return schema.format === undefined || schema.format === 'byte' ? SCALARS.string : SCALARS.untyped
    case 'integer':
    case 'number':
      return SCALARS.numeric
    case 'boolean':
      return SCALARS.boolean
    case 'array':
      return { scalar: undefined, list: new SchemaList(schema, preserves), map: undefined }
    case 'object':
      return { scalar: undefined, list: undefined, map: new SchemaMap(schema, preserves) }
    default:
      return { scalar: 'untyped', list: new SchemaList(schema, preserves), map: new SchemaMap(schema, preserves) }
  }
}

class SchemaList implements ListForm {
  readonly isAtomic: boolean
  readonly keys: readonly string[] | undefined
  private readonly items: Schema | undefined
  private readonly preserves: boolean

  constructor(schema: Schema, preserves: boolean) {
    this.preserves = preserves || schema['x-kubernetes-preserve-unknown-fields'] === true
    this.items = schema.items
    const listType = schema['x-kubernetes-list-type']
    const mergesPatches = schema['x-kubernetes-patch-strategy']?.startsWith('merge') === true
    this.isAtomic = listType === undefined ? !mergesPatches : listType === 'atomic'
    const mergeKey = schema['x-kubernetes-patch-merge-key']
    const keys = listType === undefined && mergeKey !== undefined ? [mergeKey] : schema['x-kubernetes-list-map-keys']
    this.keys = this.isAtomic || listType === 'set' || keys === undefined ? undefined : [...keys].sort(compareText)
  }

  get item(): FieldType {
    return this.items === undefined ? UNTYPED : fieldType(this.items, this.preserves)
  }
}

class SchemaMap implements MapForm {
  readonly isAtomic: boolean
  readonly isDeduced: boolean
  private readonly schema: Schema
  private readonly preserves: boolean
  private readonly fields = new Map<string, FieldForm>()

  constructor(schema: Schema, preserves: boolean) {
    this.schema = schema['x-kubernetes-embedded-resource'] === true ? withObjectFields(schema) : schema
    this.preserves = preserves || schema['x-kubernetes-preserve-unknown-fields'] === true
    this.isAtomic = schema['x-kubernetes-map-type'] === 'atomic'
    this.isDeduced = this.schema.properties === undefined && this.rest === DEDUCED
  }

  field(name: string): FieldForm | undefined {
    const known = this.fields.get(name)
    if (known !== undefined) return known
    const { properties } = this.schema
    if (properties === undefined || !Object.hasOwn(properties, name)) return undefined
    const field = new SchemaField(name, this.schema, this.preserves)
    this.fields.set(name, field)
    return field
  }

  get rest(): FieldType | undefined {
    const { properties, additionalProperties } = this.schema
    if (typeof additionalProperties === 'object') return fieldType(additionalProperties, this.preserves)
    if (additionalProperties === true) return DEDUCED
    if (additionalProperties === false) return undefined
    return this.preserves || properties === undefined ? DEDUCED : undefined
  }
}

/** What is the server's, or the object's identity. */
export const UNTRACKED = new Set(['apiVersion', 'kind'])
export const UNTRACKED_METADATA = new Set([
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
])

/** The form of a whole object: like its schema, except for the fields that nobody owns. */
class ObjectMap implements MapForm {
  readonly isAtomic = false
  readonly isDeduced: boolean
  readonly untracked = UNTRACKED
  private readonly form: MapForm
  private readonly metadata: FieldForm | undefined

  constructor(form: MapForm) {
    this.form = form
    this.isDeduced = form.isDeduced
    const metadata = form.field('metadata')
    if (metadata?.type.map !== undefined) {
      const { isAtomic, isDeduced, rest } = metadata.type.map
      const field = metadata.type.map.field.bind(metadata.type.map)
      const map = { isAtomic, isDeduced, rest, field, untracked: UNTRACKED_METADATA }
      this.metadata = { element: metadata.element, default: undefined, type: { ...metadata.type, map } }
    }
  }

  field(name: string): FieldForm | undefined {
    return name === 'metadata' ? this.metadata : this.form.field(name)
  }

  get rest(): FieldType | undefined {
    return this.form.rest
  }
}

class SchemaField implements FieldForm {
  readonly element: PathElement
  readonly default: Json | undefined
  readonly type: FieldType

  constructor(name: string, parent: Schema, preserves: boolean) {
    const schema = parent.properties?.[name] as Schema
    const goField = parent.go?.fields?.[name]
    this.element = fieldElement(name)
    // A field that Go always writes has its zero value by default.
    const isAlwaysWritten = goField !== undefined && !goField.omitEmpty && !goField.pointer
    this.default = schema.default ?? (isAlwaysWritten ? zeroScalar(schema) : undefined)
    this.type = fieldType(schema, preserves)
  }
}
