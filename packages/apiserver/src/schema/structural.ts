import { child, type FieldError, forbidden, formatFieldError, index, invalid, key, required } from '../field-error.ts'
import { compilePattern } from './pattern.ts'
import type { Schema } from './schema.ts'

/** A schema as a CRD writes it: with the fields of JSON Schema that Kubernetes refuses. */
export interface CrdSchema extends Schema {
  id?: string
  $schema?: string
  $ref?: string
  additionalItems?: unknown
  definitions?: Record<string, CrdSchema>
  dependencies?: Record<string, unknown>
  patternProperties?: Record<string, CrdSchema>
}

const UNSUPPORTED = [
  ['id', 'id'],
  ['$schema', 'schema'],
  ['$ref', '$ref'],
  ['patternProperties', 'patternProperties'],
  ['dependencies', 'dependencies'],
  ['additionalItems', 'additionalItems'],
  ['definitions', 'definitions'],
] as const

/** Why the schema cannot be structural at all, whatever it says about values; undefined when it can. */
export function structuralObstacle(schema: CrdSchema): string | undefined {
  for (const [name, shown] of UNSUPPORTED) {
    if (schema[name] !== undefined && schema[name] !== '') return `OpenAPIV3Schema '${shown}' is not supported`
  }
  const nested = schema.not === undefined ? [] : [schema.not]
  for (const part of [...nested, ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    const obstacle = structuralObstacle(part)
    if (obstacle !== undefined) return obstacle
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
  }
  if (Array.isArray(schema.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array"
  const parts = [schema.items, ...Object.values(schema.properties ?? {}), schema.additionalProperties]
  for (const part of parts) {
    const obstacle = typeof part === 'object' ? structuralObstacle(part) : undefined
    if (obstacle !== undefined) return obstacle
  }
  return undefined
}

type Level = 'root' | 'item' | 'field'

/** Everything that keeps a schema from being structural: types everywhere, and nothing in the value validations that the
 *  skeleton does not have. */
export function validateStructural(schema: Schema, path: string): FieldError[] {
  const errors = [...validateSkeleton(schema, 'root', path), ...validateCompleteness(schema, schema, path, path)]
  const texts = new Map(errors.map(error => [error, formatFieldError(error)]))
  const text = (error: FieldError) => texts.get(error) ?? ''
  return errors.sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0))
}

const MISSING_TYPE: Record<Level, string> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function validateSkeleton(schema: Schema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = []
  const { additionalProperties, items, properties = {}, type = '' } = schema
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true
  const preservesUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true
  if (type === 'array' && items === undefined) errors.push(required(child(path, 'items'), 'must be specified'))
  if (items) errors.push(...validateSkeleton(items, 'item', child(path, 'items')))
  for (const [name, property] of Object.entries(properties)) {
    errors.push(...validateSkeleton(property, 'field', key(child(path, 'properties'), name)))
  }
  if (additionalProperties !== undefined) {
    const at = child(path, 'additionalProperties')
    if (level === 'root') errors.push(forbidden(at, 'must not be used at the root'))
    if (typeof additionalProperties === 'object') errors.push(...validateSkeleton(additionalProperties, 'field', at))
    if (isEmbedded) errors.push(forbidden(at, 'must not be used if x-kubernetes-embedded-resource is set'))
  }
  if (isIntOrString && preservesUnknown) {
    const detail = 'must be false if x-kubernetes-int-or-string is true'
    errors.push(invalid(child(path, 'x-kubernetes-preserve-unknown-fields'), true, detail))
  }
  if (isIntOrString && isEmbedded) {
    const detail = 'must be false if x-kubernetes-int-or-string is true'
    errors.push(invalid(child(path, 'x-kubernetes-embedded-resource'), true, detail))
  }
  errors.push(
    ...validateValueValidation(schema, isIntOrStringPattern(schema.anyOf), isAllOfIntOrString(schema), level, path),
  )
  if (isEmbedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true'
    errors.push(type === '' ? required(child(path, 'type'), detail) : invalid(child(path, 'type'), type, detail))
  } else if (type === '' && !isIntOrString && !preservesUnknown) {
    errors.push(required(child(path, 'type'), MISSING_TYPE[level]))
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalid(child(path, 'type'), type, 'must be object at the root'))
  }
  errors.push(...validateMetaFields(schema, level, path))
  if (isEmbedded && !preservesUnknown && Object.keys(properties).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields'
    errors.push(required(child(path, 'properties'), detail))
  }
  return errors
}

/** kind, apiVersion and metadata of a resource are known: a schema may say little about them. */
function validateMetaFields(schema: Schema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = []
  const properties = child(path, 'properties')
  const isResource = level === 'root' || schema['x-kubernetes-embedded-resource'] === true
  for (const name of ['kind', 'apiVersion']) {
    const property = schema.properties?.[name]
    if (!property || !isResource || property.type === 'string') continue
    errors.push(invalid(child(key(properties, name), 'type'), property.type ?? '', 'must be string'))
  }
  const metadata = schema.properties?.metadata
  if (!metadata) return errors
  const at = key(properties, 'metadata')
  if (isResource && metadata.type !== 'object')
    errors.push(invalid(child(at, 'type'), metadata.type ?? '', 'must be object'))
  if (level === 'root' && saysMoreThanNames(metadata)) {
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified'
    errors.push(forbidden(at, detail))
  }
  return errors
}

