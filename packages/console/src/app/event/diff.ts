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
    return names.flatMap(name => differencesOf(from[name], to[name], pathTo(path, name)))
  }
  if (Array.isArray(from) && Array.isArray(to)) {
    const length = Math.max(from.length, to.length)
    return Array.from({ length }, (_, i) => differencesOf(from[i], to[i], `${path}[${i}]`)).flat()
  }
  // Of what came there is nothing before, of what went nothing after.
  const [before, after] = path === '' ? [withoutNoise(from) ?? undefined, withoutNoise(to) ?? undefined] : [from, to]
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  return [{ path, ...(before !== undefined && { from: before }), ...(after !== undefined && { to: after }) }]
}

/** As records of writes have it: names that are no words are quoted. */
function pathTo(path: string, name: string): string {
  if (!/^[\w$-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}

/** Of an object that came or went as a whole. */
function withoutNoise(value: unknown): unknown {
  if (!isPlain(value) || !isPlain(value.metadata)) return value
  const metadata = Object.entries(value.metadata).filter(([name]) => !NOISE.has(`metadata.${name}`))
  return { ...value, metadata: Object.fromEntries(metadata) }
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
