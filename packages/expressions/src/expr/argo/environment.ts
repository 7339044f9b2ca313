import { compareStrings } from '../../cel/text-order.ts'
import { type ExprObject, type ExprValue, own, put } from '../value.ts'

/** Makes nested objects of keys with dots: `{ 'a.b': 1 }` becomes `{ a: { b: 1 } }`. Of `a` and `a.b` the longer one stays. */
export function expandKeys(flat: ExprObject): ExprObject {
  return nested(withoutConflicts(flat))
}

function withoutConflicts(flat: ExprObject): (readonly [string, ExprValue])[] {
  const keys = Object.keys(flat).sort(compareStrings)
  // Only the next key is looked at, as upstream does: with `a`, `a-b` and `a.b`, the `a` stays.
  const kept = keys.filter((key, index) => !(keys[index + 1] ?? '').startsWith(`${key}.`))
  return kept.map(key => [key, own(flat, key)] as const)
}

function nested(entries: readonly (readonly [string, ExprValue])[]): ExprObject {
  const groups = new Map<string, (readonly [string, ExprValue])[]>()
  const result: Record<string, ExprValue> = {}
  for (const [key, value] of entries) {
    const dot = key.indexOf('.')
    if (dot === -1) {
      if (!groups.has(key)) put(result, key, value)
      continue
    }
    const name = key.slice(0, dot)
    if (Object.hasOwn(result, name)) continue
    groups.set(name, [...(groups.get(name) ?? []), [key.slice(dot + 1), value]])
  }
  for (const [name, group] of groups) put(result, name, nested(group))
  return result
}

/** The environment of an EventSource's filter: the payload's keys with `_` for `-`, and dots expanded. */
export function eventEnvironment(payload: ExprObject): ExprObject {
  const renamed: Record<string, ExprValue> = {}
  for (const key of Object.keys(payload)) put(renamed, key.replaceAll('-', '_'), own(payload, key))
  return expandKeys(renamed)
}
