/** What a value looks like: a JSON schema that the compiler can read as a type. Queries, bodies and messages that come in are
 *  declared with it once; types, checks and the OpenAPI document follow. (What goes out is declared in `answers.ts`.) */
export interface Schema<T> {
  readonly json: JsonSchema
  /** Only in the type system. */
  readonly __type?: T
}

export interface JsonSchema {
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null'
  readonly description?: string
  readonly enum?: readonly (string | number | boolean)[]
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly maxItems?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly $ref?: string
}

export type TypeOf<S> = S extends Schema<infer T> ? T : never

/** A property that may be missing. */
export interface Optional<T> extends Schema<T> {
  readonly isOptional: true
}

type Properties = Readonly<Record<string, Schema<unknown>>>
type OptionalNames<P extends Properties> = { [K in keyof P]: P[K] extends Optional<unknown> ? K : never }[keyof P]
type ObjectOf<P extends Properties> = { [K in Exclude<keyof P, OptionalNames<P>>]: TypeOf<P[K]> } & {
  [K in OptionalNames<P>]?: TypeOf<P[K]>
}
/** Shows a type as one object instead of an intersection. */
type Flat<T> = { [K in keyof T]: T[K] }

export const text = (description?: string, more: JsonSchema = {}): Schema<string> => ({
  json: { type: 'string', ...described(description), ...more },
})
export const number = (description?: string, more: JsonSchema = {}): Schema<number> => ({
  json: { type: 'number', ...described(description), ...more },
})
export const boolean = (description?: string): Schema<boolean> => ({
  json: { type: 'boolean', ...described(description) },
})
export const oneOf = <const T extends string>(values: readonly T[], description?: string): Schema<T> => ({
  json: { type: 'string', enum: values, ...described(description) },
})
export const list = <T>(items: Schema<T>, more: JsonSchema = {}): Schema<readonly T[]> => ({
  json: { type: 'array', items: items.json, ...more },
})
export const map = <T>(values: Schema<T>): Schema<Readonly<Record<string, T>>> => ({
  json: { type: 'object', additionalProperties: values.json },
})
export const anyOf = <const S extends readonly Schema<unknown>[]>(...schemas: S): Schema<TypeOf<S[number]>> => ({
  json: { anyOf: schemas.map(({ json }) => json) },
})
export const anything = (description?: string): Schema<unknown> => ({ json: described(description) })
export const optional = <T>(schema: Schema<T>): Optional<T> => ({ json: schema.json, isOptional: true })

export function object<const P extends Properties>(properties: P, description?: string): Schema<Flat<ObjectOf<P>>> {
  const names = Object.keys(properties)
  const required = names.filter(name => !('isOptional' in (properties[name] as object)))
  return {
    json: {
      type: 'object',
      ...described(description),
      properties: Object.fromEntries(names.map(name => [name, (properties[name] as Schema<unknown>).json])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
  }
}

const described = (description = '') => (description === '' ? {} : { description })

/** Schemas that others refer to, by the last part of the reference. */
export type Definitions = Readonly<Record<string, JsonSchema>>

/** What is wrong with a value, in words that begin with the place; empty when it is as declared. Fields that are not declared
 *  are wrong unless the schema lets them be there. */
export function problemsOf(
  value: unknown,
  schema: JsonSchema,
  place = 'the body',
  definitions: Definitions = {},
): string[] {
  if (schema.$ref !== undefined) return problemsOf(value, referred(schema.$ref, definitions), place, definitions)
  if (schema.anyOf) return anyProblems(value, schema.anyOf, place, definitions)
  if (schema.enum && !schema.enum.includes(value as string))
    return [`${place} must be one of ${schema.enum.join(', ')}`]
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? textProblems(value, schema, place) : [`${place} must be a text`]
    case 'number':
    case 'integer':
      return numberProblems(value, schema, place)
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`${place} must be true or false`]
    case 'array':
      return arrayProblems(value, schema, place, definitions)
    case 'object':
      return objectProblems(value, schema, place, definitions)
    case 'null':
      return value === null ? [] : [`${place} must be null`]
    default:
      return []
  }
}

function referred(reference: string, definitions: Definitions): JsonSchema {
  const name = reference.slice(reference.lastIndexOf('/') + 1)
  const found = Object.hasOwn(definitions, name) ? definitions[name] : undefined
  if (!found) throw new Error(`there is no schema ${reference}`)
  return found
}

/** Of several that it could have been, what is wrong with it as the nearest. */
function anyProblems(
  value: unknown,
  schemas: readonly JsonSchema[],
  place: string,
  definitions: Definitions,
): string[] {
  const found = schemas.map(schema => problemsOf(value, schema, place, definitions))
  return found.reduce((fewest, problems) => (problems.length < fewest.length ? problems : fewest))
}

function textProblems(value: string, { maxLength, pattern }: JsonSchema, place: string): string[] {
  if (maxLength !== undefined && value.length > maxLength) return [`${place} is longer than ${maxLength} characters`]
  if (pattern !== undefined && !new RegExp(pattern).test(value)) return [`${place} must match ${pattern}`]
  return []
}

function numberProblems(value: unknown, { type, minimum, maximum }: JsonSchema, place: string): string[] {
  if (typeof value !== 'number' || !Number.isFinite(value)) return [`${place} must be a number`]
  if (type === 'integer' && !Number.isSafeInteger(value)) return [`${place} must be a whole number`]
  if (minimum !== undefined && value < minimum) return [`${place} must be at least ${minimum}`]
  if (maximum !== undefined && value > maximum) return [`${place} must be at most ${maximum}`]
  return []
}

function arrayProblems(
  value: unknown,
  { items, maxItems }: JsonSchema,
  place: string,
  definitions: Definitions,
): string[] {
  if (!Array.isArray(value)) return [`${place} must be a list`]
  if (maxItems !== undefined && value.length > maxItems) return [`${place} has more than ${maxItems} items`]
  return value.flatMap((item, i) => (items ? problemsOf(item, items, `${place}[${i}]`, definitions) : []))
}

function objectProblems(value: unknown, schema: JsonSchema, place: string, definitions: Definitions): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${place} must be an object`]
  const { properties = {}, required = [], additionalProperties } = schema
  const fields = value as Record<string, unknown>
  const missing = required.filter(name => !Object.hasOwn(fields, name)).map(name => `${place}.${name} is missing`)
  const wrong = Object.entries(fields).flatMap(([name, field]) => {
    if (field === undefined) return []
    const declared = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (typeof declared === 'object') return problemsOf(field, declared, `${place}.${name}`, definitions)
    return declared === true ? [] : [`${place}.${name} is not known`]
  })
  return [...missing, ...wrong]
}
