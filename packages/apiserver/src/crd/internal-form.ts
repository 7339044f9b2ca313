import { jsonEqual } from '../json-value.ts'
import type { ValidationRule } from '../schema/schema.ts'
import type { CrdSchema } from '../schema/structural.ts'
import type { CrdPrinterColumn, CrdSpec, CrdSubresources, CrdVersion } from './crd.ts'

/** The real server validates an older form of a CRD: what all versions agree on stands once at the top. Its errors name
 *  the fields of that form (`spec.validation.openAPIV3Schema`), so the same form is made here. */
export interface HoistedSpec {
  validation: CrdVersion['schema']
  subresources: CrdSubresources | undefined
  columns: CrdPrinterColumn[]
  selectableFields: { jsonPath: string }[]
  versions: CrdVersion[]
}

export function hoistCommonParts({ versions }: CrdSpec): HoistedSpec {
  const [first] = versions
  const agree = (part: keyof CrdVersion) =>
    versions.every(version => jsonEqual(version[part] ?? null, first?.[part] ?? null))
  const common = (['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const).filter(agree)
  const isCommon = new Set<string>(common)
  return {
    validation: isCommon.has('schema') ? first?.schema : undefined,
    subresources: isCommon.has('subresources') ? first?.subresources : undefined,
    columns: isCommon.has('additionalPrinterColumns') ? (first?.additionalPrinterColumns ?? []) : [],
    selectableFields: isCommon.has('selectableFields') ? (first?.selectableFields ?? []) : [],
    versions: versions.map(version => {
      const rest = { ...version }
      for (const part of common) delete rest[part]
      return rest
    }),
  }
}

/** What errors print for values of the real server's internal types: their fields have Go's names. */
export const goVersions = (versions: readonly CrdVersion[]): unknown =>
  versions.length === 0 ? null : versions.map(versionForm)
export const goSchema = (schema: CrdSchema): unknown => schemaForm(schema)

export const goRule = ({
  fieldPath,
  message,
  messageExpression,
  optionalOldSelf,
  reason,
  rule,
}: ValidationRule): unknown => ({
  Rule: rule,
  Message: message ?? '',
  MessageExpression: messageExpression ?? '',
  Reason: reason ?? null,
  FieldPath: fieldPath ?? '',
  OptionalOldSelf: optionalOldSelf ?? null,
})

function versionForm(version: CrdVersion): unknown {
  const { schema, subresources } = version
  return {
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: schema ? { OpenAPIV3Schema: schema.openAPIV3Schema ? schemaForm(schema.openAPIV3Schema) : null } : null,
    Subresources: subresources
      ? { Status: subresources.status ?? null, Scale: subresources.scale ? scaleForm(subresources.scale) : null }
      : null,
    AdditionalPrinterColumns: version.additionalPrinterColumns?.map(columnForm) ?? null,
    SelectableFields: version.selectableFields?.map(({ jsonPath }) => ({ JSONPath: jsonPath })) ?? null,
  }
}

const scaleForm = (scale: NonNullable<CrdSubresources['scale']>) => ({
  SpecReplicasPath: scale.specReplicasPath,
  StatusReplicasPath: scale.statusReplicasPath,
  LabelSelectorPath: scale.labelSelectorPath ?? null,
})

const columnForm = (column: CrdPrinterColumn) => ({
  Name: column.name,
  Type: column.type,
  Format: column.format ?? '',
  Description: column.description ?? '',
  Priority: column.priority ?? 0,
  JSONPath: column.jsonPath,
})

const schemas = (list: readonly CrdSchema[] | undefined) => list?.map(schemaForm) ?? null
const schemaMap = (map: Readonly<Record<string, CrdSchema>> | undefined) =>
  map
    ? Object.fromEntries(
        Object.keys(map)
          .sort()
          .map(name => [name, schemaForm(map[name] as CrdSchema)]),
      )
    : null

function schemaForm(schema: CrdSchema): unknown {
  const { additionalProperties, items } = schema
  return {
    ID: schema.id ?? '',
    Schema: schema.$schema ?? '',
    Ref: schema.$ref ?? null,
    Description: schema.description ?? '',
    Type: schema.type ?? '',
    Nullable: schema.nullable ?? false,
    Format: schema.format ?? '',
    Title: schema.title ?? '',
    Default: schema.default ?? null,
    Maximum: schema.maximum ?? null,
    ExclusiveMaximum: schema.exclusiveMaximum ?? false,
    Minimum: schema.minimum ?? null,
    ExclusiveMinimum: schema.exclusiveMinimum ?? false,
    MaxLength: schema.maxLength ?? null,
    MinLength: schema.minLength ?? null,
    Pattern: schema.pattern ?? '',
    MaxItems: schema.maxItems ?? null,
    MinItems: schema.minItems ?? null,
    UniqueItems: schema.uniqueItems ?? false,
    MultipleOf: schema.multipleOf ?? null,
    Enum: schema.enum ?? null,
    MaxProperties: schema.maxProperties ?? null,
    MinProperties: schema.minProperties ?? null,
    Required: schema.required ?? null,
    Items: items
      ? {
          Schema: Array.isArray(items) ? null : schemaForm(items),
          JSONSchemas: Array.isArray(items) ? schemas(items) : null,
        }
      : null,
    AllOf: schemas(schema.allOf),
    OneOf: schemas(schema.oneOf),
    AnyOf: schemas(schema.anyOf),
    Not: schema.not ? schemaForm(schema.not) : null,
    Properties: schemaMap(schema.properties),
    AdditionalProperties:
      additionalProperties === undefined
        ? null
        : typeof additionalProperties === 'boolean'
          ? { Allows: additionalProperties, Schema: null }
          : { Allows: true, Schema: schemaForm(additionalProperties) },
    PatternProperties: schemaMap(schema.patternProperties),
    Dependencies: schema.dependencies ?? null,
    AdditionalItems: schema.additionalItems ?? null,
    Definitions: schemaMap(schema.definitions),
    ExternalDocs: schema.externalDocs ?? null,
    Example: schema.example ?? null,
    XPreserveUnknownFields: schema['x-kubernetes-preserve-unknown-fields'] ?? null,
    XEmbeddedResource: schema['x-kubernetes-embedded-resource'] ?? false,
    XIntOrString: schema['x-kubernetes-int-or-string'] ?? false,
    XListMapKeys: schema['x-kubernetes-list-map-keys'] ?? null,
    XListType: schema['x-kubernetes-list-type'] ?? null,
    XMapType: schema['x-kubernetes-map-type'] ?? null,
    XValidations: schema['x-kubernetes-validations']?.map(goRule) ?? null,
  }
}
