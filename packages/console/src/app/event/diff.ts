export interface Difference {
  path: string
  from?: unknown
  to?: unknown
}

/** What only machines read changes with every write. */
const NOISE = new Set(['metadata.managedFields', 'metadata.resourceVersion', 'metadata.generation'])

/** What is different between two values, field by field, in the order of the fields. */
export function differencesOf(from: unknown, to: unknown, path = ''): Difference[] {
  if (NOISE.has(path)) return []
  if (Object.is(from, to)) return []
  if (isPlain(from) && isPlain(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort()
    return names.flatMap(name => differencesOf(from[name], to[name], path === '' ? name : `${path}.${name}`))
  }
  if (Array.isArray(from) && Array.isArray(to)) {
    const length = Math.max(from.length, to.length)
    return Array.from({ length }, (_, i) => differencesOf(from[i], to[i], `${path}[${i}]`)).flat()
  }
  if (JSON.stringify(from) === JSON.stringify(to)) return []
  return [{ path, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }]
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Before and after of a resource event's payload. */
export function bodiesOf(body: unknown): { from: unknown; to: unknown } | undefined {
  if (!isPlain(body)) return undefined
  const inner = isPlain(body.body) || isPlain(body.oldBody) ? body : isPlain(body.data) ? body.data : body
  if (!('oldBody' in inner) && !('body' in inner)) return undefined
  return { from: inner.oldBody, to: inner.body }
}
