import type { Json, JsonObject } from '../schema/schema.ts'

/** Objects are data: a key such as `__proto__` or `constructor` is a key like any other. Reading goes through `getOwn`
 *  and writing through `setOwn` wherever the key comes from outside. */

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function getOwn(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

export function setOwn(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  } else {
    object[key] = value
  }
}

export function cloneJson<T extends Json>(value: T): T
export function cloneJson(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(item => cloneJson(item))
  const copy: JsonObject = {}
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson(value[key] as Json))
  return copy
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
