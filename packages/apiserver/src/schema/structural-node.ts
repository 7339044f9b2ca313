import type { Json, Schema } from './schema.ts'

/** A custom resource's schema made ready for walking beside a value. Properties are looked up in a map: a client may name
 *  a field like a part of every JavaScript object. */
export interface StructuralNode {
  readonly schema: Schema
  readonly properties: ReadonlyMap<string, StructuralNode>
  readonly items: StructuralNode | undefined
  /** The schema of further properties; undefined when there are none or when they are allowed without one. */
  readonly additional: StructuralNode | undefined
  readonly allowsAdditional: boolean
  readonly preservesUnknown: boolean
  readonly isEmbeddedResource: boolean
  readonly isNullable: boolean
  /** undefined when there is no default; null counts as none. */
  readonly default: Json | undefined
  /** What is somewhere below: values are not walked for what their schema does not have. */
  readonly contains: { readonly defaults: boolean; readonly embeddedResources: boolean; readonly keyedLists: boolean }
}

export function structuralNode(schema: Schema): StructuralNode {
  const { additionalProperties, items, properties = {} } = schema
  const node = {
    schema,
    properties: new Map(Object.entries(properties).map(([name, property]) => [name, structuralNode(property)])),
    items: items === undefined ? undefined : structuralNode(items),
    additional: typeof additionalProperties === 'object' ? structuralNode(additionalProperties) : undefined,
    allowsAdditional: additionalProperties !== undefined,
    preservesUnknown: schema['x-kubernetes-preserve-unknown-fields'] === true,
    isEmbeddedResource: schema['x-kubernetes-embedded-resource'] === true,
    isNullable: schema.nullable === true,
    default: schema.default ?? undefined,
  }
  return { ...node, contains: contentsOf(node) }
}

function contentsOf(node: Omit<StructuralNode, 'contains'>): StructuralNode['contains'] {
  const parts = [...node.properties.values(), node.items, node.additional].filter(part => part !== undefined)
  const listType = node.schema['x-kubernetes-list-type']
  return {
    defaults: parts.some(part => part.default !== undefined || part.contains.defaults),
    embeddedResources: node.isEmbeddedResource || parts.some(part => part.contains.embeddedResources),
    keyedLists: listType === 'set' || listType === 'map' || parts.some(part => part.contains.keyedLists),
  }
}

/** The same, as the schema of a whole object: apiVersion, kind and metadata belong to it without being mentioned. */
export const resourceNode = (node: StructuralNode): StructuralNode => ({ ...node, isEmbeddedResource: true })
