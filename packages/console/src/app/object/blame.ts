/** Who manages which line of an object. */
export interface BlameLine {
  text: string
  manager: string
  time?: string
}

interface ManagedFields {
  manager?: string
  operation?: string
  time?: string
  subresource?: string
  fieldsV1?: Record<string, unknown>
}

interface Owner {
  manager: string
  time?: string
}

/** The object as YAML-like lines, each with the manager that managedFields names for it. */
export function blameOf(object: Record<string, unknown>): BlameLine[] {
  const metadata = (object.metadata ?? {}) as Record<string, unknown>
  const managed = (metadata.managedFields ?? []) as readonly ManagedFields[]
  const { managedFields: _, ...tidy } = metadata
  const lines: BlameLine[] = []
  const roots = managed.map(entry => ({
    fields: entry.fieldsV1 ?? {},
    owner: {
      manager: `${entry.manager ?? 'unknown'}${entry.subresource ? ` (${entry.subresource})` : ''}`,
      ...(entry.time !== undefined && { time: entry.time }),
    },
  }))
  write(lines, { ...object, metadata: tidy }, roots, 0, '')
  return lines
}

type Roots = readonly { fields: Record<string, unknown>; owner: Owner }[]

function write(lines: BlameLine[], value: unknown, roots: Roots, depth: number, prefix: string): void {
  const indent = '  '.repeat(depth)
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) {
      const own = inside(roots, key => matchesItem(key, item))
      if (typeof item === 'object' && item !== null) {
        const [first, ...rest] = Object.entries(item)
        if (first) field(lines, first[0], first[1], own, depth, `${indent}- `)
        for (const [name, child] of rest) field(lines, name, child, own, depth + 1)
      } else lines.push({ text: `${indent}- ${scalar(item)}`, ...ownerOf(own.length > 0 ? own : roots) })
    }
    return
  }
  for (const [name, child] of Object.entries(value as object))
    field(lines, name, child, roots, depth, prefix || undefined)
}

function field(lines: BlameLine[], name: string, value: unknown, roots: Roots, depth: number, lead?: string): void {
  const own = inside(roots, key => key === `f:${name}`)
  const indent = lead ?? '  '.repeat(depth)
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
  if (typeof value !== 'object' || value === null || isEmpty) {
    lines.push({ text: `${indent}${name}: ${scalar(value)}`, ...ownerOf(own) })
    return
  }
  lines.push({ text: `${indent}${name}:`, ...ownerOf(own.filter(({ fields }) => '.' in fields)) })
  write(lines, value, own, depth + (Array.isArray(value) ? 0 : 1) + (lead === undefined ? 0 : 1), '')
}

function inside(roots: Roots, isOurs: (key: string) => boolean): Roots {
  return roots.flatMap(({ fields, owner }) =>
    Object.entries(fields)
      .filter(([key]) => isOurs(key))
      .map(([, child]) => ({ fields: (child ?? {}) as Record<string, unknown>, owner })),
  )
}

/** `k:{"name":"web"}` names an item by its keys, `v:"x"` by its value. */
function matchesItem(key: string, item: unknown): boolean {
  try {
    if (key.startsWith('v:')) return JSON.stringify(item) === key.slice(2)
    if (!key.startsWith('k:')) return false
    const keys = JSON.parse(key.slice(2)) as Record<string, unknown>
    return Object.entries(keys).every(([name, value]) => (item as Record<string, unknown>)[name] === value)
  } catch {
    return false // not of this form: nobody's
  }
}

const ownerOf = (roots: Roots): Owner => roots.at(-1)?.owner ?? { manager: '' }

function scalar(value: unknown): string {
  if (typeof value === 'string')
    return /^[\w./@ -]+$/.test(value) && value.trim() === value ? value : JSON.stringify(value)
  return JSON.stringify(value)
}
