import type { KubeObject } from '@tiphys/kube'
import { setField } from '../json-value.ts'

/** Puts into an updated object, for every part of it that is as it was, the stored part itself. Whoever compares the two
 *  afterwards sees at a glance what did not change, and both versions share it in memory. Metadata is left out: it is written to
 *  until the object is stored. */
export function adoptUnchanged(object: KubeObject, current: KubeObject): void {
  for (const name of Object.keys(object)) {
    if (name === 'metadata' || !Object.hasOwn(current, name)) continue
    const kept = adopted(object[name], current[name])
    if (kept !== object[name]) setField(object, name, kept)
  }
}

/** `current` when the two are equal, else `next`, whose equal parts are those of `current` then. */
function adopted(next: unknown, current: unknown): unknown {
  if (next === current || typeof next !== 'object' || typeof current !== 'object') return next
  if (next === null || current === null) return next
  if (Array.isArray(next)) return Array.isArray(current) ? adoptedList(next, current) : next
  return Array.isArray(current) ? next : adoptedMap(next as Fields, current as Fields)
}

type Fields = Record<string, unknown>

function adoptedList(next: unknown[], current: unknown[]): unknown[] {
  let isSame = next.length === current.length
  for (let i = 0; i < next.length && i < current.length; i++) {
    const kept = adopted(next[i], current[i])
    if (kept !== next[i]) next[i] = kept
    if (kept !== current[i]) isSame = false
  }
  return isSame ? current : next
}

function adoptedMap(next: Fields, current: Fields): Fields {
  let isSame = true
  let left = Object.keys(current).length
  for (const key of Object.keys(next)) {
    if (!Object.hasOwn(current, key)) {
      isSame = false
      continue
    }
    left--
    const kept = adopted(next[key], current[key])
    if (kept !== next[key]) setField(next, key, kept)
    if (kept !== current[key]) isSame = false
  }
  return isSame && left === 0 ? current : next
}
