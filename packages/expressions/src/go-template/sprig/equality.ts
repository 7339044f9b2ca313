import type { Budget } from '../budget.ts'
import { GoComplex, GoInt, GoMap, GoObject, GoSlice, type GoValue } from '../value.ts'

/** reflect.DeepEqual: the same type and the same content. */
export function deepEqual(budget: Budget, left: GoValue, right: GoValue, depth = 0): boolean {
  budget.checkDepth(depth)
  budget.step()
  if (left === right) return true
  const isSame = (a: GoValue, b: GoValue) => deepEqual(budget, a, b, depth + 1)
  if (left instanceof GoSlice && right instanceof GoSlice) {
    if (left.type !== right.type || left.isNil !== right.isNil || left.items.length !== right.items.length) return false
    return left.items.every((item, index) => isSame(item, right.items[index]))
  }
  if (left instanceof GoMap && right instanceof GoMap) {
    if (left.type !== right.type || left.isNil !== right.isNil || left.entries.size !== right.entries.size) return false
    return [...left.entries].every(([key, value]) => right.entries.has(key) && isSame(value, right.entries.get(key)))
  }
  if (left instanceof GoInt && right instanceof GoInt) return left.type === right.type && left.value === right.value
  if (left instanceof GoComplex && right instanceof GoComplex) {
    return left.real === right.real && left.imaginary === right.imaginary
  }
  if (left instanceof GoObject && right instanceof GoObject) return left.equals(right)
  return (left ?? null) === null && (right ?? null) === null
}
