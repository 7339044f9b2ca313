import type { Json, JsonObject } from '../schema/schema.ts'

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A field whose name comes from outside: `constructor` is there only when the object says so. */
export function getOwn(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Equal as JSON values: key order does not matter, a number equals the BigInt of the same value. */
export function equalJson(a: Json, b: Json): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return equalNumbers(a, b)
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!equalJson(a[i] as Json, b[i] as Json)) return false
    return true
  }
  if (Array.isArray(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  for (const key of keys) {
    if (!Object.hasOwn(b, key) || !equalJson(a[key] as Json, b[key] as Json)) return false
  }
  return true
}

function equalNumbers(a: Json, b: Json): boolean {
  if (typeof a === 'bigint') return typeof b === 'number' && Number.isInteger(b) && a === BigInt(b)
  return typeof b === 'bigint' && typeof a === 'number' && Number.isInteger(a) && BigInt(a) === b
}
