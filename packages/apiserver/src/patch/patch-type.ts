import { goQuote } from '@tiphys/kube'
import type { Schema } from '../schema/schema.ts'
import { PatchFailure } from './patch-failure.ts'

/** How a strategic merge patch treats one field. */
export interface FieldRule {
  /** Of the field's value; of one element for a list. */
  schema: Schema
  strategy: 'merge' | 'replace' | ''
  mergeKey: string
}

/** The rule for a field that holds an object. Throws when the type has no such field. */
export function objectFieldRule(parent: Schema, key: string): FieldRule {
  const field = fieldSchema(parent, key)
  return { schema: field, strategy: strategyOf(field), mergeKey: field['x-kubernetes-patch-merge-key'] ?? '' }
}

/** The rule for a field that holds a list. */
export function listFieldRule(parent: Schema, key: string): FieldRule {
  const rule = objectFieldRule(parent, key)
  const { items } = rule.schema
  if (items === undefined) throw PatchFailure.internal(`expected slice or array type, but got: ${goKind(parent)}`)
  if (items.type === 'array') throw PatchFailure.internal('unexpected slice of slice')
  return { ...rule, schema: items }
}

function fieldSchema(parent: Schema, key: string): Schema {
  const { properties } = parent
  if (properties === undefined) {
    const scalar = parent.go?.scalar
    if (scalar !== undefined && scalar !== 'bytes') throw noSuchField(parent, key)
    throw PatchFailure.internal(`merging an object in json but data type is not struct, instead is: ${goKind(parent)}`)
  }
  if (Object.hasOwn(properties, key)) return properties[key] as Schema
  const folded = key.toLowerCase()
  const similar = Object.keys(properties).find(name => name.toLowerCase() === folded)
  if (similar === undefined) throw noSuchField(parent, key)
  return properties[similar] as Schema
}

const noSuchField = (parent: Schema, key: string): PatchFailure =>
  PatchFailure.internal(
    `unable to find api field in struct ${parent.go?.name ?? ''} for the json field ${goQuote(key)}`,
  )

function strategyOf(field: Schema): FieldRule['strategy'] {
  const strategies = (field['x-kubernetes-patch-strategy'] ?? '').split(',').filter(name => name !== 'retainKeys')
  return (strategies[0] ?? '') as FieldRule['strategy']
}

/** `struct`, `map`, `string`: Go's word for the kind of type behind the schema. */
export function goKind(schema: Schema): string {
  if (schema.properties !== undefined || (schema.go?.scalar !== undefined && schema.go.scalar !== 'bytes'))
    return 'struct'
  switch (schema.type) {
    case 'object':
      return 'map'
    case 'array':
      return 'slice'
    case 'integer':
      return schema.format ?? 'int'
    case 'number':
      return 'float64'
    case 'boolean':
      return 'bool'
    default:
      return schema.format === 'byte' ? 'slice' : 'string'
  }
}
