import type { KubeObject } from './object.ts'

/** What is kept of an object before it is cached: a function that returns a smaller object, or the paths of the fields to
 *  keep (`spec.nodeName`; an array of keys where a key has a dot in it). What identifies an object is always kept:
 *  apiVersion, kind, and of its metadata the name, namespace, uid, resourceVersion, deletionTimestamp and owners. */
export type Projection<T extends KubeObject> = ((object: T) => T) | readonly FieldPath[]
export type FieldPath = string | readonly string[]

const IDENTITY = ['name', 'namespace', 'uid', 'resourceVersion', 'deletionTimestamp', 'ownerReferences'] as const

export function createProjection<T extends KubeObject>(projection: Projection<T> | undefined): (object: T) => T {
  if (projection === undefined) return object => object
  if (typeof projection === 'function') return object => withIdentity(projection(object), object)
  const paths = projection.map(path => (typeof path === 'string' ? path.split('.') : path))
  return object => {
    const kept: Record<string, unknown> = {}
    for (const path of paths) keep(kept, object, path, 0)
    return withIdentity(kept, object)
  }
}

function withIdentity<T extends KubeObject>(projected: Record<string, unknown>, object: T): T {
  // Field by field, never onto a copy: that gives every object a hidden class of its own, which is larger than the object.
  const metadata: Record<string, unknown> = {}
  for (const field of IDENTITY) if (object.metadata[field] !== undefined) metadata[field] = object.metadata[field]
  const kept = projected.metadata as Record<string, unknown> | undefined
  for (const field in kept) addField(metadata, field, kept[field])
  const result: Record<string, unknown> = { apiVersion: object.apiVersion, kind: object.kind, metadata }
  for (const field in projected) addField(result, field, projected[field])
  return result as T
}

function addField(into: Record<string, unknown>, name: string, value: unknown): void {
  if (Object.hasOwn(into, name)) return
  if (name !== '__proto__') into[name] = value
  else Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true })
}

function keep(
  into: Record<string, unknown>,
  from: Record<string, unknown>,
  path: readonly string[],
  depth: number,
): void {
  const key = path[depth]
  if (key === undefined || !Object.hasOwn(from, key)) return
  const value = from[key]
  if (depth === path.length - 1) {
    into[key] = value
    return
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return
  // A parent that an earlier path kept whole has this field already, and belongs to `from`.
  if (into[key] === value) return
  const child = (into[key] ?? {}) as Record<string, unknown>
  into[key] = child
  keep(child, value as Record<string, unknown>, path, depth + 1)
}
