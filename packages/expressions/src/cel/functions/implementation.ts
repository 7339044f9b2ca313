import type { CelValue } from '../value.ts'

export type Implementation = (...args: CelValue[]) => CelValue

/** Binds an overload id to its function. The dispatcher compares the values with the declared types before it calls,
 *  which is why an implementation may name the types it gets. */
export function overload<Args extends (CelValue | undefined)[]>(
  id: string,
  implementation: (...args: Args) => CelValue,
): readonly [string, Implementation] {
  return [id, implementation as unknown as Implementation]
}

/** A function with one implementation for all its overloads, which looks at the values itself. */
export interface OperatorFunction {
  implementation: Implementation
  /** Whether the first operand's type takes part in the operation at all. */
  accepts(operand: CelValue): boolean
}
