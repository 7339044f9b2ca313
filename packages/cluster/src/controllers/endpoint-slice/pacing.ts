import type { Clock } from '@tiphys/env'

/** Smaller services are written at once. */
const SMALL = 50
const LONGEST_MS = 1000

/** Keeps large services from being written for every pod of a roll-out: the more pods, the longer the pause between two
 *  writes. */
export class Pacing {
  readonly #clock: Clock
  readonly #last = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** How long to wait before the next write; 0 when it may begin now, which is then taken for the last one. */
  wait(key: string, pods: number): number {
    const now = this.#clock.monotonic()
    const last = this.#last.get(key)
    const left = last === undefined || pods <= SMALL ? 0 : last + Math.min(pods, LONGEST_MS) - now
    if (left > 0) return left
    this.#last.set(key, now)
    return 0
  }

  forget(key: string): void {
    this.#last.delete(key)
  }
}
