const cleaned = new WeakMap<object, object>()

/** Items of a loop are data: what they hold is meant as it is written. */
const data = new Set(['withItems'])

/** A manifest without the fields that are null: they are as good as not written, as for Go's decoder. API servers leave them out
 *  where a definition describes them, which Argo's own do not. Nothing is copied where nothing is null. */
export function withoutNulls<T extends object>(manifest: T): T {
  const known = cleaned.get(manifest)
  if (known !== undefined) return known as T
  const result = cleanedValue(manifest) as T
  cleaned.set(manifest, result)
  return result
}

function cleanedValue(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(cleanedValue)
    return items.every((item, index) => item === value[index]) ? value : items
  }
  if (typeof value !== 'object' || value === null) return value
  let copy: Record<string, unknown> | undefined
  for (const [key, field] of Object.entries(value)) {
    const next = data.has(key) ? field : cleanedValue(field)
    if (next === field && next !== null) continue
    copy ??= { ...value }
    if (next === null) delete copy[key]
    else copy[key] = next
  }
  return copy ?? value
}
