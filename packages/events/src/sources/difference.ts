import type { Seen } from './checkpoint.ts'

/** What the cluster says of an object. */
export type Sighting = { uid: string; resourceVersion: string } | 'gone'

/** What has happened since it was last seen. */
export type Difference =
  | { type: 'ADD' }
  | { type: 'UPDATE' }
  | { type: 'DELETE' }
  /** Of the object that was seen before, under the same name. */
  | { type: 'DELETE then ADD' }
  | { type: 'none' }

export function difference(seen: Seen | undefined, now: Sighting): Difference {
  if (now === 'gone') return { type: seen ? 'DELETE' : 'none' }
  if (!seen) return { type: 'ADD' }
  if (seen.uid !== now.uid) return { type: 'DELETE then ADD' }
  return { type: seen.resourceVersion === now.resourceVersion ? 'none' : 'UPDATE' }
}

const BOOKKEEPING = new Set(['managedFields', 'resourceVersion', 'generation'])

/** Whether two states of an object differ in more than status and bookkeeping. */
export function isSubstantial(before: Record<string, unknown>, after: Record<string, unknown>): boolean {
  return substance(before) !== substance(after)
}

function substance(object: Record<string, unknown>): string {
  return JSON.stringify({ ...object, status: undefined }, (key, value) => {
    if (key === 'metadata' && value === object.metadata && value !== undefined)
      return sorted(value as object, name => !BOOKKEEPING.has(name))
    if (typeof value === 'bigint') return `${value}n`
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? sorted(value as object) : value
  })
}

function sorted(value: object, isKept: (name: string) => boolean = () => true): object {
  const names = Object.keys(value).filter(isKept).sort()
  return Object.fromEntries(names.map(name => [name, (value as Record<string, unknown>)[name]]))
}
