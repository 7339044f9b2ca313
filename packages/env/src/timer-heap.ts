/** A place in time, and in the order of scheduling. */
export interface HeapEntry {
  readonly due: number
  readonly order: number
  /** Where it stands in the heap; -1 when it does not. Written by the heap alone. */
  place: number
}

/** What waits, the earliest first: adding, taking the first and removing any take O(log n). */
export class TimerHeap<T extends HeapEntry> {
  readonly #entries: T[] = []

  get size(): number {
    return this.#entries.length
  }

  /** The earliest; of those due at the same time, the one that was scheduled first. */
  first(): T | undefined {
    return this.#entries[0]
  }

  add(entry: T): void {
    this.#rise(entry, this.#entries.length)
  }

  /** Does nothing when it is not there. */
  remove(entry: T): void {
    const { place } = entry
    if (place < 0) return
    entry.place = -1
    const last = this.#entries.pop() as T
    if (last === entry) return
    // The last fills the gap, and goes up or down from there.
    this.#sink(last, place)
    this.#rise(last, last.place)
  }

  #rise(entry: T, from: number): void {
    let place = from
    while (place > 0) {
      const parentPlace = (place - 1) >> 1
      const parent = this.#entries[parentPlace] as T
      if (!isBefore(entry, parent)) break
      this.#put(parent, place)
      place = parentPlace
    }
    this.#put(entry, place)
  }

  #sink(entry: T, from: number): void {
    let place = from
    for (;;) {
      const left = this.#entries[2 * place + 1]
      if (left === undefined) break
      const right = this.#entries[2 * place + 2]
      const child = right !== undefined && isBefore(right, left) ? right : left
      if (!isBefore(child, entry)) break
      const childPlace = child.place
      this.#put(child, place)
      place = childPlace
    }
    this.#put(entry, place)
  }

  #put(entry: T, place: number): void {
    this.#entries[place] = entry
    entry.place = place
  }
}

const isBefore = (a: HeapEntry, b: HeapEntry) => a.due < b.due || (a.due === b.due && a.order < b.order)
