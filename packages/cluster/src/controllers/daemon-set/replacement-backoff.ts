import type { Clock } from '@tiphys/env'

const INITIAL_MS = 1000
const MAXIMUM_MS = 15 * 60_000

/** How often failed pods of one place are replaced: each time after twice the time, so that a node that refuses a pod is
 *  not flooded with it. */
export interface ReplacementBackoff {
  /** In how many milliseconds a pod of this place may be replaced. */
  wait(place: string): number
  /** One is replaced now. */
  record(place: string): void
}

export function createReplacementBackoff(clock: Clock): ReplacementBackoff {
  const places = new Map<string, { at: number; delayMs: number }>()
  const prune = () => {
    for (const [place, { at }] of places) if (clock.now() - at > 2 * MAXIMUM_MS) places.delete(place)
  }
  return {
    wait(place) {
      const last = places.get(place)
      return last ? Math.max(0, last.at + last.delayMs - clock.now()) : 0
    },
    record(place) {
      prune()
      const last = places.get(place)
      const delayMs = last ? Math.min(2 * last.delayMs, MAXIMUM_MS) : INITIAL_MS
      places.set(place, { at: clock.now(), delayMs })
    },
  }
}
