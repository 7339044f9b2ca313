import type { Resource } from '../registry/resource.ts'
import type { Schema } from '../schema/schema.ts'
import { type Definition, META, type OpenApiVersion, reference, type WrittenDefinition } from './builtin-definitions.ts'

const OBJECT_META = `${META}ObjectMeta`
const LIST_META = `${META}ListMeta`

type CustomKind = Pick<Resource, 'group' | 'version' | 'kind' | 'listKind' | 'schema'>

/** `stable.example.com` and `Database` → `com.example.stable.v1.Database`. */
export const customDefinitionName = ({ group, version }: Pick<Resource, 'group' | 'version'>, kind: string): string =>
  `${group.split('.').reverse().join('.')}.${version}.${kind}`

/** The definitions of a custom resource and of its list, by their names. */
export function customDefinitions(version: OpenApiVersion, resource: CustomKind): [string, WrittenDefinition][] {
  const { group, kind, listKind } = resource
  const name = customDefinitionName(resource, kind)
  const named = (definition: Definition, itsKind: string): Definition => ({
    ...definition,
    'x-kubernetes-group-version-kind': [{ group, version: resource.version, kind: itsKind }],
  })
  const list = {
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: { type: 'string' },
      items: { type: 'array', items: reference(version, name) },
      kind: { type: 'string' },
      metadata: meta(version, LIST_META),
    },
  }
  return [
    [name, { definition: named(rootDefinition(version, resource.schema), kind), needs: [OBJECT_META] }],
    [customDefinitionName(resource, listKind), { definition: named(list, listKind), needs: [LIST_META, name] }],
  ]
}

const meta = (version: OpenApiVersion, name: string): Definition =>
  version === 2 ? reference(2, name) : { allOf: [reference(3, name)] }

function rootDefinition(version: OpenApiVersion, schema: Schema): Definition {
  // A version 2 client takes listed properties for all that there are.
  if (version === 2 && schema['x-kubernetes-preserve-unknown-fields']) return { type: 'object' }
  const { go: _go, ...root } = schema
  const written = version === 2 ? writeV2(root) : writeV3(root)
  return { ...written, type: 'object', properties: { ...(written.properties as Definition), ...typeAndMeta(version) } }
}

const typeAndMeta = (version: OpenApiVersion): Record<string, Definition> => ({
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: meta(version, OBJECT_META),
})

function writeV3(schema: Schema): Definition {
  const written = { ...(schema as Definition), ...nested(schema, writeV3) }
  if (schema['x-kubernetes-int-or-string']) Object.assign(written, intOrString(schema))
  return schema['x-kubernetes-embedded-resource'] ? embedded(3, written) : written
}

const EITHER = [{ type: 'integer' }, { type: 'string' }] as const

/** Says what `x-kubernetes-int-or-string` means to clients that do not know it. */
function intOrString({ anyOf, allOf }: Schema): Definition {
  const isEither = (list: readonly Schema[] | undefined) =>
    list?.length === EITHER.length && EITHER.every(({ type }, index) => list[index]?.type === type)
  if (anyOf === undefined || anyOf.length === 0) {
    return isEither(allOf?.[0]?.anyOf) ? {} : { anyOf: EITHER }
  }
  return isEither(anyOf) ? {} : { allOf: [{ anyOf: EITHER }, ...(allOf ?? [])] }
}

/** Version 2 cannot say that something may be null or one of several things, and its clients stumble over structure
 *  beside an unknown type: there it says nothing instead. */
function writeV2(schema: Schema): Definition {
  const { allOf: _allOf, anyOf: _anyOf, oneOf: _oneOf, not: _not, nullable, ...said } = schema
  const isOpen = nullable === true || schema['x-kubernetes-preserve-unknown-fields'] === true
  const written: Definition = { ...said, ...nested(said, writeV2) }
  if (isOpen) {
    delete written.items
    delete written.properties
  }
  const isUntyped = nullable === true || (isOpen && said.type === 'object')
  if (isUntyped || (said.type === 'array' && written.items === undefined)) delete written.type
  const required = said.required?.filter(name => said.properties?.[name]?.nullable !== true)
  if (required === undefined || required.length === 0) delete written.required
  else written.required = required
  return schema['x-kubernetes-embedded-resource'] && !schema['x-kubernetes-preserve-unknown-fields']
    ? embedded(2, written)
    : written
}

function nested(schema: Schema, write: (schema: Schema) => Definition): Definition {
  const { properties, items, additionalProperties } = schema
  return {
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, write(inner)])) }
      : {}),
    ...(items ? { items: write(items) } : {}),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: write(additionalProperties) } : {}),
  }
}

function embedded(version: OpenApiVersion, written: Definition): Definition {
  const required = new Set(written.required as string[] | undefined)
  return {
    ...written,
    properties: { ...(written.properties as Definition | undefined), ...typeAndMeta(version) },
    required: [...required.add('kind').add('apiVersion')],
  }
}
