import { asError, type Clock, RetryableFailure } from '@tiphys/env'
import type { Bus } from '../bus/bus.ts'
import type { Event } from '../event.ts'

/** What was held up for so long is made up for; more would be a flood. */
const MAKE_UP_MS = 200
/** So much is on its way to the bus at a time. */
const [MOST_TOGETHER, MOST_CHARACTERS] = [1000, 4 * 2 ** 20]
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [100, 15_000]

/** When the next of many is due of which so many are done in a second. */
export class Pace {
  readonly #clock: Clock
  readonly #everyMs: number
  #due: number

  constructor(clock: Clock, rate: number) {
    this.#clock = clock
    this.#everyMs = 1000 / rate
    this.#due = clock.monotonic()
  }

  /** Until the next is due; 0 when it is, or nearly: no timer is finer. */
  get waitMs(): number {
    const waitMs = this.#due - this.#clock.monotonic()
    return waitMs < 1 ? 0 : waitMs
  }

  /** One is done. */
  note(): void {
    this.#due = Math.max(this.#due + this.#everyMs, this.#clock.monotonic() - MAKE_UP_MS)
  }

  /** One that was noted had been done before. */
  takeBack(): void {
    this.#due -= this.#everyMs
  }
}

export interface PacedSenderOptions {
  clock: Clock
  bus: Pick<Bus, 'publish'>
  /** How many in a second at most. */
  rate: number
  signal: AbortSignal
  /** Ends early when the signal is aborted. */
  pause(ms: number): Promise<void>
  /** It is on stable storage, also when it was before; in the order in which they were given. */
  onStored(event: Event): void
  /** The bus takes nothing for now, and why; with nothing, that it does again. */
  onHeldBack(why: Error | undefined): Promise<void>
}

/** Sends events to a bus in their order, at a rate. Those that are due together share a sync of the disk, and none goes before all that were given
 *  earlier were taken: while the bus is full it waits. */
export class PacedSender {
  readonly #options: PacedSenderOptions
  readonly #pace: Pace
  #gathered: Event[] = []
  #characters = 0

  constructor(options: PacedSenderOptions) {
    this.#options = options
    this.#pace = new Pace(options.clock, options.rate)
  }

  /** Resolves when the next may be given. */
  async send(event: Event): Promise<void> {
    const { signal, pause } = this.#options
    for (let wait = this.#pace.waitMs; wait > 0 && !signal.aborted; wait = this.#pace.waitMs) await pause(wait)
    if (signal.aborted) return
    this.#gathered.push(event)
    this.#characters += event.data.length
    this.#pace.note()
    const isEnough = this.#gathered.length >= MOST_TOGETHER || this.#characters >= MOST_CHARACTERS
    if (isEnough || this.#pace.waitMs > 0) await this.stored()
  }

  /** Resolves when all that were given are stored, and rejects when one cannot be; early when the signal is aborted. */
  async stored(): Promise<void> {
    const { signal, pause, onHeldBack } = this.#options
    let rest = this.#gathered
    this.#gathered = []
    this.#characters = 0
    let isHeldBack = false
    for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs)) {
      const { taken, refusal } = await this.#publish(rest)
      if (!refusal) {
        if (isHeldBack) await onHeldBack(undefined)
        return
      }
      if (!(refusal instanceof RetryableFailure)) throw refusal
      rest = rest.slice(taken)
      isHeldBack = true
      await onHeldBack(refusal)
      if (taken > 0) pauseMs = SHORTEST_PAUSE_MS
      await pause(pauseMs)
      if (signal.aborted) return
    }
  }

  async #publish(events: readonly Event[]): Promise<{ taken: number; refusal?: Error }> {
    const { bus, onStored } = this.#options
    const publishing: ReturnType<Bus['publish']>[] = []
    for (const event of events) {
      const outcome = bus.publish(event)
      publishing.push(outcome)
      // Another one, that is smaller, must not find the room that it did not.
      if (await isRefused(outcome)) break
    }
    const outcomes = await Promise.allSettled(publishing)
    for (const [taken, outcome] of outcomes.entries()) {
      if (outcome.status === 'rejected') return { taken, refusal: asError(outcome.reason) }
      if (outcome.value === 'duplicate') this.#pace.takeBack()
      onStored(events[taken] as Event)
    }
    return { taken: events.length }
  }
}

/** Whether it was at once. */
async function isRefused(outcome: Promise<unknown>): Promise<boolean> {
  try {
    await Promise.race([outcome, Promise.resolve()])
    return false
  } catch {
    return true
  }
}
