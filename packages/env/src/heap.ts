/** What can stand in a heap. */
export interface HeapEntry {
  /** Where it stands; -1 when it does not. Written by the heap alone. */
  heapIndex: number
}

/** What waits, the first of it first. Adding and removing take O(log n). What decides the order of an entry does not change
 *  while it is in the heap. */
export class Heap<T extends HeapEntry> {
  readonly #entries: T[] = []
  readonly #isBefore: (a: T, b: T) => boolean

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore
  }

  get size(): number {
    return this.#entries.length
  }

  get first(): T | undefined {
    return this.#entries[0]
  }

  add(entry: T): void {
    this.#rise(entry, this.#entries.length)
  }

  /** Does nothing when it is not there. */
  remove(entry: T): void {
    const { heapIndex } = entry
    if (heapIndex < 0) return
    entry.heapIndex = -1
    const last = this.#entries.pop() as T
    if (last === entry) return
    // The last fills the gap, and goes up or down from there.
    this.#sink(last, heapIndex)
    this.#rise(last, last.heapIndex)
  }

  #rise(entry: T, from: number): void {
    let place = from
    while (place > 0) {
      const parentPlace = (place - 1) >> 1
      const parent = this.#entries[parentPlace] as T
      if (!this.#isBefore(entry, parent)) break
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
      const child = right !== undefined && this.#isBefore(right, left) ? right : left
      if (!this.#isBefore(child, entry)) break
      const childPlace = child.heapIndex
      this.#put(child, place)
      place = childPlace
    }
    this.#put(entry, place)
  }

  #put(entry: T, place: number): void {
    this.#entries[place] = entry
    entry.heapIndex = place
  }
}
