import type { Compaction, CompactOptions, Entry, Journal, JournalRecord } from '@tiphys/journal'

/** A journal that lives as long as its process, for clusters that keep nothing. */
export function createMemoryJournal(): Journal {
  return new MemoryJournal()
}

class MemoryJournal implements Journal {
  #entries: Entry[] = []
  #waiting: (() => void)[] = []
  #isClosed = false
  head = 0
  horizon = 1

  append({ key, data, deleted = false }: JournalRecord): Promise<number> {
    const position = ++this.head
    this.#entries.push({ position, key, data: Buffer.from(data), deleted })
    for (const wake of this.#waiting.splice(0)) wake()
    return Promise.resolve(position)
  }

  async *read(from: number): AsyncIterable<Entry> {
    const { head } = this
    for (const entry of this.#entries.slice(this.#indexOf(from))) if (entry.position <= head) yield entry
  }

  async *follow(from: number, signal: AbortSignal): AsyncIterable<Entry> {
    const onAbort = () => {
      for (const wake of this.#waiting.splice(0)) wake()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      for (let next = from; !signal.aborted && !this.#isClosed; ) {
        const entry = this.#entries[this.#indexOf(next)]
        if (entry) {
          next = entry.position + 1
          yield entry
        } else await new Promise<void>(resolve => this.#waiting.push(resolve))
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  compact({ before }: CompactOptions): Promise<Compaction> {
    const newest = new Map<string, number>()
    for (const { key, position } of this.#entries) if (key !== undefined) newest.set(key, position)
    const old = this.#entries.slice(0, this.#indexOf(before))
    const kept = old.filter(
      ({ key, position, deleted }) => key !== undefined && newest.get(key) === position && !deleted,
    )
    this.#entries = [...kept, ...this.#entries.slice(old.length)]
    this.horizon = Math.max(this.horizon, before)
    return Promise.resolve({ kept: kept.length, dropped: old.length - kept.length })
  }

  close(): Promise<void> {
    this.#isClosed = true
    for (const wake of this.#waiting.splice(0)) wake()
    return Promise.resolve()
  }

  /** The place of the first entry at or behind a position. */
  #indexOf(position: number): number {
    let [low, high] = [0, this.#entries.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#entries[middle] as Entry).position < position) low = middle + 1
      else high = middle
    }
    return low
  }
}
