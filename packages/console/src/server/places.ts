import { HttpFailure } from './http-failure.ts'

/** How much one caller has open at a time, over all of their connections. */
export interface Places {
  /** Gives what ends it. Throws when they have too much open. */
  take(who: string): () => void
}

export function createPlaces(mostOfOne: number): Places {
  const taken = new Map<string, number>()
  return {
    take(who) {
      const own = taken.get(who) ?? 0
      if (own >= mostOfOne) {
        throw new HttpFailure('console-busy', {
          status: 429,
          what: `you follow ${own} things already`,
          todo: 'Close tabs or connections that you do not need',
        })
      }
      taken.set(who, own + 1)
      let isTaken = true
      return () => {
        if (!isTaken) return
        isTaken = false
        const left = (taken.get(who) ?? 1) - 1
        if (left > 0) taken.set(who, left)
        else taken.delete(who)
      }
    },
  }
}
