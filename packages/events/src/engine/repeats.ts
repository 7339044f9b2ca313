import type { Clock } from '@tiphys/env'

/** So many different events are counted, and of so many a minute it is told. */
const [MOST_COUNTED, MOST_TOLD] = [1000, 60]
const MINUTE_MS = 60_000

/** Counts how often events come again, and says when that is worth a record: of one event the first time, the tenth, the hundredth, …,
 *  and of all together no more than a few a minute. Whoever sends one thing over and over again fills no archive. */
export class Repeats {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #counts = new Map<string, number>()
  #minute = 0
  #told = 0

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** How often the event has come again by now, if that is to be told. */
  note(id: string): number | undefined {
    const times = (this.#counts.get(id) ?? 0) + 1
    this.#counts.delete(id)
    this.#counts.set(id, times)
    if (this.#counts.size > MOST_COUNTED) this.#counts.delete(this.#counts.keys().next().value as string)
    if (!Number.isInteger(Math.log10(times)) || !this.#isRoom()) return undefined
    return times
  }

  #isRoom(): boolean {
    const minute = Math.floor(this.#clock.monotonic() / MINUTE_MS)
    if (minute !== this.#minute) this.#told = 0
    this.#minute = minute
    return this.#told++ < MOST_TOLD
  }
}
