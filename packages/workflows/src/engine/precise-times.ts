/** When a run and its nodes began and ended, to the millisecond. A status has whole seconds, as upstream writes them, and most
 *  steps are over sooner. What another life of the engine has seen is known in seconds. */
export class PreciseTimes {
  readonly #known = new Map<string, number>()

  /** `time` as the status has it; `key` says whose and which. It was first heard of at `now`, or before. */
  of(key: string, time: string, now: number): number {
    const second = Date.parse(time)
    const known = this.#known.get(key)
    if (known !== undefined && known - second >= 0 && known - second < SECOND_MS) return known
    const precise = within(second, now)
    this.#known.set(key, precise)
    return precise
  }
}

const SECOND_MS = 1000

/** The moment of that second that is nearest to when it was seen, unless that was much later. */
function within(second: number, now: number): number {
  const since = now - second
  return since < 0 || since >= 2 * SECOND_MS ? second : second + Math.min(since, SECOND_MS - 1)
}
