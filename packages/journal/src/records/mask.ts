import { isObject, type Json, type TraceRecord } from './trace-record.ts'

/** Takes out of a record what nobody may read. Gives back the same record, unchanged, when there is nothing. */
export type Mask = <R extends TraceRecord>(record: R) => R

export const MASKED = '(masked)'

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
const SECRET_FIELDS = ['data', 'stringData']
/** Deeper than anything the API server accepts; what lies below is not stored. */
const DEEPEST = 200

export interface MaskOptions {
  /** Fields to mask beside those of Secrets: a name at any depth (`password`), or a path (`spec.auth.token`), which
   *  matches wherever it ends so. Upper and lower case are the same. */
  fields?: readonly string[]
}

/** Masks the `data` and `stringData` of every Secret in a record, wherever it is in a body, and the named fields. */
export function createMask({ fields = [] }: MaskOptions = {}): Mask {
  const walker = new Walker(fields.map(field => field.toLowerCase().split('.')))
  return record => walker.record(record)
}

class Walker {
  readonly #fields: readonly string[][]

  constructor(fields: readonly string[][]) {
    this.#fields = fields
  }

  record<R extends TraceRecord>(record: R): R {
    if (record.kind === 'event' && record.body !== undefined)
      return changed(record, 'body', this.#value(record.body, [], 0))
    if (record.kind === 'decision' && record.inputs) {
      const isSecret = record.object?.kind === 'Secret'
      const inputs = record.inputs.map(input => this.#field(input, isSecret, ['value']))
      return inputs.some((input, i) => input !== record.inputs?.[i]) ? { ...record, inputs } : record
    }
    if (record.kind === 'write' && record.diff) {
      const isSecret = record.object.kind === 'Secret'
      const diff = record.diff.map(change => this.#field(change, isSecret, ['from', 'to']))
      return diff.some((change, i) => change !== record.diff?.[i]) ? { ...record, diff } : record
    }
    return record
  }

  /** Something that says by a path what its values are. */
  #field<F extends { path: string }>(field: F, isSecret: boolean, names: readonly (keyof F & string)[]): F {
    const path = field.path.split(/[.[\]]+/).filter(part => part !== '')
    const isHidden =
      this.#isNamed(path.map(part => part.toLowerCase())) ||
      (isSecret && path.some(part => SECRET_FIELDS.includes(part) || part === 'annotations'))
    let result = field
    for (const name of names) {
      const value = field[name] as Json | undefined
      if (value !== undefined) result = changed(result, name, isHidden ? MASKED : this.#value(value, path, path.length))
    }
    return result
  }

  #value(value: Json, path: readonly string[], depth: number): Json {
    if (typeof value !== 'object' || value === null) return value
    if (depth > DEEPEST) return '(too deep)'
    if (Array.isArray(value)) {
      const items = value.map(item => this.#value(item, path, depth))
      return items.some((item, i) => item !== value[i]) ? items : value
    }
    return isObject(value) ? this.#object(value, path, depth) : value
  }

  /** This is done for every field of every event: the way to it is only remembered where somebody asks for it. */
  #object(object: { readonly [name: string]: Json | undefined }, path: readonly string[], depth: number): Json {
    const isSecret = object.kind === 'Secret' && (object.apiVersion === 'v1' || object.apiVersion === undefined)
    const hasNamed = this.#fields.length > 0
    let result = object
    for (const name in object) {
      const value = object[name]
      if (value === undefined) continue
      const below = hasNamed ? [...path, name.toLowerCase()] : path
      let masked: Json
      if (hasNamed && this.#isNamed(below)) masked = MASKED
      else if (isSecret && SECRET_FIELDS.includes(name)) masked = maskValues(value)
      else if (name === LAST_APPLIED && typeof value === 'string') masked = this.#lastApplied(value)
      else masked = this.#value(value, below, depth + 1)
      if (masked !== value) result = changed(result, name, masked)
    }
    return result
  }

  /** An object, as text, inside of the object that it became. */
  #lastApplied(text: string): Json {
    try {
      const applied = JSON.parse(text) as Json
      const masked = this.#value(applied, [], 0)
      return masked === applied ? text : JSON.stringify(masked)
    } catch {
      return MASKED
    }
  }

  #isNamed(path: readonly string[]): boolean {
    return this.#fields.some(field => field.every((part, i) => path[path.length - field.length + i] === part))
  }
}

/** The names stay, for they tell what is there. */
function maskValues(value: Json): Json {
  if (!isObject(value)) return MASKED
  return Object.fromEntries(Object.keys(value).map(name => [name, MASKED]))
}

/** A copy with one field replaced, unless it is the same. Also a field called `__proto__` is only a field. */
function changed<T extends object>(object: T, name: string, value: unknown): T {
  if ((object as Record<string, unknown>)[name] === value) return object
  const copy = { ...object }
  Object.defineProperty(copy, name, { value, enumerable: true, configurable: true, writable: true })
  return copy
}
