import { isDeepStrictEqual } from 'node:util'

type Fields = Readonly<Record<string, unknown>>

/** What upstream's update makes of a live object: fields are merged, and everything else (lists, scalars, null) takes the
 *  place of what was there. */
export function mergeOver(live: unknown, wanted: unknown): unknown {
  if (!isFields(live) || !isFields(wanted)) return wanted
  return withFields(live, wanted, mergeOver)
}

/** What a merge patch (RFC 7386) makes of a document. */
export function mergePatched(document: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch
  const merged = withFields(isFields(document) ? document : {}, patch, mergePatched)
  return Object.fromEntries(
    Object.entries(merged).filter(([name]) => !(Object.hasOwn(patch, name) && patch[name] === null)),
  )
}

export const isEqual = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a, b)

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// By entries, so that a field named __proto__ is a field.
function withFields(base: Fields, over: Fields, merge: (a: unknown, b: unknown) => unknown): Fields {
  const merged = Object.entries(over).map(
    ([name, value]) => [name, merge(Object.hasOwn(base, name) ? base[name] : undefined, value)] as const,
  )
  return Object.fromEntries([...Object.entries(base), ...merged])
}
