/** Deep equality of JSON values. An absent field and an undefined one are the same. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!jsonEqual(a[i], b[i])) return false
    return true
  }
  if (Array.isArray(b)) return false
  const left = a as Record<string, unknown>
  const right = b as Record<string, unknown>
  for (const key in left) if (left[key] !== undefined && !jsonEqual(left[key], right[key])) return false
  for (const key in right) if (right[key] !== undefined && left[key] === undefined) return false
  return true
}

/** A deep copy of a JSON value. `__proto__` stays an ordinary key. */
export function jsonCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(jsonCopy) as T
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) setField(copy, key, jsonCopy((value as Record<string, unknown>)[key]))
  return copy as T
}

/** Sets a field whose name comes from outside: `__proto__` is data, never the prototype. */
export function setField(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  } else target[key] = value
}
