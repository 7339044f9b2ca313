/** A JSON value as the API server holds it. Integers that a JavaScript number cannot hold exactly are BigInts. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** The shape of a value: an OpenAPI v3 structural schema with the Kubernetes extensions, under their own names.
 *  Built-in kinds and custom resources use the same type, so that decoding, pruning, patching and applying are written once.
 *  There are no `$ref`s: schemas of built-in kinds are linked into a graph, which may be cyclic (JSONSchemaProps is).
 *  Walk the value and follow the schema beside it, never the schema alone. */
export interface Schema {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  format?: string
  nullable?: boolean
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  required?: string[]
  enum?: Json[]
  default?: Json

  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: boolean
  exclusiveMaximum?: boolean
  multipleOf?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minProperties?: number
  maxProperties?: number
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  not?: Schema

  title?: string
  description?: string
  externalDocs?: Json
  example?: Json

  'x-kubernetes-preserve-unknown-fields'?: boolean
  'x-kubernetes-embedded-resource'?: boolean
  'x-kubernetes-int-or-string'?: boolean
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  'x-kubernetes-list-map-keys'?: string[]
  'x-kubernetes-map-type'?: 'atomic' | 'granular'
  'x-kubernetes-validations'?: ValidationRule[]
  'x-kubernetes-patch-strategy'?: string
  'x-kubernetes-patch-merge-key'?: string

  /** Built-in kinds only: how the Go type behind this schema behaves. See `GoField` for its fields. */
  go?: GoType
}

export interface ValidationRule {
  rule: string
  message?: string
  messageExpression?: string
  reason?: string
  fieldPath?: string
  optionalOldSelf?: boolean
}

/** What only the Go type knows: its name for error texts, and how each field is written and numbered. */
export interface GoType {
  /** The type's name alone, as Go's JSON errors print it: `DeploymentSpec`. */
  name: string
  /** Scalars with a form of their own: these decode and print in their own way. */
  scalar?:
    | 'Time'
    | 'MicroTime'
    | 'Duration'
    | 'Quantity'
    | 'IntOrString'
    | 'RawExtension'
    | 'FieldsV1'
    | 'JSON'
    | 'bytes'
  fields?: Record<string, GoField>
  /** A list under a name of its own (Verbs): protobuf wraps it in a message. */
  isListMessage?: boolean
  /** Embedded structs whose fields JSON hoists and protobuf keeps in a message of their own. */
  inlined?: { number: number; schema: Schema }[]
}

export interface GoField {
  /** Left out of the answer when it holds the zero value (`omitempty`). A field without it is always written. */
  omitEmpty: boolean
  /** A pointer: absent and zero are different values. */
  pointer: boolean
  /** The Go type as its errors print it: `int32`, `map[string]string`, `[]v1.Container`. */
  type: string
  /** Field number and wire type of the protobuf form. */
  proto?: { number: number; wire: 'varint' | 'bytes' | 'fixed64' | 'fixed32' | 'zigzag' }
}
