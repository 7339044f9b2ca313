/** A range of unsigned 64-bit amounts, sizes or costs. Arithmetic stops at the largest amount instead of wrapping. */
export interface Estimate {
  readonly min: bigint
  readonly max: bigint
}

export const largest = 2n ** 64n - 1n
export const unknownSize: Estimate = { min: 0n, max: largest }
export const nothing: Estimate = { min: 0n, max: 0n }

export const fixed = (amount: bigint): Estimate => ({ min: amount, max: amount })
export const one = fixed(1n)

const capped = (amount: bigint): bigint => (amount > largest ? largest : amount)

export function sum(...estimates: readonly Estimate[]): Estimate {
  return estimates.reduce(
    (total, estimate) => ({ min: capped(total.min + estimate.min), max: capped(total.max + estimate.max) }),
    nothing,
  )
}

export function product(left: Estimate, right: Estimate): Estimate {
  return { min: capped(left.min * right.min), max: capped(left.max * right.max) }
}

export function union(left: Estimate, right: Estimate): Estimate {
  return {
    min: left.min < right.min ? left.min : right.min,
    max: left.max > right.max ? left.max : right.max,
  }
}

/** Multiplied as doubles and rounded up, which is how CEL rounds. */
export function scaled(estimate: Estimate, factor: number): Estimate {
  return { min: scale(estimate.min, factor), max: scale(estimate.max, factor) }
}

function scale(amount: bigint, factor: number): bigint {
  const value = Math.ceil(Number(amount) * factor)
  return value >= 2 ** 64 ? largest : BigInt(value)
}
