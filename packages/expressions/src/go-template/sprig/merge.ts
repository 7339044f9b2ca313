import type { Budget } from '../budget.ts'
import { GoMap, GoObject, GoSlice, type GoValue } from '../value.ts'
import { isEmpty } from './defaults.ts'

/** Merges maps into the first one, which is changed; without `overwrites` it keeps what it has unless that is empty. The
 *  rules are those of the Go package mergo. */
export function merged(budget: Budget, target: GoMap, sources: readonly GoMap[], overwrites: boolean): GoMap {
  let result = target
  for (const source of sources) {
    if (result.isNil && !source.isNil) result = new GoMap()
    mergeInto(budget, result, source, overwrites, 0)
  }
  return result
}

const hasNothing = (value: GoValue): boolean => !(value instanceof GoObject) && isEmpty(value)

function mergeInto(budget: Budget, target: GoMap, source: GoMap, overwrites: boolean, depth: number): void {
  budget.checkDepth(depth)
  budget.step(source.entries.size)
  if (target === source) return
  for (const [key, value] of source.entries) {
    const present = target.entries.get(key)
    if (value === null || value === undefined) {
      if (overwrites) target.entries.set(key, null)
      continue
    }
    if (value instanceof GoMap && present instanceof GoMap && !present.isNil) {
      mergeInto(budget, present, value, overwrites, depth + 1)
    }
    if (value instanceof GoSlice && (overwrites || target.entries.size === 0)) target.entries.set(key, value)
    const isKept = present !== undefined && !hasNothing(present)
    if (isKept && (value instanceof GoSlice || (value instanceof GoMap && present instanceof GoMap))) continue
    if (overwrites || !isKept) target.entries.set(key, value)
  }
}
