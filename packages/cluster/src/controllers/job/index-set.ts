interface Interval {
  first: number
  last: number
}

/** A set of completion indexes, written as in a Job's status: `1,3-5,7`. It never changes. */
export class IndexSet {
  static readonly empty = new IndexSet([])

  readonly #intervals: readonly Interval[]
  readonly size: number

  private constructor(intervals: readonly Interval[]) {
    this.#intervals = intervals
    this.size = intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0)
  }

  /** Reads indexes below `completions`; what cannot be read is left out. */
  static parse(text: string, completions: number): IndexSet {
    const intervals: Interval[] = []
    for (const part of text.split(',')) {
      const limits = part.split('-').map(Number)
      const [first = Number.NaN, last = first] = part === '' ? [] : limits
      if (!Number.isInteger(first) || !Number.isInteger(last)) continue
      if (first >= completions) break
      intervals.push({ first, last: Math.min(last, completions - 1) })
    }
    return new IndexSet(merged(intervals))
  }

  static of(indexes: Iterable<number>): IndexSet {
    return new IndexSet(merged([...indexes].map(index => ({ first: index, last: index }))))
  }

  has(index: number): boolean {
    return this.#intervals.some(({ first, last }) => first <= index && index <= last)
  }

  union(other: IndexSet): IndexSet {
    if (other.size === 0) return this
    return new IndexSet(merged([...this.#intervals, ...other.#intervals]))
  }

  /** How many indexes are in both. */
  overlap(other: IndexSet): number {
    let count = 0
    for (const mine of this.#intervals)
      for (const theirs of other.#intervals)
        count += Math.max(0, Math.min(mine.last, theirs.last) - Math.max(mine.first, theirs.first) + 1)
    return count
  }

  /** The lowest `count` indexes below `completions` that are not in the set. */
  firstMissing(count: number, completions: number): number[] {
    const missing: number[] = []
    let candidate = 0
    for (const { first, last } of [...this.#intervals, { first: completions, last: completions }]) {
      while (candidate < Math.min(first, completions) && missing.length < count) missing.push(candidate++)
      candidate = Math.max(candidate, last + 1)
    }
    return missing
  }

  toString(): string {
    return this.#intervals
      .map(({ first, last }) => (first === last ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`))
      .join(',')
  }
}

function merged(intervals: Interval[]): Interval[] {
  const result: Interval[] = []
  for (const { first, last } of intervals.toSorted((a, b) => a.first - b.first)) {
    const previous = result.at(-1)
    if (previous === undefined || first > previous.last + 1) result.push({ first, last })
    else if (last > previous.last) previous.last = last
  }
  return result
}
