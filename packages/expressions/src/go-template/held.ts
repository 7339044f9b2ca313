import { anyType, GoComplex, GoInt, GoMap, GoObject, GoSlice, type GoType, type GoValue, typeOf } from './value.ts'

/** A value that was taken out of a map or slice of `interface {}`. Messages name that type rather than the value's own. */
export class Boxed {
  readonly value: Exclude<GoValue, null | undefined>

  constructor(value: Exclude<GoValue, null | undefined>) {
    this.value = value
  }
}

/** What a template holds while it evaluates. */
export type Held = GoValue | Boxed

export const unbox = (held: Held): GoValue => (held instanceof Boxed ? held.value : held)

/** What is taken out of something whose elements are of the type. */
export function element(value: GoValue, elementType: GoType): Held {
  return elementType === anyType && value !== null && value !== undefined ? new Boxed(value) : value
}

/** The type that messages name. */
export function heldType(held: Held): GoType {
  return held instanceof Boxed || held === null ? anyType : typeOf(held)
}

/** Whether a condition holds: everything does but zero, the empty, false and nil. */
export function truth(held: Held): boolean {
  const value = unbox(held)
  if (value === null || value === undefined) return false
  if (value instanceof GoSlice) return value.items.length > 0
  if (value instanceof GoMap) return value.entries.size > 0
  if (value instanceof GoInt) return value.value !== 0n
  if (value instanceof GoComplex) return value.real !== 0 || value.imaginary !== 0
  if (value instanceof GoObject) return true
  // NaN is not zero.
  return typeof value === 'number' ? value !== 0 : Boolean(value)
}
