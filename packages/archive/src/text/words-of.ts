import type { ObjectReference, PartReference } from '@tiphys/journal/records'

/** What a terminal would obey, or show in another order, is shown as a dot: names and messages come from anywhere. */
export function plain(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, '·')
}

export function shortened(text: string, most = 120): string {
  const line = plain(text)
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`
}

/** `Memcached default/cache-7` */
export function objectName({ kind, namespace, name }: ObjectReference): string {
  return plain(`${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`)
}

/** `memcached/reconcile` */
export const partName = ({ name, part }: PartReference): string => plain(part === '' ? name : `${name}/${part}`)

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} min`
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} days`
}

/** `2026-01-05 08:00:01.250` */
export const moment = (at: number): string => new Date(at).toISOString().replace('T', ' ').replace('Z', '')

/** A value in a sentence. */
export const told = (value: unknown): string => (value === undefined ? 'nothing' : shortened(JSON.stringify(value), 60))