function saysMoreThanNames(metadata: Schema): boolean {
  const { default: _default, properties = {}, type: _type, ...rest } = metadata
  const saysOther = Object.values(rest).some(value => value !== undefined && value !== false && value !== '')
  return saysOther || Object.keys(properties).some(name => name !== 'name' && name !== 'generateName')
}

function isIntOrStringPattern(anyOf: Schema[] | undefined): boolean {
  const [first, second] = anyOf ?? []
  return anyOf?.length === 2 && isOnlyType(first, 'integer') && isOnlyType(second, 'string')
}

const isOnlyType = (schema: Schema | undefined, type: string): boolean =>
  schema?.type === type && Object.keys(schema).length === 1

const isAllOfIntOrString = (schema: Schema): boolean => isIntOrStringPattern(schema.allOf?.[0]?.anyOf)

function validateValueValidation(
  schema: Schema,
  skipAnyOf: boolean,
  skipFirstAllOfAnyOf: boolean,
  level: Level,
  path: string,
): FieldError[] {
  const errors: FieldError[] = []
  const { allOf = [], anyOf = [], not, oneOf = [], pattern } = schema
  if (!skipAnyOf) {
    for (const [i, part] of anyOf.entries())
      errors.push(...validateNested(part, false, level, index(child(path, 'anyOf'), i)))
  }
  for (const [i, part] of allOf.entries()) {
    errors.push(...validateNested(part, skipFirstAllOfAnyOf && i === 0, level, index(child(path, 'allOf'), i)))
  }
  for (const [i, part] of oneOf.entries())
    errors.push(...validateNested(part, false, level, index(child(path, 'oneOf'), i)))
  if (not) errors.push(...validateNested(not, false, level, child(path, 'not')))
  if (pattern !== undefined && pattern !== '') {
    const compiled = compilePattern(pattern)
    if ('error' in compiled) {
      const detail = `must be a valid regular expression, but isn't: ${compiled.error}`
      errors.push(invalid(child(path, 'pattern'), pattern, detail))
    }
  }
  return errors
}

/** What a schema inside allOf, anyOf, oneOf and not may not say, because the skeleton says it. */
const FORBIDDEN_WHEN_NESTED: readonly [keyof Schema, string][] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
]

function validateNested(schema: Schema, skipAnyOf: boolean, level: Level, path: string): FieldError[] {
  const errors = validateValueValidation(schema, skipAnyOf, false, level, path)
  if (schema.items) errors.push(...validateNested(schema.items, false, level, child(path, 'items')))
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    errors.push(...validateNested(property, false, 'field', key(child(path, 'properties'), name)))
  }
  for (const [name, detail] of FORBIDDEN_WHEN_NESTED) {
    const value = schema[name]
    if (value === undefined || value === false || value === '') continue
    if (Array.isArray(value) && value.length === 0) continue
    errors.push(forbidden(child(path, name), detail))
  }
  if (schema.properties?.metadata) {
    errors.push(forbidden(key(child(path, 'properties'), 'metadata'), 'must not be specified in a nested context'))
  }
  return errors
}

/** Every field that a nested schema mentions must be in the skeleton. */
function validateCompleteness(
  nested: Schema,
  skeleton: Schema,
  skeletonPath: string,
  nestedPath: string,
): FieldError[] {
  const errors: FieldError[] = []
  const descend = (part: Schema, at: string) =>
    errors.push(...validateNestedCompleteness(part, skeleton, skeletonPath, at))
  if (nested.not) descend(nested.not, child(nestedPath, 'not'))
  for (const [i, part] of (nested.allOf ?? []).entries()) descend(part, index(child(nestedPath, 'allOf'), i))
  for (const [i, part] of (nested.anyOf ?? []).entries()) descend(part, index(child(nestedPath, 'anyOf'), i))
  for (const [i, part] of (nested.oneOf ?? []).entries()) descend(part, index(child(nestedPath, 'oneOf'), i))
  return errors
}

function validateNestedCompleteness(
  nested: Schema,
  skeleton: Schema | undefined,
  skeletonPath: string,
  nestedPath: string,
): FieldError[] {
  if (!skeleton) return [required(skeletonPath, `because it is defined in ${nestedPath}`)]
  const errors = validateCompleteness(nested, skeleton, skeletonPath, nestedPath)
  if (nested.items) {
    const [at, nestedAt] = [child(skeletonPath, 'items'), child(nestedPath, 'items')]
    errors.push(...validateNestedCompleteness(nested.items, skeleton.items, at, nestedAt))
  }
  for (const [name, property] of Object.entries(nested.properties ?? {})) {
    const at = key(child(skeletonPath, 'properties'), name)
    const nestedAt = key(child(nestedPath, 'properties'), name)
    const known = Object.hasOwn(skeleton.properties ?? {}, name) ? skeleton.properties?.[name] : undefined
    errors.push(...validateNestedCompleteness(property, known, at, nestedAt))
  }
  return errors
}
