/** The part of a structural OpenAPI schema that decides how CEL sees a value. */
export interface StructuralSchema {
  type?: string | undefined
  format?: string | undefined
  items?: StructuralSchema | undefined
  properties?: Readonly<Record<string, StructuralSchema>> | undefined
  additionalProperties?: StructuralSchema | boolean | undefined
  required?: readonly string[] | undefined
  nullable?: boolean | undefined
  default?: unknown
  enum?: readonly unknown[] | undefined
  maxLength?: number | undefined
  maxItems?: number | undefined
  maxProperties?: number | undefined
  'x-kubernetes-int-or-string'?: boolean | undefined
  'x-kubernetes-embedded-resource'?: boolean | undefined
  'x-kubernetes-preserve-unknown-fields'?: boolean | undefined
  'x-kubernetes-list-type'?: string | undefined
  'x-kubernetes-list-map-keys'?: readonly string[] | undefined
}

/** The declared properties, or undefined when the schema declares none. */
export function propertiesOf(schema: StructuralSchema): Readonly<Record<string, StructuralSchema>> | undefined {
  const { properties } = schema
  if (properties === undefined) return undefined
  for (const _ in properties) return properties
  return undefined
}

export function additionalSchemaOf(schema: StructuralSchema): StructuralSchema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
}

const string: StructuralSchema = { type: 'string' }
const metadata: StructuralSchema = { type: 'object', properties: { name: string, generateName: string } }
const withMetadata = new WeakMap<StructuralSchema, StructuralSchema>()

/** The schema of a whole object: its kind, apiVersion and the two metadata fields that rules may read are always there. */
export function withTypeAndObjectMeta(schema: StructuralSchema): StructuralSchema {
  const known = withMetadata.get(schema)
  if (known !== undefined) return known
  const { kind, apiVersion, metadata: declared } = schema.properties ?? {}
  const complete =
    kind?.type === 'string' &&
    apiVersion?.type === 'string' &&
    declared?.type === 'object' &&
    declared.properties?.name?.type === 'string' &&
    declared.properties?.generateName?.type === 'string'
  const result = complete
    ? schema
    : { ...schema, properties: { ...schema.properties, kind: string, apiVersion: string, metadata } }
  withMetadata.set(schema, result)
  return result
}
