export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >>> 1
  const upper = sorted[middle]
  if (upper === undefined) throw new Error('no values to take the median of')
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2
}

export interface Spread {
  median: number
  least: number
  most: number
}

export function spread(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) }
}
