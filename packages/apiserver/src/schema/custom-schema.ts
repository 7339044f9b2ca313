import { builtinSchema } from '../builtin-schema.ts'
import { type ScalePaths, validateScale } from '../crd/scale-mapping.ts'
import { type FieldError, invalid } from '../field-error.ts'
import { type CelRules, compileCelRules } from './cel-rules.ts'
import { setDefaults } from './defaults.ts'
import {
  coerceEmbeddedMetadata,
  coerceMetadata,
  dropInvalidMetadata,
  validateEmbeddedResources,
} from './embedded-resource.ts'
import { validateListTypes } from './list-type.ts'
import { prune, pruneNulls } from './prune.ts'
import { Correlation } from './ratchet.ts'
import type { JsonObject, Schema } from './schema.ts'
import { type StructuralNode, structuralNode } from './structural-node.ts'
import { compileValidator } from './validate.ts'

/** One version of a custom resource: how its objects are read, completed and checked. */
export interface CustomSchema {
  /** The schema with what every object has: apiVersion, kind and metadata. For patches and server-side apply. */
  readonly fieldSchema: Schema
  /** Brings an object as a client sent it into the form that is stored, in place: metadata is read as such, unknown
   *  fields and meaningless nulls go. Answers the paths of unknown fields in the order in which the server names them.
   *  Throws a `DecodeFailure` for metadata of the wrong type. */
  prune(object: JsonObject): string[]
  /** The same for an object from storage, which an earlier schema may have let pass: what does not fit any more goes. */
  pruneStored(object: JsonObject): void
  setDefaults(object: JsonObject): void
  validate(object: JsonObject): FieldError[]
  /** What is wrong already and did not change is no error. Rules that would fail for such values are put in `warnings`. */
  validateUpdate(object: JsonObject, old: JsonObject, warnings?: string[]): FieldError[]
  validateStatusUpdate(object: JsonObject, old: JsonObject, warnings?: string[]): FieldError[]
}

export interface CustomSchemaSource {
  schema?: { openAPIV3Schema?: Schema }
  subresources?: { status?: unknown; scale?: ScalePaths }
}

const BLOCKING = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])
const RULES_NOT_CHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'

/** Expensive: once for each version of each CRD. */
export function compileCustomSchema(version: CustomSchemaSource): CustomSchema {
  const schema: Schema = version.schema?.openAPIV3Schema ?? {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
  }
  const node = structuralNode(schema)
  const scale = version.subresources?.scale
  const values = compileValidator(schema)
  const statusValues = schema.properties?.status ? compileValidator(schema.properties.status, 'status') : undefined
  const rules = compileCelRules(node)

  const checkRules = (
    object: JsonObject,
    old: JsonObject | undefined,
    errors: FieldError[],
    correlation?: Correlation,
    warnings?: string[],
  ) => {
    if (rules) errors.push(...checkCelRules(rules, object, old, errors, correlation, warnings))
    return errors
  }

  return {
    fieldSchema: withObjectMeta(schema),
    prune: object => pruneObject(object, node),
    pruneStored(object) {
      prune(object, node, true)
      pruneNulls(object, node)
      dropInvalidMetadata(object, node)
    },
    setDefaults: object => setDefaults(object, node),
    validate(object) {
      const errors = [
        ...values.validate(object),
        ...(scale ? validateScale(object, scale, false) : []),
        ...validateEmbeddedResources(object, node),
        ...validateListTypes(object, node),
      ]
      return checkRules(object, undefined, errors)
    },
    validateUpdate(object, old, warnings) {
      const correlation = new Correlation(object, old, node)
      const errors = [
        ...values.validateUpdate(object, correlation),
        ...(scale ? validateScale(object, scale, false) : []),
        ...validateEmbeddedResources(object, node),
        ...newListTypeErrors(object, old, node),
      ]
      return checkRules(object, old, errors, correlation, warnings)
    },
    validateStatusUpdate(object, old, warnings) {
      const correlation = new Correlation(object, old, node)
      const { status } = object
      const errors = [
        ...(status === undefined || !statusValues
          ? []
          : statusValues.validateUpdate(status, correlation.key('status'))),
        ...(scale ? validateScale(object, scale, true) : []),
        ...newListTypeErrors(object, old, node),
      ]
      return checkRules(object, old, errors, correlation, warnings)
    },
  }
}

function pruneObject(object: JsonObject, node: StructuralNode): string[] {
  const unknown = coerceMetadata(object)
  const { metadata } = object
  unknown.push(...prune(object, node, true))
  pruneNulls(object, node)
  unknown.push(...coerceEmbeddedMetadata(object, node))
  if (metadata !== undefined) object.metadata = metadata
  return unknown
}

/** Duplicates that were there before do not count. */
function newListTypeErrors(object: JsonObject, old: JsonObject, node: StructuralNode): FieldError[] {
  const errors = validateListTypes(object, node)
  return errors.length > 0 && validateListTypes(old, node).length > 0 ? [] : errors
}

function checkCelRules(
  rules: CelRules,
  object: JsonObject,
  old: JsonObject | undefined,
  errors: readonly FieldError[],
  correlation: Correlation | undefined,
  warnings: string[] | undefined,
): FieldError[] {
  if (errors.some(error => BLOCKING.has(error.type))) return [invalid('', null, RULES_NOT_CHECKED)]
  return rules.validate(object, old, { correlation, warnings })
}

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
const TEXT: Schema = { type: 'string' }

function withObjectMeta(schema: Schema): Schema {
  const meta = { apiVersion: TEXT, kind: TEXT, metadata: builtinSchema(OBJECT_META) }
  const inner = descend(schema)
  return { ...inner, properties: { ...inner.properties, ...meta } }
}

/** Embedded resources have metadata as the object itself has. Parts without any stay the same object. */
function withEmbeddedObjectMeta(schema: Schema): Schema {
  if (schema['x-kubernetes-embedded-resource']) return withObjectMeta(schema)
  return hasEmbedded(schema) ? descend(schema) : schema
}

function hasEmbedded(schema: Schema): boolean {
  const parts = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties]
  return parts.some(
    part => typeof part === 'object' && (part['x-kubernetes-embedded-resource'] === true || hasEmbedded(part)),
  )
}

function descend(schema: Schema): Schema {
  const { additionalProperties, items, properties } = schema
  return {
    ...schema,
    ...(properties ? { properties: mapValues(properties, withEmbeddedObjectMeta) } : {}),
    ...(items ? { items: withEmbeddedObjectMeta(items) } : {}),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: withEmbeddedObjectMeta(additionalProperties) }
      : {}),
  }
}

function mapValues(values: Record<string, Schema>, change: (value: Schema) => Schema): Record<string, Schema> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}
