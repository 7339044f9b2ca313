/** What the objects of a kind look like, as CustomResourceDefinitions say it. */
export type Schema = Readonly<Record<string, unknown>>

export const TEXT: Schema = { type: 'string' }
export const COUNT: Schema = { type: 'integer', format: 'int64' }
export const FLAG: Schema = { type: 'boolean' }
/** A number, or a text that may have variables in it. */
export const COUNT_OR_TEXT: Schema = { 'x-kubernetes-int-or-string': true }
/** Any JSON value. */
export const ANY: Schema = { 'x-kubernetes-preserve-unknown-fields': true }
/** An object whose fields are somebody else's: parts of a pod, locations of stores. */
export const OPEN: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
export const OPEN_LIST: Schema = { type: 'array', items: OPEN }

export const list = (items: Schema): Schema => ({ type: 'array', items })
export const map = (additionalProperties: Schema): Schema => ({ type: 'object', additionalProperties })
export const choice = (...values: readonly string[]): Schema => ({ type: 'string', enum: values })
export const fields = (properties: Readonly<Record<string, Schema>>, ...required: readonly string[]): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
})

/** So many fields of one shape. */
export const each = (schema: Schema, names: string): Readonly<Record<string, Schema>> =>
  Object.fromEntries(names.split(' ').map(name => [name, schema]))
