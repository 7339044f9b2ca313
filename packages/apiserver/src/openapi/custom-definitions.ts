import type { Resource } from '../registry/resource.ts'
import type { Schema } from '../schema/schema.ts'
import type { Definition } from './builtin-definitions.ts'

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
const LIST_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta'

/** `stable.example.com` and `Database` → `com.example.stable.v1.Database`. */
export const customDefinitionName = ({ group, version }: Resource, kind: string): string =>
  `${group.split('.').reverse().join('.')}.${version}.${kind}`

/** The definitions of a custom resource and its list. */
export function customDefinitions(resource: Resource, prefix: string): Record<string, Definition> {
  const { group, version, kind, listKind, schema } = resource
  const name = customDefinitionName(resource, kind)
  return {
    [name]: {
      ...withMeta(schema, prefix),
      'x-kubernetes-group-version-kind': [{ group, version, kind }],
    },
    [customDefinitionName(resource, listKind)]: {
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: { $ref: `${prefix}${LIST_META}` },
        items: { type: 'array', items: { $ref: `${prefix}${name}` } },
      },
      'x-kubernetes-group-version-kind': [{ group, version, kind: listKind }],
    },
  }
}

export const CUSTOM_DEPENDENCIES = [OBJECT_META, LIST_META]

function withMeta(schema: Schema, prefix: string): Definition {
  const { go: _go, ...rest } = schema
  const properties = {
    ...schema.properties,
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { $ref: `${prefix}${OBJECT_META}` },
  }
  return { ...rest, type: 'object', properties }
}
