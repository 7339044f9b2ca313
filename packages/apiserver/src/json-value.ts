import type { Json, JsonObject } from './schema/schema.ts'

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What Go calls the type of a JSON value. */
export function jsonTypeName(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'bigint') return 'number'
  return value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value
}

/** Deep equality of JSON values: key order does not matter, an absent field and an undefined one are the same, a number
 *  equals the BigInt of the same value. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return equalNumbers(a, b)
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!jsonEqual(a[i], b[i])) return false
    return true
  }
  if (Array.isArray(b)) return false
  const left = a as Record<string, unknown>
  const right = b as Record<string, unknown>
  let shared = 0
  for (const key of Object.keys(left)) {
    if (left[key] === undefined) continue
    if (!Object.hasOwn(right, key) || !jsonEqual(left[key], right[key])) return false
    shared++
  }
  for (const key of Object.keys(right)) if (right[key] !== undefined) shared--
  return shared === 0
}

function equalNumbers(a: unknown, b: unknown): boolean {
  if (typeof a === 'bigint') return typeof b === 'number' && Number.isInteger(b) && a === BigInt(b)
  return typeof b === 'bigint' && typeof a === 'number' && Number.isInteger(a) && BigInt(a) === b
}

/** A deep copy of a JSON value. `__proto__` stays an ordinary key; a field that is undefined is none, as in JSON text. */
export function jsonCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(jsonCopy) as T
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[key]
    if (field !== undefined) setField(copy, key, jsonCopy(field))
  }
  return copy as T
}

/** A field whose name comes from outside: `constructor` is there only when the object says so. */
export function getOwn(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Sets a field whose name comes from outside: `__proto__` is data, never the prototype. */
export function setField(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  } else target[key] = value
}
