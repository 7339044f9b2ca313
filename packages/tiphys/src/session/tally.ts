import type { NewRecord } from '@tiphys/journal/records'

/** How much of what has happened since the start. */
export interface Tally {
  readonly events: number
  readonly runs: number
  readonly running: number
  readonly failed: number
  /** Takes a record into account; false when it changes nothing. */
  count(record: NewRecord): boolean
}

/** So many runs that have ended are remembered, so as not to be counted twice. */
const MOST_ENDED = 10_000

export function createTally(): Tally {
  return new RecordTally()
}

class RecordTally implements Tally {
  events = 0
  runs = 0
  failed = 0
  readonly #going = new Set<string>()
  /** Runs that have ended, and whether they failed: a retry makes them go again. */
  readonly #ended = new Map<string, boolean>()

  get running(): number {
    return this.#going.size
  }

  count(record: NewRecord): boolean {
    if (record.kind === 'event') return ++this.events > 0
    return record.kind === 'run' && this.#countRun(record.run.uid, record.phase)
  }

  #countRun(uid: string, phase: string): boolean {
    const hasFailed = phase === 'Failed' || phase === 'Error'
    const hasEnded = hasFailed || phase === 'Succeeded'
    const before = this.#ended.get(uid)
    const wasGoing = this.#going.has(uid)
    if (hasEnded ? before === hasFailed : wasGoing) return false
    if (!wasGoing && before === undefined) this.runs++
    if (before === true) this.failed--
    this.#ended.delete(uid)
    this.#going.delete(uid)
    if (!hasEnded) this.#going.add(uid)
    else {
      this.#ended.set(uid, hasFailed)
      if (hasFailed) this.failed++
      if (this.#ended.size > MOST_ENDED) this.#ended.delete([...this.#ended.keys()][0] ?? '')
    }
    return true
  }
}
